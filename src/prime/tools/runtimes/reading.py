"""Reads a `tool.json`: strictly, with the file and a JSON pointer in every error (D-RUN-1)."""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from prime.core.errors import JsonValue
from prime.core.json_text import BadJson, read_json
from prime.core.plain_file import read_plain
from prime.tools.atip.errors import InvalidDocument, Pointer, Problem
from prime.tools.atip.parser import read_effects
from prime.tools.atip.reading import (
    Check,
    Reader,
    TooManyProblems,
    anything,
    array,
    as_it_is,
    boolean,
    name,
    one_of,
    text,
)
from prime.tools.runtimes.entries import read_entry
from prime.tools.runtimes.inside import Outside, inside
from prime.tools.runtimes.manifest import FILE_NAME, MIB, Example, Manifest, RunPolicy
from prime.tools.runtimes.schema import CompiledSchema, InvalidSchema, is_object
from prime.tools.tool import NO_PARAMETERS

MAX_BYTES: Final = MIB
MAX_EXAMPLES: Final = 100
CALLABLE: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
# Variables that make a program load or run something else.
_NOT_ALLOWED = re.compile(r"LD_.*|PYTHON.*|BASH_ENV|ENV|NODE_OPTIONS|PERL5.*|RUBYOPT|PATH|HOME|PRIME_.*")
_HOUR_MS = 3_600_000
_RUNTIMES = ("process", "python-uv-script", "binary")
_Fields = Mapping[str, tuple[str, Check]]


class InvalidManifest(InvalidDocument):
    """A `tool.json` that breaks a rule."""

    code = "invalid_manifest"


