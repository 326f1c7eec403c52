"""`/events`: the log as server-sent events, to any number of listeners, each at its own pace.

An event is rendered once and kept in a short memory; a listener is a place in it. One that cannot keep up is let go:
it comes back with `Last-Event-ID` and continues from the log. Nobody waits for anybody, and while nobody listens
nothing is read or rendered.
"""

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from prime.core.clock import Clock
from prime.core.errors import InvalidInput
from prime.core.tasks import end
from prime.store.heads import Heads
from prime.store.log import Log
from prime.store.message import Kind, Message

log = logging.getLogger(__name__)

KEPT = 4096
PAGE = 500
HEARTBEAT_SECONDS = 15.0
# A listener that takes nothing for this long is let go.
STUCK_SECONDS = 20.0
# How often listeners are told at most: the first of a burst goes at once, what follows goes together.
MOMENT_SECONDS = 0.02
HEARTBEAT = b": still here\n\n"

EVENT_OF_KIND: Mapping[Kind, str] = {
    "question": "question",
    "answer": "question",
    "approval": "question",
    "decision": "feed",
    "gate": "draft",
    "policy": "status",
}

# Pausing and going on are told as the state of things.
_SWITCHES = frozenset({"paused", "resumed"})


def event_of(message: Message) -> str:
    """Under which name a message is told."""
    if message.kind == "system" and str(message.body.get("op")) in _SWITCHES:
        return "status"
    return EVENT_OF_KIND.get(message.kind, "message")


