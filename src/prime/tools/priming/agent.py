"""The agent's side (D-DIR-2): prime a tool before its first use in a session, then keep to what it said."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from prime import __version__
from prime.core.clock import Clock
from prime.core.errors import JsonValue
from prime.core.rate import RateBucket
from prime.tools.priming.guidance import Guidance
from prime.tools.priming.request import PrimeRequest
from prime.tools.tool import Tool

_REMEMBERED = 1024
# A call waits this long for its turn; what would take longer is refused with the time to come back.
LONGEST_WAIT_S = 10.0


class Primer(Protocol):
    """Knows how tools of one kind are primed: by their command, by an MCP tool, by a document in their manifest."""

    def program(self, tool: Tool) -> str | None:
        """The name of the program that is primed for this tool; None when it has no `prime`."""
        ...

    async def prime(self, tool: Tool, request: PrimeRequest) -> JsonValue:
        """What it answers, unread."""
        ...


@dataclass(slots=True)
class _Known:
    guidance: Guidance
    bucket: RateBucket | None


class Directives:
    """What tools have said, by program and session, until it expires."""

    def __init__(self, primers: Sequence[Primer], clock: Clock, *, longest_wait_s: float = LONGEST_WAIT_S) -> None:
        self._primers = list(primers)
        self._clock = clock
        self._longest_wait_s = longest_wait_s
        self._known: OrderedDict[tuple[str, str, str], _Known] = OrderedDict()
        self._asking: dict[tuple[str, str, str], asyncio.Lock] = {}

    def add(self, primer: Primer) -> None:
        self._primers.append(primer)

    async def guidance(self, tool: Tool, agent_id: str, session_id: str) -> Guidance | None:
        """The tool's directives, asked for on first use and when they have expired. Takes no turn."""
        known = await self._ready(tool, agent_id, session_id)
        return known.guidance if known else None

    async def follow(self, tool: Tool, agent_id: str, session_id: str) -> list[str]:
        """Prime when needed and take a turn within the tool's rate limits; what the caller should be told.

        `RateLimited`, with the time to come back, when the wait would be long.
        """
        known = await self._ready(tool, agent_id, session_id)
        if known is None:
            return []
        if known.bucket is not None:
            await known.bucket.take("", max_wait=self._longest_wait_s)
        notes = known.guidance.warnings(__version__)
        if known.guidance.deprecates(tool):
            instead = ", ".join(known.guidance.preferred[:5])
            notes.append(f"{tool.name} is deprecated by its author." + (f" Prefer {instead}." if instead else ""))
        return notes

    async def _ready(self, tool: Tool, agent_id: str, session_id: str) -> _Known | None:
        primer, program = self._primer(tool)
        if primer is None or program is None or tool.command[-1:] == ("prime",):
            return None
        key = (program, agent_id, session_id)
        lock = self._asking.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                known = self._known.get(key)
                if known is None or self._expired(known.guidance):
                    known = self._keep(key, await self._prime(primer, program, tool, agent_id, session_id))
                return known
        finally:
            if not lock.locked():
                self._asking.pop(key, None)

    def _primer(self, tool: Tool) -> tuple[Primer | None, str | None]:
        for primer in self._primers:
            program = primer.program(tool)
            if program is not None:
                return primer, program
        return None, None

    async def _prime(self, primer: Primer, program: str, tool: Tool, agent_id: str, session_id: str) -> Guidance:
        request = PrimeRequest(agent_id=agent_id, session_id=session_id)
        return Guidance.from_json(program, await primer.prime(tool, request))

    def _keep(self, key: tuple[str, str, str], guidance: Guidance) -> _Known:
        before = self._known.get(key)
        # Priming again must not fill the bucket.
        same = before is not None and _limits(before.guidance) == _limits(guidance)
        known = _Known(guidance, before.bucket if before is not None and same else self._bucket(guidance))
        self._known[key] = known
        self._known.move_to_end(key)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return known

    def _bucket(self, guidance: Guidance) -> RateBucket | None:
        rate, burst = _limits(guidance)
        if rate is None:
            return None
        return RateBucket(clock=self._clock, per_second=rate / 60, burst=max(1.0, burst or 1.0))

    def _expired(self, guidance: Guidance) -> bool:
        return guidance.expires_at_ms is not None and guidance.expires_at_ms <= self._clock.now_ms()


def _limits(guidance: Guidance) -> tuple[float | None, float | None]:
    return guidance.requests_per_minute, guidance.burst
