"""Reads a document: bytes, text or a mapping in, a typed `Document` or an `InvalidDocument` out.

The tables below are the whole of RFC 3.2-3.9. Limits keep a hostile document from costing more than a moment.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, cast, get_args

from prime.tools.atip import effect, model
from prime.tools.atip.errors import InvalidDocument, Pointer, Problem
from prime.tools.atip.reading import (
    Reader,
    Spec,
    TooManyProblems,
    anything,
    array,
    boolean,
    fields,
    flag,
    kind_of,
    missing,
    name,
    one_of,
    part,
    scalar,
    text,
    tool_name,
    whole,
)

MAX_BYTES: Final = 32 * 1024 * 1024
MAX_COMMANDS: Final = 50_000
MAX_NESTING: Final = 16
_VERSION = re.compile(r"0\.[1-6](\.\d{1,6})?")

_words = array(text)
_type = one_of(*get_args(model.ParameterType))


def parse_document(data: bytes | str | Mapping[str, object], *, where: str) -> model.Document:
    """Read one document; `where` (a file, a command) is named in the error."""
    reader = Reader()
    document: model.Document | None = None
    with suppress(TooManyProblems):
        document = _document(reader, _load(data, where), ())
    if reader.problems or document is None:
        raise InvalidDocument(where, reader.problems)
    return document


def _load(data: bytes | str | Mapping[str, object], where: str) -> object:
    def refuse(message: str, hint: str) -> InvalidDocument:
        return InvalidDocument(where, [Problem("", message, hint)])

    try:
        if isinstance(data, Mapping):
            data = json.dumps(data, allow_nan=False)
        if len(data) > MAX_BYTES:
            raise refuse(
                f"The document has {len(data):,} bytes; {MAX_BYTES:,} are allowed.",
                "Ask the tool for a part of it with --depth=1 or --commands=….",
            )
        source = data.removeprefix("\ufeff") if isinstance(data, str) else data.decode("utf-8-sig")
        return json.loads(source, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise refuse(f"Not UTF-8: byte {error.start} cannot be read.", "Write the document in UTF-8.") from None
    except RecursionError:
        raise refuse("Nested too deeply to be read.", "Flatten the document.") from None
    except json.JSONDecodeError as error:
        raise refuse(
            f"Not JSON: {error.msg} in line {error.lineno}, column {error.colno}.",
            "The whole output must be one JSON object; diagnostics belong on stderr.",
        ) from None
    except (ValueError, TypeError) as error:
        raise refuse(f"Not JSON: {error}.", "Use JSON values only, each field once.") from None


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1) if len(names) < 1000 else "one of them"
        raise ValueError(f"an object has two fields named {twice[:40]!r}")
    return found


def _constant(word: str) -> object:
    raise ValueError(f"{word} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(f"the number {digits[:20]} is too large")
    return number


_protocol_fields = {
    "version": Spec("version", text),
    "features": Spec("features", _words, ()),
    "minAgentVersion": Spec("min_agent_version", text),
}


def _protocol(reader: Reader, value: Any, at: Pointer) -> model.Protocol | None:
    if isinstance(value, dict):
        raw = cast("dict[str, object]", value)
        missing(reader, raw, ("version",), at)
        read = fields(reader, raw, _protocol_fields, at)
        protocol = model.Protocol(**read, as_object=True) if "version" in read else None
    else:
        found = text(reader, value, at)
        protocol = model.Protocol(version=found) if found is not None else None
    if protocol and not _VERSION.fullmatch(protocol.version):
        reader.problem(
            at, f"Unknown protocol version {protocol.version[:20]!r}.", 'Use "0.1" to "0.6"; "0.3" is usual.'
        )
    return protocol


_parameter_fields = {
    "name": Spec("name", name),
    "type": Spec("type", _type),
    "description": Spec("description", text, ""),
    "default": Spec("default", anything),
    "variadic": Spec("variadic", boolean, default=False),
    "enum": Spec("enum", array(scalar), ()),
}
_argument_fields = {**_parameter_fields, "required": Spec("required", boolean, default=True)}
_option_fields = {
    **_parameter_fields,
    "flags": Spec("flags", array(flag, filled=True)),
    "required": Spec("required", boolean, default=False),
    "envVar": Spec("env_var", text),
}
_plain_argument = part(model.Argument, _argument_fields, ("name", "type"))
_plain_option = part(model.Option, _option_fields, ("name", "flags", "type"))


def _argument(reader: Reader, value: Any, at: Pointer) -> model.Argument | None:
    return _checked(reader, at, _plain_argument(reader, value, at))


def _option(reader: Reader, value: Any, at: Pointer) -> model.Option | None:
    return _checked(reader, at, _plain_option(reader, value, at))


def _checked(reader: Reader, at: Pointer, parameter: Any) -> Any:
    if parameter is not None and parameter.type == "enum" and not parameter.enum:
        reader.problem(at, "An enum without values.", "List the allowed values in `enum`, or use type string.")
    return parameter


_new_effects = part(
    effect.Effects,
    {
        "filesystem": Spec(
            "filesystem",
            part(
                effect.Filesystem,
                {
                    "read": Spec("read", boolean),
                    "write": Spec("write", boolean),
                    "delete": Spec("delete", boolean),
                    "paths": Spec("paths", _words),
                },
            ),
            effect.Filesystem(),
        ),
        **{key: Spec(key, boolean) for key in ("network", "subprocess", "idempotent", "reversible", "destructive")},
        **{key: Spec(key, _words) for key in ("creates", "modifies", "deletes")},
        "interactive": Spec(
            "interactive",
            part(
                effect.Interactive,
                {
                    "stdin": Spec("stdin", one_of(*get_args(effect.Stdin))),
                    "prompts": Spec("prompts", boolean),
                    "tty": Spec("tty", boolean),
                },
            ),
            effect.Interactive(),
        ),
        "cost": Spec(
            "cost",
            part(effect.Cost, {"estimate": Spec("estimate", text), "billable": Spec("billable", boolean)}),
            effect.Cost(),
        ),
        "duration": Spec(
            "duration",
            part(effect.Duration, {"typical": Spec("typical", text), "timeout": Spec("timeout", text)}),
            effect.Duration(),
        ),
    },
)


def read_effects(reader: Reader, value: Any, at: Pointer) -> effect.Effects | None:
    """Most commands of a document have one of a few effects: equal ones become one object, which is quicker for all."""
    try:
        key = (*value.items(), *map(type, value.values()))
        known = reader.effects.get(key)
    except (AttributeError, TypeError):
        return _new_effects(reader, value, at)
    if known is None:
        known = _new_effects(reader, value, at)
        if known is not None:
            reader.effects[key] = known
    return known


def _commands(reader: Reader, value: Any, at: Pointer) -> dict[str, model.Command] | None:
    if type(value) is not dict:
        reader.expected(at, "an object of commands", value)
        return None
    found = cast("dict[str, object]", value)
    reader.commands += len(found)
    if reader.commands > MAX_COMMANDS:
        reader.problem(
            at, f"More than {MAX_COMMANDS:,} commands.", "Ask the tool for a part with --depth=1 or --commands=…."
        )
        raise TooManyProblems
    if len(at) > 2 * MAX_NESTING:
        reader.problem(at, f"Commands nested more than {MAX_NESTING} deep.", "Flatten the document.")
        return None
    return {key: _command(reader, key, item, (*at, key)) for key, item in found.items()}


def _command(reader: Reader, key: str, value: Any, at: Pointer) -> model.Command:
    if key:
        name(reader, key, at)
    if type(value) is not dict:
        reader.expected(at, "an object", value)
        return model.Command()
    return model.Command(**fields(reader, cast("dict[str, object]", value), _command_fields, at))


_command_fields = {
    "description": Spec("description", text, ""),
    "arguments": Spec("arguments", array(_argument), ()),
    "options": Spec("options", array(_option), ()),
    "effects": Spec("effects", read_effects, effect.UNKNOWN),
    "examples": Spec("examples", _words, ()),
    "commands": Spec("commands", _commands),
    "omitted": Spec("omitted", anything),
}

_authentication = part(
    model.Authentication,
    {
        "required": Spec("required", boolean),
        "methods": Spec(
            "methods",
            array(
                part(
                    model.AuthMethod,
                    {
                        "type": Spec("type", text),
                        "envVar": Spec("env_var", text),
                        "setupCommand": Spec("setup_command", text),
                        "description": Spec("description", text, ""),
                    },
                    ("type",),
                )
            ),
            (),
        ),
        "checkCommand": Spec("check_command", text),
    },
)

_step = part(
    model.PatternStep, {"command": Spec("command", text), "description": Spec("description", text, "")}, ("command",)
)
_variable = part(
    model.PatternVariable, {"type": Spec("type", _type, "string"), "description": Spec("description", text, "")}
)


def _variables(reader: Reader, value: Any, at: Pointer) -> dict[str, model.PatternVariable] | None:
    if type(value) is not dict:
        reader.expected(at, "an object", value)
        return None
    found = cast("dict[str, object]", value)
    return {key: _variable(reader, item, (*at, name(reader, key, at) or "")) for key, item in found.items()}


pattern = part(
    model.Pattern,
    {
        "name": Spec("name", text),
        "description": Spec("description", text, ""),
        "steps": Spec("steps", array(_step), ()),
        "variables": Spec("variables", _variables, {}),
    },
    ("name",),
)

_document_fields = {
    **_command_fields,
    "atip": Spec("atip", _protocol),
    "name": Spec("name", tool_name),
    "version": Spec("version", text),
    "description": Spec("description", text),
    "homepage": Spec("homepage", text),
    "globalOptions": Spec("global_options", array(_option), ()),
    "authentication": Spec("authentication", _authentication),
    "patterns": Spec("patterns", array(pattern), ()),
    "partial": Spec("partial", boolean, default=False),
    "filter": Spec("filter", part(model.Filter, {"commands": Spec("commands", _words), "depth": Spec("depth", whole)})),
    "totalCommands": Spec("total_commands", whole),
    "includedCommands": Spec("included_commands", whole),
    "trust": Spec(
        "trust",
        part(
            model.Trust,
            {"source": Spec("source", text), "verified": Spec("verified", boolean), "checksum": Spec("checksum", text)},
        ),
        model.Trust(),
    ),
    "binary": Spec("binary", anything),
}


def _document(reader: Reader, value: object, at: Pointer) -> model.Document | None:
    if type(value) is not dict:
        reader.problem(at, f"Expected an object, found {kind_of(value)}.", "An ATIP document is one JSON object.")
        return None
    raw = cast("dict[str, object]", value)
    missing(reader, raw, ("atip", "name", "version", "description"), at)
    read = fields(reader, raw, _document_fields, at)
    return None if reader.problems else model.Document(**read)
