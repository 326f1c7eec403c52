"""Questions of the gateway to the owner, and waiting for their answer."""

import asyncio
import contextlib

from prime.core.clock import Clock
from prime.core.errors import Conflict, PrimeError
from prime.core.redaction import cut
from prime.core.visible import visible
from prime.rooms.questions import Asking, Questions
from prime.rooms.records import Question
from prime.store.store import Store

# What a question shows; where it is less than all, it says so.
_LONGEST = 16_000


class OwnerDesk:
    def __init__(self, store: Store, questions: Questions, clock: Clock) -> None:
        self._store = store
        self._questions = questions
        self._clock = clock
        self._leaving: set[asyncio.Task[None]] = set()

    async def ask(self, text: str, context: str, reason: str, suggestions: tuple[str, ...] = ("yes", "no")) -> Question:
        """What somebody else wrote is in `text` and `context`: nothing in it hides."""
        shown = cut(visible(context), _LONGEST)
        return await self._questions.ask(
            Asking(text=visible(text)[:500], context=shown, reason=reason[:500], suggestions=suggestions)
        )

    async def heard(
        self, text: str, context: str, reason: str, suggestions: tuple[str, ...] = ("yes", "no"), *, within_s: float
    ) -> Question:
        """Ask for somebody who waits, and wait with them. When they go, so does the question: nobody would hear the answer."""
        asking = asyncio.ensure_future(self.ask(text, context, reason, suggestions))
        try:
            return await self.answered((await asyncio.shield(asking)).id, within_s)
        except asyncio.CancelledError:
            self._leaving.add(leaving := asyncio.ensure_future(self._take_back(asking)))
            leaving.add_done_callback(self._leaving.discard)
            raise

    async def _take_back(self, asking: "asyncio.Future[Question]") -> None:
        with contextlib.suppress(PrimeError):  # the house may be closing
            await self.withdrawn((await asking).id)

    async def get(self, question_id: str) -> Question:
        return await self._questions.get(question_id)

    async def withdrawn(self, question_id: str, *, after_s: float = 0.0) -> bool:
        """Take a question back that has waited so long; whether it is out of the way, by this or because it was settled."""
        question = await self._questions.get(question_id)
        if question.status in {"answered", "expired"}:
            return True
        if self._clock.now_ms() - question.asked_at < after_s * 1000:
            return False
        await self._expired(question_id)
        return True

    async def answered(self, question_id: str, within_s: float | None = None) -> Question:
        """The question once it is answered or expired. After `within_s` it expires by itself."""
        until = None if within_s is None else self._clock.monotonic() + within_s
        while True:
            head = self._store.heads.head
            question = await self._questions.get(question_id)
            if question.status in {"answered", "expired"}:
                return question
            if until is not None and self._clock.monotonic() >= until:
                return await self._expired(question_id)
            await self._moved(head, None if until is None else until - self._clock.monotonic())

    async def _expired(self, question_id: str) -> Question:
        try:
            return await self._questions.expire(question_id)
        except Conflict:
            return await self._questions.get(question_id)

    async def _moved(self, head: int, left_s: float | None) -> None:
        waiting: list[asyncio.Task[int] | asyncio.Task[None]] = []
        waiting.append(asyncio.ensure_future(self._store.heads.wait_beyond(head)))
        if left_s is not None:
            waiting.append(asyncio.ensure_future(self._clock.sleep(left_s)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()


def said_yes(question: Question) -> bool:
    """Whether the answer is a yes, chosen or written."""
    if question.status != "answered":
        return False
    words = str(question.answer.get("text") or "").strip().casefold()
    return question.answer.get("choice") in {"yes", "always"} or words in {"yes", "y", "ok", "accept"}
