"""Every tool that can be called: found by its exact name, searched by words and effects, listed page by page."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, Protocol, runtime_checkable

from prime.core.errors import InvalidInput, NotFound, PrimeError, Unavailable
from prime.core.words import terms
from prime.tools.atip.effect import Effects
from prime.tools.policy.effects import changes
from prime.tools.runtime import Glances, ToolSource
from prime.tools.tool import Tool

Wanted = Literal["read_only", "destructive", "network", "write", "billable", "subprocess"]
WANTED: tuple[Wanted, ...] = ("read_only", "destructive", "network", "write", "billable", "subprocess")
# How much a word in the name, the command or the description says about a tool.
_NAME, _COMMAND, _DESCRIPTION = 3.0, 2.0, 1.0


class UnknownTool(NotFound):
    """No tool has this name."""

    code = "unknown_tool"


class ToolAway(Unavailable, UnknownTool):
    """No tool has this name now, but its source knows why, and whether it will come."""

    code = "tool_away"


@runtime_checkable
class Explains(Protocol):
    """A source that can tell a name of its own that is not there."""

    def missing(self, name: str) -> PrimeError | None:
        """Why there is no tool of this name; None when it would not be this source's."""
        ...


class ApartSource(ToolSource, Explains, Protocol):
    """A source whose names no other source has."""


