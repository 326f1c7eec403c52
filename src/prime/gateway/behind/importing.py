"""Servers out of other clients' configuration files."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from prime.core.errors import InvalidInput, JsonValue

# What Prime's own entries have; the rest of an entry is the other client's business.
_KEPT = ("type", "transport", "command", "args", "env", "cwd", "url", "headers", "disabled")
# Where clients keep their servers: most at the top, editors below a section of their own.
_PLACES = (("mcpServers",), ("servers",), ("mcp", "servers"), ("mcp", "mcpServers"), ("context_servers",), ("mcp",))


def servers_in(document: Mapping[str, JsonValue], file: Path) -> dict[str, dict[str, JsonValue]]:
    """Name to entry; `InvalidInput` when no known place in the document has any."""
    for place in _PLACES:
        found = _at(document, place)
        if isinstance(found, Mapping) and any(
            _is_entry(one) for one in cast("Mapping[str, JsonValue]", found).values()
        ):
            entries = cast("Mapping[str, JsonValue]", found)
            return {
                name: _entry(cast("Mapping[str, JsonValue]", one)) for name, one in entries.items() if _is_entry(one)
            }
    raise InvalidInput(f"{file} names no MCP servers.", code="no_servers", hint="Look for `mcpServers` in it.")


def _at(document: Mapping[str, JsonValue], place: tuple[str, ...]) -> JsonValue:
    found = document.get(place[0])
    if len(place) == 1 or not isinstance(found, Mapping):
        return found if len(place) == 1 else None
    return _at(cast("Mapping[str, JsonValue]", found), place[1:])


def _is_entry(value: JsonValue) -> bool:
    return isinstance(value, Mapping) and any(key in value for key in ("command", "url", "serverUrl", "httpUrl"))


def _entry(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    entry = {key: given[key] for key in _KEPT if key in given}
    command = entry.get("command")
    if isinstance(command, Mapping):  # an editor's {"path": …, "args": […], "env": {…}}
        inner = cast("Mapping[str, JsonValue]", command)
        entry |= {"command": inner.get("path"), "args": inner.get("args", []), "env": inner.get("env") or {}}
    elif isinstance(command, list):
        words = cast("list[JsonValue]", command)
        entry |= {"command": words[0] if words else "", "args": words[1:]}
    for other in ("serverUrl", "httpUrl"):
        if other in given:
            entry.setdefault("url", given[other])
    if entry.get("type") in ("local", "remote"):
        del entry["type"]
    return entry
