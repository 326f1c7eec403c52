"""The hub: messages through the directive engine, a tick over idle channels, and what a batch costs as the log grows.

The floor of the first is appending the same messages to the log and nothing else.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

from prime.app import MIGRATIONS, PROJECTIONS
from prime.connectors.agents import echo, llm_generic
from prime.core.clock import SystemClock
from prime.hub.connector import Connectors, Opener
from prime.hub.house import HubSetup, build_hub
from prime.hub.hub import Hub
from prime.hub.pace import Pace, fixed
from prime.hub.warroom import Reachable
from prime.mind.offline import OfflineMind
from prime.mind.spend import Caps, SpendGuard
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.store import Store

CHANNELS, EACH = scaled(200, 40), 50
IDLE = scaled(1_000, 200)
AIM_MESSAGES = 2_000.0
AIM_TICK_MS = 20.0
TEXTS = (
    "The corner stand is 5,000 EUR until Friday.",
    "We can deliver forty lamps in March.",
    "Shall I reserve the second row for you?",
    "Our team is ready for the next step.",
    "The printer needs the final files by 2027-03-02.",
)


class Nobody:
    async def agents(self, limit: int) -> Sequence[Reachable]:
        return ()

    async def invite(self, agent_id: str, channel_id: str) -> str:
        raise AssertionError


async def open_hub(folder: Path, *, mute: bool = False) -> tuple[Store, Rooms, Hub]:
    """`mute`: Prime has nothing to say, either."""
    clock, mind = SystemClock(), OfflineMind()
    store = await Store.open(DataFolder(folder), None, clock, projections=PROJECTIONS, migrations=MIGRATIONS)
    rooms = Rooms(store)
    await rooms.open()
    speaks: Opener = echo.Echo if mute else lambda actor: llm_generic.LlmGeneric(actor, mind)
    connectors = Connectors({"llm_generic": speaks, "echo": echo.Echo})
    setup = HubSetup(
        store=store,
        rooms=rooms,
        questions=Questions(store, clock),
        mind=mind,
        connectors=connectors,
        outside=Nobody(),
        spend=SpendGuard(store.database, Caps(10**9, 10**9)),
        clock=clock,
        pace=fixed(Pace(autostop_ms=0)),
    )
    return store, rooms, build_hub(setup)


async def make_channels(rooms: Rooms, count: int, brief: str | None = None) -> list[str]:
    actor = await rooms.add_actor("Voice", "agent", "echo", actor_id="act_voice")
    return [
        (await rooms.create_channel(f"Channel {n}", tier="team", members=[actor.id], brief=brief)).id
        for n in range(count)
    ]


def words(channels: Sequence[str], each: int) -> list[NewMessage]:
    return [
        NewMessage(channel_id=channel, actor_id="act_voice", kind="text", text=TEXTS[(n + i) % len(TEXTS)])
        for i, channel in enumerate(channels)
        for n in range(each)
    ]


async def append_all(store: Store, messages: Sequence[NewMessage]) -> float:
    begin = time.perf_counter()
    for at in range(0, len(messages), 1000):
        await store.log.append(*messages[at : at + 1000])
    return time.perf_counter() - begin


async def through_the_engine(report: Report) -> None:
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            store, rooms, hub = await open_hub(Path(folder))
            channels = await make_channels(rooms, CHANNELS)
            floor.append(CHANNELS * EACH / await append_all(store, words(channels, EACH)))
            begin = time.perf_counter()
            judged = await hub.engine.run()
            ours.append(judged / (time.perf_counter() - begin))
            assert judged == CHANNELS * EACH
            await store.close()
    report.row(
        f"{CHANNELS} channels x {EACH} messages, messages/s",
        ours=ours,
        peer=floor,
        peer_name="append alone",
        floor=True,
    )
    report.row(
        "the same against the aim",
        ours=ours,
        peer=[AIM_MESSAGES] * len(ours),
        peer_name=f"{AIM_MESSAGES:.0f} messages/s",
        aim=1.0,
    )


async def idle_ticks(report: Report) -> None:
    """Channels that have talked and rest: what a tick over them costs must not grow with what was said in them."""
    with tempfile.TemporaryDirectory() as folder:
        store, rooms, hub = await open_hub(Path(folder), mute=True)
        channels = await make_channels(rooms, IDLE, brief="Talk.")
        while await hub.swarm.tick():
            await hub.engine.run()
        short = await tick_ms(hub)
        await append_all(store, words(channels, 5))
        await hub.engine.run()
        while await hub.swarm.tick():
            await hub.engine.run()
        long = await tick_ms(hub)
        await store.close()
    report.row(
        f"a tick over {IDLE} idle channels, ms",
        ours=long,
        peer=[AIM_TICK_MS] * len(long),
        peer_name=f"{AIM_TICK_MS:.0f} ms",
        aim=1.0,
        higher_is_better=False,
    )
    report.row(
        "the same after 5 more messages each, ms",
        ours=long,
        peer=short,
        peer_name="before",
        aim=2.0,
        higher_is_better=False,
    )


async def tick_ms(hub: Hub) -> list[float]:
    times: list[float] = []
    for _ in range(30):
        begin = time.perf_counter()
        assert await hub.swarm.tick() == 0
        times.append((time.perf_counter() - begin) * 1000)
    return [statistics.median(times[n::3]) for n in range(3)]


async def batch_costs(report: Report) -> None:
    """The same number of new messages in a log that is six times as long; in turns, so that both see the same machine."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        short, long = await told_hub(Path(first), 40), await told_hub(Path(second), 240)
        pairs = [(await batch_ms(*long), await batch_ms(*short)) for _ in range(7)]
        await short[0].close()
        await long[0].close()
    report.row(
        "a batch of 200 new messages, ms, log of 12,000",
        ours=[ours for ours, _ in pairs],
        peer=[peer for _, peer in pairs],
        peer_name="log of 2,000",
        aim=1.5,
        higher_is_better=False,
    )


async def told_hub(folder: Path, each: int) -> tuple[Store, Hub, Sequence[str]]:
    """A hub of 50 channels in which so much was said and judged."""
    store, rooms, hub = await open_hub(folder)
    channels = await make_channels(rooms, 50)
    await append_all(store, words(channels, each))
    await hub.engine.run()
    await store.projector.read(lambda _: None, *store.projector.names)  # what is behind is folded before the clock runs
    return store, hub, channels


async def batch_ms(store: Store, hub: Hub, channels: Sequence[str]) -> float:
    await store.log.append(*words(channels, 4))
    begin = time.perf_counter()
    assert await hub.engine.run() == 4 * len(channels)
    return (time.perf_counter() - begin) * 1000


async def main() -> None:
    report = Report("hub", "messages/s and ms")
    await through_the_engine(report)
    await idle_ticks(report)
    await batch_costs(report)
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
