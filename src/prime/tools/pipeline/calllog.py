"""What the pipeline asks of whoever keeps its record. The real one is `stored.StoreCallLog`."""

from dataclasses import dataclass
from typing import Protocol

from prime.tools.pipeline.call import CallSession, ToolCall, ToolResult


class CallLog(Protocol):
    def expect(self, call: ToolCall, session: CallSession) -> None:
        """It runs at this moment and is put on record with its result: what can be written down already may be."""
        ...

    async def begin(self, call: ToolCall, session: CallSession) -> str:
        """Record that the call is about to be asked about or run; the record's name, when it is durable."""
        ...

    async def starting(self, call: ToolCall, session: CallSession) -> None:
        """It runs next, and it may change something: from here on nobody can say that it did not happen."""
        ...

    async def end(self, call: ToolCall, session: CallSession, result: ToolResult, begun: str | None) -> None:
        """Record what became of it; with `begun` None the call itself too."""
        ...


@dataclass(frozen=True, slots=True)
class Recorded:
    call: ToolCall
    session: CallSession
    result: ToolResult | None


class CallsInMemory:
    """A record for as long as the process lives."""

    def __init__(self) -> None:
        self.entries: list[Recorded] = []

    def expect(self, call: ToolCall, session: CallSession) -> None:
        """Nothing here takes time."""

    async def begin(self, call: ToolCall, session: CallSession) -> str:
        self.entries.append(Recorded(call, session, None))
        return call.id

    async def starting(self, call: ToolCall, session: CallSession) -> None:
        """What is gone with the process needs no such mark."""

    async def end(self, call: ToolCall, session: CallSession, result: ToolResult, begun: str | None) -> None:
        if begun is None:
            self.entries.append(Recorded(call, session, None))
        self.entries.append(Recorded(call, session, result))
