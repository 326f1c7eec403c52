"""A builder by a command of its own: a small program plays the coding agent."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from prime.connectors.agents.claude_code import Builders, ClaudeCode, task_of
from prime.core.errors import Forbidden, PrimeError
from prime.hub.connector import Absent, Context
from prime.mind.protocol import Line
from prime.rooms.records import Actor
from prime.rooms.tier import Tier

BUILDS = """
import json, pathlib, sys
task = sys.stdin.read()
print("looking around", flush=True)
pathlib.Path("site").mkdir(exist_ok=True)
pathlib.Path("site/index.html").write_text("<h1>" + task.splitlines()[0] + "</h1>")
print(json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "Writing the page."}]}}))
print(json.dumps({"type": "result", "result": "The page is in site/index.html."}))
"""


def builder(folder: Path, *command: str) -> ClaudeCode:
    actor = Actor(id="act_b", name="Bob", kind="agent", connector="claude_code", settings={"command": list(command)})
    return ClaudeCode(actor, Builders(folder / "workspaces"))


def context(heard: list[str] | None = None, *, lines: Sequence[Line] = (), tier: Tier = "team") -> Context:
    said = [] if heard is None else heard
    return Context(
        channel_id="ch_1",
        channel_name="Build",
        tier=tier,
        speaker="Bob",
        role="builder",
        brief="Make a page",
        lines=lines,
        progress=said.append,
    )


async def test_it_works_in_its_own_folder_shows_what_it_does_and_delivers(tmp_path: Path) -> None:
    heard: list[str] = []
    bob = builder(tmp_path, sys.executable, "-c", BUILDS)
    answer = await bob.reply(context(heard))
    assert answer.text == "The page is in site/index.html."
    assert heard == ["looking around\n", "Writing the page.\n"]
    [file] = answer.deliverables
    assert (file.name, file.mime_type, file.content) == ("site - index.html", "text/html", b"<h1>Make a page</h1>")
    assert (tmp_path / "workspaces" / "ch_1" / "site" / "index.html").is_file()
    again = await bob.reply(context(heard))
    assert again.deliverables == [], "what did not change is not delivered twice"


async def test_plain_output_and_a_task_in_a_word(tmp_path: Path) -> None:
    bob = builder(tmp_path, sys.executable, "-c", "import sys; print('did:', sys.argv[1].splitlines()[0])", "{task}")
    assert (await bob.reply(context())).text == "did: Make a page"


async def test_it_cannot_write_elsewhere(tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    bob = builder(tmp_path, sys.executable, "-c", f"open({str(other)!r}, 'w').write('x')")
    with pytest.raises(PrimeError, match="ended with 1"):
        await bob.reply(context())
    assert not other.exists()


async def test_a_link_out_of_the_folder_is_not_delivered(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("key")
    bob = builder(tmp_path, sys.executable, "-c", f"import os; os.symlink({str(secret)!r}, 'mine.txt')")
    assert (await bob.reply(context())).deliverables == []


async def test_what_is_not_installed_says_how_to_get_it(tmp_path: Path) -> None:
    bob = builder(tmp_path, "no-such-coding-agent")
    assert bob.identity().online is False
    with pytest.raises(Absent, match="no-such-coding-agent is not installed here"):
        await bob.reply(context())


async def test_outsiders_get_no_builder(tmp_path: Path) -> None:
    with pytest.raises(Forbidden):
        await builder(tmp_path, sys.executable, "-c", "1").reply(context(tier="external"))


def test_the_task_is_what_was_said_since_its_last_word() -> None:
    lines = [
        Line(message_id="1", speaker="Prime", text="make it red"),
        Line(message_id="2", speaker="Bob", text="done", own=True),
        Line(message_id="3", speaker="Prime", text="make it blue"),
    ]
    task = task_of(context(lines=lines))
    assert "Prime: make it blue" in task
    assert "red" not in task
