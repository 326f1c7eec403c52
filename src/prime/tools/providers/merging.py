"""What a model sees: one definition for each tool, or one for several, merged by action (RFC 8.2, rule 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip.effect import Effects, worst
from prime.tools.atip.names import NameTable
from prime.tools.tool import Schema, Tool

Strategy = Literal["discrete", "action"]
STRATEGIES: tuple[Strategy, ...] = ("discrete", "action")


@dataclass(frozen=True, slots=True)
class MergedTools:
    """Several tools behind one name; the property `discriminator` says which one is meant."""

    name: str
    description: str
    schema: Schema
    effects: Effects
    discriminator: str
    actions: Mapping[str, Tool]
    examples: tuple[str, ...] = ()

    def tool_for(self, arguments: Mapping[str, JsonValue]) -> Tool:
        action = arguments.get(self.discriminator)
        found = self.actions.get(action) if isinstance(action, str) else None
        if found is None:
            raise InvalidInput(
                f"{self.name}: `{self.discriminator}` is {str(action)[:40]!r}.",
                hint=f"Use one of: {', '.join(self.actions)}.",
                tool=self.name,
                field=self.discriminator,
            )
        return found


Shown = Tool | MergedTools


def shown_tools(tools: Sequence[Tool], strategy: Strategy) -> Sequence[Shown]:
    """What gets a definition."""
    if strategy == "discrete":
        return tools
    groups = [list(group) for _, group in groupby(sorted(tools, key=_group), key=_group)]
    merged: list[Shown] = []
    for group in groups:
        merged += [_merged(group)] if _mergeable(group) else group
    return _with_unique_names(merged)


def _group(tool: Tool) -> tuple[str, ...]:
    """Siblings share a parent; a tool's own command, and what is no command line, stands alone."""
    return tool.command[:-1] if tool.slots or tool.document else ("", tool.name)


def _mergeable(group: list[Tool]) -> bool:
    """Two or more siblings, with no parameter that means different types (D-ATIP-14)."""
    if len(group) < 2 or not group[0].command[:-1]:
        return False
    kinds: dict[str, object] = {}
    for tool in group:
        for key, schema in _properties(tool).items():
            if kinds.setdefault(key, _kind(schema)) != _kind(schema):
                return False
    return True


def _kind(schema: Schema) -> tuple[object, object]:
    items = schema.get("items")
    return schema.get("type"), cast("Schema", items).get("type") if isinstance(items, dict) else None


def _properties(tool: Tool) -> Mapping[str, Schema]:
    return cast("Mapping[str, Schema]", tool.schema.get("properties") or {})


def _merged(group: list[Tool]) -> MergedTools:
    actions = {tool.command[-1]: tool for tool in group}
    properties: dict[str, Schema] = {}
    for action, tool in actions.items():
        for key, schema in _properties(tool).items():
            properties[key] = _joined(properties.get(key), schema, action)
    discriminator = next(name for name in ("action", "subcommand", "command_name", "_action") if name not in properties)
    choose = {"type": "string", "enum": list(actions), "description": "Which command to run."}
    parent = group[0].command[:-1]
    listed = "; ".join(f"{action}: {tool.description}" for action, tool in actions.items())
    return MergedTools(
        name=" ".join(parent),
        description=f"Commands of {' '.join(parent)}. {listed}",
        schema={
            "type": "object",
            "properties": {discriminator: choose, **properties},
            "required": [discriminator],
            "additionalProperties": False,
        },
        effects=worst(tool.effects for tool in group),
        discriminator=discriminator,
        actions=actions,
    )


def _joined(known: Schema | None, schema: Schema, action: str) -> Schema:
    """One property for all actions that have it; what differs is left open and said in words."""
    told = f"{action}: {schema.get('description') or '-'}"
    rest = {key: value for key, value in schema.items() if key not in {"description", "default"}}
    if known is None:
        return rest | {"description": told}
    if known.get("enum") != rest.get("enum"):
        rest.pop("enum", None)
    items = known.get("items")
    if items != rest.get("items") and isinstance(items, dict):
        rest["items"] = {"type": cast("Schema", items).get("type")}
    return rest | {"description": f"{known['description']}; {told}"}


def _with_unique_names(found: list[Shown]) -> list[Shown]:
    """Merged tools are named after their group, unless a tool of that name is there already."""
    groups = {item.name: tuple(item.name.split(" ")) for item in found if isinstance(item, MergedTools)}
    names = NameTable(groups.values(), taken={item.name for item in found if isinstance(item, Tool)})
    return [i if isinstance(i, Tool) else replace(i, name=names.name_of(groups[i.name])) for i in found]
