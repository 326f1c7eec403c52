"""One entry of `mcpServers`: how a server is started or reached, and what its owner says about it."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip.effect import UNKNOWN, Effects
from prime.tools.atip.parser import parse_document

Transport = Literal["stdio", "http", "sse"]
Place = Literal["user", "workspace", "erasmus"]
# What becomes of a server's wish to use the owner's model, or to ask the owner something.
Wish = Literal["ask", "deny"]

CALL_S = 120.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_FORM = 'An entry is {"command": …, "args": […], "env": {…}} or {"url": …}.'
_KINDS: Mapping[str, Transport] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
    "sse": "sse",
}


def _nothing() -> Mapping[str, str]:
    return {}


def _no_effects() -> Mapping[str, Effects]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """How one server is reached. Texts may hold `${NAME}`, which is put in when the server is opened and not before.

    `effects` is what the owner vouches for about all its tools, `tool_effects` about single ones.
    """

    name: str
    transport: Transport
    place: Place
    file: Path
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=_nothing)
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=_nothing)
    # A `url` without a `type`: the older transport is tried when the newer one is refused.
    guessed: bool = False
    disabled: bool = False
    call_s: float = CALL_S
    effects: Effects = UNKNOWN
    tool_effects: Mapping[str, Effects] = field(default_factory=_no_effects)
    sampling: Wish = "ask"
    elicitation: Wish = "ask"
    # The same effects as they are written, for whoever is asked whether the server may start.
    vouched: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    @property
    def digest(self) -> str:
        """Changes when anything does that decides what is run or reached."""
        told = [self.transport, self.command, list(self.args), sorted(self.env.items()), self.cwd, self.url]
        told += [sorted(self.headers.items()), self.disabled, self.call_s, repr(self.effects), repr(self.tool_effects)]
        told += [self.sampling, self.elicitation, str(self.file)]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that may hold `${NAME}`."""
        return (self.command, *self.args, *self.env.values(), self.cwd or "", self.url, *self.headers.values())

    @property
    def line(self) -> str:
        """What it is, for a person; without environment and headers, where secrets are."""
        return shlex.join((self.command, *self.args)) if self.transport == "stdio" else self.url.partition("?")[0]


def read_servers(value: JsonValue, file: Path, place: Place) -> tuple[dict[str, ServerConfig], list[InvalidInput]]:
    """The servers of one document, and what is wrong with the others: one bad entry does not lose its neighbours."""
    found: dict[str, ServerConfig] = {}
    wrong: list[InvalidInput] = []
    if not isinstance(value, dict):
        return {}, [_wrong(file, "", "is not a JSON object")]
    document = cast("dict[str, JsonValue]", value)
    servers = document.get("mcpServers", document.get("servers", {}))
    if not isinstance(servers, dict):
        return {}, [_wrong(file, "/mcpServers", "is not an object")]
    for name, entry in cast("dict[str, JsonValue]", servers).items():
        try:
            found[name] = read_server(name, entry, file, place)
        except InvalidInput as error:
            wrong.append(error)
    return found, wrong


def read_server(name: str, value: JsonValue, file: Path, place: Place) -> ServerConfig:
    """One entry; `InvalidInput` with file, pointer and what to write."""
    at = f"/mcpServers/{name[:80]}"
    if not _NAME.fullmatch(name):
        what = "has a name with other characters than letters, digits, `_`, `-` and `.`"
        raise _wrong(file, at, what, hint="Give it another name.")
    if not isinstance(value, dict):
        raise _wrong(file, at, "is not an object")
    entry = cast("dict[str, JsonValue]", value)
    transport, guessed = _transport(entry, file, at)
    return ServerConfig(
        name=name,
        transport=transport,
        place=place,
        file=file,
        command=_text(entry, "command", file, at) or "",
        args=_texts(entry.get("args", []), file, f"{at}/args"),
        env=_table(entry.get("env", {}), file, f"{at}/env"),
        cwd=_text(entry, "cwd", file, at),
        url=_text(entry, "url", file, at) or "",
        headers=_table(entry.get("headers", {}), file, f"{at}/headers"),
        guessed=guessed,
        disabled=entry.get("disabled") is True,
        call_s=_seconds(entry.get("timeoutMs", CALL_S * 1000), file, f"{at}/timeoutMs"),
        effects=_effects(entry.get("effects"), file, f"{at}/effects"),
        tool_effects=_tool_effects(entry.get("toolEffects", {}), file, f"{at}/toolEffects"),
        sampling=_wish(entry.get("sampling", "ask"), file, f"{at}/sampling"),
        elicitation=_wish(entry.get("elicitation", "ask"), file, f"{at}/elicitation"),
        vouched={key: entry[key] for key in ("effects", "toolEffects") if key in entry},
    )


