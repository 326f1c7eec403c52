"""From a call to argv: each rule of D-ATIP-7, -8 and -9 as a command line."""

import argparse
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.tools.argv import InvalidArguments, build_argv
from prime.tools.atip import parse_document
from prime.tools.tool import Tool, tools_of

Json = dict[str, Any]


def option(name: str, kind: str = "string", *flags: str, **more: Any) -> Json:
    return {"name": name, "flags": list(flags or [f"--{name}"]), "type": kind} | more


def argument(name: str, kind: str = "string", **more: Any) -> Json:
    return {"name": name, "type": kind} | more


def tool(*parameters: Json, root: Json | None = None) -> Tool:
    document: Json = {"atip": "0.3", "name": "t", "version": "1", "description": "d"} | (root or {})
    document["commands"] = {
        "run": {
            "arguments": [p for p in parameters if "flags" not in p],
            "options": [p for p in parameters if "flags" in p],
        }
    }
    return tools_of(parse_document(document, where="t"))[0]


DASH: Json = {"x-double-dash": True}

WORDS: list[tuple[list[Json], Json, str]] = [
    ([option("force", "boolean", "-f", "--force")], {"force": True}, "--force"),
    ([option("force", "boolean", "-f", "--force")], {"force": False}, ""),
    ([option("force", "boolean", "-f")], {"force": "true"}, "-f"),
    ([option("color", "boolean", "--color", "--no-color")], {"color": False}, "--no-color"),
    ([option("color", "boolean", "--no-color", "--color")], {"color": True}, "--color"),
    ([option("no-color", "boolean", "--no-color")], {"no-color": True}, "--no-color"),
    ([option("w", "boolean", "-w", "--no-password")], {"w": False}, ""),
    (
        [option("force", "boolean", "--force"), option("no-force", "boolean", "--no-force")],
        {"force": False},
        "--no-force",
    ),
    ([option("title", "string", "-t", "--title")], {"title": "a b"}, "--title|a b"),
    ([option("title", "string", "-t", "--title")], {"title": None}, ""),
    ([option("title", "string", "-t", "--title")], {"title": "-rf"}, "--title=-rf"),
    ([option("title", "string", "-t")], {"title": "-rf"}, "-t-rf"),
    ([option("name", "string", "-name")], {"name": "*.c"}, "-name|*.c"),
    ([option("if", "file", "if=")], {"if": "/dev/zero"}, "if=/dev/zero"),
    ([option("n", "integer", "-n")], {"n": "5"}, "-n|5"),
    ([option("n", "integer", "-n")], {"n": 5.0}, "-n|5"),
    ([option("n", "integer", "-n")], {"n": -5}, "-n-5"),
    ([option("ratio", "number")], {"ratio": 0.5}, "--ratio|0.5"),
    ([option("label", "array")], {"label": ["a", "b"]}, "--label|a|--label|b"),
    ([option("label", "array")], {"label": []}, ""),
    ([option("label", "array")], {"label": "a"}, "--label|a"),
    ([option("port", "array", items={"type": "integer"})], {"port": [80, "443"]}, "--port|80|--port|443"),
    ([option("state", "enum", enum=["open", "closed"])], {"state": "open"}, "--state|open"),
    ([option("level", "enum", enum=[1, 2])], {"level": "2"}, "--level|2"),
    ([argument("file", "file")], {"file": "a"}, "a"),
    ([argument("file", "file")], {"file": "-"}, "-"),
    ([argument("file", variadic=True)], {"file": ["a", "b"]}, "a|b"),
    ([argument("src", variadic=True), argument("dst")], {"src": ["a", "b"], "dst": "c"}, "a|b|c"),
    ([argument("a", required=False, default="x"), argument("b", required=False)], {"b": "y"}, "x|y"),
    ([argument("a", default="x")], {}, "x"),
    ([argument("a", "boolean")], {"a": False}, "false"),
    ([argument("file"), option("file")], {"file": "a", "file_option": "b"}, "--file|b|a"),
    ([option("weird!", "string", "-w")], {"weird_": "x"}, "-w|x"),
]


@pytest.mark.parametrize(("parameters", "arguments", "words"), WORDS)
def test_words(parameters: list[Json], arguments: Json, words: str) -> None:
    assert build_argv(tool(*parameters), arguments) == ["t", "run", *filter(None, words.split("|"))]


