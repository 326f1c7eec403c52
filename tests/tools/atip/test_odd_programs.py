"""Programs with what is seldom used: the document says it as it is, and a call built from it is one that they take."""

import argparse
from typing import Annotated, Any, cast

import click
import typer

from prime.core.errors import JsonValue
from prime.tools.argv import build_argv
from prime.tools.atip import describe, parse_document
from prime.tools.tool import tools_of


def words_of(program: object, tool: str, arguments: dict[str, JsonValue]) -> list[str]:
    document = parse_document(describe(program, name="prog", version="1"), where="x")
    return build_argv(next(one for one in tools_of(document) if one.name == tool), arguments)


def options_of(program: object, *path: str) -> dict[str, dict[str, Any]]:
    node = cast("dict[str, Any]", describe(program, name="prog", version="1"))
    for word in path:
        node = node["commands"][word]
    return {option["name"]: option for option in node.get("options", [])}


def cloud() -> click.Group:
    @click.group()
    @click.option("--debug", is_flag=True)
    def root(**_: object) -> None: ...

    @root.group()
    @click.option("--token", required=True)
    def account(**_: object) -> None: ...

    @account.group(invoke_without_command=True)
    @click.option("--deep")
    def inner(**_: object) -> None: ...

    @inner.command()
    @click.option("--shout/--quiet", "-s/-q", default=True)
    @click.option("--sure", type=bool)
    @click.option("--limit", type=float, default=float("inf"))
    @click.option("--verbose", "-v", count=True)
    @click.argument("name")
    def show(**_: object) -> None: ...

    return root


def test_options_of_groups_stand_behind_their_group() -> None:
    given: dict[str, JsonValue] = {
        "debug": True,
        "token": "t",
        "deep": "d",
        "quiet": True,
        "sure": "true",
        "name": "-n",
    }
    words = words_of(cloud(), "prog_account_inner_show", given)
    assert " ".join(words) == "prog --debug account --token t inner --deep d show --quiet --sure true -- -n"
    with cloud().make_context("prog", words[1:]):
        pass
    assert words_of(cloud(), "prog_account_inner", {"token": "t", "deep": "d"})[1:] == [
        "account", "--token", "t", "inner", "--deep", "d",
    ]  # fmt: skip


def test_an_opposite_of_another_name_is_an_option_of_its_own() -> None:
    options = options_of(cloud(), "account", "inner", "show")
    assert options["shout"]["flags"] == ["--shout", "-s"]
    assert options["quiet"]["flags"] == ["--quiet", "-q"]
    assert "default" not in options["limit"]
    assert "default" not in options["verbose"]


def test_typer_keeps_its_own_options_and_mixed_pairs_apart() -> None:
    app = typer.Typer()

    @app.command()
    def solo(pair: Annotated[tuple[int, str], typer.Option()] = (1, "a"), rate: float = float("nan")) -> None: ...

    assert set(options_of(app, "")) == {"pair", "rate"}
    assert words_of(app, "prog", {"pair": ["1", "b"]}) == ["prog", "--pair", "1", "b"]


def ports() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="prog")
    commands = parser.add_subparsers(required=True)
    group = commands.add_parser("db", aliases=["d"])
    group.add_argument("--host", required=True)
    below = group.add_subparsers(required=True)
    below.add_parser("secret", help=argparse.SUPPRESS)
    move = below.add_parser("move", help="Move it")
    move.add_argument("--port", type=int, choices=range(65536))
    move.add_argument("--wait", type=float, default=float("inf"))
    move.add_argument("--keep", action="store_false")
    move.add_argument("--loud", "-l", action="count", default=0)
    move.add_argument("--word", type=bool)
    one = move.add_mutually_exclusive_group(required=True)
    one.add_argument("--up", action="store_true")
    one.add_argument("--down", help="How far.")
    move.add_argument("where", metavar="", nargs="?")
    return parser


def test_nested_parsers() -> None:
    parser = ports()
    given: dict[str, JsonValue] = {"host": "h", "port": 80, "up": True, "where": "x"}
    words = words_of(parser, "prog_db_move", given)
    assert " ".join(words) == "prog db --host h move --port 80 --up x"
    assert vars(parser.parse_args(words[1:]))["host"] == "h"
    names = [tool.name for tool in tools_of(parse_document(describe(parser, name="prog", version="1"), where="x"))]
    assert names == ["prog_db_move"]  # not the hidden one, not the group, which does nothing alone


def test_what_a_document_cannot_say_is_left_out_or_told() -> None:
    options = options_of(ports(), "db", "move")
    assert options["port"]["type"] == "integer"
    assert "enum" not in options["port"]
    assert [name for name, option in options.items() if "default" in option] == []
    assert options["down"]["description"] == "How far. Not together with --up. One of them is needed."
    assert options["word"]["type"] == "string"
