"""Which commands can be called, with which effects, and what a partial answer keeps."""

from typing import Any

import pytest

from prime.core.errors import InvalidInput
from prime.tools.atip import callables, filter_document, parse_document
from prime.tools.atip.effect import worst
from prime.tools.atip.parser import MAX_COMMANDS

Json = dict[str, Any]
OPTION: Json = {"name": "all", "flags": ["--all"], "type": "boolean", "description": "All"}


def paths(document: Json) -> list[str]:
    return [" ".join(entry.path) for entry in callables(parse_document(document, where="x"))]


@pytest.mark.holds("D-ATIP-6")
def test_what_is_callable(minimal: Json) -> None:
    assert paths(minimal) == ["mytool"]
    assert paths(minimal | {"commands": {}}) == ["mytool"]
    assert paths(minimal | {"commands": {"": {}}}) == ["mytool"]
    assert paths(minimal | {"commands": {"": {}, "a": {}}}) == ["mytool", "mytool a"]
    assert paths(minimal | {"commands": {"g": {"commands": {"a": {}}}}}) == ["mytool g a"]
    assert paths(minimal | {"commands": {"g": {"options": [OPTION], "commands": {"a": {}}}}}) == [
        "mytool g",
        "mytool g a",
    ]
    assert paths(minimal | {"commands": {"g": {"commands": {"": {}, "a": {}}}}}) == ["mytool g", "mytool g a"]


def test_a_groups_options_hold_when_it_is_called_by_itself(minimal: Json) -> None:
    document = parse_document(
        minimal | {"commands": {"g": {"options": [OPTION], "commands": {"": {"description": "itself"}}}}}, where="x"
    )
    (itself,) = callables(document)
    assert itself.command.description == "itself"
    assert [option.name for option in itself.command.options] == ["all"]


@pytest.mark.holds("D-ATIP-3")
def test_effects_come_from_the_nearest_that_says_something(minimal: Json) -> None:
    changes: Json = {
        "effects": {"network": True, "filesystem": {"write": False, "paths": ["a"]}, "creates": ["x"]},
        "commands": {
            "g": {
                "effects": {"destructive": True, "filesystem": {"delete": True}},
                "commands": {
                    "a": {"effects": {"destructive": False, "creates": []}},
                    "b": {"effects": {"network": None}},
                    "c": {},
                },
            }
        },
    }
    document = parse_document(minimal | changes, where="x")
    a, b, c = (entry.effects for entry in callables(document))
    assert (a.destructive, a.network, a.creates, a.idempotent) == (False, True, (), None)
    assert (a.filesystem.write, a.filesystem.delete, a.filesystem.paths) == (False, True, ("a",))
    assert (b.destructive, b.network, b.creates) == (True, True, ("x",))
    assert b.filesystem == c.filesystem


@pytest.mark.holds("D-ATIP-3")
def test_unknown_stays_unknown(minimal: Json) -> None:
    (entry,) = callables(parse_document(minimal, where="x"))
    assert entry.effects.destructive is None
    assert entry.effects.filesystem.write is None
    assert not entry.effects.read_only


def test_the_worst_case(minimal: Json) -> None:
    document = parse_document(
        minimal
        | {
            "commands": {
                "a": {"effects": {"destructive": False, "idempotent": True, "network": False, "creates": ["x"]}},
                "b": {"effects": {"destructive": True, "idempotent": False, "interactive": {"stdin": "required"}}},
            }
        },
        where="x",
    )
    both = worst(entry.effects for entry in callables(document))
    assert (both.destructive, both.idempotent, both.network, both.creates) == (True, False, None, ("x",))
    assert both.interactive.stdin == "required"


TREE: Json = {
    "pr": {"description": "PRs", "commands": {"list": {}, "create": {}, "deep": {"commands": {"x": {}}}}},
    "repo": {"description": "Repos", "options": [OPTION], "commands": {"delete": {}}},
    "status": {"description": "Status"},
}


@pytest.mark.holds("D-ATIP-10")
@pytest.mark.parametrize(
    ("commands", "depth", "expected"),
    [
        (None, 1, ["status"]),
        (None, 2, ["pr list", "pr create", "repo", "repo delete", "status"]),
        (None, 9, ["pr list", "pr create", "pr deep x", "repo", "repo delete", "status"]),
        (["pr"], None, ["pr list", "pr create", "pr deep x"]),
        (["pr", "status"], 2, ["pr list", "pr create", "status"]),
        (["pr list", "pr deep"], None, ["pr list", "pr deep x"]),
        (["pr list", "pr"], None, ["pr list", "pr create", "pr deep x"]),
        (["pr", "pr list"], None, ["pr list", "pr create", "pr deep x"]),
    ],
)
def test_partial_answers(minimal: Json, commands: list[str] | None, depth: int | None, expected: list[str]) -> None:
    whole = parse_document(minimal | {"commands": TREE}, where="x")
    part = filter_document(whole, commands, depth)
    assert [" ".join(entry.path[1:]) for entry in callables(part)] == expected
    written = part.to_json()
    assert written["partial"] is True
    assert written["filter"] == {"commands": commands, "depth": depth}
    assert (written["totalCommands"], written["includedCommands"]) == (6, len(expected))
    again = filter_document(part, None, 1)
    assert again.total_commands == 6


@pytest.mark.parametrize(
    ("commands", "depth"),
    [(["nosuch"], None), (["pr nosuch"], None), (["status", "status x"], None), (None, 0), (None, -1)],
)
def test_a_wrong_question_is_refused(minimal: Json, commands: list[str] | None, depth: int | None) -> None:
    with pytest.raises(InvalidInput):
        filter_document(parse_document(minimal | {"commands": TREE}, where="x"), commands, depth)


def test_a_document_with_very_many_commands_can_be_used(minimal: Json) -> None:
    many: Json = {f"c{i}": {} for i in range(MAX_COMMANDS)}
    document = parse_document(minimal | {"commands": many}, where="x")
    assert len(callables(document)) == MAX_COMMANDS