@dataclass(frozen=True, slots=True)
class _Indexed:
    tool: Tool
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a listing; `next_place` is where the next part begins, None at the end."""

    tools: tuple[Tool, ...]
    total: int
    next_place: int | None


class Catalog:
    """Tools of several sources. Of two tools with one name, the one of the earlier source counts."""

    def __init__(self, *sources: ToolSource) -> None:
        self._sources: list[ToolSource] = []
        self._glances: list[Callable[[str], int]] = []
        self._apart: list[ApartSource] = []
        self._apart_tools: dict[str, tuple[Tool, ToolSource, int]] = {}
        self._seen: tuple[int, ...] | None = None
        self._tools: dict[str, Tool] = {}
        self._index: list[_Indexed] | None = None
        self._listing: list[Tool] | None = None
        self._common: Counter[str] = Counter()
        for source in sources:
            self.add(source)

    def add(self, source: ToolSource) -> None:
        self._sources.append(source)
        self._glances.append(source.changed_for if isinstance(source, Glances) else lambda _name: source.changed)
        self._seen = None

    def add_apart(self, source: ApartSource) -> None:
        """No other source has names like its, so its tools are found without a look at the others."""
        self._apart.append(source)
        self.add(source)

    @property
    def stamp(self) -> tuple[int, ...]:
        """Another one whenever `tools` would answer differently."""
        return tuple(source.changed for source in self._sources)

    def tools(self) -> list[Tool]:
        """All of them, by name."""
        return list(self._current().values())

    def get(self, name: str) -> Tool:
        """The tool of exactly this name; `UnknownTool`, with names like it or why it is away, when there is none."""
        known = self._apart_tools.get(name)
        if known is not None and known[1].changed == known[2]:
            return known[0]
        tool = self._glanced(name) or self._current().get(name)
        if tool is None:
            for source in self._sources:
                if isinstance(source, Explains) and (why := source.missing(name)) is not None:
                    raise _unknown(why)
            raise unknown_tool(name, self._tools)
        return tool

    def find(
        self,
        words: str = "",
        *,
        effects: Mapping[Wanted, bool] | None = None,
        place: int = 0,
        limit: int = 10,
        permits: Callable[[Tool], bool] | None = None,
    ) -> Page:
        """Tools that fit the words, best first, and have the effects; without words all of them, harmless ones first.

        What is not known about a tool's effects is not taken for a no. What `permits` refuses is not there.
        """
        if place < 0 or limit < 1:
            raise InvalidInput("A page begins at 0 or later and has at least one tool.", field="limit")
        found = self._matching(words) if words.strip() else self._listed()
        if permits is not None:
            found = [tool for tool in found if permits(tool)]
        for effect, wanted in (effects or {}).items():
            found = [tool for tool in found if has_effect(tool.effects, effect) is wanted]
        part = tuple(found[place : place + limit])
        more = place + limit < len(found)
        return Page(part, len(found), place + limit if more else None)

    def _glanced(self, name: str) -> Tool | None:
        """The tool as it was, if nothing has changed that concerns its name: a call need not look through hundreds."""
        now = tuple([glance(name) for glance in self._glances])
        return self._tools.get(name) if now == self._seen else None

    def _current(self) -> Mapping[str, Tool]:
        now = self.stamp
        if now != self._seen:
            tools: dict[str, Tool] = {}
            for source in self._sources:
                for tool in source.tools():
                    tools.setdefault(tool.name, tool)
            self._tools = dict(sorted(tools.items()))
            self._apart_tools = {
                tool.name: (tool, source, source.changed)
                for source in self._apart
                for tool in source.tools()
                if tools[tool.name] is tool
            }
            self._index, self._listing, self._seen = None, None, now
        return self._tools

    def _listed(self) -> list[Tool]:
        """All of them as somebody who looks around wants to meet them: simple ones before the many commands of a program,
        and what Prime describes for agents at the end of its kind."""
        tools = self._current().values()
        if self._listing is None:
            self._listing = sorted(tools, key=_by_harm)
        return self._listing

    def _matching(self, words: str) -> list[Tool]:
        asked = list(dict.fromkeys(terms(words[:1000])))
        index = self._indexed()
        rarity = {word: math.log(1 + len(index) / (1 + self._common[word])) for word in asked}
        scored = [(sum(entry.weights.get(word, 0.0) * rarity[word] for word in asked), entry.tool) for entry in index]
        exact = words.strip()
        best = sorted(((s, t) for s, t in scored if s > 0 or t.name == exact), key=lambda one: (-one[0], one[1].name))
        return sorted((tool for _, tool in best), key=lambda tool: tool.name != exact)

    def _indexed(self) -> list[_Indexed]:
        tools = self._current().values()
        if self._index is None:
            self._index = [_Indexed(tool, _weights(tool)) for tool in tools]
            self._common = Counter(word for entry in self._index for word in entry.weights)
        return self._index


def unknown_tool(name: str, known: Iterable[str]) -> UnknownTool:
    """What is said of a name that no tool has; those that are known may be meant."""
    near = ", ".join(get_close_matches(name[:100], known, n=3, cutoff=0.6))
    look = "`find_tools` and GET /api/tools?q=… look tools up by words."
    return UnknownTool(
        f"There is no tool named {name[:100]!r}.",
        hint=f"Did you mean {near}? {look}" if near else look,
        tool=name[:100],
    )


def _unknown(why: PrimeError) -> UnknownTool:
    if isinstance(why, UnknownTool):
        return why
    return UnknownTool(why.message, code=why.error_code, hint=why.hint, **why.data)


def has_effect(effects: Effects, effect: Wanted) -> bool | None:
    """Whether the tool has the effect; None when nobody said."""
    values: Mapping[Wanted, bool | None] = {
        "read_only": effects.read_only,
        "destructive": effects.destructive,
        "network": effects.network,
        "write": changes(effects),
        "billable": effects.cost.billable,
        "subprocess": effects.subprocess,
    }
    return values[effect]


def _by_harm(tool: Tool) -> tuple[int, bool, bool, str]:
    return _risk(tool.effects), tool.runtime == "builtin", len(tool.command) > 1, tool.name


def _risk(effects: Effects) -> int:
    """How much may come of a call that nobody thought about; what is not known may be so."""
    if effects.read_only and not effects.cost.billable:
        return int(effects.subprocess is not False)
    if effects.destructive is not False or effects.cost.billable:
        return 3
    return 1 if changes(effects) is False else 2


def _weights(tool: Tool) -> Mapping[str, float]:
    weights: dict[str, float] = {}
    for text, weight in (
        (tool.description, _DESCRIPTION),
        (" ".join(tool.command), _COMMAND),
        (_spelled(tool.name), _NAME),
    ):
        weights.update({word: max(weight, weights.get(word, 0.0)) for word in terms(text)})
    return weights


def _spelled(name: str) -> str:
    """A name as words."""
    return f"{name} {name.replace('_', ' ').replace('-', ' ')}"
