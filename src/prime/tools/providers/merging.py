"""What a model sees: one definition for each tool, or one for several, merged by action (RFC 8.2, rule 3)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby
from typing import Literal, cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip.effect import Effects, worst
from prime.tools.atip.names import NameTable
from prime.tools.tool import NamedCommand, Schema, Tool

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


Shown = Tool | NamedCommand | MergedTools


def merged_tools(tools: Sequence[Tool]) -> Sequence[Tool | MergedTools]:
    """Siblings behind one name each, where they can be."""
    groups = [list(group) for _, group in groupby(sorted(tools, key=_group), key=_group)]
    merged: list[Tool | MergedTools] = []
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
    uses: dict[str, dict[str, Schema]] = {}
    for action, tool in actions.items():
        for key, schema in _properties(tool).items():
            uses.setdefault(key, {})[action] = schema
    discriminator = next(name for name in _discriminators() if name not in uses)
    choose = {"type": "string", "enum": list(actions), "description": "Which command to run."}
    parent = " ".join(group[0].command[:-1])
    return MergedTools(
        name=parent,
        description=f"Commands of {parent}. {_by_action({a: tool.description for a, tool in actions.items()})}",
        schema={
            "type": "object",
            "properties": {discriminator: choose} | {key: _joined(schemas) for key, schemas in uses.items()},
            "required": [discriminator],
            "additionalProperties": False,
        },
        effects=worst(tool.effects for tool in group),
        discriminator=discriminator,
        actions=actions,
    )


def _discriminators() -> Iterator[str]:
    yield from ("action", "subcommand")
    yield from (f"action_{number}" for number in count(2))


def _joined(schemas: Mapping[str, Schema]) -> Schema:
    """One property for all actions that have it; what differs is left open and said in words."""
    first, *others = schemas.values()
    kept = {key: value for key, value in first.items() if key not in {"description", "default"}}
    if any(other.get("enum") != first.get("enum") for other in others):
        kept.pop("enum", None)
    if any(other.get("items") != first.get("items") for other in others):
        kept["items"] = {"type": cast("Schema", first["items"]).get("type")}
    told = _by_action({action: str(schema.get("description") or "") for action, schema in schemas.items()})
    return kept | {"description": told} if told else kept


def _by_action(texts: Mapping[str, str]) -> str:
    """`list: What to show; create, edit: Its title`."""
    said: dict[str, list[str]] = {}
    for action, text in texts.items():
        said.setdefault(text.strip().rstrip("."), []).append(action)
    return "; ".join(f"{', '.join(actions)}: {text}" for text, actions in said.items() if text)


def _with_unique_names(found: list[Tool | MergedTools]) -> list[Tool | MergedTools]:
    """Merged tools are named after their group, unless a tool of that name is there already."""
    groups = {item.name: tuple(item.name.split(" ")) for item in found if isinstance(item, MergedTools)}
    names = NameTable(groups.values(), taken={item.name for item in found if isinstance(item, Tool)})
    return [i if isinstance(i, Tool) else replace(i, name=names.name_of(groups[i.name])) for i in found]
