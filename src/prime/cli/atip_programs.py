"""`prime tools emit | compile`."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from prime.cli.atip_files import read_document
from prime.cli.declared import reads
from prime.cli.output import json_already, print_json
from prime.core.errors import Unavailable
from prime.core.references import CannotLoad, load_reference
from prime.tools.atip import Document, describe
from prime.tools.providers import Provider, Strategy, compile_tools

_OPENAI_TOOLS = 128


@click.command()
@click.argument("program")
@click.option("--name", help="The command's name; that of the program unless given.")
@click.option("--version", help="The tool's version; that of its package unless given.")
@click.option("--description", help="One line; the program's own help unless given.")
@json_already
@reads
def emit(program: str, name: str | None, version: str | None, description: str | None) -> None:
    """Write the ATIP document of PROGRAM, given as module:attribute, to stdout.

    The attribute is a click command, a typer app, an argparse parser or a document; `module:build()` calls a function
    that returns one. Otherwise the module is only imported. The current folder is searched first.
    """
    module, found = _load(program)
    if name is None:
        name = _own_name(found, module)
    document = describe(found, name=name, version=version, description=description)
    click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def _load(program: str) -> tuple[str, Any]:
    module, colon, attribute = program.partition(":")
    if not (module and colon and attribute):
        raise click.UsageError(f"{program!r} is not module:attribute, as in mytool.cli:main.")
    try:
        return module, load_reference(module, attribute)
    except CannotLoad as error:
        hint = "Install it, or run this in its folder; the current folder is searched first."
        raise Unavailable(f"Cannot load {program}: {error}.", hint=hint) from None


def _own_name(found: Any, module: str) -> str | None:
    """argparse calls a parser after the running program, which here is Prime."""
    if isinstance(found, Mapping):
        return None
    named = getattr(found, "prog", None) or getattr(found, "name", None)
    running = Path(sys.argv[0]).name
    return named if isinstance(named, str) and named != running else module.partition(".")[0]


def find_document(name: str) -> Document:
    """A document by file, or by the name of a tool that Prime knows."""
    if name == "-" or Path(name).is_file():
        return read_document(name)
    from prime.tools.discovery import Discovery

    return Discovery().find(name).document


@click.command("compile")
@click.argument("names", nargs=-1, required=True)
@click.option(
    "--provider",
    type=click.Choice(["openai", "openai-responses", "gemini", "anthropic"]),
    required=True,
    help="Whose API the tools are for.",
)
@click.option("--strict", is_flag=True, help="Strict schemas: OpenAI guarantees that arguments fit them.")
@click.option(
    "--strategy",
    type=click.Choice(["discrete", "action"]),
    default="discrete",
    help="One tool for each command, or one for each group with an `action`.",
)
@click.option("--json", "as_json", is_flag=True, help="Print an object with the system prompt and the name table too.")
@reads
def compile_(names: tuple[str, ...], provider: Provider, strict: bool, strategy: Strategy, as_json: bool) -> None:
    """Translate tools for a language model's API.

    NAMES are tools that Prime knows or files with ATIP documents. What is printed goes into the request's `tools`.
    """
    compiled = compile_tools([find_document(name) for name in names], provider, strict, strategy)
    if provider.startswith("openai") and len(compiled) > _OPENAI_TOOLS:
        click.echo(f"prime: {len(compiled)} tools; OpenAI takes {_OPENAI_TOOLS} in one request.", err=True)
    shown: object = compiled.request_tools
    if as_json:
        commands = {tool.name: list(tool.command) for tool in compiled.tools}
        shown = {"tools": shown, "systemPrompt": compiled.system_prompt, "commands": commands}
    print_json(shown)
