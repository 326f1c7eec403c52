"""What the owner is asked about descriptions that change: one question about each tool, and about what it says."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import JsonValue
from prime.gateway.behind.acceptance import ASK_ANEW_S, Acceptance
from prime.gateway.behind.config import read_server
from prime.gateway.behind.definitions import Definition
from prime.gateway.behind.owner import OwnerDesk
from prime.gateway.tables import GATEWAY_MIGRATIONS
from prime.rooms.queries import RoomsProjection
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.folder import DataFolder
from prime.store.store import Store


@dataclass
class Owner:
    acceptance: Acceptance
    questions: Questions
    clock: FakeClock

    async def is_offered(self, description: str, **more: JsonValue) -> bool:
        """Whether the tool, described so, is let through."""
        tool: Definition = {"name": "echo", "description": description, "inputSchema": {"type": "object"}, **more}
        return bool((await self.acceptance.admit("server", [tool])).accepted)

    async def sees(self) -> str:
        """What the one question that waits says."""
        [question] = await self.questions.waiting()
        return question.context.partition("Now: ")[2].partition("\n")[0]

    async def says(self, choice: str) -> None:
        [question] = await self.questions.waiting()
        await self.questions.answer(question.id, text=choice)


@pytest.fixture
async def owner(tmp_path: Path) -> AsyncIterator[Owner]:
    clock = FakeClock()
    migrations = (*ROOMS_MIGRATIONS, *GATEWAY_MIGRATIONS)
    store = await Store.open(DataFolder(tmp_path), None, clock, projections=(RoomsProjection(),), migrations=migrations)
    await Rooms(store).open()
    questions = Questions(store, clock)
    yield Owner(Acceptance(store.database, OwnerDesk(store, questions, clock)), questions, clock)
    await store.close()


async def test_a_server_that_keeps_changing_its_mind_has_one_question(owner: Owner) -> None:
    assert await owner.is_offered("first")
    for number in range(20):
        assert not await owner.is_offered(f"another {number}")
    assert await owner.sees() == "another 0"
    # A yes is for what was read, not for what it says by now.
    await owner.says("yes")
    assert not await owner.is_offered("another 19")
    assert await owner.sees() == "another 19"
    await owner.says("yes")
    assert await owner.is_offered("another 19")
    assert not await owner.is_offered("first")


async def test_a_question_that_waits_is_replaced_when_what_it_is_about_has_changed(owner: Owner) -> None:
    assert await owner.is_offered("first")
    assert not await owner.is_offered("second")
    owner.clock.advance(ASK_ANEW_S)
    assert not await owner.is_offered("second")
    assert await owner.sees() == "second"
    assert not await owner.is_offered("third")
    assert await owner.sees() == "third"
    assert not await owner.is_offered("fourth")
    assert await owner.sees() == "third"
    assert await owner.is_offered("first")


async def test_what_changes_is_what_is_shown_however_far_behind(owner: Owner) -> None:
    """The beginning may be as it was, and so may all the words: hints decide what runs unasked."""
    assert await owner.is_offered("a" * 15_000 + " good", annotations={"readOnlyHint": False})
    assert not await owner.is_offered("a" * 15_000 + " EVIL", annotations={"readOnlyHint": False})
    [question] = await owner.questions.waiting()
    assert ("good" in question.context, "EVIL" in question.context) == (True, True)
    owner.clock.advance(ASK_ANEW_S)
    assert not await owner.is_offered("a" * 15_000 + " good", annotations={"readOnlyHint": True})
    [question] = await owner.questions.waiting()
    assert ('"readOnlyHint": false' in question.context, '"readOnlyHint": true' in question.context) == (True, True)


async def test_all_that_a_server_would_be_started_with_is_shown(owner: Owner, tmp_path: Path) -> None:
    entry: JsonValue = {
        "command": "npx", "args": ["-y", "good; \u200bthing"], "cwd": "/tmp/elsewhere", "env": {"LD_PRELOAD": "./evil.so"},
        "toolEffects": {"wipe": {"subprocess": False}},
    }  # fmt: skip
    config = read_server("clock", entry, tmp_path / "mcp.json", "workspace")
    assert await owner.acceptance.may_start(config) is not None
    [question] = await owner.questions.waiting()
    for told in (
        "npx -y 'good; \\u200bthing'",
        "/tmp/elsewhere",
        "LD_PRELOAD=./evil.so",
        '{"wipe": {"subprocess": false}}',
    ):
        assert told in question.context
    long: JsonValue = {"url": f"https://example.org/?{'a' * 20_000}evil", "headers": {"X-Who": "me"}}
    assert await owner.acceptance.may_start(read_server("far", long, tmp_path / "mcp.json", "workspace")) is not None
    asked = (await owner.questions.waiting())[-1]
    assert "https://example.org/?aaa" in asked.context
    assert "bytes cut]" in asked.context
