"""One `Tool` for all sources: what providers show, policy judges, the validator checks and the executor runs.

Nobody else computes names, effects or parameter schemas; they stand here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from prime.core.errors import Conflict, JsonValue
from prime.tools.atip.commands import by_path
from prime.tools.atip.effect import UNKNOWN, Effects
from prime.tools.atip.model import Command, Document, Parameter, Pattern, Trust
from prime.tools.atip.names import NameTable
from prime.tools.atip.parser import parse_document

Role = Literal["argument", "option", "global"]
RuntimeKind = Literal["argv", "process", "python-uv-script", "binary", "mcp", "builtin"]
Schema = Mapping[str, JsonValue]

# Extensions that Prime reads and its own emitter writes.
DOUBLE_DASH = "x-double-dash"  # on a document or command, true: it takes `--` before positionals
NARGS = "x-nargs"  # an option whose values follow one flag together; a number says how many
POSITION = "x-position"  # on a global option or document, "after": after the subcommand; on an option, "last", or a
# number: right after that word of the command, as an option of a group stands
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
    def word(self) -> int | None:
        """The word of the command after which an option of a group stands; None for others."""
        number = self.parameter.extra.get(POSITION)
        return number if isinstance(number, int) and self.role == "option" else None

    @property
    def separator(self) -> str | None:
        """The word that stands before an argument at the end of the line, if it has one."""
        word = self.parameter.extra.get(SEPARATOR)
        return word if isinstance(word, str) and word and "\0" not in word else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tool:
    """Something that an agent can call. Two tools are the same only if they are the same object.

    `command` is the path from the executable down; `schema` describes the arguments as JSON Schema; `slots` say how
    they become words, for tools that are run by argv; `effects` are the ones that hold, None for what is not known;
    `handed` are the owner's variables and secrets that it gets although the owner did not add it.
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
    handed: tuple[str, ...] = ()


class NamedCommand(NamedTuple):
    """A command of a document under the name that models see: a tool to be shown, and one to be called on demand.

    Of hundreds that a model is shown it calls a few, and what is shown needs no slots.
    """

    name: str
    path: tuple[str, ...]
    command: Command
    effects: Effects
    document: Document

    @property
    def description(self) -> str:
        return self.command.description or (self.document.description if len(self.path) == 1 else "")

    @property
    def examples(self) -> tuple[str, ...]:
        return self.command.examples

    @property
    def schema(self) -> Schema:
        slots = self.slots()
        return _schema(slots) if slots else NO_PARAMETERS

    def slots(self) -> tuple[Slot, ...]:
        command = self.command
        return tuple(self._slots()) if command.arguments or command.options or self.document.global_options else ()

    def _slots(self) -> Iterator[Slot]:
        document = self.document
        taken: dict[str, int] = {}
        for argument in self.command.arguments:
            yield Slot(_key(argument.name, "argument", taken), "argument", argument)
        flags: set[str] = set()
        for option in self.command.options:
            flags.update(option.flags)
            yield Slot(_key(option.name, "option", taken), "option", option)
        for option in document.global_options:
            if flags.isdisjoint(option.flags):  # the command's own declaration of the same flag wins
                after = option.extra.get(POSITION, document.extra.get(POSITION)) == "after"
                yield Slot(_key(option.name, "global", taken), "global", option, before=not after)

    def tool(self) -> Tool:
        slots, document = self.slots(), self.document
        return Tool(
            name=self.name,
            command=self.path,
            description=self.description,
            schema=_schema(slots) if slots else NO_PARAMETERS,
            effects=self.effects,
            trust=document.trust,
            slots=slots,
            examples=self.examples,
            patterns=document.patterns,
            double_dash=self.command.extra.get(DOUBLE_DASH, document.extra.get(DOUBLE_DASH)) is True,
            document=document,
        )


def tools_of(*documents: Document) -> tuple[Tool, ...]:
    """Every callable of the documents, with names that are unique among them."""
    return tuple(command.tool() for command in named_commands(*documents))


def named_commands(*documents: Document) -> list[NamedCommand]:
    """The same, before they are tools."""
    found = [(document, by_path(document)) for document in documents]
    names = NameTable(path for _, commands in found for path in commands)
    if len(names) < sum(len(commands) for _, commands in found):
        twice = next(d.name for i, d in enumerate(documents) if d.name in {other.name for other in documents[:i]})
        raise Conflict(f"Two documents describe a tool named {twice!r}.", hint="Give one document for each tool.")
    return [
        NamedCommand(names.name_of(path), path, command, effects, document)
        for document, commands in found
        for path, (command, effects) in commands.items()
    ]


Describing = Document | Mapping[str, JsonValue]


def as_tools(items: Iterable[Tool | Describing]) -> tuple[Tool, ...]:
    """Tools as they are; documents, also as plain JSON, stand for all their commands."""
    return tuple(item if isinstance(item, Tool) else item.tool() for item in as_shown(items))


def as_shown(items: Iterable[Tool | Describing]) -> list[Tool | NamedCommand]:
    """The same, as far as showing them needs it."""
    tools: list[Tool | NamedCommand] = []
    documents: list[Document] = []
    for item in items:
        if isinstance(item, Tool):
            tools.append(item)
        else:
            documents.append(item if isinstance(item, Document) else parse_document(item, where="document"))
    return [*tools, *named_commands(*documents)]


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
