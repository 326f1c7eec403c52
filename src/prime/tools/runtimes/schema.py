"""JSON Schemas of tools: compiled once, when a tool is loaded, and never a reason to open a file or an address."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn, cast

import jsonschema_rs

from prime.core.errors import JsonValue
from prime.tools.runtimes.schema_size import SchemaSize, weight_of
from prime.tools.tool import Schema

# Patterns that would be tried for longer than this are taken for not matching.
_MOST_STEPS = 100_000
_MOST_PROBLEMS = 10
# Judged within a second: schemas in one, written out; and so many judgements of a value and of what is in it.
_LARGEST = 1_000_000
_MOST_JUDGED = 20_000_000
# Counting takes longer than judging as a rule: it is left out where there can be no more than this, and with few schemas.
_UNCOUNTED = 200_000_000
_FEW = 64
# What is wrong is told within a second: so many judgements, each of which repeats the value.
_MOST_TOLD = 10_000
_MOST_REPEATED = 20_000_000


class InvalidSchema(ValueError):
    """Not a JSON Schema; `pointer` says where in it."""

    def __init__(self, message: str, pointer: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.pointer = pointer


class CompiledSchema:
    """One schema, ready to judge values."""

    def __init__(self, schema: Schema) -> None:
        try:
            # (The package's own `meta.validate` would fetch an unknown `$schema` from the network.)
            self._validator = jsonschema_rs.validator_for(
                dict(schema),
                retriever=_refuse,
                pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=_MOST_STEPS),
            )
        except jsonschema_rs.ValidationError as error:
            raise InvalidSchema(_short(error.message), tuple(error.instance_path)) from None
        except (jsonschema_rs.ReferencingError, ValueError) as error:
            raise InvalidSchema(_short(str(error))) from None
        self._size = SchemaSize(schema)
        self._written_out = self._size.written_out(_LARGEST)
        if self._written_out > _LARGEST:
            raise InvalidSchema(f"with what it refers to written out, it is too deep or more than {_LARGEST:,} schemas")

    def problems(self, value: JsonValue) -> list[dict[str, JsonValue]]:
        """What is wrong with a value: `pointer` and `message` of each place; empty when it fits."""
        given = cast("dict[str, Any]", value)  # any JSON value; the package's own type for it is not public
        if self._is_too_much(value):
            return [_problem("it is too large to be judged by so large a schema")]
        if self._validator.is_valid(given):
            return []
        judged = self._size.judging(value, _MOST_TOLD)
        if judged <= _MOST_TOLD and judged * weight_of(value, _MOST_REPEATED) <= _MOST_REPEATED:
            errors = islice(self._validator.iter_errors(given), _MOST_PROBLEMS)
            return [_problem(error.message, error.instance_path) for error in errors]
        return [self._first(given)]

    def _is_too_much(self, value: JsonValue) -> bool:
        if self._written_out <= _FEW:
            return False
        enough = _UNCOUNTED // self._written_out
        return weight_of(value, enough) > enough and self._size.judging(value, _MOST_JUDGED) > _MOST_JUDGED

    def _first(self, given: dict[str, Any]) -> dict[str, JsonValue]:
        """What is wrong first, where not everything is looked at to say that."""
        if not self._size.has_alternatives:
            try:
                self._validator.validate(given)
            except jsonschema_rs.ValidationError as error:
                return _problem(error.message, error.instance_path)
        return _problem("it does not fit its schema, and is too large to say where")


def told(problems: list[dict[str, JsonValue]]) -> str:
    """The first problem as a sentence's end."""
    first = problems[0]
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"at {first['pointer'] or 'the top'}: {first['message']}{more}"


def is_object(schema: Mapping[str, JsonValue]) -> bool:
    """Whether the schema says that its values are objects."""
    return schema.get("type") == "object"


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri[:100]} would have to be fetched; a tool's schema stands by itself")


def _problem(message: str, path: Sequence[str | int] = ()) -> dict[str, JsonValue]:
    return {"pointer": _pointer(path), "message": _short(message)}


def _pointer(path: Sequence[str | int]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _short(message: str) -> str:
    return message if len(message) <= 300 else message[:299] + "…"
