"""What a lead agent leaves to another (RFC 10.2). A delegation can only take away: there is nothing here that allows.

A delegation of a delegation keeps the first one in `within`, and both are asked; the stricter answer counts.
"""

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from prime.core.errors import JsonValue
from prime.tools.atip.effect import Effects
from prime.tools.policy import fields as read
from prime.tools.policy.decision import Reason, ask, deny

Restrictable = Literal[
    "destructive", "network", "subprocess", "billable", "filesystem.read", "filesystem.write", "filesystem.delete",
    "idempotent", "reversible",
]  # fmt: skip
_SAFE_WHEN_TRUE = frozenset({"idempotent", "reversible"})
_TOP = frozenset({"destructive", "network", "subprocess", "billable", "idempotent", "reversible"})
_FILES = ("read", "write", "delete")
MAX_DEPTH = 20


def _none() -> Mapping[Restrictable, bool]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """`allowed_tools` None means all; entries name a tool (`gh`, `gh_pr_list`) or begin a command (`gh pr`).

    `denied_commands` begin a command (`gh repo delete`). `restrictions` hold the value that an effect must have.
    """

    allowed_tools: tuple[str, ...] | None = None
    denied_commands: tuple[str, ...] = ()
    restrictions: Mapping[Restrictable, bool] = field(default_factory=_none)
    within: "Delegation | None" = None

    def narrowed(self, further: "Delegation") -> "Delegation":
        """What is left when the holder of this one delegates further."""
        inner = self if further.within is None else self.narrowed(further.within)
        return replace(further, within=inner)

    def reasons(self, name: str, commands: Iterable[Sequence[str]], effects: Effects) -> Iterator[Reason]:
        """Why this call is not left to the holder. `commands` are the tool's command and those found in its arguments."""
        spelled = [tuple(command) for command in commands]
        yield from self._own(name, spelled, effects)
        if self.within is not None:
            yield from self.within.reasons(name, spelled, effects)

    def _own(self, name: str, commands: Sequence[tuple[str, ...]], effects: Effects) -> Iterator[Reason]:
        own = commands[0] if commands else ()
        if self.allowed_tools is not None and not any(allows(entry, name, own) for entry in self.allowed_tools):
            yield deny("not_delegated", f"{name} is not among the tools delegated here.", "Use an allowed tool.")
        for entry in self.denied_commands:
            if any(in_order(entry.split(), command) for command in commands):
                yield deny("command_denied", f"`{entry}` is denied by the delegation.", "Ask who delegated the task.")
        for effect, wanted in self.restrictions.items():
            yield from _restricted(effect, wanted, effects)

    def to_json(self) -> dict[str, JsonValue]:
        """The object under `delegation`."""
        shown: dict[str, JsonValue] = {}
        if self.allowed_tools is not None:
            shown["allowedTools"] = list(self.allowed_tools)
        if self.denied_commands:
            shown["deniedCommands"] = list(self.denied_commands)
        if self.restrictions:
            shown["effectRestrictions"] = _nested(self.restrictions)
        if self.within is not None:
            shown["within"] = self.within.to_json()
        return shown

    @staticmethod
    def from_json(value: JsonValue, *, where: str = "delegation", pointer: str = "", depth: int = 0) -> "Delegation":
        """From `{"delegation": {…}}` or the object under it."""
        if depth > MAX_DEPTH:
            raise read.wrong(where, pointer, f"delegated more than {MAX_DEPTH} times.", "Delegate less deeply.")
        known = ("allowedTools", "deniedCommands", "effectRestrictions", "within", "delegation")
        given = read.an_object(value, where, pointer, known)
        if "delegation" in given:
            if len(given) > 1:
                raise read.wrong(
                    where, pointer, "a delegation and further fields.", "Put all fields into `delegation`."
                )
            inner = f"{pointer}/delegation"
            return Delegation.from_json(given["delegation"], where=where, pointer=inner, depth=depth + 1)
        return Delegation(
            allowed_tools=_list(given, "allowedTools", where, pointer) if "allowedTools" in given else None,
            denied_commands=_list(given, "deniedCommands", where, pointer) or (),
            restrictions=_restrictions(given.get("effectRestrictions", {}), where, f"{pointer}/effectRestrictions"),
            within=Delegation.from_json(given["within"], where=where, pointer=f"{pointer}/within", depth=depth + 1)
            if "within" in given
            else None,
        )


