"""Summaries: settled when things are quiet, versioned, with links, and each of its own scope."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2
import pytest

from prime.brain.brain import Brain
from prime.brain.facts.queries import FactsProjection
from prime.brain.notes.queries import NotesProjection
from prime.brain.reading.reading import Reading
from prime.brain.state.consolidation import Consolidation
from prime.brain.state.queries import StateProjection
from prime.brain.thinking import File, Said, Stated
from prime.core.clock import FakeClock
from prime.core.errors import Conflict, PrimeError
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.message import NewMessage
from prime.store.store import Store


class House(Protocol):
    http: httpx2.AsyncClient
    clock: FakeClock

    async def get(self, path: str, **query: str) -> dict[str, Any]: ...


class Thinker:
    """Repeats what it is shown."""

    free = False

    def __init__(self) -> None:
        self.asked = 0

    async def extract(self, lines: Sequence[Said], *, today: str) -> Sequence[Stated]:
        return []

    async def consolidate(self, lines: Sequence[Said], *, before: str) -> str:
        self.asked += 1
        return "\n".join([*([before] if before else []), *(f"- {line.speaker}: {line.text}" for line in lines)])

    async def describe(self, file: File) -> str:
        return ""


class Reader:
    async def read(self, content: bytes) -> Reading:
        return Reading(family="other")


@dataclass
class Talk:
    store: Store
    clock: FakeClock

    async def say(self, text: str, *, channel: str = "ch_a", actor: str = "act_ann", **fields: object) -> str:
        message = NewMessage(channel_id=channel, actor_id=actor, kind="text", text=text)
        for name, value in fields.items():
            object.__setattr__(message, name, value)
        return (await self.store.log.append(message))[0].id


@pytest.fixture
async def talk(open_store: Callable[..., Awaitable[Store]], clock: FakeClock) -> Talk:
    parts = [RoomsProjection(), FactsProjection(), StateProjection(), NotesProjection()]
    store = await open_store(projections=parts, migrations=ROOMS_MIGRATIONS)
    rooms = Rooms(store)
    await rooms.open()
    await rooms.add_actor("Ann", "human", "echo", actor_id="act_ann")
    await rooms.create_channel("Vendor", tier="external", members=["act_ann"], channel_id="ch_a")
    return Talk(store, clock)


@pytest.mark.holds("D-HUB-16")
async def test_a_minute_of_quiet_settles_a_channel(talk: Talk) -> None:
    thinker = Thinker()
    job = Consolidation(talk.store, talk.clock, thinker)
    first = await talk.say("we need 40 pumps")
    assert await job.catch_up() == 60_000
    talk.clock.advance(59)
    second = await talk.say("by May")
    talk.clock.advance(59)
    assert await job.catch_up() == 1000
    assert thinker.asked == 0
    talk.clock.advance(2)
    await job.catch_up()
    brain = Brain(talk.store, talk.clock, thinker, Reader())
    settled = await brain.state("ch_a")
    assert settled is not None
    assert (settled.version, settled.text) == (1, "- Ann: we need 40 pumps\n- Ann: by May")
    assert settled.sources == (first, second)
    # The house's own summary takes in its channels', and then all is quiet.
    talk.clock.advance(61)
    assert await job.catch_up() is None
    house = await brain.state("ch_hub")
    assert house is not None
    assert house.text == "- Vendor: - Ann: we need 40 pumps\n- Ann: by May"
    asked = thinker.asked
    talk.clock.advance(600)
    assert await job.catch_up() is None
    assert thinker.asked == asked


@pytest.mark.holds("D-HUB-16")
async def test_auto_stop_settles_at_once_and_versions_stay(talk: Talk) -> None:
    brain = Brain(talk.store, talk.clock, Thinker(), Reader())
    assert await brain.consolidate("ch_a") is None
    await talk.say("one")
    await talk.say("history", source_tag="priming_script")
    await talk.say("what the hub thinks", actor="act_prime", audience="hub")
    first = await brain.consolidate("ch_a")
    await talk.say("two")
    second = await brain.consolidate("ch_a")
    assert first is not None
    assert second is not None
    assert (first.text, second.text) == ("- Ann: one", "- Ann: one\n- Ann: two")
    assert await brain.consolidate("ch_a") == second
    assert await brain.state("ch_a", 1) == first
    before = [await brain.state("ch_a", version) for version in (1, 2)]
    await talk.store.projector.rebuild("state")
    assert [await brain.state("ch_a", version) for version in (1, 2)] == before


async def test_a_long_summary_keeps_its_newest_part(talk: Talk) -> None:
    brain = Brain(talk.store, talk.clock, Thinker(), Reader())
    for number in range(8):
        await talk.say(f"{number} " + "x" * 2000)
        await brain.consolidate("ch_a")
    settled = await brain.state("ch_a")
    assert settled is not None
    assert len(settled.text) <= 12_000
    assert "7 x" in settled.text
    assert settled.text.startswith("- Ann: ")


async def test_what_was_erased_leaves_the_summary(talk: Talk) -> None:
    brain = Brain(talk.store, talk.clock, Thinker(), Reader())
    secret = await talk.say("sesame")
    await talk.say("open")
    await brain.consolidate("ch_a")
    await brain.consolidate("ch_hub")
    await talk.store.erase([secret], by="act_owner")
    settled = await brain.consolidate("ch_a")
    assert settled is not None
    assert settled.text == "- Ann: open"
    assert not any("sesame" in str(m) for m in await talk.store.log.after(0))


class Hasty(FakeClock):
    """Sleeps by moving on, and remembers for how long each job did."""

    def __init__(self, now_ms: int) -> None:
        super().__init__(now_ms)
        self.slept: defaultdict[str, list[float]] = defaultdict(list)

    async def sleep(self, seconds: float) -> None:
        task = asyncio.current_task()
        self.slept[task.get_name() if task else ""].append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)


@pytest.mark.parametrize("code", ["unavailable", "spend_stopped"])
async def test_a_mind_that_is_away_is_asked_less_and_less_whatever_is_said_meanwhile(talk: Talk, code: str) -> None:
    clock = Hasty(talk.clock.now_ms() + 120_000)
    asked = asyncio.Event()
    times = 0

    class Away(Thinker):
        async def consolidate(self, lines: Sequence[Said], *, before: str) -> str:
            nonlocal times
            times += 1
            await talk.say("and more")
            if times == 10:
                asked.set()
                await asyncio.Event().wait()
            raise PrimeError("Not here.", code=code)

    await talk.say("we need 40 pumps")
    brain = Brain(talk.store, clock, Away(), Reader())
    brain.start()
    async with asyncio.timeout(20):
        await asked.wait()
    await brain.stop()
    # A cap costs nothing to meet, and the owner may raise it at any time.
    growing = [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert clock.slept["prime-brain-state"] == (growing if code == "unavailable" else [30] * 9)


async def test_what_is_erased_while_it_is_summed_up_leaves_no_summary(talk: Talk) -> None:
    """Neither of what was read, nor of the summary that it goes on from."""
    gone: list[str] = []

    class Slow(Thinker):
        async def consolidate(self, lines: Sequence[Said], *, before: str) -> str:
            if gone:
                await talk.store.erase([gone.pop()], by="act_owner")
            return await super().consolidate(lines, before=before)

    brain = Brain(talk.store, talk.clock, Slow(), Reader())
    first = await talk.say("swordfish")
    await talk.say("open")
    await brain.consolidate("ch_a")
    second = await talk.say("sesame")
    await talk.say("shut")
    for secret in (second, first):
        gone.append(secret)
        await talk.say("and")
        await brain.consolidate("ch_a")
    settled = await brain.state("ch_a")
    assert settled is not None
    assert [line[-4:] for line in settled.text.splitlines()] == ["open", "shut", " and", " and"]
    assert not any(secret in str(m) for m in await talk.store.log.after(0) for secret in ("sesame", "swordfish"))


async def test_a_later_summary_forgets_what_it_took_over(talk: Talk) -> None:
    brain = Brain(talk.store, talk.clock, Thinker(), Reader())
    secret = await talk.say("sesame")
    await brain.consolidate("ch_a")
    await talk.say("open")
    await brain.consolidate("ch_a")
    await talk.store.erase([secret], by="act_owner")
    settled = await brain.consolidate("ch_a")
    assert settled is not None
    assert settled.text == "- Ann: open"
    assert not any("sesame" in str(m) for m in await talk.store.log.after(0))
    with pytest.raises(Conflict):
        await talk.store.erase([secret], by="act_owner")
    assert await brain.state("ch_a") == settled
    await talk.store.erase([settled.message_id], by="act_owner")
    assert await brain.consolidate("ch_a") is None  # what the owner erased by itself is not written again


async def test_the_api_has_it_as_markdown(house: House) -> None:
    empty = await house.get("/api/brain/state")
    assert (empty["version"], empty["sources"]) == (0, [])
    said = (await house.http.post("/api/chat", json={"text": "We launch in May."})).json()["messageId"]
    await house.http.post("/api/brain/state/settle", json={"channelId": "ch_hub"})
    shown = await house.get("/api/brain/state", channelId="ch_hub")
    assert said in shown["sources"]
    assert f"](/c/ch_hub/{said})" in shown["markdown"]
    plain = await house.http.get("/api/brain/state", headers={"accept": "text/markdown"})
    assert plain.headers["content-type"].startswith("text/markdown")
    assert plain.text == shown["markdown"]
    assert (await house.http.get("/api/brain/state", params={"channelId": "ch_no"})).status_code == 404
    assert (await house.http.get("/api/brain/state", params={"version": 10**20})).status_code == 400
    assert (await house.http.get("/api/brain/state", params={"version": "9"})).status_code == 404
