"""`emit` and `effects`: what an author writes, and what an agent gets."""

import argparse
import json
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import click
import pytest
import typer

from prime.core.errors import InvalidInput
from prime.tools.argv import build_argv
from prime.tools.atip import describe, effects, emit, lint, parse_document
from prime.tools.atip.request import WrongRequest, agent_request
from prime.tools.tool import Tool, tools_of

Json = dict[str, Any]


def tools_from(document: Json) -> dict[str, Tool]:
    return {tool.name: tool for tool in tools_of(parse_document(document, where="x"))}


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def never() -> str:
    raise AssertionError("asking for the document must not run anything")


@click.group(context_settings={"auto_envvar_prefix": "SHOP"})
@click.option("--verbose", "-v", is_flag=True, help="Say more.")
@click.version_option("9")
def shop(verbose: bool) -> None:
    """Keep a shop.

    With more to say about it.
    """


@shop.command()
@effects(destructive=True, reversible=False, deletes=["order"])
@click.argument("orders", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why.", envvar="WHY")
@click.option("--force/--no-force", default=True)
@click.option("--size", nargs=2, type=int)
@click.option("--tag", multiple=True, type=click.Choice(["a", "b"]))
@click.option("--out", type=click.Path(file_okay=False), default=never)
@click.option("--paint", type=click.Choice(Colour), default=Colour.RED)
@click.option("--rate", type=float, default=0.5, show_default=True)
@click.option("--secret", hidden=True)
@click.confirmation_option(prompt="Sure?")
def cancel(**_: object) -> None:
    """Cancel orders. ORDERS are numbers."""


@effects(network=True)
@shop.group()
def stock() -> None:
    """Stock."""


@stock.command("list", deprecated=True)
@click.argument("shelf", required=False)
def list_(shelf: str) -> None:
    """List what is there."""


@shop.command(hidden=True)
def internal() -> None:
    """Not for others."""


def test_click() -> None:
    document: Any = describe(shop, name="shop", version="1.2", homepage="https://example.org")
    assert (document["atip"], document["name"], document["version"]) == ("0.3", "shop", "1.2")
    assert document["description"] == "Keep a shop."
    assert document["homepage"] == "https://example.org"
    assert [option["name"] for option in document["globalOptions"]] == ["verbose"]
    assert list(document["commands"]) == ["cancel", "stock"]
    cancelling = document["commands"]["cancel"]
    assert cancelling["effects"] == {
        "destructive": True,
        "reversible": False,
        "deletes": ["order"],
        "interactive": {"prompts": True},
    }
    assert cancelling["arguments"][0]["description"] == "ORDERS are numbers."
    options = {option["name"]: option for option in cancelling["options"]}
    assert options["reason"] == {
        "name": "reason",
        "flags": ["--reason"],
        "type": "string",
        "description": "Why.",
        "required": True,
        "envVar": "WHY",
    }
    assert options["force"]["flags"] == ["--force"], "flags of one option mean the same"
    assert options["no-force"]["flags"] == ["--no-force"]
    assert options["force"]["default"] is True
    assert (options["size"]["type"], options["size"]["items"], options["size"]["x-nargs"]) == (
        "array",
        {"type": "integer"},
        2,
    )
    assert (options["tag"]["type"], options["tag"]["enum"]) == ("array", ["a", "b"])
    assert (options["paint"]["enum"], options["paint"]["default"]) == (["RED", "BLUE"], "RED")
    assert options["out"]["type"] == "directory"
    assert "default" not in options["out"]
    assert options["out"]["envVar"] == "SHOP_CANCEL_OUT"
    assert (options["rate"]["type"], options["rate"]["default"]) == ("number", 0.5)
    assert "secret" not in options
    assert options["yes"]["type"] == "boolean"
    assert document["commands"]["stock"]["effects"] == {"network": True}
    assert document["commands"]["stock"]["commands"]["list"]["x-deprecated"] is True


def test_a_click_document_runs_the_program() -> None:
    """What an agent builds from the document is what click understands."""
    seen: Json = {}

    @click.group()
    @click.option("--verbose", "-v", is_flag=True)
    def program(verbose: bool) -> None:
        seen["verbose"] = verbose

    @program.command()
    @click.argument("names", nargs=-1, required=True)
    @click.option("--size", nargs=2, type=int)
    @click.option("--tag", multiple=True)
    @click.option("--force/--no-force", default=True)
    def run(**given: object) -> None:
        seen.update(given)

    (tool,) = tools_from(describe(program, name="p", version="1")).values()
    call: Json = {"names": ["-x", "y"], "size": [3, 4], "tag": ["-a", "b"], "force": False, "verbose": True}
    words = build_argv(tool, call)
    program.main(args=words[1:], standalone_mode=False)
    assert seen == {"names": ("-x", "y"), "size": (3, 4), "tag": ("-a", "b"), "force": False, "verbose": True}


def test_a_single_click_command_is_the_command_itself() -> None:
    @click.command()
    @effects(network=False)
    @click.argument("file", type=click.Path())
    def show(file: str) -> None:
        """Show a file."""

    document: Any = describe(show, name="show", version="1")
    assert list(document["commands"]) == [""]
    assert document["effects"] == {"network": False}
    (tool,) = tools_from(document).values()
    assert (tool.name, tool.effects.network) == ("show", False)
    assert build_argv(tool, {"file": "-x"}) == ["show", "--", "-x"]


def test_typer() -> None:
    app = typer.Typer(help="Paint things.")
    seen: Json = {}

    @app.callback()
    def main(dry_run: Annotated[bool, typer.Option(help="Only say it.")] = False) -> None:
        seen["dry"] = dry_run

    @app.command()
    @effects(destructive=False, filesystem={"write": True})
    def paint(
        thing: Annotated[str, typer.Argument(help="What to paint.")],
        colour: Colour = Colour.RED,
        coats: Annotated[int, typer.Option(envvar="COATS", help="How many.")] = 2,
        where: Path | None = None,
        also: list[str] | None = None,
    ) -> None:
        """Paint a thing."""
        seen.update(thing=thing, colour=colour, coats=coats, where=where, also=also)

    @app.command()
    def clean() -> None:
        """Clean up."""

    assert callable(clean)
    document: Any = describe(app, name="painter", version="1")
    assert document["description"] == "Paint things."
    assert list(document["commands"]) == ["paint", "clean"]
    options = {option["name"]: option for option in document["commands"]["paint"]["options"]}
    assert (options["colour"]["type"], options["colour"]["enum"], options["colour"]["default"]) == (
        "enum",
        ["red", "blue"],
        "red",
    )
    assert (options["coats"]["type"], options["coats"]["envVar"]) == ("integer", "COATS")
    assert document["commands"]["paint"]["arguments"][0]["description"] == "What to paint."
    paint_tool = tools_from(document)["painter_paint"]
    assert paint_tool.effects.filesystem.write is True
    call: Json = {"thing": "-x", "colour": "blue", "coats": 3, "also": ["a", "b"], "dry-run": True}
    words = build_argv(paint_tool, call)
    typer.main.get_command(app).main(args=words[1:], standalone_mode=False)
    assert seen == {"dry": True, "thing": "-x", "colour": Colour.BLUE, "coats": 3, "where": None, "also": ["a", "b"]}


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="files", description="Handle files.\n\nMore.")
    root.add_argument("--version", action="version", version="%(prog)s 4.2")
    root.add_argument("-q", "--quiet", action="store_true", help="Say less")
    commands = root.add_subparsers(dest="command", required=True)
    copy = commands.add_parser("copy", aliases=["cp"], help="Copy files")
    effects(filesystem={"write": True}, destructive=False)(copy)
    copy.add_argument("source", nargs="+", type=Path, help="From")
    copy.add_argument("target", type=Path)
    copy.add_argument("--mode", choices=["fast", "safe"], default="safe", help="How (default: %(default)s)")
    copy.add_argument("--exclude", action="append", default=[])
    copy.add_argument("--size", nargs=2, type=int)
    copy.add_argument("--cache", action=argparse.BooleanOptionalAction, default=True)
    copy.add_argument("-n", "--retries", type=int, default=3, help="100%% sure")
    copy.add_argument("--half", help="50% of it")
    copy.add_argument("--hidden", help=argparse.SUPPRESS)
    remove = commands.add_parser("remove", description="Remove a file.")
    remove.set_defaults(run=effects(destructive=True)(lambda: None))
    remove.add_argument("path", nargs="?", default="x")
    return root


