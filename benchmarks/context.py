"""Context assembly: a channel of 100,000 messages, and whether its time depends on how long the channel is.

The floor in the same run is what nobody can avoid: reading as many of the channel's newest messages from the same database
as the context holds. The same is done for a channel of 2,000 messages: a ratio of about 1 says that the channel's length
does not matter. Times are the process's own (CPU, all threads), because other work on the machine is no part of the
question; nothing here waits for anything else.

    .venv/bin/python benchmarks/context.py [--json FILE] [--messages N]
"""

import asyncio
import functools
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from report import Report, scaled

from prime.core.clock import FakeClock
from prime.core.ids import new_id
from prime.dialogs.context import Context, archive, assemble
from prime.dialogs.document import DocumentBuilder
from prime.rooms.queries import RoomsProjection
from prime.rooms.records import OWNER, PRIME
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.rooms.views import VISIBLE, View
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.store import Store

MODELS = ("offline", "openai:gpt-4o", "gemini:gemini-3.5-flash")
ROUNDS = scaled(15, 5)
AIM_MS = 20


def messages(channel_id: str, count: int) -> list[NewMessage]:
    """A tool-using dialog, partly Chinese, five messages a turn."""
    made: list[NewMessage] = []
    for turn in range(count // 5):
        call = {"callId": f"call_{turn}", "name": "exec_command"}
        arguments = {"cmd": f"ls -la /srv/{turn}", "timeout": 30}
        made += [
            _said(channel_id, OWNER, f"Please look at folder {turn} and say what is wrong. 请用中文回答。"),
            _said(channel_id, PRIME, "I look at the listing first; the log is long, so only its end matters. " * 2),
            NewMessage(channel_id=channel_id, actor_id=PRIME, kind="tool_call", body=call | {"arguments": arguments}),
            NewMessage(
                channel_id=channel_id,
                actor_id=PRIME,
                kind="tool_result",
                text="drwxr-xr-x  2 root root 4096 Jan  1 00:00 some-folder-name\n" * 6,
                body=call,
            ),
            _said(channel_id, PRIME, "文件夹在那里，没有比一月份更新的内容。下一步我会检查日志的最后部分。" * 2),
        ]
    return made


def _said(channel_id: str, actor_id: str, text: str) -> NewMessage:
    return NewMessage(channel_id=channel_id, actor_id=actor_id, kind="text", text=text)


async def channel_with(store: Store, rooms: Rooms, count: int) -> str:
    channel = await rooms.create_channel(
        f"{count}", tier="team", brief="Look after the server.", channel_id=new_id("ch")
    )
    for start in range(0, len(new := messages(channel.id, count)), 5000):
        await store.log.append(*new[start : start + 5000])
    return channel.id


async def milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    start = time.process_time()
    await work()
    return (time.process_time() - start) * 1000


async def assembled(store: Store, channel_id: str, model: str) -> Context:
    return await assemble(await View.of(store, channel_id), DocumentBuilder(), model)


async def main() -> None:
    count = int(sys.argv[sys.argv.index("--messages") + 1]) if "--messages" in sys.argv else 100_000
    report = Report("context", "milliseconds per assembly")
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(
            DataFolder(Path(folder)), None, FakeClock(), projections=(RoomsProjection(),), migrations=ROOMS_MIGRATIONS
        )
        rooms = Rooms(store)
        await rooms.open()
        short, long = await channel_with(store, rooms, 5000), await channel_with(store, rooms, count)
        await rooms.channel(long)  # the projection has caught up
        for model in MODELS:
            first = [await milliseconds(lambda m=model: assembled(store, long, m)) for _ in range(ROUNDS)]
            context = await assembled(store, long, model)
            await archive(store.log, context)  # as a turn does: from here on the same beginning is shown
            await archive(store.log, await assembled(store, short, model))
            ours: list[float] = []
            small: list[float] = []
            floor: list[float] = []
            held = len(context.window.pieces)
            for _ in range(ROUNDS):
                ours.append(await milliseconds(lambda m=model: assembled(store, long, m)))
                small.append(await milliseconds(lambda m=model: assembled(store, short, m)))
                page = functools.partial(store.log.page, long, limit=held, kinds=sorted(VISIBLE), audience="room")
                floor.append(await milliseconds(page))
            what = f"{model.partition(':')[2] or model}, {held:,} held"
            report.row(
                what, ours=ours, peer=floor, peer_name="reading those messages", floor=True, higher_is_better=False
            )
            report.row(what, ours=ours, peer=small, peer_name="a channel of 5,000", higher_is_better=False)
            report.fact(f"{model}: ms", f"{statistics.median(ours):.1f} (best {min(ours):.1f})")
            report.fact(f"{model}: ms, first time", f"{statistics.median(first):.1f} (best {min(first):.1f})")
            report.fact(f"{model}: <= {AIM_MS} ms", statistics.median(ours) <= AIM_MS)
        await store.close()
    report.fact("messages in the channel", count)
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
