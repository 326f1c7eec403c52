"""For a tool's author: `emit(program)` answers `--agent`, `@effects(…)` says what a command may do.

Standard library only. The program may be click, typer, argparse, or a document written by hand.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, TypedDict, TypeVar, Unpack, cast

from prime.core.errors import InvalidInput, JsonValue, PrimeError
from prime.tools.atip.partial import NoSuchCommand, filter_json
from prime.tools.atip.request import WrongRequest, agent_request

EFFECTS_ATTRIBUTE = "__atip_effects__"
PROTOCOL = "0.3"
_T = TypeVar("_T")


class FilesystemFields(TypedDict, total=False):
    read: bool
    write: bool
    delete: bool
    paths: Sequence[str]


class InteractiveFields(TypedDict, total=False):
    stdin: Literal["none", "optional", "required", "password"]
    prompts: bool
    tty: bool


class CostFields(TypedDict, total=False):
    estimate: str
    billable: bool


class DurationFields(TypedDict, total=False):
    typical: str
    timeout: str


class EffectFields(TypedDict, total=False):
    """The fields of RFC 3.6. What is left out is unknown, and unknown is not safe."""

    filesystem: FilesystemFields
    network: bool
    subprocess: bool
    idempotent: bool
    reversible: bool
    destructive: bool
    creates: Sequence[str]
    modifies: Sequence[str]
    deletes: Sequence[str]
    interactive: InteractiveFields
    cost: CostFields
    duration: DurationFields


def effects(**declared: Unpack[EffectFields]) -> Callable[[_T], _T]:
    """Say what a command may do: `@effects(destructive=True, reversible=False)`.

    Goes onto a function, above or below the framework's own decorator, or onto an argparse parser:
    `effects(network=True)(parser)`. Of several declarations the outermost wins.
    """
    unknown = declared.keys() - EffectFields.__annotations__.keys()
    if unknown:
        raise TypeError(f"no such effect: {min(unknown)}; there are {', '.join(EffectFields.__annotations__)}")

    def declare(target: _T) -> _T:
        known = cast("Mapping[str, JsonValue]", getattr(target, EFFECTS_ATTRIBUTE, {}))
        setattr(target, EFFECTS_ATTRIBUTE, {**known, **declared})
        return target

    return declare


def emit(
    program: object,
    argv: Sequence[str] | None = None,
    *,
    name: str | None = None,
    version: str | None = None,
    description: str | None = None,
    **fields: JsonValue,
) -> None:
    """Answer `--agent` and leave, or return at once when it was not asked. Call it right before the program runs.

    `name` is the command's own name unless given; `fields` are further ones of the document (`homepage`, `patterns` …).
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        request = agent_request(arguments)
        if request is None:
            return
        document = describe(program, name=name or _running_name(), version=version, description=description, **fields)
        if request.commands is not None or request.depth is not None:
            document = filter_json(document, request.commands, request.depth)
    except (WrongRequest, NoSuchCommand) as error:
        reason = f"there is no command {str(error)!r}." if isinstance(error, NoSuchCommand) else str(error)
        _leave(reason, 2)
    except PrimeError as error:
        _leave(str(error), 1)
    _print(document)
    sys.exit(0)


def describe(
    program: object,
    *,
    name: str | None = None,
    version: str | None = None,
    description: str | None = None,
    **fields: JsonValue,
) -> dict[str, JsonValue]:
    """The document of a click, typer or argparse program, or of a mapping written by hand, checked."""
    if isinstance(program, Mapping):
        written = dict(cast("Mapping[str, JsonValue]", program)) | fields
    else:
        read = _read(program, name)
        written = {
            "atip": PROTOCOL,
            "name": name or read.pop("name", "program"),
            "version": version or read.pop("version", None) or _version(program, name),
            "description": description or read.pop("description", "") or f"The command {name}",
            **{key: value for key, value in read.items() if key not in {"name", "version", "description"}},
            **fields,
        }
    from prime.tools.atip.parser import parse_document  # late: only a program that was asked pays for it

    return parse_document(written, where=str(written.get("name", "document"))).to_json()


def _read(program: object, name: str | None) -> dict[str, JsonValue]:
    """By what the program is, without importing a framework that it does not use itself."""
    if hasattr(program, "registered_commands") and hasattr(program, "registered_groups"):
        import typer.main  # the program is a typer one, so typer is there

        program = typer.main.get_command(cast("Any", program))
    if hasattr(program, "params") and hasattr(program, "make_context"):
        from prime.tools.atip.from_click import read_click

        return read_click(program, name)
    if hasattr(program, "_actions") and hasattr(program, "parse_args"):
        from prime.tools.atip.from_argparse import read_argparse

        return read_argparse(cast("Any", program))
    raise InvalidInput(
        f"{type(program).__name__} is not a program that can be described.",
        hint="Give a click command, a typer app, an argparse parser or a document; write build() for a function's result.",
    )


def _running_name() -> str | None:
    """The name that the program was started by: it must be the executable's."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py":
        return started.parent.name
    return started.name if started.name and not started.name.startswith("-") else None


def _version(program: object, name: str | None) -> str:
    """Of the package that the program's code lives in, as it was installed or as it says itself."""
    from importlib.metadata import PackageNotFoundError, version

    code = getattr(program, "callback", None) or program
    package = str(getattr(code, "__module__", "")).partition(".")[0]
    for candidate in (name, package):
        try:
            if candidate and candidate != "__main__":
                return version(candidate)
        except (PackageNotFoundError, ValueError):
            pass
    said = getattr(sys.modules.get(package), "__version__", None)
    return said if isinstance(said, str) else "unknown"


def _print(document: Mapping[str, JsonValue]) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text)
    else:
        stream.write(text.encode("utf-8"))
        stream.flush()


def _leave(reason: str, code: int) -> NoReturn:
    sys.stderr.write(f"--agent: {reason}\n")
    sys.exit(code)