def allows(entry: str, name: str, command: Sequence[str]) -> bool:
    """Whether an entry of `allowedTools` names this tool: by its name, or as the beginning of its command."""
    words = entry.split()
    return entry == name or (bool(command) and list(command[: len(words)]) == words)


def in_order(words: Sequence[str], command: Sequence[str]) -> bool:
    """Whether the command is the one that `words` begin, with anything in between and in any case.

    Words may have `*`. Options may stand between subcommands, so finding too much is the safe side of a denial.
    """
    if not words or not command or not _same(words[0], command[0]):
        return False
    rest = iter(command[1:])
    return all(any(_same(word, other) for other in rest) for word in words[1:])


def _same(pattern: str, word: str) -> bool:
    return fnmatch.fnmatchcase(word.casefold(), pattern.casefold())


def _list(given: Mapping[str, JsonValue], key: str, where: str, pointer: str) -> tuple[str, ...]:
    return read.a_list_of_words(given[key], where, f"{pointer}/{key}") if key in given else ()


def _restrictions(value: JsonValue, where: str, pointer: str) -> Mapping[Restrictable, bool]:
    found: dict[Restrictable, bool] = {}
    for key, wanted in read.an_object(value, where, pointer, [*_TOP, "filesystem", "cost"]).items():
        if key == "filesystem":
            parts = read.an_object(wanted, where, f"{pointer}/filesystem", _FILES)
            for part, flag in ((part, parts[part]) for part in _FILES if part in parts):
                found[cast("Restrictable", f"filesystem.{part}")] = _flag(flag, where, f"{pointer}/filesystem/{part}")
        elif key == "cost":
            cost = read.an_object(wanted, where, f"{pointer}/cost", ("billable",))
            if "billable" in cost:
                found["billable"] = _flag(cost["billable"], where, f"{pointer}/cost/billable")
        elif key in _TOP:
            found[cast("Restrictable", key)] = _flag(wanted, where, f"{pointer}/{key}")
    return found


def _flag(value: JsonValue, where: str, pointer: str) -> bool:
    if not isinstance(value, bool):
        raise read.wrong(where, pointer, f"true or false is needed, not {read.kind(value)}.", "Write true or false.")
    return value


def _nested(restrictions: Mapping[Restrictable, bool]) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {}
    for effect, wanted in restrictions.items():
        group, _, part = effect.rpartition(".")
        if effect == "billable":
            shown["cost"] = {"billable": wanted}
        elif group:
            shown[group] = cast("dict[str, JsonValue]", shown.get(group, {})) | {part: wanted}
        else:
            shown[effect] = wanted
    return shown


def _restricted(effect: Restrictable, wanted: bool, effects: Effects) -> Iterator[Reason]:
    if wanted is not (effect in _SAFE_WHEN_TRUE):
        return  # "may be destructive" takes nothing away
    actual = _value(effect, effects)
    if actual is None:
        yield ask("effect_unknown", f"It is not known whether the call is {_worded(effect)}, which is restricted.")
    elif actual is not wanted:
        yield deny(
            "effect_restricted",
            f"The delegation restricts {effect} to {str(wanted).lower()}; the tool says {str(actual).lower()}.",
            "Use a tool without this effect, or ask who delegated the task.",
        )


def _value(effect: Restrictable, effects: Effects) -> bool | None:
    values: Mapping[Restrictable, bool | None] = {
        "destructive": effects.destructive,
        "network": effects.network,
        "subprocess": effects.subprocess,
        "billable": effects.cost.billable,
        "filesystem.read": effects.filesystem.read,
        "filesystem.write": effects.filesystem.write,
        "filesystem.delete": effects.filesystem.delete,
        "idempotent": effects.idempotent,
        "reversible": effects.reversible,
    }
    return values[effect]


def _worded(effect: Restrictable) -> str:
    words: Mapping[str, str] = {
        "network": "using the network",
        "subprocess": "launching programs",
        "filesystem.read": "reading files",
        "filesystem.write": "writing files",
        "filesystem.delete": "deleting files",
    }
    return words.get(effect, effect)
