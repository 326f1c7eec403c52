"""From an MCP tool's definition to a `Tool`: its name among all others, its effects, and what of its text is shown."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from prime.core.errors import JsonValue
from prime.core.visible import unhidden_json
from prime.gateway.behind.config import ServerConfig
from prime.tools.atip.effect import Effects, Filesystem, inherited
from prime.tools.atip.model import Trust
from prime.tools.atip.names import NameTable
from prime.tools.runtimes.schema import CompiledSchema, InvalidSchema
from prime.tools.tool import Schema, Tool

Definition = Mapping[str, JsonValue]
_Json = TypeVar("_Json", bound=JsonValue)

MOST_TOOLS = 5000
_LONGEST_NAME = 256
_TOLD = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
_LONGEST_TEXT = 16 * 1024


@dataclass(frozen=True, slots=True)
class ServerTool:
    """One tool of one server: what the server said, and what Prime makes of it."""

    server: str
    name: str
    definition: Definition
    tool: Tool

    @property
    def digest(self) -> str:
        return digest_of(self.definition)


def digest_of(definition: Definition) -> str:
    """Changes when anything does that a model is told about the tool, or that policy reads."""
    told = {key: definition.get(key) for key in _TOLD}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Readable:
    """What of a listing can be offered, and why the rest cannot, by name."""

    tools: list[Definition]
    left_out: Mapping[str, str]


def readable(tools: Iterable[JsonValue]) -> Readable:
    """Those that are tools at all, each name once, without text that hides from people.

    Clients refuse a whole list for one schema that is none, so a tool that has such parameters is left out; a promise
    about the result that is none is not passed on.
    """
    found: dict[str, Definition] = {}
    left_out: dict[str, str] = {}
    for one in tools:
        if not isinstance(one, dict):
            continue
        given = seen(cast("dict[str, JsonValue]", one))
        name, schema = given.get("name"), given.get("inputSchema")
        if not (isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and isinstance(schema, dict)):
            continue
        if len(found) == MOST_TOOLS or name in found:
            continue
        if (wrong := _wrong_schema(cast("Schema", schema))) is not None:
            left_out[name] = wrong
            continue
        returns = given.get("outputSchema")
        if returns is not None and not (isinstance(returns, dict) and _wrong_schema(cast("Schema", returns)) is None):
            given = {key: value for key, value in given.items() if key != "outputSchema"}
        found[name] = given
    return Readable(list(found.values()), left_out)


def _wrong_schema(schema: Schema) -> str | None:
    try:
        CompiledSchema(schema)
    except InvalidSchema as error:
        return str(error)
    return None


def server_tools(
    by_server: Mapping[str, tuple[ServerConfig, Iterable[Definition]]], taken: frozenset[str]
) -> list[ServerTool]:
    """All tools with names of their own: `server__tool`, with a piece of a hash where that is not enough."""
    entries = [(config, definition) for config, definitions in by_server.values() for definition in definitions]
    names = NameTable((_path(config, definition) for config, definition in entries), taken)
    return [
        ServerTool(
            config.name,
            cast("str", definition["name"]),
            definition,
            _tool(config, definition, names.name_of(_path(config, definition))),
        )
        for config, definition in entries
    ]


def _path(config: ServerConfig, definition: Definition) -> tuple[str, str, str]:
    # The empty word in the middle doubles the underscore, which no other source of tools does.
    return config.name, "", cast("str", definition["name"])


def _tool(config: ServerConfig, definition: Definition, name: str) -> Tool:
    own = cast("str", definition["name"])
    schema = cast("dict[str, JsonValue]", definition["inputSchema"])
    description = definition.get("description")
    return Tool(
        name=name,
        command=(config.name, own),
        description=description if isinstance(description, str) else "",
        schema=schema if schema.get("type") == "object" else {**schema, "type": "object"},
        effects=_effects(config, own, definition.get("annotations")),
        trust=Trust(source=f"mcp:{config.name}", verified=False),
        runtime="mcp",
    )


def _effects(config: ServerConfig, name: str, annotations: JsonValue) -> Effects:
    """What the server claims, and above it what the owner vouches for in the configuration."""
    claimed = claimed_effects(cast("Definition", annotations) if isinstance(annotations, dict) else {})
    return inherited(inherited(claimed, config.effects), config.tool_effects.get(name, Effects()))


def claimed_effects(annotations: Definition) -> Effects:
    """The hints as effects. What has no hint is not known, and asks: MCP's own defaults say the worst as well.

    A tool that only reads launches nothing that matters; whether it reaches outside is a hint of its own.
    """
    reads = annotations.get("readOnlyHint") is True
    destroys = False if reads else _flag(annotations, "destructiveHint")
    return Effects(
        filesystem=Filesystem(write=False if reads else None, delete=False if reads or destroys is False else None),
        network=_flag(annotations, "openWorldHint"),
        subprocess=False if reads else None,
        destructive=destroys,
        idempotent=True if reads else _flag(annotations, "idempotentHint"),
    )


def _flag(annotations: Definition, name: str) -> bool | None:
    value = annotations.get(name)
    return value if isinstance(value, bool) else None


def seen(value: _Json) -> _Json:
    """The value with every text cut to what a person would see as well."""
    return unhidden_json(value, longest=_LONGEST_TEXT)