def test_argparse() -> None:
    document: Any = describe(parser())
    assert (document["name"], document["version"], document["description"]) == ("files", "4.2", "Handle files.")
    assert [option["name"] for option in document["globalOptions"]] == ["quiet"]
    assert list(document["commands"]) == ["copy", "remove"]
    copy = document["commands"]["copy"]
    assert copy["description"] == "Copy files"
    assert copy["effects"] == {"filesystem": {"write": True}, "destructive": False}
    options = {option["name"]: option for option in copy["options"]}
    assert options["mode"]["enum"] == ["fast", "safe"]
    assert options["mode"]["description"] == "How (default: safe)"
    assert options["exclude"]["type"] == "array"
    assert options["cache"]["flags"] == ["--cache"], "flags of one option mean the same"
    assert (options["no-cache"]["flags"], options["no-cache"]["type"]) == (["--no-cache"], "boolean")
    assert options["retries"]["description"] == "100% sure"
    assert options["half"]["description"] == "50% of it"
    assert "hidden" not in options
    assert document["commands"]["remove"]["effects"] == {"destructive": True}
    assert document["commands"]["remove"]["arguments"][0]["required"] is False


def test_an_argparse_document_runs_the_program() -> None:
    copy = tools_from(describe(parser()))["files_copy"]
    call: Json = {
        "source": ["-a", "b"],
        "target": "c",
        "size": [1, 2],
        "exclude": ["-x"],
        "cache": False,
        "quiet": True,
    }
    words = build_argv(copy, call)
    read = parser().parse_args(words[1:])
    assert (read.source, read.target, read.size) == ([Path("-a"), Path("b")], Path("c"), [1, 2])
    assert (read.exclude, read.cache, read.quiet, read.command) == (["-x"], False, True, "copy")