def _transport(entry: Mapping[str, JsonValue], file: Path, at: str) -> tuple[Transport, bool]:
    said = entry.get("type", entry.get("transport"))
    if said is not None:
        if not isinstance(said, str) or said not in _KINDS:
            raise _wrong(file, f"{at}/type", "is none of stdio, http and sse")
        kind = _KINDS[said]
    elif "command" in entry:
        kind = "stdio"
    elif "url" in entry:
        kind = "http"
    else:
        raise _wrong(file, at, "has neither `command` nor `url`")
    needed = "command" if kind == "stdio" else "url"
    if not isinstance(entry.get(needed), str) or not entry[needed]:
        raise _wrong(file, f"{at}/{needed}", f"is needed for the type {kind}")
    if kind != "stdio" and not re.match(r"https?://|\$\{", cast("str", entry["url"])):
        raise _wrong(file, f"{at}/url", "is not an http or https address")
    return kind, said is None and kind == "http"


def _text(entry: Mapping[str, JsonValue], key: str, file: Path, at: str) -> str | None:
    value = entry.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _wrong(file, f"{at}/{key}", "is not text")


def _texts(value: JsonValue, file: Path, at: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[JsonValue]", value)):
        raise _wrong(file, at, "is not a list of texts")
    return tuple(cast("list[str]", value))


def _table(value: JsonValue, file: Path, at: str) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise _wrong(file, at, "is not an object")
    for key, item in cast("dict[str, JsonValue]", value).items():
        if not isinstance(item, str):
            raise _wrong(file, f"{at}/{key}", "is not text")
    return cast("dict[str, str]", value)


def _seconds(value: JsonValue, file: Path, at: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 24 * 3600 * 1000:
        raise _wrong(file, at, "is not a number of milliseconds")
    return value / 1000


def _wish(value: JsonValue, file: Path, at: str) -> Wish:
    if value == "ask":
        return "ask"
    if value == "deny":
        return "deny"
    raise _wrong(file, at, "is neither `ask` nor `deny`")


def _effects(value: JsonValue, file: Path, at: str) -> Effects:
    """Read by ATIP's own reader, so that there is one way to write effects."""
    if value is None:
        return UNKNOWN
    document: JsonValue = {"atip": "0.3", "name": "x", "version": "1", "description": "x", "effects": value}
    try:
        return parse_document(document, where=f"{file}: {at}").effects
    except InvalidInput as error:
        raise _wrong(file, at, f"cannot be read: {error.message}") from None


def _tool_effects(value: JsonValue, file: Path, at: str) -> Mapping[str, Effects]:
    if not isinstance(value, dict):
        raise _wrong(file, at, "is not an object")
    given = cast("dict[str, JsonValue]", value)
    return {name: _effects(effects, file, f"{at}/{name}") for name, effects in given.items()}


def _wrong(file: Path, pointer: str, what: str, *, hint: str = _FORM) -> InvalidInput:
    return InvalidInput(
        f"{file}: {pointer or 'the document'} {what}.",
        code="invalid_mcp_config",
        hint=hint,
        file=str(file),
        pointer=pointer,
    )


def names_in(texts: Iterable[str]) -> set[str]:
    """The variables that texts ask for."""
    return {match[1] for text in texts for match in _VARIABLE.finditer(text)}


def needed_in(texts: Iterable[str]) -> set[str]:
    """Those that have nothing to fall back on."""
    return {match[1] for text in texts for match in _VARIABLE.finditer(text) if match[2] is None}


_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def expand(text: str, values: Mapping[str, str]) -> str:
    """`${NAME}` by its value, or by the default of `${NAME:-default}`. What is put in is not looked at again."""
    return _VARIABLE.sub(lambda match: values[match[1]] if match[1] in values else match[2], text)
