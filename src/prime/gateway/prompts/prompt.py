"""A prompt out of a Markdown file: frontmatter says what it is called and takes, the body is what is said."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.core.frontmatter import read_frontmatter
from prime.core.plain_file import read_plain

LARGEST = 256 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    name: str
    description: str = ""
    required: bool = False
    # What may be offered while somebody types.
    values: tuple[str, ...] = ()
    # The question that a client is asked when it was not given.
    ask: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        return {"name": self.name, "description": self.description, "required": self.required}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """`attach` are addresses of resources that go with it; they may have placeholders."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[Argument, ...] = ()
    body: str = ""
    attach: tuple[str, ...] = ()

    def as_json(self) -> dict[str, JsonValue]:
        shown: dict[str, JsonValue] = {
            "name": self.name,
            "description": self.description,
            "arguments": [argument.as_json() for argument in self.arguments],
        }
        return shown | ({"title": self.title} if self.title else {})

    def checked(self, given: Mapping[str, JsonValue]) -> dict[str, str]:
        """The values; `InvalidInput` names the argument that is missing or not one."""
        known = {argument.name: argument for argument in self.arguments}
        for name, value in given.items():
            if name not in known:
                raise InvalidInput(
                    f"The prompt {self.name} has no argument {name[:80]!r}.", field=f"arguments.{name[:80]}"
                )
            if not isinstance(value, str):
                raise InvalidInput(f"The argument {name} is not text.", field=f"arguments.{name}")
        for argument in self.arguments:
            if argument.required and not given.get(argument.name):
                raise InvalidInput(
                    f"The prompt {self.name} needs the argument {argument.name}.", field=f"arguments.{argument.name}"
                )
        return {name: cast("str", given.get(name, "")) for name in known}

    def filled(self, values: Mapping[str, str]) -> str:
        return fill(self.body, values)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Values are put in as they are: what looks like a mark in one stays text."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def read_prompt(path: Path) -> Prompt:
    """`InvalidInput` says where the file is wrong."""
    data = read_plain(path, LARGEST)
    if len(data) > LARGEST:
        raise InvalidInput(f"{path} has more than {LARGEST:,} bytes.", code="invalid_prompt")
    try:
        front = read_frontmatter(data.decode("utf-8-sig"), path=str(path))
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text.", code="invalid_prompt") from None
    fields = cast("Mapping[str, JsonValue]", front.data)
    name = fields.get("name", path.stem)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidInput(f"{path}: a prompt's name is letters, digits, `_`, `-` and `.`.", code="invalid_prompt")
    return Prompt(
        name=name,
        title=_words(fields.get("title")),
        description=_words(fields.get("description")),
        arguments=tuple(_argument(one, path) for one in _list(fields.get("arguments"), path, "arguments")),
        body=front.body.strip(),
        attach=tuple(_words(one) for one in _list(fields.get("attach"), path, "attach")),
    )


def _argument(value: JsonValue, path: Path) -> Argument:
    if isinstance(value, str):
        return Argument(name=value)
    given: Mapping[str, JsonValue] = cast("Mapping[str, JsonValue]", value) if isinstance(value, dict) else {}
    name = given.get("name")
    if not isinstance(name, str) or not _PLACEHOLDER.fullmatch(f"{{{{{name}}}}}"):
        raise InvalidInput(f"{path}: each argument needs a name of letters, digits and `_`.", code="invalid_prompt")
    values = given.get("values")
    return Argument(
        name=name,
        description=_words(given.get("description")),
        required=given.get("required") is True,
        ask=_words(given.get("ask")),
        values=tuple(str(one) for one in cast("list[JsonValue]", values)) if isinstance(values, list) else (),
    )


def _list(value: JsonValue, path: Path, name: str) -> list[JsonValue]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidInput(f"{path}: {name} is not a list.", code="invalid_prompt")
    return cast("list[JsonValue]", value)


def _words(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
