"""One sample of each family of help texts."""

from pathlib import Path

import pytest

from prime.tools.infer import Help, read_help
from prime.tools.infer.parameters import Json
from prime.tools.infer.sections import clean

SAMPLES = Path(__file__).parent / "samples"


def read(sample: str, *path: str) -> Help:
    return read_help((SAMPLES / f"{sample}.txt").read_text(), path)


def option(found: Help, name: str) -> Json:
    return next(option for option in found.options if option["name"] == name)


def names(parameters: list[Json]) -> list[object]:
    return [parameter["name"] for parameter in parameters]


def test_click() -> None:
    found = read("click", "stash")
    assert found.description == "Keep small things in named drawers."
    assert found.commands["drop"] == "Throw a thing away."
    assert found.commands["put"].endswith("as many words as it takes.")
    assert names(found.options) == ["root", "verbose", "version"]
    assert option(found, "root") | {"description": ""} == {
        "name": "root",
        "flags": ["--root"],
        "type": "directory",
        "description": "",
        "envVar": "STASH_ROOT",
    }


def test_a_click_command() -> None:
    found = read("click-put", "stash", "put")
    assert found.arguments == [
        {"name": "drawer", "type": "string", "description": "", "required": True},
        {"name": "things", "type": "string", "description": "", "required": False, "variadic": True},
    ]
    assert option(found, "kind")["enum"] == ["note", "link", "file"]
    assert option(found, "keep")["flags"] == ["--keep"]
    assert option(found, "times")["type"] == "integer"


def test_argparse() -> None:
    found = read("argparse", "weigh")
    assert found.description == "Weighs what lies on the scale."
    assert found.commands == {"once": "one reading", "series": "readings until stopped"}
    assert option(found, "unit")["enum"] == ["g", "kg", "t"]
    assert option(found, "output") == {
        "name": "output",
        "flags": ["-o", "--output"],
        "type": "file",
        "description": "write it here instead of on the screen",
    }
    assert option(found, "limit")["type"] == "integer"


def test_cobra() -> None:
    found = read("cobra", "harbor")
    assert found.description == "Harbor moves boxes between ports."
    assert list(found.commands) == ["completion", "load", "unload"]
    assert (option(found, "port")["type"], option(found, "port")["default"]) == ("string", "north")
    assert (option(found, "retries")["type"], option(found, "retries")["default"]) == ("integer", 3)
    assert option(found, "tag")["type"] == "array"


def test_a_cobra_command_leaves_global_flags_to_the_top() -> None:
    found = read("cobra-load", "harbor", "load")
    assert names(found.options) == ["fast"]
    assert [(a["name"], a["required"], a.get("variadic", False)) for a in found.arguments] == [
        ("ship", True, False),
        ("box", False, True),
    ]


def test_clap() -> None:
    found = read("clap", "birdcount")
    assert found.description == "Counts the birds in a recording"
    assert [(a["name"], a["required"], a.get("variadic", False)) for a in found.arguments] == [
        ("recording", True, False),
        ("species", False, True),
    ]
    assert option(found, "threshold")["type"] == "number"
    assert (option(found, "format")["enum"], option(found, "format")["default"]) == (["table", "csv", "json"], "table")
    assert (option(found, "jobs")["type"], option(found, "jobs")["envVar"]) == ("integer", "BIRD_JOBS")
    assert option(found, "report")["description"] == "Write a report It is made anew each time."
    assert option(found, "verbose")["type"] == "boolean"


def test_gnu() -> None:
    found = read("gnu", "knit")
    assert found.description == "Knit each FILE by PATTERN."
    assert names(found.options) == ["colour", "glow", "rows", "undo", "version"]
    assert option(found, "glow")["flags"] == ["--glow="]  # an optional value stands in the same word
    assert option(found, "rows") | {"description": ""} == {
        "name": "rows",
        "flags": ["-n", "--rows"],
        "type": "integer",
        "description": "",
    }
    assert [(a["name"], a["type"], a.get("variadic", False)) for a in found.arguments] == [
        ("pattern", "string", False),
        ("file", "file", True),
    ]


def test_busybox() -> None:
    found = read("busybox", "peel")
    assert found.description == "Peel each FRUIT"
    assert found.version == ""  # it is the box's version, not this program's
    assert [(o["name"], o["type"]) for o in found.options] == [("q", "boolean"), ("r", "boolean"), ("n", "integer")]
    assert [(a["name"], a.get("variadic")) for a in found.arguments] == [("fruit", True)]


def test_groups_without_a_heading() -> None:
    found = read("git-like", "orchard")
    assert found.commands == {
        "plant": "Plant a tree",
        "graft": "Put one tree onto another",
        "prune": "Cut what is too long",
        "water": "Give it water",
    }


