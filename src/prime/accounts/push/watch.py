"""Follows the log for what is worth a push: a question or draft that waits, and the swarm's auto-stop.

One process does it, by a lease. A burst reads as one: after the first it waits a moment for more.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from prime.accounts.push import queries
from prime.accounts.push.note import Detail, Note, Trigger, autostop_note, draft_note, question_note
from prime.accounts.push.push import Push
from prime.core.clock import Clock
from prime.core.redaction import Redactor
from prime.core.tasks import end
from prime.rooms.queries import PRIMING
from prime.rooms.questions import Questions
from prime.store.heads import LEISURE_SECONDS
from prime.store.leases import Lease
from prime.store.message import Message
from prime.store.store import Store

log = logging.getLogger(__name__)

RESOURCE = "push"
LEASE_MS = 60_000
LOOK_SECONDS = 15.0
# The lease is renewed and the place kept this often, not with every burst: between them nothing was worth a push.
RENEW_SECONDS = 15.0
# A burst is over after this much quiet, and at the latest after that much time.
QUIET_SECONDS = 2.0
LONGEST_SECONDS = 10.0
# Between two pushes of one kind.
GAP_SECONDS = 20.0
PAGE = 500


def trigger_of(message: Message) -> Trigger | None:
    """What a message means for the owner's phone; most mean nothing."""
    body = message.body
    if message.source_tag == PRIMING:
        return None
    if message.kind == "question" and "questionId" in body:
        return "question"
    if message.kind == "answer" and body.get("status") == "pending":
        return "question"  # it was put off, and its time has come
    if message.kind == "gate" and body.get("op") == "proposed" and "released" not in body:
        return "draft"
    if message.kind == "system" and body.get("op") == "paused" and body.get("code") == "autostop":
        return "autostop"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the watch needs to know when it speaks: how much the owner wants said, and what must never be."""

    detail: Callable[[], Awaitable[Detail]]
    secrets: Callable[[], Awaitable[Iterable[str]]]


class PushWatch:
    def __init__(self, store: Store, clock: Clock, push: Push, questions: Questions, told: Told) -> None:
        self._store = store
        self._clock = clock
        self._push = push
        self._questions = questions
        self._told = told
        self._task: asyncio.Task[None] | None = None
        self._last: dict[Trigger, float] = {}
        self._renewed = 0.0
        self._kept = 0

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="prime-push")

    async def stop(self) -> None:
        await end(self._task)

    async def _run(self) -> None:
        while True:
            try:
                lease = await self._store.leases.acquire(RESOURCE, LEASE_MS)
                if lease:
                    self._renewed = self._clock.monotonic()
                    await self._while_held(lease)
            except Exception:  # the database may be away for a moment
                log.exception("pushes could not be looked after; trying again")
            await self._clock.sleep(LOOK_SECONDS)

    async def _while_held(self, lease: Lease) -> None:
        place = await self._store.database.read(queries.read_place)
        head = await self._store.log.head()
        if place is None or place > head:  # the first start, or a log from a backup
            place = head
            await self._keep(place)
        self._kept = place
        while await self._holds(lease, place):
            place = await self._step(lease, place)

    async def _holds(self, lease: Lease, place: int) -> bool:
        """Whether the lease is still ours, renewed in time; all up to `place` is done."""
        now = self._clock.monotonic()
        if now - self._renewed < RENEW_SECONDS:
            return True
        if not await self._store.leases.renew(lease, LEASE_MS):
            return False
        self._renewed = now
        if place > self._kept:
            await self._keep(place)
        return True

    async def _step(self, lease: Lease, place: int) -> int:
        """Look at what is new, or wait for it a while; the place reached."""
        if not await self._something_beyond(place):
            return place
        begin = place
        found, place = await self._read(place)
        triggers = [m for m in found if trigger_of(m)]
        if triggers:
            more, place = await self._rest_of_burst(place, {t for m in triggers if (t := trigger_of(m))})
            if not await self._holds(lease, begin):
                return begin  # another one tells it
            await self._tell([*triggers, *more])
            await self._keep(place)
        return place

    async def _something_beyond(self, place: int) -> bool:
        waiting = asyncio.ensure_future(self._store.heads.past_burst(place, moment=LEISURE_SECONDS))
        alarm = asyncio.ensure_future(self._clock.sleep(LOOK_SECONDS))
        try:
            await asyncio.wait({waiting, alarm}, return_when=asyncio.FIRST_COMPLETED)
            return waiting.done() or self._store.heads.head > place  # a burst that has not ended is looked at, too
        finally:
            for task in (waiting, alarm):
                task.cancel()
            await asyncio.gather(waiting, alarm, return_exceptions=True)

    async def _rest_of_burst(self, place: int, kinds: set[Trigger]) -> tuple[list[Message], int]:
        began = self._clock.monotonic()
        waits = [self._last[kind] + GAP_SECONDS - began for kind in kinds if kind in self._last]
        wait = max([QUIET_SECONDS, *waits])
        latest = began + max(LONGEST_SECONDS, wait)
        found: list[Message] = []
        while wait > 0:
            await self._clock.sleep(wait)
            more, place = await self._read(place)
            new = [m for m in more if trigger_of(m)]
            found += new
            wait = min(QUIET_SECONDS, latest - self._clock.monotonic()) if new else 0
        return found, place

    async def _read(self, place: int) -> tuple[list[Message], int]:
        found: list[Message] = []
        while page := await self._store.log.after(place, PAGE):
            found += page
            place = page[-1].seq
        return found, place

    async def _tell(self, messages: Sequence[Message]) -> None:
        if not await self._push.devices():
            return
        detail = await self._told.detail()
        redactor = Redactor(await self._told.secrets())
        for note in await self._notes(messages, detail, redactor):
            await self._push.send(note)
            self._last[note.trigger] = self._clock.monotonic()

    async def _notes(self, messages: Sequence[Message], detail: Detail, redactor: Redactor) -> list[Note]:
        notes: list[Note] = []
        asked = {str(m.body["questionId"]) for m in messages if trigger_of(m) == "question"}
        waiting = await self._questions.waiting() if asked else []
        if asked & {q.id for q in waiting}:  # unless they were answered meanwhile
            notes.append(question_note(waiting, detail, redactor.redact))
        drafts = [m for m in messages if trigger_of(m) == "draft"]
        if drafts:
            notes.append(draft_note(len(drafts), drafts[-1].text, detail, redactor.redact))
        if any(trigger_of(m) == "autostop" for m in messages):
            notes.append(autostop_note())
        return notes

    async def _keep(self, place: int) -> None:
        await self._store.database.write(lambda c: queries.put_place(c, place))
        self._kept = place
