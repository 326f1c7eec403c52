"""A gate over a real store, with a service that can be told to fail in every way."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest

from prime.core.clock import FakeClock
from prime.core.settings import Settings
from prime.hub.gate.gate import Gate
from prime.hub.gate.index.queries import GateProjection
from prime.hub.gate.records import Delivered, Outgoing, Proposal
from prime.hub.gate.replies import Incoming
from prime.hub.gate.senders import Progress, Unsure
from prime.mind.jobs.keeping import DraftRequest, Written
from prime.mind.offline import OfflineMind
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.store import Store

CHANNEL = "ch_pp_tg_1"


@dataclass
class Service:
    """What stands on the other side: it counts what really arrives."""

    max_length: int = 4096
    arrived: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    before: Callable[[], Awaitable[None]] | None = None
    fail_before: Exception | None = None
    fail_after: Exception | None = None
    known: Delivered | str | None = "unsure"
    lookups: int = 0

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        progress("sending", 0, 1)
        if self.before:
            await self.before()
        if self.fail_before:
            raise self.fail_before
        self.arrived.append((outgoing.key, outgoing.text))
        if self.fail_after:
            raise self.fail_after
        return Delivered(external_id=f"m{len(self.arrived)}")

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        self.lookups += 1
        if isinstance(self.known, str):
            raise Unsure
        return self.known


class Scripted(OfflineMind):
    """A mind that drafts what it is told to."""

    def __init__(self) -> None:
        self.words: Callable[[DraftRequest], str] | str = "Thank you, the invoice is attached and was sent today."
        self.asked: list[DraftRequest] = []
        self.asked_once = asyncio.Event()
        self.hold: asyncio.Event | None = None  # until it is set, nothing is drafted

    async def draft(self, request: DraftRequest) -> Written:
        self.asked.append(request)
        self.asked_once.set()
        if self.hold:
            await self.hold.wait()
        return Written(text=self.words if isinstance(self.words, str) else self.words(request))


@dataclass
class House:
    store: Store
    rooms: Rooms
    gate: Gate
    service: Service
    mind: Scripted
    clock: FakeClock

    async def write(self, text: str, *, number: int = 1, person: str = "Mara", **more: object) -> str:
        """Somebody writes; the id of the logged message."""
        incoming = Incoming(
            connector="telegram",
            prefix="ch_pp_tg_",
            conversation="1",
            person=person,
            external_id=f"1/{number}",
            text=text,
            target={"chatId": "1", "replyTo": str(number)},
            **more,  # pyright: ignore[reportArgumentType]
        )
        message = await self.gate.replies.receive(incoming)
        await self.gate.replies.settled()
        return message.id if message else ""

    async def propose(self, text: str, **more: object) -> str:
        """A draft for a message of its own; the draft's id."""
        number = self.clock.now_ms()
        self.clock.advance(0.001)
        said = await self.write(str(more.pop("trigger", "")) or f"question {number}", number=number, answer=False)
        proposal = Proposal(
            connector="telegram",
            channel_id=CHANNEL,
            text=text,
            target={"chatId": "1"},
            reply_to=said,
            trigger=str(more.pop("about", "")),
            key=f"reply/{said}",
            **more,  # pyright: ignore[reportArgumentType]
        )
        return (await self.gate.drafts.decide_and_draft_or_send(proposal)).id


OpenHouse = Callable[..., Awaitable[House]]


async def _no_secrets() -> Iterable[str]:
    return ["hunter2-hunter2"]


@pytest.fixture
async def open_house(open_store: Callable[..., Awaitable[Store]], clock: FakeClock) -> AsyncIterator[OpenHouse]:
    """Opens gates over the same data, as replicas or one after the other."""
    async with AsyncExitStack() as stack:

        async def open_one(*, service: Service | None = None, connected: bool = True, **variables: str) -> House:
            store = await open_store((RoomsProjection(), GateProjection()), ROOMS_MIGRATIONS)
            rooms = Rooms(store)
            await rooms.open()
            mind = Scripted()
            settings = Settings.load(variables)
            gate = await Gate.open(settings, store, rooms, clock, mind=lambda: mind, secrets=_no_secrets)
            gate.policy.known = lambda: ["telegram", "x"]
            stack.push_async_callback(_close, gate)
            service = service or Service()
            if connected:
                gate.senders.register("telegram", service)
            return House(store, rooms, gate, service, mind, clock)

        yield open_one


async def _close(gate: Gate) -> None:
    async with asyncio.timeout(10):
        await gate.close()


@pytest.fixture
async def house(open_house: OpenHouse) -> House:
    return await open_house()
