"""The turn's pen: everything that a turn writes goes through here, under the lease that lets one process drive a channel."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from prime.core.errors import JsonValue
from prime.dialogs.turns.marks import Step, mark
from prime.dialogs.turns.state import LoggedCall, TurnState
from prime.store.leases import Lease
from prime.store.message import Message, NewMessage
from prime.store.store import Store
from prime.tools.pipeline import CallSession, ToolCall, ToolResult
from prime.tools.pipeline.stored import ended

UNCERTAIN = "uncertain"
_PENDING = "approval_pending"


class TurnRecord:
    """Writes messages of one turn and keeps its state with them. It is the pipeline's `CallLog` for the turn's calls."""

    def __init__(self, store: Store, state: TurnState, lease: Lease) -> None:
        self._store = store
        self._lease = lease
        self._closed = False
        self.state = state

    async def write(self, *messages: NewMessage) -> list[Message]:
        """Append them, all or none; `StaleLease` when another process drives the channel by now.

        Whoever is told to stop meanwhile stops when they are there: what is on its way cannot be called back.
        """
        if self._closed:
            raise asyncio.CancelledError  # it was told so before and did not listen: the turn has ended without it
        return await self._append(messages)

    def marked(self, step: Step, text: str = "", **more: object) -> NewMessage:
        """A mark of this turn, to be written with others."""
        turn = self.state.turn
        return mark(turn.id, turn.channel_id, turn.agent_id, step, course=turn.course, text=text, **more)

    async def close(self, *last: NewMessage) -> None:
        """Write the last of it, and let nothing of what is still under way write into a turn that was interrupted."""
        self._closed = True
        await self._append(last)

    async def _append(self, messages: Sequence[NewMessage]) -> list[Message]:
        writing = asyncio.ensure_future(self._store.log.append(*messages, lease=self._lease))
        try:
            written = await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait({writing})
            if not writing.cancelled() and writing.exception() is None:
                self.state.hear(writing.result())
            raise
        self.state.hear(written)
        return written

    # --- for the pipeline ---

    def expect(self, call: ToolCall, session: CallSession) -> None:
        """There is nothing left to write down."""

    async def begin(self, call: ToolCall, session: CallSession) -> str:
        """The call was written down with the reply that made it."""
        return self._of(call.id).message_id

    async def starting(self, call: ToolCall, session: CallSession) -> None:
        await self.write(self.marked("starting", callId=call.id))

    async def end(self, call: ToolCall, session: CallSession, result: ToolResult, begun: str | None) -> None:
        """A call that waits for the owner has not ended."""
        pending = result.error is not None and result.error.get("code") == _PENDING
        if not self._closed and not pending:
            await self.write(self.result(session, result))

    # --- for the turn itself ---

    def result(self, session: CallSession, result: ToolResult) -> NewMessage:
        message = ended(session, result, self._of(result.call_id).message_id)
        return replace(message, body={**message.body, "turnId": self.state.turn.id})

    def refusal(self, session: CallSession, call: LoggedCall, code: str, text: str) -> NewMessage:
        """The result of a call that Prime itself did not, or does not again, let run."""
        error: dict[str, JsonValue] = {"code": code, "message": text}
        content: dict[str, JsonValue] = {"type": "text", "text": text}
        return self.result(
            session,
            ToolResult(call_id=call.call_id, tool=call.name, content=(content,), is_error=True, error=error),
        )

    def _of(self, call_id: str) -> LoggedCall:
        return next(call for call in self.state.calls if call.call_id == call_id)
