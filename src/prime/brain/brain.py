"""The brain as one part: memory derived from the log, and the jobs that keep it up."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from prime.brain.embeddings import Embeddings
from prime.brain.facts import ask as asking
from prime.brain.facts.extraction import Extraction
from prime.brain.facts.keys import parse_span
from prime.brain.facts.records import Fact, Span
from prime.brain.notes.fetching import Fetcher
from prime.brain.notes.notes import Notes
from prime.brain.reading.process import Reader
from prime.brain.recall import Found, recall, recall_from
from prime.brain.state.ask import state
from prime.brain.state.consolidation import Consolidation
from prime.brain.state.queries import State
from prime.brain.thinking import Thinker
from prime.core.clock import Clock
from prime.core.errors import PrimeError, Unavailable
from prime.rooms.views import View, observed_by
from prime.store.heads import LEISURE_SECONDS
from prime.store.projector import behind_will_do
from prime.store.store import Store

log = logging.getLogger(__name__)

_RETRY_S = 30.0
_LONGEST_RETRY_S = 3_600.0
# The code of an error that the spend guard raises.
_CAPPED = "spend_stopped"


class Brain:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        thinker: Thinker,
        reader: Reader,
        fetcher: Fetcher | None = None,
        embeddings: Embeddings | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._thinker = thinker
        self._fetcher = fetcher
        self._embeddings = embeddings
        self.notes = Notes(store, reader, thinker, fetcher)
        self.extraction = Extraction(store, clock, thinker)
        self._consolidation = Consolidation(store, clock, thinker)
        self._tasks: list[asyncio.Task[object]] = []

    def start(self) -> None:
        """Follow the log; what a crash left undone is done first."""
        jobs: dict[str, Callable[[], Awaitable[int | None]]] = {
            "notes": self.notes.catch_up,
            "facts": self.extraction.catch_up,
            "state": self._consolidation.catch_up,
        }
        for name, job in jobs.items():
            self._tasks.append(asyncio.create_task(self._follow(job), name=f"prime-brain-{name}"))
        if self._embeddings is not None:
            loading = asyncio.to_thread(self._embeddings.loaded)
            self._tasks.append(asyncio.create_task(loading, name="prime-brain-embeddings"))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()
        if self._fetcher is not None:
            await self._fetcher.aclose()

    # --- what was said ---

    async def recall(self, query: str, *, limit: int = 20, cursor: int | None = None) -> Found:
        """Search everything, as the owner."""
        return await recall(self._store, query, limit=limit, cursor=cursor, embeddings=self._embeddings)

    @observed_by("prime.brain.recall.ask.recalled")
    async def recall_from(self, view: View, query: str, *, limit: int = 20, cursor: int | None = None) -> Found:
        """Search as somebody in the view's channel."""
        return await recall_from(view, query, limit=limit, cursor=cursor, embeddings=self._embeddings)

    # --- what is known ---

    async def facts(self, subject: str, *, at: str | None = None, as_of: str | None = None) -> list[Fact]:
        """What holds of a subject now, or in the time `at` names; as it was known at `as_of`."""
        now = self._clock.now_ms()
        span = parse_span(at, "at") if at else Span(now, now)
        await self._read_everything()
        return await asking.facts(self._store, subject, at=span, as_of=as_of)

    async def timeline(self, subject: str, *, as_of: str | None = None) -> list[Fact]:
        """Everything that was ever so of a subject, oldest first."""
        await self._read_everything()
        return await asking.timeline(self._store, subject, as_of=as_of)

    async def state(self, channel_id: str, version: int | None = None) -> State | None:
        """A channel's summary, the newest or one of its versions; None when there is none yet."""
        return await state(self._store, channel_id, version)

    async def consolidate(self, channel_id: str) -> State | None:
        """Settle a channel's facts and summary now: at auto-stop, or when somebody asks."""
        await self.extraction.catch_up(everything=True)
        return await self._consolidation.consolidate(channel_id)

    async def _read_everything(self) -> None:
        """With a mind that costs nothing an answer includes what was said a moment ago."""
        if not self._thinker.free:
            return
        try:
            await self.extraction.catch_up(everything=True)
        except Unavailable:  # a disk that takes nothing: what is known can still be shown
            if not behind_will_do():
                raise

    # --- the jobs ---

    async def _follow(self, job: Callable[[], Awaitable[int | None]]) -> None:
        failures = 0
        while True:
            head = self._store.heads.head
            try:
                wait = await job()
            except PrimeError as error:  # a cap, a mind or a database that is away: later
                log.info("the brain waits: %s", error)
                # What a cap refuses has cost nothing; each try with a mind that is away counts as requests to it.
                failures = 0 if error.error_code == _CAPPED else failures + 1
                await self._rest(_back_off(failures))
            except Exception:  # one odd message must not end what keeps all others up
                log.exception("a job of the brain failed; trying again")
                failures += 1
                await self._rest(_back_off(failures))
            else:
                failures = 0
                await self._moved_or(head, None if wait is None else wait / 1000)

    async def _moved_or(self, head: int, pause: float | None) -> None:
        """Wait for the next message, or until the pause is over."""
        waits = [asyncio.ensure_future(self._store.heads.past_burst(head, moment=LEISURE_SECONDS))]
        if pause is not None:
            waits.append(asyncio.ensure_future(self._rest(pause)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _rest(self, seconds: float) -> int:
        await self._clock.sleep(seconds)
        return 0


def _back_off(failures: int) -> float:
    """Seconds until a job is tried again, whatever is said meanwhile."""
    return min(_RETRY_S * 2 ** min(max(failures - 1, 0), 20), _LONGEST_RETRY_S)
