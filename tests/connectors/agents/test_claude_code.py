"""A builder by a command of its own: a small program plays the coding agent."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from prime.app import open_prime
from prime.connectors.agents.claude_code import Builders, ClaudeCode, task_of
from prime.connectors.agents.coding_command import CodingCommand
from prime.core.clock import FakeClock
from prime.core.errors import Forbidden, InvalidInput, PrimeError
from prime.core.settings import Settings
from prime.hub.connector import Absent, Context
from prime.mind.jobs.lines import Line
from prime.rooms.records import OWNER, Actor
from prime.rooms.tier import Tier
from prime.tools.pipeline import ApprovalPending, CallSession, ToolCall
from prime.tools.pipeline.approving import ApprovalRefused
from prime.tools.tool import Tool

Permit = Callable[[Tool, ToolCall, CallSession], Awaitable[None]]

BUILDS = """
import json, pathlib, sys
task = sys.stdin.read()
print("looking around", flush=True)
pathlib.Path("site").mkdir(exist_ok=True)
pathlib.Path("site/index.html").write_text("<h1>" + task.splitlines()[0] + "</h1>")
print(json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "Writing the page."}]}}))
print(json.dumps({"type": "result", "result": "The page is in site/index.html."}))
"""


def builder(folder: Path, *command: str, permit: Permit | None = None) -> ClaudeCode:
    actor = Actor(id="act_b", name="Bob", kind="agent", connector="claude_code", settings={"command": list(command)})
    return ClaudeCode(actor, Builders(folder / "workspaces", permit or allowed))


async def allowed(_tool: Tool, _call: ToolCall, _session: CallSession) -> None:
    """A policy that lets builders run."""


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


HOSTILE = """it's "$(touch ran)" `touch ran`; touch ran #\n'; touch ran"""


@pytest.mark.parametrize(
    "command",
    [
        ("sh", "-c", 'printf %s "$PRIME_TASK"'),
        ("sh", "-c", 'printf %s "$1"', "name", "{task}"),
        ("sh", "-c", "cat"),
    ],
)
async def test_a_task_is_never_a_part_of_a_shells_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    said = Line(message_id="1", speaker="Vera", text=HOSTILE)
    answer = await builder(tmp_path, *command).reply(context(lines=[said]))
    assert HOSTILE in answer.text
    assert not (tmp_path / "workspaces" / "ch_1" / "ran").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", "my-agent {task}"],
        ["sh", "-c", "my-agent '{task}'"],
        ["bash", "-lc", "{task}"],
        ["python3", "-c", "{task}"],
        ["node", "--eval={task}"],
        ["env", "sh", "-c", "{task}"],
        ["my-agent", "do {task}"],
        ["bash"],
        ["/usr/bin/python3.12", "-"],
        "my-agent {task}",
        [],
        [1],
    ],
    ids=str,
)
def test_a_command_that_would_take_the_task_for_code_is_refused(command: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        CodingCommand.of({"command": command})
    assert "PRIME_TASK" in (refused.value.hint or "")


def test_a_task_that_begins_like_an_option_is_none() -> None:
    command = CodingCommand.of({"command": ["my-agent", "--prompt={task}", "{task}"]})
    assert command.with_task("--yolo") == ("my-agent", "--prompt= --yolo", " --yolo")


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


async def test_the_program_does_not_run_before_the_owner_said_yes(tmp_path: Path) -> None:
    asked: list[tuple[str, object, str | None]] = []

    async def ask(tool: Tool, call: ToolCall, session: CallSession) -> None:
        asked.append((tool.name, call.arguments["task"], session.channel_id))
        raise ApprovalPending("The owner has not answered yet.", questionId="q_1")

    async def refuse(_tool: Tool, _call: ToolCall, _session: CallSession) -> None:
        raise ApprovalRefused("No.")

    command = (sys.executable, "-c", "open('ran', 'w').write('x')")
    waits = await builder(tmp_path, *command, permit=ask).reply(context())
    assert (waits.text, waits.waits_for) == ("", ("q_1",))
    [(name, task, channel)] = asked
    assert name.startswith("builder python")
    assert "Make a page" in str(task)
    assert channel == "ch_1"
    refused = await builder(tmp_path, *command, permit=refuse).reply(context())
    assert "not allowed" in refused.text
    assert refused.stands_back
    assert not (tmp_path / "workspaces" / "ch_1" / "ran").exists()


async def test_in_the_swarm_a_builder_waits_for_the_yes_and_then_works(tmp_path: Path) -> None:
    settings = Settings.load({
        "PRIME_DATA": str(tmp_path / "data"), "PRIME_MODEL": "offline", "PRIME_TOOL_SCAN_MS": "0",
    })  # fmt: skip
    async with open_prime(settings, clock=FakeClock()) as prime:
        parts = prime.parts
        command = [sys.executable, "-c", BUILDS]
        bob = await parts.rooms.add_actor("Bob", "agent", "claude_code", settings={"command": command})
        channel = await parts.rooms.create_channel("Build", tier="team", members=[bob.id], brief="Make a page")
        await parts.rooms.leave(channel.id, "act_prime")
        await parts.hub.swarm.tick()
        [question] = await parts.questions.waiting()
        assert (question.kind, question.channel_id) == ("approval", channel.id)
        assert await parts.hub.swarm.tick() == 0, "nothing moves there until the owner has answered"
        await parts.questions.answer(question.id, choice="yes")
        assert await parts.hub.swarm.tick() == 1
        said = [m for m in await parts.store.log.page(channel.id, limit=50) if m.kind == "text"]
        assert [m.text for m in said] == ["The page is in site/index.html."]
        assert said[0].body["attachmentIds"]
        assert await parts.questions.waiting() == []


@pytest.mark.parametrize("answered", [True, False], ids=["no", "nobody"])
async def test_a_builder_without_a_yes_says_so_and_waits_for_the_owners_word(tmp_path: Path, answered: bool) -> None:
    settings = Settings.load({
        "PRIME_DATA": str(tmp_path / "data"), "PRIME_MODEL": "offline", "PRIME_TOOL_SCAN_MS": "0",
        "PRIME_AUTOSTOP_MS": "0",
    })  # fmt: skip
    clock = FakeClock()
    async with open_prime(settings, clock=clock) as prime:
        parts = prime.parts
        command = [sys.executable, "-c", BUILDS]
        bob = await parts.rooms.add_actor("Bob", "agent", "claude_code", settings={"command": command})
        channel = await parts.rooms.create_channel("Build", tier="team", members=[bob.id], brief="Make a page")

        async def asked() -> list[str]:
            found = await parts.store.log.page(channel.id, limit=200, kinds=["question"])
            return [m.id for m in found if m.body.get("kind") == "approval"]

        async def ticks() -> list[str]:
            for _ in range(4):
                await parts.hub.swarm.tick()
                await parts.hub.engine.run()
                clock.advance(10)
            said = await parts.store.log.page(channel.id, limit=200, kinds=["text"])
            return [m.text for m in said if m.actor_id == bob.id]

        assert await ticks() == []
        [question] = await parts.questions.waiting()
        if answered:
            await parts.questions.answer(question.id, choice="no")
        else:
            clock.advance(24 * 3600 + 1)
            assert await parts.workshop.approver.expire_due() == 1
        [said] = await ticks()
        assert ("not allowed" if answered else "Nobody said in time") in said
        assert await ticks() == [said], "one word about it, whatever the others say"
        assert len(await asked()) == 1
        await parts.rooms.say(channel.id, OWNER, "Now you may ask me again.")
        await ticks()
        assert len(await asked()) == 2