def test_a_list_with_commas() -> None:
    assert list(read("comma-list", "depot").commands) == ["add", "audit", "bin", "cache", "prune", "remove", "view"]


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"error: no such option: --help\n", b"\x1b[31mno\x1b[0m", b"x" * 100_000]
)
def test_what_is_no_help_says_nothing(data: bytes) -> None:
    assert not read_help(clean(data), ("x",)).says_something


def test_colours_and_overstrikes_are_taken_off() -> None:
    assert clean(b"\x1b[1mUsage:\x1b[0m x\r\nN\x08NA\x08A\x1b]0;title\x07\n") == "Usage: x\nNA\n"


LISTED = """knot 2.6.1 (amd64)
Usage: knot [OPTIONS...] COMMAND ...

Commands are listed below; 'knot help -a' has them all.

Most used commands:
  tie - tie one or more ropes
  start UNIT...                       Start one or more units
  bind UNIT PATH [PATH]               Put a path into a unit
  show [PATTERN...]                   Show them
  This is a line of prose - no command.
"""


def test_commands_that_say_in_the_list_what_they_take() -> None:
    found = read_help(LISTED, ("knot",))
    assert found.commands == {
        "tie": "tie one or more ropes",
        "start": "Start one or more units",
        "bind": "Put a path into a unit",
        "show": "Show them",
    }
    assert found.shapes == {"start": "UNIT...", "bind": "UNIT PATH [PATH]", "show": "[PATTERN...]"}
    assert (found.description, found.version) == ("", "2.6.1")


@pytest.mark.parametrize(
    "line",
    [
        "knot: unknown option -- -",
        "unrecognized option '--help'",
        "'knot help -a' lists them",
        "knot it      now",
        "Ann Other <ann@example.org>",
        "Copyright (C) 1996 by others.",
    ],
)
def test_what_is_no_description(line: str) -> None:
    assert read_help(f"{line}\nusage: knot [-a] file\n  -a   all\n", ("knot",)).description == ""


COLUMNS = """help:

Standard commands
asn1parse         ca                ciphers
x509

Message Digest commands (see the `dgst' command for more details)
blake2b512        md5               sha1
"""


def test_names_in_columns_are_the_commands_that_the_line_above_calls_them() -> None:
    assert list(read_help(COLUMNS, ("openssl",)).commands) == [
        "asn1parse", "ca", "ciphers", "x509", "blake2b512", "md5", "sha1",
    ]  # fmt: skip
    assert read_help("Sizes of things\none        two        three\n", ("x",)).commands == {}


def test_options_at_the_margin() -> None:
    found = read("margin", "brew3")
    assert names(found.options) == ["b", "c", "W", "check-leaves", "help-env"]
    assert option(found, "b")["description"] == "complain about cold water and about old leaves. (-bb: refuse them)"
    assert option(found, "c")["type"] == "string"
    assert option(found, "check-leaves")["enum"] == ["always", "default", "never"]
    assert [(each["name"], each["required"], each.get("variadic")) for each in found.arguments] == [
        ("file", False, None),
        ("arg", False, True),
    ]


def test_many_programs_in_one() -> None:
    found = read("multi-call", "many")
    assert found.description == "ManyTools puts many common kitchen tools"
    assert list(found.commands) == ["boil", "chop", "dice", "mkfs.jam", "peel", "reboot", "stir.well"]
    assert found.programs
    assert not read("cobra", "crane").programs


def test_the_letter_h_is_not_always_help() -> None:
    text = "Usage: weigh [-h] FILE\n\nWeigh a FILE\n\n\t-h\tHuman readable\n\t-n +int\tDigits\n\t-i infile\tFrom here\n"
    found = read_help(text, ("weigh",))
    assert [(each["name"], each["type"]) for each in found.options] == [
        ("h", "boolean"),
        ("n", "integer"),
        ("i", "file"),
    ]
    assert not read_help("Usage: weigh FILE\n\n  -h  Show this message\n", ("weigh",)).options


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ("[OPTION] DURATION COMMAND [ARG]...", ["duration", "command", "arg*?"]),
        ("[OPTION]... COMMAND [INITIAL-ARGS]...", ["command", "initial-args*?"]),
        ("[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]", ["name-value*?", "command?", "arg*?"]),
        ("NUMBER[SUFFIX]...", ["number-suffix*"]),
        ("[-o FILE] [--color[=WHEN]] <lang> [file-name]...", ["lang", "file-name*?"]),
        ("[flags and input files in any order]", []),
    ],
)
def test_what_a_usage_line_says_of_arguments(usage: str, expected: list[str]) -> None:
    found = read_help(f"Usage: weigh {usage}\n\nWeigh it.\n\n  -n  Once\n", ("weigh",)).arguments
    assert [f"{a['name']}{'*' * ('variadic' in a)}{'?' * (not a['required'])}" for a in found] == expected
