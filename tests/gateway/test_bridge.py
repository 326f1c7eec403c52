"""`prime mcp` beside a Prime that runs: lines carried between two pipes."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, unix_serve

from prime.gateway.front import stdio


class _Silent:
    """A client that says nothing and does not go."""

    ended = False

    async def next(self) -> bytes | None:
        await asyncio.Event().wait()


async def test_a_bridge_that_is_ended_leaves_no_work_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "input_lines", _Silent)
    here, gone = asyncio.Event(), asyncio.Event()

    async def hear(connection: ServerConnection) -> None:
        here.set()
        await connection.wait_closed()
        gone.set()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s")
        async with unix_serve(hear, str(path)):
            before = asyncio.all_tasks()
            bridging = asyncio.create_task(stdio.bridge(path))
            await here.wait()
            bridging.cancel()
            with pytest.raises(asyncio.CancelledError):
                await bridging
            await gone.wait()
            left = [task for task in asyncio.all_tasks() - before if "bridge" in str(task.get_coro())]
    assert left == []
