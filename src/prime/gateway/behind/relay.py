"""Progress of a server's tool, passed on to the client in its order, without holding up the server's connection."""

import asyncio
import contextlib
from types import TracebackType
from typing import Self

from prime.core.errors import JsonValue
from prime.gateway.behind.rpc import Message
from prime.gateway.link import ClientLink

# A server that reports faster than the client reads loses reports, not memory.
_WAITING = 256


class Relay:
    """`take` is called for each report; all of them are out when the block ends."""

    def __init__(self, link: ClientLink) -> None:
        self._link = link
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue(_WAITING)
        self._task: asyncio.Task[None] | None = None

    def take(self, report: Message) -> None:
        with contextlib.suppress(asyncio.QueueFull):
            self._queue.put_nowait(report)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._pass_on())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        if kind is None:
            await self._queue.put(None)
        else:
            self._task.cancel()
        await asyncio.wait([self._task])

    async def _pass_on(self) -> None:
        while (report := await self._queue.get()) is not None:
            progress = _number(report.get("progress"))
            message = report.get("message")
            if progress is not None:
                told = message[:2000] if isinstance(message, str) else None
                await self._link.progress(progress, _number(report.get("total")), told)


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
