"""One turn, driven: context, mind, log, tools, log, and again, until there are words or a reason to end."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from prime.core.errors import JsonValue, PrimeError
from prime.dialogs.context import Context
from prime.dialogs.dialogs import Dialogs
from prime.dialogs.turns.calls import NOT_KNOWN, Round
from prime.dialogs.turns.limits import TurnLimits
from prime.dialogs.turns.lines import lines_of
from prime.dialogs.turns.marks import ENDINGS, Ending
from prime.dialogs.turns.record import UNCERTAIN, TurnRecord
from prime.dialogs.turns.reply import Asked, said, words
from prime.dialogs.turns.state import LoggedCall, TurnState
from prime.dialogs.turns.streaming import Stream
from prime.dialogs.turns.toolbox import Offer, Toolbox
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.mind.protocol import Mind
from prime.rooms.briefs import held_back
from prime.rooms.clamp import Clamp
from prime.rooms.records import PRIME
from prime.rooms.views import View, observed_by
from prime.store.message import Message, NewMessage
from prime.store.store import Store
from prime.tools.pipeline import CallSession
from prime.tools.priming import PrimeRequest
from prime.tools.workshop import Workshop, make_folder

Result: TypeAlias = Literal["waiting", Ending]
Kept: TypeAlias = dict[str, Mapping[str, JsonValue]]


def _nothing() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Whose mind it is, and what it is told beside the channel's context."""

    mind: Mind
    role: str = ""
    facts: Mapping[str, str] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a turn for now. `text` is what was said, or why nothing was; `message_id` where it was said."""

    turn_id: str
    result: Result
    text: str = ""
    message_id: str | None = None
    question_ids: tuple[str, ...] = ()
    # What it failed of, where it did.
    error: PrimeError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnParts:
    """The parts that every turn works with."""

    store: Store
    dialogs: Dialogs
    workshop: Workshop
    toolbox: Toolbox
    limits: TurnLimits
    clamp: Clamp


class Driving:
    """A turn in the hands of this process. `kept` outlives it: arguments that the log does not hold as they are.

    Words that were streamed are part of the log only when the reply is; a reply that was cut off is kept as far as it came.
    """

    def __init__(self, parts: TurnParts, record: TurnRecord, session: CallSession, stream: Stream, kept: Kept) -> None:
        self._parts = parts
        self._record = record
        self._session = session
        self._stream = stream
        self._kept = kept
        # The words of the last reply, if it had any, as they were handed to the log.
        self._spoken: NewMessage | None = None

    @property
    def _state(self) -> TurnState:
        return self._record.state

    async def go(self, speaker: Speaker) -> Outcome:
        """Drive it until it ends or has to wait."""
        while True:
            view = await View.of(self._parts.store, self._state.turn.channel_id)
            if view.channel.closed or view.channel.course != self._state.turn.course:
                return await self.end("stopped", "The channel went on without this turn.")
            if self._state.unanswered:
                questions = await self._round()
                if questions:
                    return await self._wait(questions)
                continue
            used_up = self._parts.limits.reached(self._state)
            if used_up:
                return await self.end("limit", used_up)
            outcome = await self._step(view, speaker)
            if outcome is not None:
                return outcome

    @observed_by("prime.dialogs.turns.lines.latest")
    async def _step(self, view: View, speaker: Speaker) -> Outcome | None:
        """One request to the mind, and its reply in the log; the outcome when that was the last."""
        mind, turn = speaker.mind, self._state.turn
        self._stream.now("thinking", "")
        context = await self._parts.dialogs.prepare(turn.channel_id, mind.name, turn.agent_id)
        offer = await self._parts.toolbox.offer(view)
        reply = await mind.reply(await self._request(view, speaker, context, offer))
        named = tuple(replace(request, name=offer.name(request.name)) for request in reply.tool_requests)
        return await self._log(mind.name, context, replace(reply, tool_requests=named))

    @observed_by("prime.dialogs.turns.lines.latest")
    async def _request(self, view: View, speaker: Speaker, context: Context, offer: Offer) -> ReplyRequest:
        turn = self._state.turn
        cards = {card.id: card.name for card in await view.cards()}
        briefs = [await view.full_text(brief) for brief in await view.briefs()]
        return ReplyRequest(
            speaker=cards.get(turn.agent_id, turn.agent_id),
            channel_name=view.channel.name,
            tier=view.channel.tier,
            brief="\n\n".join(briefs),
            lines=await lines_of(view, turn.agent_id),
            role=speaker.role,
            facts=speaker.facts,
            conversation=context.conversation,
            tools=offer.definitions,
            on_words=self._stream.words,
            seed=turn.channel_id,
        )

    async def _log(self, model: str, context: Context, reply: Reply) -> Outcome | None:
        state = self._state
        asked = Asked(turn=state.turn, step=state.steps + 1, model=model, context=context, cause_id=self._cause)
        text, held = self._clamped(reply.text)
        reply = replace(reply, text=text)
        made = said(asked, reply, self._session)
        self._kept.update(made.kept)
        self._spoken = next((message for message in made.messages if message.kind == "text"), None)
        written = await self._record.write(*made.messages, *held)
        self._stream.now("calling" if reply.tool_requests else "ended", reply.text)
        if reply.tool_requests:
            return None
        spoken = next((message for message in written if message.kind == "text"), None)
        return self._outcome("said" if spoken else "silent", reply.text, spoken)

    async def _round(self) -> list[str]:
        """Run the calls of the last step; the questions that hold it up."""
        workshop, session = self._parts.workshop, self._session
        self._stream.now("calling")
        if not await workshop.sessions.is_primed(session.agent_id, session.session_id):
            await workshop.sessions.prime(PrimeRequest(agent_id=session.agent_id, session_id=session.session_id))
        if session.tier != "external":
            await asyncio.to_thread(make_folder, session.cwd)
        calls = Round(workshop.pipeline, workshop.catalog, session, self._record)
        return await calls.run(self._kept, self._parts.limits.calls)

    # --- coming to an end ---

    async def _wait(self, questions: Sequence[str]) -> Outcome:
        """Leave it until the owner has answered. Nothing is held meanwhile."""
        await self._record.write(self._record.marked("waiting", questionIds=list(questions)))
        self._stream.now("waiting", "")
        return self._outcome("waiting", question_ids=questions)

    async def end(self, result: Ending, text: str) -> Outcome:
        """End it for another reason than that all is said; calls that have no result get one."""
        record, phase = self._record, self._state.phase
        if phase in ENDINGS:
            # Its last word was on its way when it was interrupted, and the log has it.
            spoken = self._spoken
            self._stream.now("ended", spoken.text if spoken else "")
            return self._outcome(phase, spoken.text if spoken else text, spoken)
        left = [self._unrun(call) for call in self._state.unanswered]
        partly, held = self._clamped(self._stream.text if result in {"stopped", "limit"} else "")
        spoken = [words(self._state.turn, partly, self._cause, partial=True)] if partly.strip() else []
        await record.close(*left, *spoken, *held, record.marked("ended", text, outcome=result))
        self._stream.now("ended", "")
        return self._outcome(result, text)

    def let_go(self) -> None:
        """It has ended, waits, or is another's: whatever still runs for it is not heard any more."""
        self._stream.close()

    def _clamped(self, text: str) -> tuple[str, list[NewMessage]]:
        """Words as the channel may get them, and what the owner is told of the rest. Only Prime knows what lies above it."""
        turn = self._state.turn
        if turn.agent_id != PRIME or not self._session.tier:
            return text, []
        clamped = self._parts.clamp.apply(text, self._session.tier)
        if not clamped.removed:
            return text, []
        sources = (self._cause,) if self._cause else ()
        return clamped.text, [held_back(turn.channel_id, clamped.removed, sources, key=None)]

    def _unrun(self, call: LoggedCall) -> NewMessage:
        code, text = (UNCERTAIN, NOT_KNOWN) if call.started else ("not_run", "This call has not run.")
        return self._record.refusal(self._session, call, code, text)

    def _outcome(
        self,
        result: Result,
        text: str = "",
        spoken: Message | NewMessage | None = None,
        question_ids: Sequence[str] = (),
    ) -> Outcome:
        return Outcome(
            turn_id=self._state.turn.id,
            result=result,
            text=text,
            message_id=spoken.id if spoken else None,
            question_ids=tuple(question_ids),
        )

    @property
    def _cause(self) -> str:
        return str(self._state.began.body.get("causeId") or "")
