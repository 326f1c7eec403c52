"""What is allowed in a document and still makes it less useful: findings for `prime tools lint`."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from prime.tools.atip.commands import callables
from prime.tools.atip.effect import Effects
from prime.tools.atip.errors import Pointer, json_pointer
from prime.tools.atip.model import Command, Document, Option, Parameter

LONG_SUMMARY: Final = 200  # RFC 3.2 recommends at most this
LONG_TEXT: Final = 700  # what leaves room for flags and examples in OpenAI's 1,024 characters
_TIME = re.compile(r"\d+(\.\d+)?\s*(ms|s|m|min|h|d)")
_UPSETTING = re.compile(r"[⚠💰🔒]|\b(READ-ONLY|DESTRUCTIVE|NOT REVERSIBLE|NOT IDEMPOTENT|BILLABLE)\b")

Level = Literal["warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend: which rule, where, what."""

    rule: str
    level: Level
    pointer: str
    message: str

    def as_json(self) -> dict[str, str]:
        return {"rule": self.rule, "level": self.level, "pointer": self.pointer, "message": self.message}


def lint(document: Document) -> tuple[Finding, ...]:
    """All findings in the document's order."""
    return tuple(_document(document))


def _finding(rule: str, at: Pointer, message: str, level: Level = "warning") -> Finding:
    return Finding(rule, level, json_pointer(at), message)


def _document(document: Document) -> Iterator[Finding]:
    yield from _text(document.description, ("description",), LONG_SUMMARY)
    for index, option in enumerate(document.global_options):
        yield from _parameter(option, ("globalOptions", index))
    yield from _duplicates(document.global_options, ("globalOptions",))
    root = Command(arguments=document.arguments, options=document.options, commands=document.commands)
    yield from _parameters(root, ())
    for name, command in (document.commands or {}).items():
        yield from _command(command, ("commands", name))
    yield from _effects(document)
    if document.authentication and document.authentication.required and not document.authentication.check_command:
        yield _finding(
            "no-auth-check", ("authentication",), "Login is required but there is no `checkCommand` to tell.", "note"
        )


def _command(command: Command, at: Pointer) -> Iterator[Finding]:
    yield from _text(command.description, (*at, "description"), LONG_TEXT)
    yield from _parameters(command, at)
    for name, child in (command.commands or {}).items():
        yield from _command(child, (*at, "commands", name))


def _parameters(command: Command, at: Pointer) -> Iterator[Finding]:
    for index, argument in enumerate(command.arguments):
        yield from _parameter(argument, (*at, "arguments", index))
    for index, option in enumerate(command.options):
        yield from _parameter(option, (*at, "options", index))
    yield from _duplicates(command.arguments, (*at, "arguments"))
    yield from _duplicates(command.options, (*at, "options"))
    optional = False
    for index, argument in enumerate(command.arguments):
        if argument.required and optional:
            yield _finding("order", (*at, "arguments", index), "A required argument follows an optional one.")
        optional = optional or not argument.required


def _parameter(parameter: Parameter, at: Pointer) -> Iterator[Finding]:
    yield from _text(parameter.description, (*at, "description"), LONG_TEXT)
    if parameter.default is not None and parameter.enum and parameter.default not in parameter.enum:
        yield _finding("default-not-allowed", (*at, "default"), "The default is not one of the allowed values.")
    if parameter.enum and len(set(map(str, parameter.enum))) < len(parameter.enum):
        yield _finding("duplicate-value", (*at, "enum"), "A value is listed twice.")


def _text(text: str, at: Pointer, limit: int) -> Iterator[Finding]:
    if not text.strip():
        yield _finding("no-description", at, "There is no description.")
    if len(text) > limit:
        yield _finding("long-text", at, f"{len(text)} characters; up to {limit} are of use.")
    if _UPSETTING.search(text):
        yield _finding("looks-like-a-flag", at, "Text that looks like a safety flag; declare it in `effects`.")


def _duplicates(parameters: tuple[Parameter, ...], at: Pointer) -> Iterator[Finding]:
    flags = Counter(flag for p in parameters if isinstance(p, Option) for flag in set(p.flags))
    names = Counter(p.name for p in parameters)
    for twice in [name for name, count in names.items() if count > 1]:
        yield _finding("duplicate-name", at, f"Two parameters are named {twice!r}.")
    for twice in [flag for flag, count in flags.items() if count > 1]:
        yield _finding("duplicate-flag", at, f"Two options have the flag {twice}.")


def _effects(document: Document) -> Iterator[Finding]:
    """By callable, because what counts is what holds after inheritance."""
    for entry in callables(document):
        at = tuple(part for name in entry.path[1:] for part in ("commands", name))
        if document.commands and len(entry.path) == 1 and "" in document.commands:
            at = ("commands", "")
        for rule, message in _gaps(entry.effects):
            yield _finding(rule, (*at, "effects"), f"{' '.join(entry.path)}: {message}")


def _gaps(effects: Effects) -> Iterator[tuple[str, str]]:
    files = effects.filesystem
    unknown = [
        name
        for name, value in (
            ("destructive", effects.destructive),
            ("network", effects.network),
            ("idempotent", effects.idempotent),
            ("filesystem.write", files.write),
            ("filesystem.delete", files.delete),
        )
        if value is None
    ]
    if unknown:
        yield "no-effects", f"not said: {', '.join(unknown)}. Unknown is treated as unsafe."
    if effects.destructive and effects.reversible is None:
        yield "destructive-without-reversible", "destructive, but `reversible` is not said."
    if effects.destructive and effects.reversible:
        yield "contradiction", "destructive means that data is lost for good, and yet `reversible` is true."
    if effects.destructive is False and (files.delete or effects.deletes) and effects.reversible is False:
        yield "contradiction", "deletes and is not reversible, and yet `destructive` is false."
    if effects.duration.timeout and not _TIME.fullmatch(effects.duration.timeout):
        yield "timeout", f"the timeout {effects.duration.timeout[:20]!r} is not a time such as 60s."
