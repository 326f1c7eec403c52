"""A mind that says what a test wrote down for it, and a house in which it takes turns."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import httpx2
import pytest
from pydantic import SecretStr

from prime.app import open_prime
from prime.core.clock import Clock, FakeClock
from prime.core.errors import JsonValue
from prime.core.settings import Settings
from prime.dialogs.turns.driving import Outcome
from prime.dialogs.turns.streaming import TurnEvent
from prime.mind.jobs.speaking import Reply, ReplyRequest, ToolRequest
from prime.mind.offline import OfflineMind
from prime.rooms.records import OWNER, PRIME, Question
from prime.store.message import Message
from prime.tools.atip.effect import Cost, Effects, Filesystem
from prime.tools.runtime import RunContext
from prime.web.events import Broadcaster
from prime.web.local import LocalDoor
from prime.web.parts import Parts

WRITES = Effects(
    filesystem=Filesystem(read=False, write=True, delete=False),
    network=False,
    subprocess=False,
    destructive=False,
    cost=Cost(billable=False),
)
ANYTHING = {"type": "object"}
Answer = Reply | Callable[[ReplyRequest], Awaitable[Reply]]


class ScriptedMind(OfflineMind):
    """Replies in order; what it is shown each time is kept."""

    name = "test:scripted"

    def __init__(self, *replies: Answer) -> None:
        self.replies = list(replies)
        self.asked: list[ReplyRequest] = []

    async def reply(self, request: ReplyRequest) -> Reply:
        self.asked.append(request)
        answer = self.replies.pop(0)
        return answer if isinstance(answer, Reply) else await answer(request)


def wants(name: str, call_id: str = "c1", **arguments: JsonValue) -> ToolRequest:
    return ToolRequest(call_id=call_id, name=name, arguments=arguments)


@dataclass
class Room:
    """One channel with an agent, in a house on either database."""

    parts: Parts
    http: httpx2.AsyncClient
    clock: FakeClock
    channel: str
    events: Broadcaster
    ran: list[str] = field(default_factory=list[str])
    told: list[TurnEvent] = field(default_factory=list[TurnEvent])
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.parts.turns.listen(self.told.append)
        tools = self.parts.workshop.builtins
        tools.add("look", "Looks.", ANYTHING, self._look)
        tools.add("mark", "Writes.", ANYTHING, self._look, effects=WRITES)
        tools.add("hang", "Takes long.", ANYTHING, self._hang)

    async def _look(self, arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        self.ran.append(str(arguments.get("x", "")))
        return {"saw": arguments.get("x")}

    async def _hang(self, arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        self.ran.append("hang")
        self.begun.set()
        await self.gate.wait()
        return "done"

    async def say(self, text: str) -> Message:
        return await self.parts.rooms.say(self.channel, OWNER, text)

    async def take(self, mind: ScriptedMind) -> Outcome:
        return await self.parts.turns.take(self.channel, PRIME, mind=mind)

    async def log(self, *kinds: str) -> list[Message]:
        messages = await self.parts.store.log.page(self.channel, limit=1000)
        return [message for message in messages if not kinds or message.kind in kinds]

    async def results(self) -> list[tuple[str, object]]:
        """Call id and error code of each result."""
        found: list[tuple[str, object]] = []
        for message in await self.log("tool_result"):
            error = cast("Mapping[str, object]", message.body.get("error") or {})
            found.append((str(message.body["callId"]), error.get("code")))
        return found

    async def until(self, holds: Callable[[Sequence[Message]], bool]) -> list[Message]:
        """The channel's messages as soon as they are as they should be."""
        async with asyncio.timeout(20):
            while True:
                head = self.parts.store.heads.head
                messages = await self.log()
                if holds(messages):
                    return messages
                await self.parts.store.heads.wait_beyond(head)

    async def asked(self) -> Question:
        async with asyncio.timeout(20):
            while True:
                head = self.parts.store.heads.head
                if waiting := await self.parts.questions.waiting():
                    return waiting[-1]
                await self.parts.store.heads.wait_beyond(head)


OpenRoom = Callable[..., AbstractAsyncContextManager[Room]]


def _settings(tmp_path: Path, database_url: str | None, more: Mapping[str, object]) -> Settings:
    workspace = tmp_path / "workspace"
    workspace.mkdir(exist_ok=True)
    changes: dict[str, object] = {
        "data": tmp_path / "data",
        "workspace": workspace,
        "database_url": SecretStr(database_url) if database_url else None,
        "secret_key": SecretStr("0" * 64),
    }
    return Settings().model_copy(update=changes | dict(more))


@pytest.fixture
def open_room(tmp_path: Path, database_url: str | None, monkeypatch: pytest.MonkeyPatch):
    """Opens the house, over the same data as often as a test likes."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("PATH", str(tmp_path))  # no tools of this machine

    @asynccontextmanager
    async def opened(
        *, tier: str = "team", channel: str | None = None, clock: Clock | None = None, **more: object
    ) -> AsyncGenerator[Room]:
        fake = clock if isinstance(clock, FakeClock) else FakeClock()
        settings = _settings(tmp_path, database_url, more)
        async with open_prime(settings, clock=clock or fake) as prime:
            made = channel or (await prime.parts.rooms.create_channel("Probe", tier=tier)).id  # pyright: ignore[reportArgumentType]
            transport = httpx2.ASGITransport(app=LocalDoor(prime.app))
            async with httpx2.AsyncClient(transport=transport, base_url="http://prime.sock") as http:
                yield Room(prime.parts, http, fake, made, prime.app.events)

    return opened


@pytest.fixture
async def room(open_room: OpenRoom) -> AsyncIterator[Room]:
    async with open_room() as room:
        yield room


@pytest.fixture
def scripted() -> type[ScriptedMind]:
    return ScriptedMind


@pytest.fixture
def want() -> Callable[..., ToolRequest]:
    return wants
