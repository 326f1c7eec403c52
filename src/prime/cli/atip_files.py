"""`prime tools validate | lint | schema`."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from prime.cli.declared import reads
from prime.cli.output import json_already, json_option, print_json
from prime.core.plain_file import open_now
from prime.tools.atip import Document, Finding, InvalidDocument, parse_document, published_schema
from prime.tools.atip import lint as findings_of
from prime.tools.atip.errors import Problem
from prime.tools.atip.parser import MAX_BYTES

_FOLDER_TOOL = "tool.json"
_FILES = click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))


def read_document(file: str) -> Document:
    """A document from a file, or from stdin for `-`."""
    where = "stdin" if file == "-" else file
    if Path(file, _FOLDER_TOOL).is_file():
        raise InvalidDocument(where, [_folder_tool(file)])
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1) if file == "-" else _read(file)  # what is named may have no end
    except OSError as error:
        raise InvalidDocument(where, [Problem("", f"{error.strerror}.", "Name a file that can be read.")]) from None
    try:
        return parse_document(data, where=where)
    except InvalidDocument:
        if Path(file).name == _FOLDER_TOOL and b'"atip"' not in data:
            raise InvalidDocument(where, [_folder_tool(str(Path(file).parent))]) from None
        raise


def _folder_tool(folder: str) -> Problem:
    return Problem(
        "",
        "This describes a tool that is a folder, and is no ATIP document.",
        f"`prime tools add {folder}` checks it and adds it, then `prime tools check NAME` runs its examples.",
    )


def _read(file: str) -> bytes:
    """A file, or a pipe that somebody writes into, as `<(tool --agent)` is; nobody waits for a writer to come."""
    with open(file, "rb", opener=open_now) as source:
        begin: bytes | None = source.read(1)  # None where there is a writer who has not written yet
        if begin == b"" and stat.S_ISFIFO(os.fstat(source.fileno()).st_mode):
            raise OSError(errno.EPIPE, "Nobody writes into this pipe")
        os.set_blocking(source.fileno(), True)
        return (begin or b"") + source.read(MAX_BYTES)


@click.command()
@_FILES
@json_option
@reads
def validate(files: tuple[str, ...], as_json: bool) -> None:
    """Check ATIP documents against the protocol.

    Exits with 1 if one of FILES breaks a rule; each problem is named with its JSON pointer.
    """
    broken = 0
    report: list[object] = []
    for file in files:
        error = _broken(file)
        broken += error is not None
        problems = [problem.as_json() for problem in error.problems] if error else []
        report.append({"file": file, "valid": error is None, "problems": problems})
        if not as_json:
            _tell(file, error)
    if as_json:
        print_json({"items": report})
    sys.exit(1 if broken else 0)


def _broken(file: str) -> InvalidDocument | None:
    try:
        read_document(file)
    except InvalidDocument as error:
        return error
    return None


def _tell(file: str, error: InvalidDocument | None) -> None:
    if error is None:
        click.echo(f"{file}: valid")
        return
    for problem in error.problems:
        click.echo(f"{file}: at {problem.pointer or 'the top'}: {problem.message} {problem.hint}", err=True)


@click.command()
@_FILES
@click.option("--strict", is_flag=True, help="Exit with 1 when there is a warning.")
@json_option
@reads
def lint(files: tuple[str, ...], strict: bool, as_json: bool) -> None:
    """Tell what would make the ATIP documents in FILES more useful.

    Missing effects and descriptions, over-long text, destructive commands that do not say whether they can be undone …
    Exits with 1 if one of FILES breaks a rule of the protocol.
    """
    found: list[tuple[str, Finding]] = []
    broken = False
    for file in files:
        try:
            found += [(file, finding) for finding in findings_of(read_document(file))]
        except InvalidDocument as error:
            broken = True
            _tell(file, error)
    if as_json:
        items = [{"file": file, **finding.as_json()} for file, finding in found]
        print_json({"items": items})
    else:
        for line in _lines(found):
            click.echo(line)
    warned = strict and any(finding.level == "warning" for _, finding in found)
    sys.exit(1 if broken or warned else 0)


def _lines(found: list[tuple[str, Finding]]) -> Iterator[str]:
    for file, finding in found:
        yield f"{file}: at {finding.pointer or 'the top'}: {finding.message} ({finding.level}, {finding.rule})"


@click.command()
@json_already
@reads
def schema() -> None:
    """Print the JSON Schema of ATIP documents."""
    click.echo(published_schema(), nl=False)
