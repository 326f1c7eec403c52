"""`tools/list`: every tool as MCP shows it, made once and kept until something changes."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.gateway.behind.pool import Servers
from prime.tools.atip.effect import Effects
from prime.tools.policy.delegation import Delegation
from prime.tools.policy.effects import changes
from prime.tools.priming.schemas import prime_schema
from prime.tools.runtimes.folder_runtime import FolderRuntime
from prime.tools.tool import Tool
from prime.tools.workshop import FOLDER_KINDS, Workshop

PAGE = 1000
Shown = dict[str, JsonValue]
CALL_TOOL: Shown = {
    "name": "call_tool",
    "title": "Call a tool",
    "description": "Call a tool that find_tools has found, by its exact name.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The tool's exact name."},
            "arguments": {"type": "object", "description": "Its arguments, as its parameters say."},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True},
}
_SEARCH = ("prime", "find_tools")
_MOST_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class _Kept:
    tools: list[Tool]
    shown: list[Shown]


class Listing:
    """What is shown of the catalog. `prime` is always first: it is the first thing that a client should read."""

    def __init__(self, workshop: Workshop, servers: Servers) -> None:
        self._workshop = workshop
        self._servers = servers
        self._entries: dict[int, tuple[Tool, Shown]] = {}
        self._kept: dict[int, tuple[Delegation | None, _Kept]] = {}

    def all(self, delegation: Delegation | None) -> list[Shown]:
        """Everything that a client with this delegation may see; the same list until something changes."""
        tools = self._workshop.catalog.tools()
        kept = self._kept.get(id(delegation))
        if kept is not None and kept[1].tools == tools:  # tools are compared by identity
            return kept[1].shown
        if len(self._kept) > 64:
            self._kept.clear()
        self._entries = {id(tool): self._entries.get(id(tool)) or (tool, self._show(tool)) for tool in tools}
        seen = [tool for tool in tools if may_see(tool, delegation)]
        shown = [self._entries[id(tool)][1] for tool in sorted(seen, key=lambda tool: tool.name != "prime")]
        self._kept[id(delegation)] = delegation, _Kept(tools, shown)
        return shown

    def search(self, delegation: Delegation | None, used: Sequence[str]) -> list[Shown]:
        """The way to find tools, and the tools that were used."""
        by_name = {cast("str", one["name"]): one for one in self.all(delegation)}
        names = [name for name in (*_SEARCH, *used) if name in by_name]
        found = [by_name[name] for name in dict.fromkeys(names)]
        place = min(len(found), len(_SEARCH))
        return [*found[:place], CALL_TOOL, *found[place:]]

    def one(self, tool: Tool) -> Shown:
        known = self._entries.get(id(tool))
        if known is None:
            if len(self._entries) > _MOST_ENTRIES:
                self._entries.clear()  # of tools that are gone, and that nobody has listed since
            known = self._entries[id(tool)] = tool, self._show(tool)
        return known[1]

    def _show(self, tool: Tool) -> Shown:
        extra = _extras(tool, self._servers, self._workshop.folders)
        shown: Shown = {
            "name": tool.name,
            "title": extra.title or " ".join(tool.command),
            "description": tool.description,
            "inputSchema": object_schema(tool.schema),
            "annotations": annotations(tool.effects),
        }
        if extra.returns is not None and extra.returns.get("type") == "object":
            shown["outputSchema"] = object_schema(extra.returns)
        return shown


def may_see(tool: Tool, delegation: Delegation | None) -> bool:
    """Whether the tool is left to the holder at all; what only asks is shown."""
    if delegation is None or (tool.runtime == "builtin" and tool.name in _SEARCH):
        return True
    return not any(reason.verdict == "deny" for reason in delegation.reasons(tool.name, [tool.command], tool.effects))


def annotations(effects: Effects) -> Shown:
    """The hints, from effective effects; what is not known is told as the worse."""
    reads = changes(effects) is False and effects.destructive is not True and effects.subprocess is False
    return {
        "readOnlyHint": reads,
        "destructiveHint": not reads and effects.destructive is not False,
        "idempotentHint": effects.idempotent is True,
        "openWorldHint": effects.network is not False,
    }


def page(items: Sequence[Shown], cursor: str | None, size: int = PAGE) -> tuple[list[Shown], str | None]:
    """One page and where the next begins."""
    start = _place(cursor) if cursor is not None else 0
    end = start + size
    return list(items[start:end]), _cursor(end) if end < len(items) else None


def _cursor(place: int) -> str:
    return base64.urlsafe_b64encode(f"place:{place}".encode()).decode()


def _place(cursor: str) -> int:
    try:
        word, _, number = base64.urlsafe_b64decode(cursor[:64].encode()).decode().partition(":")
        if word == "place" and number.isascii() and number.isdigit() and len(number) < 10:
            return int(number)
    except ValueError:
        pass
    raise InvalidInput("The cursor is none that was given out here.", field="cursor", hint="Begin again without one.")


@dataclass(frozen=True, slots=True)
class _Extras:
    title: str = ""
    returns: Mapping[str, JsonValue] | None = None


def _extras(tool: Tool, servers: Servers, folders: FolderRuntime | None) -> _Extras:
    """What a tool's source knows beyond the tool itself."""
    if tool.runtime == "mcp":
        definition = servers.definition(tool) or {}
        title, returns = definition.get("title"), definition.get("outputSchema")
        hints = definition.get("annotations")
        hinted = cast("Shown", hints).get("title") if isinstance(hints, dict) else None
        named = next((text for text in (title, hinted) if isinstance(text, str)), "")
        return _Extras(named, cast("Shown", returns) if isinstance(returns, dict) else None)
    if tool.runtime in FOLDER_KINDS and folders is not None:
        found = next((folder for folder in folders.registry.folders() if folder.tool is tool), None)
        title = found.manifest.metadata.get("title") if found else None
        return _Extras(title if isinstance(title, str) else "", found.manifest.returns if found else None)
    if tool.runtime == "builtin":
        returns = {k: v for k, v in prime_schema("response").items() if k != "$id"} if tool.name == "prime" else None
        return _Extras(_BUILTIN_TITLES.get(tool.name, ""), returns)
    return _Extras()


_BUILTIN_TITLES = {"prime": "Prime this session (call it first)", "find_tools": "Find tools"}


def object_schema(schema: Mapping[str, JsonValue]) -> Shown:
    """The schema of an object. `true` and `false` are schemas too, but clients take nothing but objects for properties."""
    shown = dict(schema) | {"type": "object"}
    given = shown.get("properties")
    properties = cast("Shown", given) if isinstance(given, dict) else {}
    if any(isinstance(one, bool) for one in properties.values()):
        plain: Mapping[JsonValue, JsonValue] = {True: {}, False: {"not": {}}}
        shown["properties"] = {k: plain[v] if isinstance(v, bool) else v for k, v in properties.items()}
    return shown