def test_a_document_by_hand_is_checked() -> None:
    assert describe({"atip": "0.3", "name": "t", "version": "1", "description": "d"})["name"] == "t"
    with pytest.raises(InvalidInput, match="version"):
        describe({"atip": "0.3", "name": "t", "description": "d"})
    with pytest.raises(InvalidInput, match="can be described"):
        describe(3)


def test_the_outermost_declaration_wins() -> None:
    usual = effects(network=False, destructive=False)

    @click.command()
    @effects(destructive=True)
    @usual
    def wipe() -> None:
        """Wipe."""

    assert describe(wipe, name="wipe", version="1")["effects"] == {"network": False, "destructive": True}


def test_effects_are_checked_when_they_are_declared() -> None:
    with pytest.raises(TypeError, match="destructiv"):
        effects(destructiv=True)  # pyright: ignore[reportCallIssue]


def test_asking_in_process(capsys: pytest.CaptureFixture[str]) -> None:
    emit(shop, ["cancel", "--agent"], name="shop")
    emit(shop, [], name="shop")
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit) as left:
        emit(shop, ["--agent", "--depth=1"], name="shop", version="1")
    assert left.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document["partial"] is True
    assert document["commands"]["stock"]["commands"] == {}
    with pytest.raises(SystemExit) as wrong:
        emit(shop, ["--agent", "--commands=nosuch"], name="shop", version="1")
    assert wrong.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "nosuch" in said.err
    with pytest.raises(SystemExit) as broken:
        emit({"name": "x"}, ["--agent"])
    assert broken.value.code == 1


ASKED: list[tuple[list[str], Any]] = [
    (["--agent"], (None, None)),
    (["--agent", "--depth=2"], (None, 2)),
    (["--agent", "--depth", "2"], (None, 2)),
    (["--depth=2", "--agent"], (None, 2)),
    (["--agent", "--commands=a,b c"], (["a", "b c"], None)),
    (["--agent", "--commands", "a", "--commands=b"], (["a", "b"], None)),
    ([], None),
    (["run", "--agent"], None),
    (["--", "--agent"], None),
    (["tools", "run", "x", "--arg", "--agent"], None),
    (["--agent", "--depth=0"], WrongRequest),
    (["--agent", "--depth=x"], WrongRequest),
    (["--agent", "--depth"], WrongRequest),
    (["--agent", "--commands="], WrongRequest),
    (["--agent", "run"], WrongRequest),
    (["--agent", "--other"], WrongRequest),
]


@pytest.mark.parametrize(("words", "expected"), ASKED)
def test_what_counts_as_asking(words: list[str], expected: Any) -> None:
    if expected is WrongRequest:
        with pytest.raises(WrongRequest):
            agent_request(words)
        return
    request = agent_request(words)
    assert (request and (request.commands, request.depth)) == expected


PROGRAM = '''
import sys
import click
from prime.tools.atip import emit, effects

@click.group()
def cli():
    """Grüße und 工具."""
    print("side effect")

@cli.command()
@effects(destructive=True, reversible=False)
@click.argument("name")
def drop(name):
    """Drop it."""
    print("dropped", name)

emit(cli)
if __name__ == "__main__":
    cli()
'''


def run(*words: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([sys.executable, *words], capture_output=True, check=False, timeout=60, env=env)


def test_a_real_program(tmp_path: Path) -> None:
    program = tmp_path / "dropper"
    program.write_text(PROGRAM, encoding="utf-8")
    done = run(str(program), "--agent", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert (done.returncode, done.stderr) == (0, b"")
    document = parse_document(done.stdout, where="dropper")
    assert (document.name, document.description) == ("dropper", "Grüße und 工具.")
    assert not [finding for finding in lint(document) if finding.rule == "destructive-without-reversible"]
    assert run(str(program), "drop", "--agent").returncode == 2  # click's own complaint
    assert b"dropped x" in run(str(program), "drop", "x").stdout
    wrong = run(str(program), "--agent", "--depth=none")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"--depth" in wrong.stderr


def test_the_author_needs_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules); from prime.tools.atip import emit, effects, describe;"
        "describe({'atip': '0.3', 'name': 't', 'version': '1', 'description': 'd'});"
        "new = {m.partition('.')[0] for m in set(sys.modules) - before};"
        "print(*sorted(m for m in new if m not in sys.stdlib_module_names))"
    )
    assert run("-c", code).stdout.split() == [b"prime"]