@pytest.mark.holds("D-ATIP-8")
def test_global_options_stand_before_the_command() -> None:
    globals_ = {"globalOptions": [option("verbose", "boolean", "-v"), option("dir", "directory", "-C")]}
    words = build_argv(tool(option("x"), root=globals_), {"x": "1", "verbose": True, "dir": "/"})
    assert words == ["t", "-v", "-C", "/", "run", "--x", "1"]
    after = {"globalOptions": [option("verbose", "boolean", "-v", **{"x-position": "after"})]}
    assert build_argv(tool(root=after), {"verbose": True}) == ["t", "run", "-v"]
    same = tool(option("verbose", "boolean", "-v"), root=globals_)
    assert [slot.key for slot in same.slots] == ["verbose", "dir"]


@pytest.mark.holds("D-ATIP-9")
def test_a_positional_that_looks_like_an_option() -> None:
    takes = tool(argument("file", variadic=True), option("force", "boolean"), root=DASH)
    assert build_argv(takes, {"file": ["a", "-rf"], "force": True}) == ["t", "run", "--force", "--", "a", "-rf"]
    assert build_argv(takes, {"file": ["a"]}) == ["t", "run", "a"]
    with pytest.raises(InvalidArguments, match="would read as an option") as refused:
        build_argv(tool(argument("first"), argument("second")), {"first": "a", "second": "--exec=sh"})
    assert refused.value.field == "second"


WRONG: list[tuple[list[Json], Json, str]] = [
    ([], {"nosuch": 1}, "nosuch"),
    ([argument("a")], {}, "a"),
    ([argument("a")], {"a": None}, "a"),
    ([argument("a", variadic=True)], {"a": []}, "a"),
    ([argument("a", required=False), argument("b", required=False)], {"b": "y"}, "a"),
    ([option("a", required=True)], {}, "a"),
    ([option("a")], {"a": ["x"]}, "a"),
    ([option("a")], {"a": {"x": 1}}, "a"),
    ([option("a")], {"a": "x\x00y"}, "a"),
    ([option("a")], {"a": "\ud800"}, "a"),
    ([option("a", "integer")], {"a": "5; rm"}, "a"),
    ([option("a", "integer")], {"a": 1.5}, "a"),
    ([option("a", "integer")], {"a": True}, "a"),
    ([option("a", "integer")], {"a": 1 << 5000}, "a"),
    ([option("a", "integer")], {"a": "٣"}, "a"),
    ([option("a", "number")], {"a": float("nan")}, "a"),
    ([option("a", "number")], {"a": "much"}, "a"),
    ([option("a", "boolean")], {"a": "perhaps"}, "a"),
    ([option("a", "boolean", default=True)], {"a": False}, "a"),
    ([option("a", "enum", enum=["x"])], {"a": "y"}, "a"),
    ([option("a", "array", enum=["x"])], {"a": ["x", "y"]}, "a"),
    ([option("a", "array")], {"a": [None]}, "a"),
]


@pytest.mark.parametrize(("parameters", "arguments", "field"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_a_wrong_argument_is_named(parameters: list[Json], arguments: Json, field: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        build_argv(tool(*parameters), arguments)
    assert refused.value.field == field
    assert refused.value.data["field"] == field


SAFE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@pytest.mark.holds("D-ATIP-9")
# argparse of Python 3.11 loses the value of `--title=--`, and only that.
@given(SAFE, SAFE.filter(lambda title: title != "-"), st.lists(SAFE, max_size=3))
def test_values_reach_the_tool_whole_and_only_as_values(first: str, title: str, rest: list[str]) -> None:
    """Read back by argparse: no value becomes an option, none is lost or split."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--title")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("first")
    parser.add_argument("rest", nargs="*")
    several = argument("rest", variadic=True, required=False)
    described = tool(option("title"), option("force", "boolean"), argument("first"), several, root=DASH)
    words = build_argv(described, {"first": first, "title": f"-{title}", "rest": rest})
    read = parser.parse_args(words[2:])
    assert (read.first, read.title, read.rest, read.force) == (first, f"-{title}", rest, False)
