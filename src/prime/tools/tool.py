"""One `Tool` for all sources: what providers show, policy judges, the validator checks and the executor runs.

Nobody else computes names, effects or parameter schemas; they stand here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from prime.core.errors import Conflict, JsonValue
from prime.tools.atip.commands import CallableCommand, callables
from prime.tools.atip.effect import UNKNOWN, Effects
from prime.tools.atip.model import Document, Parameter, Pattern, Trust
from prime.tools.atip.names import NameTable
from prime.tools.atip.parser import parse_document

Role = Literal["argument", "option", "global"]
RuntimeKind = Literal["argv", "process", "python-uv-script", "binary", "mcp", "builtin"]
Schema = Mapping[str, JsonValue]

# Extensions that Prime reads and its own emitter writes.
DOUBLE_DASH = "x-double-dash"  # on a document or command, true: it takes `--` before positionals
NARGS = "x-nargs"  # an option whose values follow one flag together; a number says how many
POSITION = "x-position"  # on a global option or document, "after": after the subcommand; on an option, "last"
SEPARATOR = "x-separator"  # on an argument: it stands at the end of the line, after this word (`--`, `-exec`)

_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_SIMPLE: Mapping[str, Schema] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "file": {"type": "string", "format": "file-path"},
    "directory": {"type": "string", "format": "directory-path"},
    "url": {"type": "string", "format": "uri"},
    "enum": {"type": "string"},
}
NO_PARAMETERS: Schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class Slot:
    """Where one property of a call goes on the command line."""

    key: str
    role: Role
    parameter: Parameter
    before: bool = False

    @property
    def many(self) -> bool:
        return self.parameter.variadic or self.parameter.type == "array"

    @property
    def last(self) -> bool:
        """An option that stands after the positionals, as `find` wants it."""
        return self.parameter.extra.get(POSITION) == "last"

    @property
    def separator(self) -> str | None:
        """The word that stands before an argument at the end of the line, if it has one."""
        word = self.parameter.extra.get(SEPARATOR)
        return word if isinstance(word, str) and word and "\0" not in word else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tool:
    """Something that an agent can call. Two tools are the same only if they are the same object.

    `command` is the path from the executable down; `schema` describes the arguments as JSON Schema; `slots` say how
    they become words, for tools that are run by argv; `effects` are the ones that hold, None for what is not known.
    """

    name: str
    command: tuple[str, ...]
    description: str
    schema: Schema
    effects: Effects = UNKNOWN
    trust: Trust = field(default_factory=Trust)
    runtime: RuntimeKind = "argv"
    slots: tuple[Slot, ...] = ()
    examples: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    double_dash: bool = False
    document: Document | None = None


def tools_of(*documents: Document) -> tuple[Tool, ...]:
    """Every callable of the documents, with names that are unique among them."""
    entries = [(document, entry) for document in documents for entry in callables(document)]
    names = NameTable(entry.path for _, entry in entries)
    if len(names) < len(entries):
        twice = next(d.name for i, d in enumerate(documents) if d.name in {other.name for other in documents[:i]})
        raise Conflict(f"Two documents describe a tool named {twice!r}.", hint="Give one document for each tool.")
    return tuple(_tool(document, entry, names.name_of(entry.path)) for document, entry in entries)


def as_tools(items: Iterable[Tool | Document | Mapping[str, JsonValue]]) -> tuple[Tool, ...]:
    """Tools as they are; documents, also as plain JSON, stand for all their commands."""
    tools: list[Tool] = []
    documents: list[Document] = []
    for item in items:
        if isinstance(item, Tool):
            tools.append(item)
        else:
            documents.append(item if isinstance(item, Document) else parse_document(item, where="document"))
    return (*tools, *tools_of(*documents))


def _tool(document: Document, entry: CallableCommand, name: str) -> Tool:
    command = entry.command
    slots: tuple[Slot, ...] = ()
    if command.arguments or command.options or document.global_options:
        slots = tuple(_slots(document, entry))
    return Tool(
        name=name,
        command=entry.path,
        description=command.description or (document.description if len(entry.path) == 1 else ""),
        schema=_schema(slots) if slots else NO_PARAMETERS,
        effects=entry.effects,
        trust=document.trust,
        slots=slots,
        examples=command.examples,
        patterns=document.patterns,
        double_dash=command.extra.get(DOUBLE_DASH, document.extra.get(DOUBLE_DASH)) is True,
        document=document,
    )


def _slots(document: Document, entry: CallableCommand) -> Iterator[Slot]:
    taken: dict[str, int] = {}
    for argument in entry.command.arguments:
        yield Slot(_key(argument.name, "argument", taken), "argument", argument)
    flags: set[str] = set()
    for option in entry.command.options:
        flags.update(option.flags)
        yield Slot(_key(option.name, "option", taken), "option", option)
    for option in document.global_options:
        if flags.isdisjoint(option.flags):  # the command's own declaration of the same flag wins
            after = option.extra.get(POSITION, document.extra.get(POSITION)) == "after"
            yield Slot(_key(option.name, "global", taken), "global", option, before=not after)


def _key(name: str, role: Role, taken: dict[str, int]) -> str:
    """A property name that every provider takes; an argument and an option of one name stay apart (D-ATIP-7).

    `taken` holds for each name how many were numbered after it, so that thousands of one name do not count anew.
    """
    base = name if name.isascii() and name.isidentifier() else _OTHER.sub("_", name)
    key = base = base[:48] or "_"
    if base in taken:
        key = stem = f"{base}_{role}"
        while key in taken:
            taken[stem] += 1
            key = f"{stem}_{taken[stem]}"
    taken[key] = 1
    return key


def _schema(slots: Iterable[Slot]) -> Schema:
    slots = tuple(slots)
    return {
        "type": "object",
        "properties": {slot.key: property_schema(slot.parameter) for slot in slots},
        "required": [slot.key for slot in slots if slot.parameter.required],
        "additionalProperties": False,
    }


def property_schema(parameter: Parameter) -> Schema:
    """One parameter as JSON Schema (RFC 3.7), with `format` and `default`, which not every provider takes."""
    kind = parameter.type
    schema: dict[str, JsonValue] = dict(_value(value_type(parameter), parameter))
    if kind == "array" or parameter.variadic:
        schema = {"type": "array", "items": schema}
    if parameter.description:
        schema["description"] = parameter.description
    if parameter.default is not None:
        schema["default"] = parameter.default
    return schema


def value_type(parameter: Parameter) -> str:
    """The type of a single value: of an array, that of its items.

    `items` is no field of the RFC; documents have it as a type name or as `{"type": …}`.
    """
    if parameter.type != "array":
        return parameter.type
    items = parameter.extra.get("items")
    named = items.get("type") if isinstance(items, dict) else items  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return named if isinstance(named, str) and named in _SIMPLE else "string"


def _value(kind: str, parameter: Parameter) -> Schema:
    schema = _SIMPLE[kind]
    if not parameter.enum:
        return schema
    allowed = allowed_values(kind, parameter.enum)
    return {**schema, "enum": allowed} if allowed else schema


def allowed_values(kind: str, enum: Iterable[JsonValue]) -> list[JsonValue]:
    """The enum's values in the type that the schema promises, each once; empty when they do not fit the type."""
    values = list(enum)
    if kind in {"integer", "number", "boolean"}:
        fit = {"integer": (int,), "number": (int, float), "boolean": (bool,)}[kind]
        suits = all(isinstance(v, fit) and (kind == "boolean" or not isinstance(v, bool)) for v in values)
        return list(dict.fromkeys(values)) if suits and kind != "boolean" else []
    return list(dict.fromkeys(word_of(value) for value in values))


def word_of(value: JsonValue) -> str:
    """A scalar as the word that stands on a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
