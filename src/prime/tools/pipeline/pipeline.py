"""Every tool call goes this way: find, prime, check, ask, run, filter, log (DESIGN, "The tool pipeline")."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prime.core.clock import Clock
from prime.core.errors import JsonValue, PrimeError
from prime.tools.pipeline.approving import Approval
from prime.tools.pipeline.binding import words_of
from prime.tools.pipeline.call import CallSession, ToolCall, ToolResult
from prime.tools.pipeline.calllog import CallLog
from prime.tools.pipeline.check import Check
from prime.tools.pipeline.costs import BudgetLeft, without_sums
from prime.tools.pipeline.failing import failed, reason, with_next_step
from prime.tools.pipeline.stages import Ask, Briefed, Filter, Find, Primed, Run
from prime.tools.policy import Decision
from prime.tools.runtime import RawResult
from prime.tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    find: Find
    primed: Primed
    check: Check
    briefed: Briefed
    ask: Ask
    run: Run
    filter: Filter


class Pipeline:
    """Calls tools. A refusal is raised as a `PrimeError` with code and next step; a tool that fails is a result."""

    def __init__(self, stages: Stages, log: CallLog, clock: Clock) -> None:
        self._stages = stages
        self._log = log
        self._clock = clock

    async def call(self, call: ToolCall, session: CallSession, *, log: CallLog | None = None) -> ToolResult:
        """One call from its name to its logged result. `log`: who keeps the record of this call instead."""
        way = _Way(log or self._log, call, session, self._clock.monotonic())
        try:
            result = await self._go(way)
        except PrimeError as error:
            refusal = with_next_step(without_sums(error, session.tier))
            await way.end(self._refused(way, refusal))
            if refusal is error:
                raise
            raise refusal from error
        except asyncio.CancelledError:
            await asyncio.shield(way.end(self._refused(way, _gone(way))))
            raise
        await way.end(result)
        return result

    async def preview(self, call: ToolCall, session: CallSession) -> tuple[tuple[str, ...], Decision]:
        """The words that a call would run and what is decided about it, without making it. A refusal is raised."""
        tool = self._stages.find.tool(call, session)
        await self._stages.check.look(tool)
        return words_of(tool, call.arguments), self._stages.check.judge(tool, call, session)

    async def budget(self) -> BudgetLeft | None:
        """What billable calls may still cost; None without a budget. A policy that cannot be read is raised."""
        return await self._stages.check.left()

    async def permit(self, tool: Tool, call: ToolCall, session: CallSession) -> None:
        """Judge and ask about something that is run elsewhere, such as a builder's program. A refusal is raised."""
        check, ask = self._stages.check, self._stages.ask
        await check.look(tool)
        approval = await ask.permit(tool, call, session, check.judge(tool, call, session))
        if approval is not None:
            await ask.use(approval, session)
        await check.charge(tool, call)

    async def _go(self, way: "_Way") -> ToolResult:
        call, session, stages = way.call, way.session, self._stages
        tool = stages.find.tool(call, session)
        directives = await stages.primed.require(tool, session)
        await stages.check.look(tool)
        decision = stages.check.judge(tool, call, session)
        notes = await stages.briefed.follow(tool, session)
        harmless = _harmless(tool, decision)
        await way.begin(later=harmless)
        way.approval = await stages.ask.permit(tool, call, session, decision)
        if not harmless:
            await way.starting()
        raw, failure = await self._ran(tool, way)
        clean = await stages.filter.clean(tool, raw)
        # After the result: by now the filter knows every secret.
        error = None if failure is None else reason(failure, stages.filter.text)
        left = await stages.check.left(tool) if session.tier == "team" else None
        return self._told(way, clean, [*notes, *([str(left)] if left else [])], directives, error)

    async def _ran(self, tool: Tool, way: "_Way") -> tuple[RawResult, PrimeError | None]:
        """What the tool gave; its failure, once it runs, is a result like another."""
        try:
            return await self._stages.run.run(tool, way.call, way.session, way.approval), None
        except PrimeError as error:
            if error.error_code in _NOT_RUN:
                raise
            return failed(with_next_step(error)), error

    def _told(
        self,
        way: "_Way",
        raw: RawResult,
        notes: Sequence[str],
        directives: Mapping[str, JsonValue] | None,
        error: Mapping[str, JsonValue] | None,
    ) -> ToolResult:
        return ToolResult(
            call_id=way.call.id,
            tool=way.call.name,
            content=raw.content,
            is_error=raw.is_error,
            structured=raw.structured,
            exit_code=raw.exit_code,
            bytes_out=raw.bytes_out,
            duration_ms=self._since(way),
            log=raw.log,
            approved_by=way.approval.by if way.approval else None,
            notes=tuple(notes),
            directives=directives,
            error=error,
        )

    def _refused(self, way: "_Way", error: PrimeError) -> ToolResult:
        text = self._stages.filter.text(str(error))
        return ToolResult(
            call_id=way.call.id,
            tool=way.call.name,
            content=({"type": "text", "text": text},),
            is_error=True,
            duration_ms=self._since(way),
            approved_by=way.approval.by if way.approval else None,
            error={"code": error.error_code, "message": self._stages.filter.text(error.message)},
        )

    def _since(self, way: "_Way") -> int:
        return round((self._clock.monotonic() - way.started) * 1000)


# What is over sooner is put on record once, with its result: two commits cost more than most such calls.
LATER_S = 0.2
# Raised by the run stage before anything ran.
_NOT_RUN = frozenset({"approval_stale", "budget_exceeded", "no_runtime", "unknown_tool"})


class _Way:
    """One call on its way, and how much of it is on record."""

    def __init__(self, log: CallLog, call: ToolCall, session: CallSession, started: float) -> None:
        self.call = call
        self.session = session
        self.started = started
        self.approval: Approval | None = None
        self.started_to_run = False
        self._log = log
        self._beginning: asyncio.Future[str] | None = None
        self._waiting: asyncio.TimerHandle | None = None
        self._expecting: asyncio.Handle | None = None

    async def begin(self, *, later: bool) -> None:
        """Put the call on record before anything else happens; `later`: only if it takes a while, else with its result."""
        if later:
            loop = asyncio.get_running_loop()
            self._waiting = loop.call_later(LATER_S, self._begin)
            # While the program starts there is time for it, after it ended somebody waits.
            self._expecting = loop.call_soon(self._log.expect, self.call, self.session)
        else:
            await asyncio.shield(self._begin())

    def _begin(self) -> "asyncio.Future[str]":
        self._beginning = asyncio.ensure_future(self._log.begin(self.call, self.session))
        return self._beginning

    async def starting(self) -> None:
        self.started_to_run = True
        await self._log.starting(self.call, self.session)

    async def end(self, result: ToolResult) -> None:
        for planned in (self._waiting, self._expecting):
            if planned is not None:
                planned.cancel()
        begun = None if self._beginning is None else await self._beginning
        await self._log.end(self.call, self.session, result, begun)


def _gone(way: _Way) -> PrimeError:
    if way.started_to_run:
        hint = "Look at what it did before repeating it."
        return PrimeError("The call was broken off while it ran.", code="cancelled", hint=hint)
    hint = "Make it again if it is still wanted."
    return PrimeError("The call was broken off before it changed anything.", code="cancelled", hint=hint)


def _harmless(tool: Tool, decision: Decision) -> bool:
    """Whether it may run before it is on record: it changes nothing, so nothing can be in doubt."""
    return decision.allowed and tool.effects.read_only and tool.effects.subprocess is False
