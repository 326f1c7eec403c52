"""Questions and approvals: what only the owner can decide, asked, answered, put off, expired. Each step is a message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.core.ids import new_id
from prime.core.visible import is_blank
from prime.rooms.asked import queries
from prime.rooms.queries import ROOMS
from prime.rooms.records import HUB, OWNER, PRIME, Choice, Question, QuestionKind, QuestionStatus
from prime.store.leases import Lease
from prime.store.message import NewMessage
from prime.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question before it has been asked."""

    text: str
    channel_id: str = HUB
    kind: QuestionKind = "decision"
    context: str = ""
    necessity: float = 1.0
    reason: str = ""
    suggestions: Sequence[str] = ()
    # For an approval: the tool call that waits for a yes.
    call: Mapping[str, object] | None = None
    sources: Sequence[str] = ()
    # Further fields of the message's body, for whoever asks.
    more: Mapping[str, object] = field(default_factory=dict[str, object])


class Questions:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def ask(self, asking: Asking) -> Question:
        """Put a question to the owner."""
        question_id = new_id("q")
        await self._store.log.append(question_message(asking, question_id))
        return await self.get(question_id)

    async def get(self, question_id: str) -> Question:
        found = await self._store.projector.read(lambda c: queries.read_question(c, question_id), ROOMS)
        if found is None:
            raise NotFound(f"There is no question {question_id}.", questionId=question_id)
        return found

    async def page(
        self, *, before: int | None = None, limit: int = 50, status: QuestionStatus | None = None
    ) -> list[tuple[int, Question]]:
        """All questions or those of a status, newest first, each with its place for the next page."""
        return await self._store.projector.read(
            lambda c: queries.read_questions(c, before=before, limit=limit, status=status), ROOMS
        )

    async def waiting(self) -> list[Question]:
        """What waits for the owner now, oldest first."""
        now = self._clock.now_ms()
        return await self._store.projector.read(lambda c: queries.read_waiting_questions(c, now), ROOMS)

    async def unsettled(self) -> list[Question]:
        """What the owner has been asked and not answered, put off or not, oldest first."""
        return await self._store.projector.read(queries.read_unsettled_questions, ROOMS)

    async def settled(self, limit: int = 20) -> list[Question]:
        """Decisions that the owner took lately, newest first."""
        return await self._store.projector.read(lambda c: queries.read_settled_questions(c, limit), ROOMS)

    async def counts(self) -> tuple[int, int]:
        """How many decisions the owner was asked for, and how many of them they took; approvals of calls are not among them."""
        return await self._store.projector.read(queries.count_questions, ROOMS)

    async def answer(
        self,
        question_id: str,
        *,
        text: str | None = None,
        choice: Choice | None = None,
        pattern: str | None = None,
        beside: Sequence[NewMessage] = (),
    ) -> Question:
        """The owner's answer. The first one counts: a second, from another tab, is told so.

        `beside` is logged with it or not at all; each needs a key of its own.
        """
        question = await self.still_open(question_id)
        if question.kind == "approval" and choice is None:
            raise InvalidInput("An approval is answered with a choice.", hint="Send yes, no or always.", field="choice")
        if choice is None and is_blank(text or ""):
            raise InvalidInput("An answer needs a text or a choice.", field="text")
        answer = {"text": text, "choice": choice, "pattern": pattern}
        given = {key: value for key, value in answer.items() if value is not None}
        outcome = {"status": "answered", "answer": given}
        return await self._settle(question, outcome, text or choice or "", final=True, beside=beside)

    async def snooze(self, question_id: str, until_ms: int) -> Question:
        question = await self.still_open(question_id)
        if until_ms <= self._clock.now_ms():
            raise InvalidInput("A question can only be put off to a later time.", field="untilMs")
        return await self._settle(question, {"status": "snoozed", "until": until_ms}, "", final=False)

    async def bring_back(self, lease: Lease | None = None) -> None:
        """What was put off waits again once its time has come, and whoever listens is told."""
        now = self._clock.now_ms()
        due = await self._store.projector.read(lambda c: queries.read_put_off(c, now), ROOMS)
        back = [
            NewMessage(
                channel_id=question.channel_id,
                actor_id=PRIME,
                kind="answer",
                audience="hub",
                body={"questionId": question.id, "status": "pending"},
                sources=question.sources,
                idempotency_key=f"{question.id}/back/{question.snoozed_until}",
            )
            for question in due
        ]
        if back:
            await self._store.log.append(*back, lease=lease)

    async def expire(self, question_id: str) -> Question:
        """Nobody answered in time; for an approval that means no."""
        return await self._settle(await self.still_open(question_id), {"status": "expired"}, "", final=True)

    async def still_open(self, question_id: str) -> Question:
        """The question, as long as it is neither answered nor over."""
        question = await self.get(question_id)
        _refuse_settled(question)
        return question

    async def _settle(
        self,
        question: Question,
        outcome: Mapping[str, object],
        text: str,
        *,
        final: bool,
        beside: Sequence[NewMessage] = (),
    ) -> Question:
        message = settling_message(question, outcome, text, final=final)
        try:
            await self._store.log.append(message, *beside, also=queries.OnlyWith(message.id))
        except queries.NotLogged:  # somebody was first
            _refuse_settled(await self.get(question.id))
            raise
        return await self.get(question.id)


def question_message(asking: Asking, question_id: str, *, key: str | None = None) -> NewMessage:
    """The message that asks a question."""
    body: dict[str, object] = {
        "questionId": question_id,
        "kind": asking.kind,
        "context": asking.context,
        "necessity": asking.necessity,
        "reason": asking.reason,
        "suggestions": list(asking.suggestions),
        **asking.more,
    }
    if asking.call:
        body["call"] = dict(asking.call)
    return NewMessage(
        channel_id=asking.channel_id,
        actor_id=PRIME,
        kind="question",
        audience="hub",
        text=asking.text,
        body=body,
        sources=tuple(asking.sources),
        idempotency_key=key,
    )


def settling_message(question: Question, outcome: Mapping[str, object], text: str, *, final: bool) -> NewMessage:
    """The message that says what became of a question."""
    return NewMessage(
        channel_id=question.channel_id,
        actor_id=OWNER,
        kind="answer",
        audience="hub",
        text=text,
        body={"questionId": question.id, **outcome},
        # What ends a question names the message that asked it, so that it stays ended when its words are erased.
        sources=(question.message_id, *question.sources) if final else question.sources,
        # The key makes the first of two simultaneous answers the only one.
        idempotency_key=f"{question.id}/settled" if final else None,
    )


def _refuse_settled(question: Question) -> None:
    if question.status in {"answered", "expired"}:
        raise Conflict(
            f"This question is {question.status} already.",
            code="already_settled",
            hint="If it is still wanted, it has to be asked anew.",
            questionId=question.id,
            status=question.status,
        )
