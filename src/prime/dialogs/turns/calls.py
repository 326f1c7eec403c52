"""The tool calls of one step: at once where their effects allow it, in order where not, none of them twice."""

import asyncio
from collections.abc import Mapping, Sequence

from prime.core.canonical import canonical_json
from prime.core.errors import JsonValue, PrimeError
from prime.dialogs.turns.record import UNCERTAIN, TurnRecord
from prime.dialogs.turns.state import LoggedCall
from prime.store.leases import StaleLease
from prime.tools.atip.effect import Effects
from prime.tools.catalog import Catalog, UnknownTool
from prime.tools.execution.schedule import waits_for
from prime.tools.pipeline import ApprovalPending, CallSession, Pipeline, ToolCall

NOT_KNOWN = (
    "It is not known whether this call ran: Prime was ended in the middle of it. Look at what it did, if anything, "
    "before you make it again."
)
_LOST = "This call has not run: its arguments held a secret, and Prime was restarted before it could. Make it again."
_TOO_MANY = "This call has not run: one reply may make {most} calls. Make it again in the next step."

Kept = Mapping[str, Mapping[str, JsonValue]]


class Round:
    """Runs what a reply asked for."""

    def __init__(self, pipeline: Pipeline, catalog: Catalog, session: CallSession, record: TurnRecord) -> None:
        self._pipeline = pipeline
        self._catalog = catalog
        self._session = session
        self._record = record

    async def run(self, kept: Kept, most: int) -> list[str]:
        """Give every call of the step its result; the questions that it waits for, where the owner has to say yes first.

        `kept` are arguments that the log does not hold as they are.
        """
        await self._settle(kept, most)
        waiting: list[str] = []
        calls = self._record.state.unanswered
        blocked: set[int] = set()
        ended = [asyncio.Event() for _ in calls]

        async def one(place: int, before: frozenset[int]) -> None:
            try:
                for other in sorted(before):
                    await ended[other].wait()
                if blocked & before:
                    blocked.add(place)  # it stays in line behind the one that waits
                    return
                question = await self._call(calls[place], kept)
                if question is not None:
                    blocked.add(place)
                    waiting.append(question)
            finally:
                ended[place].set()

        done = await asyncio.gather(
            *(one(place, before) for place, before in enumerate(self._order(calls))), return_exceptions=True
        )
        for failed in done:
            if isinstance(failed, BaseException):
                raise failed
        return waiting

    async def _settle(self, kept: Kept, most: int) -> None:
        """What may have happened is not done again, and what cannot be done any more is said."""
        for place, call in enumerate(self._record.state.calls):
            if call.done:
                continue
            if call.started:
                await self._refuse(call, UNCERTAIN, NOT_KNOWN)
            elif place >= most:
                await self._refuse(call, "too_many_calls", _TOO_MANY.format(most=most))
            elif not call.whole and call.call_id not in kept:
                await self._refuse(call, "arguments_lost", _LOST)

    async def _refuse(self, call: LoggedCall, code: str, text: str) -> None:
        await self._record.write(self._record.refusal(self._session, call, code, text))

    async def _call(self, call: LoggedCall, kept: Kept) -> str | None:
        """Run one; the question that it waits for, if it does."""
        made = ToolCall(name=call.name, arguments=kept.get(call.call_id, call.arguments), id=call.call_id)
        try:
            await self._pipeline.call(made, self._session, log=self._record)
        except StaleLease:
            raise
        except ApprovalPending as pending:
            return str(pending.data.get("questionId"))
        except PrimeError:
            # A refusal is on record as the call's result; anything else, such as a log that cannot be written, is not.
            if any(left.call_id == call.call_id for left in self._record.state.unanswered):
                raise
        return None

    def _order(self, calls: Sequence[LoggedCall]) -> list[frozenset[int]]:
        """For each call those that must have ended before it: by their effects, and its own twins."""
        order = waits_for([self._effects(call) for call in calls])
        alike = [(call.name, canonical_json(dict(call.arguments))) for call in calls]
        return [
            frozenset({*before, *(other for other in range(place) if alike[other] == alike[place])})
            for place, before in enumerate(order)
        ]

    def _effects(self, call: LoggedCall) -> Effects:
        try:
            return self._catalog.get(call.name).effects
        except UnknownTool:
            return Effects()
