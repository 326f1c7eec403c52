"""The contract with a tool (D-RUN-2…4): one line of JSON in, one line of JSON out, and what that line means."""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from prime.core.errors import InvalidInput, JsonValue, TooLarge
from prime.core.json_text import BadJson, read_json

MAX_REQUEST: Final = 8 * 1024 * 1024
_MCP_KEYS: Final = frozenset({"content", "isError", "structuredContent", "_meta"})
# What a block of each type must have as text; `resource` and `json` have something else.
_TEXT_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
    "resource": (),
    "json": (),
}
_BEGINNINGS: Final = frozenset('{["-0123456789tfnNI')
_NOT_JSON = object()
_NUMBER: Final = re.compile(r"-?(?:[\d.eE+-]+|Infinity|NaN)")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool said. `value` is its JSON value, `has_value` whether there is one: MCP content may be text alone."""

    content: tuple[Mapping[str, JsonValue], ...]
    is_error: bool
    value: JsonValue
    has_value: bool


class NotAnAnswer(ValueError):
    """Meant as MCP content, and not it; the text says why."""


def request_line(arguments: Mapping[str, JsonValue]) -> bytes:
    """What the tool reads."""
    try:
        line = json.dumps({"arguments": dict(arguments)}, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        text = f"The arguments cannot be written as JSON: {error}."
        raise InvalidInput(text, code="invalid_arguments", hint="Use JSON values only.") from error
    if len(line) > MAX_REQUEST:
        text = f"The arguments are larger than {MAX_REQUEST:,} bytes."
        raise TooLarge(text, code="arguments_too_large", hint="Put large data into a file and name it.")
    return line


class Transcript:
    """The lines that a tool writes: a log, and among them the answer."""

    def __init__(self) -> None:
        self._log: list[str] = []
        self._value: JsonValue = _NOT_JSON
        self.second = False
        self.after = False
        self.invalid_utf8 = False
        # Why a line that looks like JSON is none.
        self.almost = ""

    @property
    def answered(self) -> bool:
        return self._value is not _NOT_JSON

    @property
    def lines(self) -> int:
        """How many lines of log there are."""
        return len(self._log)

    @property
    def log(self) -> str:
        return "\n".join(self._log)

    def line(self, raw: bytes) -> None:
        """Take one line, with or without its end. When the contract is broken, no further one matters."""
        if self.second or self.after:
            return
        try:
            text = raw.decode("utf-8-sig").strip()
        except UnicodeDecodeError:
            self.invalid_utf8 = True
            self._say(raw.decode(errors="replace").rstrip())
            return
        if not text:
            return
        value = self._json_of(text) if text[0] in _BEGINNINGS else _NOT_JSON
        if value is _NOT_JSON:
            self._say(text)
        elif self.answered:
            self.second = True
        else:
            self._value = value

    def answer(self) -> Answer:
        """What the line means: MCP content as it is, any other value wrapped (D-RUN-4)."""
        object_ = cast("dict[str, JsonValue]", self._value) if isinstance(self._value, dict) else {}
        direct = _mcp(object_)
        if direct is not None:
            return direct
        value = cast("JsonValue", self._value)
        return Answer(({"type": "json", "json": value},), is_error=False, value=value, has_value=True)

    def _json_of(self, text: str) -> JsonValue:
        try:
            return read_json(text)
        except BadJson as error:
            if text[0] in '{["' or _NUMBER.fullmatch(text):
                self.almost = error.message
            return _NOT_JSON

    def _say(self, text: str) -> None:
        self.after = self.after or self.answered
        self._log.append(text)


def _mcp(value: dict[str, JsonValue]) -> Answer | None:
    """The answer that an object is in MCP's own shape; None when it is an object of another kind.

    Only a value with `content` that is a list, and none but MCP's fields, can be one. `isError` beside it means that it
    is one, so that an error in a wrong shape is never taken for a result.
    """
    content = value.get("content")
    if not isinstance(content, list) or not value.keys() <= _MCP_KEYS:
        return None
    blocks = cast("list[JsonValue]", content)
    wrong = next((index for index, block in enumerate(blocks) if not _is_block(block)), None)
    claimed = "isError" in value
    if wrong is not None:
        if claimed or _is_medium(blocks[wrong]):
            raise NotAnAnswer(f"content/{wrong} is not a block of MCP content")
        return None
    is_error = value.get("isError", False)
    if not isinstance(is_error, bool):
        raise NotAnAnswer("isError is neither true nor false")
    found, has_value = _value_in(value, blocks)
    kept = tuple(cast("list[Mapping[str, JsonValue]]", blocks))
    return Answer(kept, is_error=is_error, value=found, has_value=has_value)


def _is_medium(block: JsonValue) -> bool:
    return isinstance(block, dict) and cast("dict[str, JsonValue]", block).get("type") in ("image", "audio")


def _is_block(block: JsonValue) -> bool:
    if not isinstance(block, dict):
        return False
    fields = cast("dict[str, JsonValue]", block)
    kind = fields.get("type")
    if not isinstance(kind, str) or kind not in _TEXT_FIELDS:
        return False
    if kind == "json":
        return "json" in fields
    if kind == "resource":
        return isinstance(fields.get("resource"), dict)
    if not all(isinstance(fields.get(name), str) for name in _TEXT_FIELDS[kind]):
        return False
    return kind not in {"image", "audio"} or _is_base64(cast("str", fields["data"]))


def _is_base64(data: str) -> bool:
    """Whoever gets a picture decodes it; one that cannot be would be their error, not the tool's."""
    try:
        base64.b64decode(data, validate=True)
    except ValueError:
        return False
    return True


def _value_in(value: dict[str, JsonValue], blocks: list[JsonValue]) -> tuple[JsonValue, bool]:
    """The JSON value beside or inside of MCP content, and whether there is one."""
    if value.get("structuredContent") is not None:
        return value["structuredContent"], True
    only = cast("dict[str, JsonValue]", blocks[0]) if len(blocks) == 1 else {}
    return (only["json"], True) if only.get("type") == "json" else (None, False)
