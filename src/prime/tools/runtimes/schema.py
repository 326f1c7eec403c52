"""JSON Schemas of tools: compiled once, when a tool is loaded, and never a reason to open a file or an address."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, cast

import jsonschema_rs

from prime.core.errors import JsonValue
from prime.tools.runtimes.schema_size import written_out
from prime.tools.tool import Schema

# Patterns that would be tried for longer than this are taken for not matching.
_MOST_STEPS = 100_000
_MOST_PROBLEMS = 10
_LARGEST = 1_000_000  # schemas in one, written out: a value is judged by them within a second


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
        if written_out(schema, _LARGEST) > _LARGEST:
            raise InvalidSchema(f"with what it refers to written out, it is too deep or more than {_LARGEST:,} schemas")

    def problems(self, value: JsonValue) -> list[dict[str, JsonValue]]:
        """What is wrong with a value: `pointer` and `message` of each place; empty when it fits."""
        found: list[dict[str, JsonValue]] = []
        given = cast("dict[str, Any]", value)  # any JSON value; the package's own type for it is not public
        if self._validator.is_valid(given):
            return found
        for error in self._validator.iter_errors(given):
            found.append({"pointer": _pointer(error.instance_path), "message": _short(error.message)})
            if len(found) == _MOST_PROBLEMS:
                break
        return found


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


def _pointer(path: Sequence[str | int]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _short(message: str) -> str:
    return message if len(message) <= 300 else message[:299] + "…"
