"""The pure parts: who waits for whom, durations, the shared context."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip.effect import UNKNOWN, Effects, Filesystem
from prime.tools.execution import RecentCommand, ToolContext, conflict, waits_for
from prime.tools.execution.context import Recent
from prime.tools.execution.durations import seconds

from .conftest import Program


def effects(
    *,
    read: bool = True,
    write: bool = False,
    delete: bool = False,
    paths: tuple[str, ...] | None = None,
    **more: object,
) -> Effects:
    given: dict[str, object] = {"network": False, "subprocess": False, "destructive": False, **more}
    return Effects(filesystem=Filesystem(read=read, write=write, delete=delete, paths=paths), **given)  # pyright: ignore[reportArgumentType]


READ = effects()
WRITE = effects(write=True)
FETCH = effects(read=False, network=True)
POST = effects(read=False, network=True, creates=("issue",))


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (READ, READ, False),
        (READ, WRITE, True),
        (WRITE, WRITE, True),
        (FETCH, FETCH, False),
        (FETCH, READ, False),
        (FETCH, WRITE, False),
        (POST, FETCH, True),
        (POST, POST, True),
        (POST, READ, False),
        (UNKNOWN, READ, True),
        (UNKNOWN, UNKNOWN, True),
        (effects(subprocess=True), READ, True),
        (effects(destructive=True, read=False), FETCH, True),
        (effects(write=True, paths=("a/",)), effects(write=True, paths=("./b",)), False),
        (effects(write=True, paths=("a",)), effects(write=True, paths=("a/b",)), True),
        (effects(write=True, paths=("ab",)), effects(write=True, paths=("a",)), False),
        (effects(write=True, paths=("a",)), effects(write=True, paths=("./",)), True),
        (effects(write=True, paths=("a",)), effects(write=True, paths=("b/../a",)), True),
        (effects(modifies=("x",)), effects(deletes=("x",)), True),
        (effects(modifies=("x",)), effects(deletes=("y",)), False),
        (Effects(filesystem=Filesystem(write=False, delete=False)), READ, True),
    ],
)
def test_conflicts(one: Effects, other: Effects, wanted: bool):
    assert conflict(one, other) is wanted
    assert conflict(other, one) is wanted


some = st.sampled_from([READ, WRITE, FETCH, POST, UNKNOWN, effects(subprocess=True)])


@settings(deadline=None)
@given(st.lists(some, max_size=8))
def test_everything_that_conflicts_keeps_its_order(calls: list[Effects]):
    waits = waits_for(calls)
    for later, before in enumerate(waits):
        assert before == {earlier for earlier in range(later) if conflict(calls[earlier], calls[later])}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("60s", 60),
        ("500ms", 0.5),
        ("1-5s", 5),
        ("2m30s", 150),
        ("1h", 3600),
        ("90", 90),
        ("1.5 minutes", 90),
        ("<1s", 1),
        ("10 - 20 s", 20),
        ("2 days", 172800),
        ("soon", None),
        ("", None),
        (None, None),
        ("-", None),
        ("s", None),
        ("5x", None),
        ("9" * 50, None),
        ("１s", None),
    ],
)
def test_durations(text: str | None, wanted: float | None):
    assert seconds(text) == wanted


RFC: JsonValue = {
    "toolContext": {
        "availableTools": ["gh", "kubectl"],
        "authenticatedTools": ["gh"],
        "recentCommands": [{"tool": "gh", "command": "pr list", "exitCode": 0}],
    }
}


def test_the_shared_context_is_written_and_read():
    context = ToolContext.from_json(RFC)
    assert context.recent_commands == (RecentCommand("gh", "pr list", 0),)
    assert context.to_json() == RFC
    assert ToolContext.from_json({"toolContext": {}}) == ToolContext()


WRONG: list[tuple[JsonValue, str]] = [
    (None, ""),
    ({}, "/toolContext"),
    ({"toolContext": []}, "/toolContext"),
    ({"toolContext": {"availableTools": "gh"}}, "/toolContext/availableTools"),
    ({"toolContext": {"availableTools": [1]}}, "/toolContext/availableTools/0"),
    ({"toolContext": {"authenticatedTools": [""]}}, "/toolContext/authenticatedTools/0"),
    ({"toolContext": {"recentCommands": [{}]}}, "/toolContext/recentCommands/0"),
    (
        {"toolContext": {"recentCommands": [{"tool": "a", "exitCode": True}]}},
        "/toolContext/recentCommands/0/exitCode",
    ),
    ({"toolContext": {"availableTools": ["x"] * 10_001}}, "/toolContext/availableTools"),
]


@pytest.mark.parametrize(("value", "pointer"), WRONG)
def test_a_wrong_context_says_where(value: JsonValue, pointer: str):
    with pytest.raises(InvalidInput) as caught:
        ToolContext.from_json(value)
    assert caught.value.data["pointer"] == pointer


def test_only_the_last_commands_are_kept_and_no_arguments(program: Program):
    recent = Recent(keep=2)
    for code in range(3):
        recent.add(program("tool", ""), code)
    context = recent.context(["b", "a", "b"], [])
    assert context.available_tools == ("a", "b")
    assert [command.exit_code for command in context.recent_commands] == [1, 2]
    assert all(command.command == "" for command in context.recent_commands)
