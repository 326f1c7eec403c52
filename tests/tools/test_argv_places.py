"""Words that stand elsewhere than usual, because the document says so."""

import pytest

from prime.core.errors import JsonValue
from prime.tools.argv import InvalidArguments, build_argv
from prime.tools.atip import parse_document
from prime.tools.tool import Tool, tools_of


@pytest.fixture
def search() -> Tool:
    """Like find: paths, then tests, then what to run."""
    name = {"name": "name", "flags": ["-name"], "type": "string", "description": "n", "x-position": "last"}
    follow = {"name": "follow", "flags": ["-L"], "type": "boolean", "description": "f"}
    paths = {"name": "paths", "type": "file", "description": "p", "variadic": True, "required": False}
    run = {
        "name": "run",
        "type": "string",
        "description": "r",
        "variadic": True,
        "required": False,
        "x-separator": "-exec",
    }
    document = {
        "atip": "0.3", "name": "search", "version": "1", "description": "d", "options": [name, follow], "arguments": [paths, run],
    }  # fmt: skip
    return tools_of(parse_document(document, where="search"))[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "*.py", "paths": ["a", "b"], "follow": True}, "-L a b -name *.py"),
        ({"run": ["wc", "-l", "{}", ";"], "name": "x", "paths": ["a"]}, "a -name x -exec wc -l {} ;"),
        ({"run": []}, ""),
        ({"run": ["--"]}, "-exec --"),
        ({"name": "-x"}, "-name -x"),
    ],
)
def test_options_after_positionals_and_words_after_a_separator(
    search: Tool, arguments: dict[str, JsonValue], words: str
):
    assert build_argv(search, arguments) == ["search", *words.split()]


def test_a_path_is_still_no_option(search: Tool):
    with pytest.raises(InvalidArguments):
        build_argv(search, {"paths": ["-delete"]})
    with pytest.raises(InvalidArguments):
        build_argv(search, {"run": ["a\0b"]})


def test_parameters_of_one_name_stay_apart_also_thousands_of_them() -> None:
    same = {"name": "a", "type": "string", "description": "d"}
    document = {
        "atip": "0.3", "name": "t", "version": "1", "description": "d", "arguments": [same],
        "options": [{**same, "flags": [f"--a{number}"]} for number in range(5000)],
        "globalOptions": [{**same, "flags": ["--g"]}],
    }  # fmt: skip
    (tool,) = tools_of(parse_document(document, where="t"))
    keys = [slot.key for slot in tool.slots]
    assert keys[:4] == ["a", "a_option", "a_option_2", "a_option_3"]
    assert (keys[-1], len(set(keys))) == ("a_global", 5002)
