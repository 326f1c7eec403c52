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

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._said: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def next(self) -> bytes | None:
        self.asked.set()
        return await self._said


async def test_a_bridge_that_is_ended_leaves_no_work_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    client, gone = _Silent(), asyncio.Event()
    monkeypatch.setattr(stdio, "input_lines", lambda: client)

    async def hear(connection: ServerConnection) -> None:
        await connection.wait_closed()
        gone.set()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s")
        async with unix_serve(hear, str(path)):
            before = asyncio.all_tasks()
            bridging = asyncio.create_task(stdio.bridge(path))
            await client.asked.wait()
            bridging.cancel()
            with pytest.raises(asyncio.CancelledError):
                await bridging
            await gone.wait()
            left = [task for task in asyncio.all_tasks() - before if "bridge" in str(task.get_coro())]
    assert left == []