def load_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; InvalidManifest has every broken place."""
    try:
        real = folder.resolve(strict=True)
        data = _bytes(real)
    except OSError as error:
        raise _refused(folder / FILE_NAME, f"{error.strerror}.", "Put a tool.json into the folder.") from None
    except Outside as error:
        raise _refused(folder / FILE_NAME, f"It {error}.", "Put the file itself into the folder.") from None
    reader = Reader()
    manifest: Manifest | None = None
    with suppress(TooManyProblems):
        manifest = _manifest(reader, _object(data, folder / FILE_NAME), real)
    if reader.problems or manifest is None:
        raise InvalidManifest(str(folder / FILE_NAME), reader.problems)
    return manifest


def _bytes(folder: Path) -> bytes:
    return read_plain(inside(folder, FILE_NAME), MAX_BYTES)


def _object(data: bytes, path: Path) -> dict[str, JsonValue]:
    if len(data) > MAX_BYTES:
        raise _refused(path, f"It is larger than {MAX_BYTES:,} bytes.", "Shorten it.")
    try:
        value = read_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _refused(path, f"Not UTF-8: byte {error.start} cannot be read.", "Write it in UTF-8.") from None
    except BadJson as error:
        raise _refused(path, f"{error.message} (character {error.offset})", error.hint or "Mend the JSON.") from None
    if not isinstance(value, dict):
        raise _refused(path, "It must be one JSON object.", "See docs/write-a-tool.md.")
    return cast("dict[str, JsonValue]", value)


def _refused(path: Path, message: str, hint: str) -> InvalidManifest:
    return InvalidManifest(str(path), [Problem("", message, hint)])


def read_fields(reader: Reader, value: object, known: _Fields, at: Pointer) -> dict[str, Any]:
    """The known fields of an object, under either spelling of their names; others are problems, `x-…` and null aside."""
    if not isinstance(value, dict):
        reader.expected(at, "an object", value)
        return {}
    found: dict[str, Any] = {}
    for key, item in cast("dict[str, object]", value).items():
        spec = known.get(key) or known.get(_camel(key))
        if spec is None:
            if not key.startswith("x-"):
                reader.problem((*at, key), "There is no such field.", f"Known are: {', '.join(known)}.")
        elif item is not None:
            if spec[0] in found:
                reader.problem((*at, key), "The field is there in two spellings.", "Keep one of them.")
            read = spec[1](reader, item, (*at, key))
            if read is not None:
                found[spec[0]] = read
    return found


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _number(least: int, most: int) -> Check:
    def check(reader: Reader, value: Any, at: Pointer) -> int | None:
        if type(value) is int and least <= value <= most:
            return value
        reader.expected(at, f"a whole number from {least:,} to {most:,}", value)
        return None

    return check


def _variable(reader: Reader, value: Any, at: Pointer) -> str | None:
    found = text(reader, value, at)
    if found is not None and (not _VARIABLE.fullmatch(found) or _NOT_ALLOWED.fullmatch(found)):
        reader.problem(at, f"{found[:40]!r} cannot be passed on to a tool.", "Name a variable of the tool's own.")
        return None
    return found


def _json_object(reader: Reader, value: Any, at: Pointer) -> Mapping[str, JsonValue] | None:
    if not isinstance(value, dict):
        reader.expected(at, "an object", cast("object", value))
        return None
    return cast("Mapping[str, JsonValue]", anything(reader, value, at))


def _arguments(reader: Reader, value: Any, at: Pointer) -> Mapping[str, JsonValue] | None:
    """What an example hands to the tool, to the letter."""
    found = _json_object(reader, value, at)
    return None if found is None else cast("Mapping[str, JsonValue]", value)


def _schema(reader: Reader, value: Any, at: Pointer) -> Mapping[str, JsonValue] | None:
    found = _json_object(reader, value, at)
    if found is None:
        return None
    try:
        CompiledSchema(found)
    except InvalidSchema as error:
        reader.problem((*at, *error.pointer), f"Not a valid JSON Schema: {error}.", "Mend the schema.")
        return None
    return found


def _parameters(reader: Reader, value: Any, at: Pointer) -> Mapping[str, JsonValue] | None:
    found = _schema(reader, value, at)
    if found is not None and not is_object(found):
        reader.problem(at, "Arguments are always an object.", 'Write "type": "object".')
        return None
    return found


def _kept(reader: Reader, value: Any, at: Pointer) -> tuple[JsonValue] | None:
    """Any value, null too: in a tuple, so that null is not taken for nothing."""
    return (as_it_is(reader, value, at),)


_schemas: _Fields = {"parameters": ("parameters", _parameters), "returns": ("returns", _schema)}
_policy: _Fields = {
    "timeoutMs": ("timeout_ms", _number(1, 2 * _HOUR_MS)),
    "maxOutputBytes": ("max_output_bytes", _number(1, 64 * MIB)),
    "memoryBytes": ("memory_bytes", _number(MIB, 1024**4)),
    "cpuTimeMs": ("cpu_time_ms", _number(1, 24 * _HOUR_MS)),
    "network": ("network", one_of("allow", "deny")),
    "envAllow": ("env_allow", array(_variable)),
    "workdir": ("workdir", text),
    "standby": ("standby", _number(0, 16)),
    "enforce": ("enforce", one_of("strict", "best-effort")),
}
_example: _Fields = {
    "arguments": ("arguments", _arguments),
    "description": ("description", text),
    "returns": ("returns", _kept),
    "isError": ("is_error", boolean),
}


def _part(known: _Fields) -> Check:
    return lambda reader, value, at: read_fields(reader, value, known, at)


def _read_example(reader: Reader, value: Any, at: Pointer) -> Example | None:
    found = read_fields(reader, value, _example, at)
    if isinstance(value, dict) and "returns" in value:
        kept = found.pop("returns", (None,))
        found |= {"returns": kept[0], "expects": True}
    return Example(**found)


_manifest_fields: _Fields = {
    "$schema": ("$schema", text),
    "id": ("id", name),
    "name": ("name", text),
    "version": ("version", text),
    "description": ("description", text),
    "runtime": ("runtime", one_of(*_RUNTIMES)),
    "entry": ("entry", lambda _reader, value, _at: value),  # read when the runtime is known
    "schema": ("schema", _part(_schemas)),
    "effects": ("effects", read_effects),
    "policy": ("policy", _part(_policy)),
    "prime": ("prime", _json_object),
    "metadata": ("metadata", _json_object),
    "examples": ("examples", array(_read_example)),
}


def _manifest(reader: Reader, raw: Mapping[str, JsonValue], folder: Path) -> Manifest | None:
    for field in ("description", "runtime", "entry"):
        if raw.get(field) is None:
            reader.problem((field,), f"The field `{field}` is missing.", f"Add `{field}`.")
    found = read_fields(reader, raw, _manifest_fields, ())
    called = _called(reader, found)
    schemas = found.pop("schema", {})
    if "runtime" in found and "entry" in found:
        found["entry"] = read_entry(reader, found["entry"], found["runtime"], folder)
    policy = RunPolicy(**found.pop("policy", {}))
    if reader.problems or called is None:
        return None
    found.pop("$schema", None)
    values: dict[str, Any] = {"id": called, "version": "0", **found, "name": called}
    read = Manifest(
        **values,
        policy=policy,
        parameters=schemas.get("parameters", NO_PARAMETERS),
        returns=schemas.get("returns"),
        folder=folder,
    )
    _together(reader, read)
    return read


def _called(reader: Reader, found: Mapping[str, Any]) -> str | None:
    """The name under which models call the tool: `name`, or `id` where `name` is a title for people."""
    for word in (found.get("name"), found.get("id")):
        if isinstance(word, str) and CALLABLE.fullmatch(word):
            return word
    at = ("name",) if "name" in found else ("id",) if "id" in found else ("name",)
    reader.problem(
        at,
        "The tool has no name that can be called: 1 to 64 letters, digits, _ and -.",
        "Give it such a `name`, or such an `id`.",
    )
    return None


def _together(reader: Reader, manifest: Manifest) -> None:
    """What single fields cannot show."""
    policy = manifest.policy
    if policy.network == "allow" and manifest.effects.network is False:
        hint = "Say `true` in effects.network, or `deny` here."
        reader.problem(("policy", "network"), "The effects say that the tool uses no network.", hint)
    if len(manifest.examples) > MAX_EXAMPLES:
        reader.problem(("examples",), f"More than {MAX_EXAMPLES} examples.", "Keep the best.")
    if policy.workdir is not None:
        try:
            if not inside(manifest.folder, policy.workdir).is_dir():
                reader.problem(("policy", "workdir"), "It is not a folder in the tool's folder.", "Create it.")
        except Outside as error:
            reader.problem(("policy", "workdir"), f"{policy.workdir!r} {error}.", "Use a folder inside.")
    arguments = CompiledSchema(manifest.parameters)
    for index, example in enumerate(manifest.examples):
        for problem in arguments.problems(example.arguments) if not example.is_error else ():
            where = f"At {problem['pointer'] or 'the top'}: {problem['message']}"
            reader.problem(("examples", index, "arguments"), where, "Mend the example or schema.parameters.")
