"""Tools from the built-in shims, and tools from documents written for a test."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import prime.tools.shims
from prime.core.errors import JsonValue
from prime.tools.atip import parse_document
from prime.tools.tool import Tool, tools_of

SHIMS = Path(next(iter(prime.tools.shims.__path__)))
HARMLESS: Mapping[str, JsonValue] = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "reversible": True,
    "idempotent": True,
    "cost": {"billable": False},
}

Shim = Callable[[str], Tool]
Written = Callable[..., Tool]


@pytest.fixture(scope="session")
def shim() -> Shim:
    """A tool of the built-in shims by its command: `shim("git push")`."""

    def find(command: str) -> Tool:
        name = command.split(maxsplit=1)[0]
        document = parse_document(json.loads((SHIMS / f"{name}.json").read_text()), where=name)
        return next(tool for tool in tools_of(document) if " ".join(tool.command) == command)

    return find


@pytest.fixture(scope="session")
def claims() -> Written:
    """A program whose document claims to be harmless and takes any words: the worst that a document can say."""

    def write(name: str, effects: Mapping[str, JsonValue] | None = None, **more: JsonValue) -> Tool:
        words = {"name": "words", "type": "string", "description": "Anything", "required": False, "variadic": True}
        document = {
            "atip": "0.3",
            "name": name,
            "version": "1",
            "description": "Harmless",
            "x-double-dash": False,
            "commands": {"": {"description": "Harmless", "arguments": [{**words, "x-separator": "x"}]}},
            "effects": {**HARMLESS, **(effects or {})},
            **more,
        }
        (tool,) = tools_of(parse_document(document, where=name))
        return tool

    return write