Render = Callable[[str, Message], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Event:
    """One event, ready to send. `place` counts events of this process; `seq` is None for what is not in the log."""

    place: int
    seq: int | None
    data: bytes


class Broadcaster:
    def __init__(
        self,
        store_log: Log,
        heads: Heads,
        render: Render,
        clock: Clock,
        *,
        heartbeat: float = HEARTBEAT_SECONDS,
        kept: int = KEPT,
    ) -> None:
        self._log = store_log
        self._heads = heads
        self._render = render
        self._clock = clock
        self._heartbeat = heartbeat
        self._ended = False
        self._kept: deque[Event] = deque(maxlen=kept)
        # What is kept at once pushes nothing out that somebody has had no chance to see.
        self._page = min(PAGE, max(kept // 2, 1))
        self._place = 0
        self._seq = 0
        self._moved = asyncio.Event()
        self._listeners = 0
        self._wanted = asyncio.Event()
        self._told_at = -MOMENT_SECONDS
        self._beats = 0
        # What was told last, from place to place: listeners that keep up are all told the same.
        self._told = (0, 0, b"")
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._seq = self._heads.head
        self._tasks = [
            asyncio.create_task(self._follow(), name="prime-events"),
            asyncio.create_task(self._beat(), name="prime-events-beat"),
        ]

    async def stop(self) -> None:
        for task in self._tasks:
            await end(task)

    def end(self) -> None:
        """Let all listeners go."""
        self._ended = True
        self._wake()

    def tell(self, name: str, data: object) -> None:
        """Send something that is not in the log, to whoever listens now."""
        self._keep(None, name, data)

    async def listen(self, last_seq: int | None) -> AsyncIterator[bytes]:
        """Events from now on, or from behind `last_seq`; ends when the listener has fallen too far behind."""
        self._listeners += 1
        self._wake_up()
        try:
            async with contextlib.aclosing(self._events(last_seq)) as events:
                async for data in events:
                    yield data
        finally:
            self._listeners -= 1

    async def _events(self, last_seq: int | None) -> AsyncGenerator[bytes]:
        if last_seq is None:
            place, seen = self._place, self._seq
            yield f"id: {seen}\n\n".encode()  # so that even who is cut off before the first event can resume
        else:
            place, seen = None, last_seq
            if last_seq > self._seq and not await self._log.after(last_seq - 1, 1):
                # No such place: it is from before a backup was restored, and from there nothing would ever come.
                place, seen = self._place, self._seq
        while place is None:
            missed = await self._log.after(seen, PAGE)
            if missed:
                yield b"".join([await self._encoded(m) for m in missed])
                seen = missed[-1].seq
            place = self._place_behind(seen)
        told = min(seen, self._seq)  # all that comes after `place` comes after this as well
        while not self._ended:
            if self._kept and place + 1 < self._kept[0].place:
                return
            # What was read from the log already may come by here once more.
            data = self._after(place) if told >= seen else _joined(self._since(place), seen)
            place, told = self._place, self._seq
            yield data or await self._wait()

    def _since(self, place: int) -> list[Event]:
        first = self._kept[0].place if self._kept else self._place + 1
        return [self._kept[i] for i in range(place + 1 - first, len(self._kept))]

    def _after(self, place: int) -> bytes:
        """All that is kept behind a place, put together once for everybody who stands there."""
        begin, until, data = self._told
        if (begin, until) != (place, self._place):
            data = _joined(self._since(place), 0)
            self._told = (place, self._place, data)
        return data

    def _place_behind(self, seq: int) -> int | None:
        """The place from which a listener that has seen `seq` misses nothing; None when less than that is kept."""
        if seq >= self._seq:
            return self._place
        following = next((e for e in self._kept if e.seq is not None and e.seq > seq), None)
        # Sequence numbers are dense: the next one is there, or it is no longer kept.
        return following.place - 1 if following and following.seq == seq + 1 else None

    async def _wait(self) -> bytes:
        """Nothing, when something has happened; a heartbeat, when it is time for one."""
        beats = self._beats
        await self._moved.wait()
        return b"" if beats == self._beats else HEARTBEAT

    async def _beat(self) -> None:
        """One clock for all listeners: one each would be set and stopped with every event."""
        while True:
            await asyncio.sleep(self._heartbeat)
            self._beats += 1
            self._wake()

    def _wake_up(self) -> None:
        """Go on from the head: what was said while nobody listened is read from the log by whoever missed it."""
        if not self._wanted.is_set():
            self._kept.clear()  # what follows does not follow on these
            self._seq = max(self._seq, self._heads.head)
            self._wanted.set()

    async def _follow(self) -> None:
        while True:
            if not self._listeners:
                self._wanted.clear()
                await self._wanted.wait()
            await self._heads.wait_beyond(self._seq)
            await self._breathe()
            try:
                for message in await self._log.after(self._seq, self._page):
                    name = event_of(message)
                    self._keep(message.seq, name, await self._render(name, message))
                    self._seq = message.seq
            except Exception:  # the database may be away for a moment
                log.exception("events could not be read from the log; trying again")
                await self._clock.sleep(1)

    async def _breathe(self) -> None:
        """What comes right after something else waits a moment for more: each time, every listener is woken."""
        loop = asyncio.get_running_loop()
        if (early := self._told_at + MOMENT_SECONDS - loop.time()) > 0:
            await asyncio.sleep(early)
        self._told_at = loop.time()

    async def _encoded(self, message: Message) -> bytes:
        name = event_of(message)
        return encode(name, await self._render(name, message), message.seq)

    def _keep(self, seq: int | None, name: str, data: object) -> None:
        self._place += 1
        self._kept.append(Event(self._place, seq, encode(name, data, seq)))
        self._wake()

    def _wake(self) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()


def _joined(events: Iterable[Event], seen: int) -> bytes:
    return b"".join(event.data for event in events if event.seq is None or event.seq > seen)


def encode(name: str, data: object, place: int | str | None) -> bytes:
    if data is None:
        return b""  # a message that nobody needs to hear of keeps its place in line
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    mark = "" if place is None else f"id: {place}\n"
    return f"{mark}event: {name}\ndata: {text}\n\n".encode("utf-8", "replace")


def last_seq(last_event_id: str | None) -> int | None:
    """The place that a listener's `Last-Event-ID` names."""
    if last_event_id is None:
        return None
    if last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 18:
        return int(last_event_id)
    raise InvalidInput("Last-Event-ID must be a number that came with an event.", field="Last-Event-ID")


class EventStream(Response):
    """The answer to `GET /events`."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], *, stuck: float = STUCK_SECONDS) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._stuck = stuck
        self._sent = 0
        self._is_sending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        # A first line at once, so that the browser knows the stream is open.
        await send({"type": "http.response.body", "body": b"retry: 1000\n\n", "more_body": True})
        sending = asyncio.create_task(self._send_all(send))
        gone = asyncio.create_task(_disconnected(receive))
        try:
            await self._until_over({sending, gone})
        finally:
            for task in (sending, gone):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        if not gone.done() or gone.cancelled():
            with contextlib.suppress(Exception):
                await asyncio.wait_for(send({"type": "http.response.body", "body": b"", "more_body": False}), 1)

    async def _until_over(self, tasks: "set[asyncio.Task[None]]") -> None:
        """Until one of them has ended, or the listener took nothing for too long. A look now and then: an alarm for each
        event would be set and stopped for each listener."""
        sent = -1
        while not (await asyncio.wait(tasks, timeout=self._stuck / 2, return_when=asyncio.FIRST_COMPLETED))[0]:
            if self._is_sending and self._sent == sent:
                return
            sent = self._sent if self._is_sending else -1

    async def _send_all(self, send: Send) -> None:
        async for data in self._events:
            if data:
                self._is_sending = True
                await send({"type": "http.response.body", "body": data, "more_body": True})
                self._is_sending = False
                self._sent += 1


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
