"""Which commands of a document can be called, each with its path and its effective effects."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from prime.core.errors import InvalidInput
from prime.tools.atip.effect import UNKNOWN, Effects, inherited
from prime.tools.atip.model import Command, Document
from prime.tools.atip.parser import parse_document
from prime.tools.atip.partial import NoSuchCommand, callable_here, cut_off, filter_json

Path = tuple[str, ...]


class CallableCommand(NamedTuple):
    """One thing that can be run: `path` begins with the tool's name, `effects` are the ones that hold (D-ATIP-3)."""

    path: Path
    command: Command
    effects: Effects


def callables(document: Document) -> tuple[CallableCommand, ...]:
    """In the document's order, parents before children; of two that are spelled alike, the first."""
    return tuple(CallableCommand(path, *found) for path, found in by_path(document).items())


def by_path(document: Document) -> Mapping[Path, tuple[Command, Effects]]:
    """The same as a table."""
    root = Command(
        description=document.description,
        arguments=document.arguments,
        options=document.options,
        examples=document.examples,
        effects=document.effects,
        commands=document.commands,
        extra=document.extra,
    )
    walk = _Walk(document.partial)
    walk.visit(root, (document.name,), document.effects)
    return walk.found


class _Walk:
    """One way through a document. Remembers what it has inherited: few effects make up thousands of commands."""

    def __init__(self, partial: bool) -> None:
        self.partial = partial
        self.found: dict[Path, tuple[Command, Effects]] = {}
        self._inherited: dict[tuple[int, int], Effects] = {}

    def visit(self, command: Command, path: Path, effects: Effects) -> None:
        children = command.commands
        if not children:
            # In a whole document a command without others below it can be called, whatever else there is of it.
            if not self.partial or _callable(command, partial=True):
                self.found.setdefault(path, (command, effects))
            return
        own = children.get("")
        if own is not None:
            self.visit(_joined(command, own), path, self.inherited(effects, own.effects))
        elif _callable(command, partial=self.partial):
            self.found.setdefault(path, (command, effects))
        for key, child in children.items():
            if key:
                self.visit(child, (*path, key), self.inherited(effects, child.effects))

    def inherited(self, parent: Effects, child: Effects) -> Effects:
        if child is UNKNOWN:
            return parent
        key = (id(parent), id(child))  # both live as long as the document and this walk
        known = self._inherited.get(key)
        if known is None:
            known = self._inherited[key] = inherited(parent, child)
        return known


def _callable(command: Command, *, partial: bool) -> bool:
    size = None if command.commands is None else len(command.commands)
    return callable_here(
        has_parameters=bool(command.arguments or command.options),
        subcommands=size,
        cut=cut_off(partial=partial, subcommands=size, omitted=command.omitted is not None),
    )


def _joined(group: Command, own: Command) -> Command:
    """The command "" of a group is the group called by itself: the group's options hold for it too."""
    named = {option.name for option in own.options}
    further = tuple(option for option in group.options if option.name not in named)
    return replace(own, arguments=own.arguments or group.arguments, options=own.options + further)


def filter_document(document: Document, commands: Sequence[str] | None = None, depth: int | None = None) -> Document:
    """The document that `--commands=a,b --depth=N` answers with."""
    if depth is not None and depth < 1:
        raise InvalidInput(f"A depth of {depth} leaves nothing.", hint="Use --depth=1 or more.")
    chosen = None if commands is None else list(commands)
    try:
        cut = filter_json(document.to_json(), chosen, depth)
    except NoSuchCommand as error:
        raise InvalidInput(
            f"{document.name} has no command {str(error)!r}.", hint=f"It has: {_some(document.commands or {})}."
        ) from None
    return parse_document(cut, where=document.name)


def _some(commands: Mapping[str, Command]) -> str:
    names = [name or '""' for name in commands]
    return ", ".join(names[:20]) + (" …" if len(names) > 20 else "") if names else "none"
