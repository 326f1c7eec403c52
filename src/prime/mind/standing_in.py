"""A model with the offline engine behind it: a job that the model cannot do is done by the engine, which says so.

Only for what trying again would not mend: answers that make no sense, and requests that the model does not take. A model that
is away is waited for, as before.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from prime.core.clock import Clock, SystemClock
from prime.core.errors import PrimeError, TimedOut
from prime.mind.jobs.judging import Judgements, JudgeRequest, RuleRequest
from prime.mind.jobs.keeping import DescribeRequest, DraftRequest, Extraction, Picture, PictureRequest, Written
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.mind.model.errors import ModelNonsense, ModelRefused
from prime.mind.model.sense import is_sentence, plan_fits, says_back, speaks_of
from prime.mind.protocol import Mind

# After so many failures in a row the model is not asked for that kind of job for a while: each costs requests and minutes.
IN_A_ROW = 3
REST_MS = 15 * 60_000
_UNFIT = (ModelNonsense, ModelRefused, TimedOut)
_LONGEST_RULE = 300
_HAN = re.compile(r"[\u4e00-\u9fff]")

T = TypeVar("T")


class _Resting(ModelNonsense):
    """The model is not asked for this at the moment."""


class StandingIn:
    """`told` hears what the engine did in the model's place, in one sentence for the status."""

    def __init__(
        self, model: Mind, engine: Mind, told: Callable[[str], None] = lambda _: None, clock: Clock | None = None
    ) -> None:
        self._model = model
        self._engine = engine
        self._told = told
        self._clock = clock or SystemClock()
        self._in_a_row: Counter[str] = Counter()
        self._rests_until: dict[str, int] = {}
        self._done: Counter[str] = Counter()

    @property
    def name(self) -> str:
        return self._model.name

    async def plan(self, request: PlanRequest) -> Plan:
        try:
            return await self._ask("plan", lambda: self._plan(request))
        except _UNFIT as error:
            made = await self._engine.plan(request)
            return replace(made, words=f"{made.words} {self._instead('plan', error, request.wish)}".strip())

    async def reply(self, request: ReplyRequest) -> Reply:
        try:
            return await self._ask("reply", lambda: self._model.reply(request))
        except (ModelNonsense, ModelRefused) as error:
            said = await self._engine.reply(request)
            return replace(said, thought=self._instead("reply", error, said.text))

    async def judge(self, request: JudgeRequest) -> Judgements:
        try:
            return await self._ask("judge", lambda: self._model.judge(request))
        except _UNFIT as error:
            made = await self._engine.judge(request)
            why = self._instead("judge", error)
            return replace(made, items=tuple(replace(each, reason=f"{each.reason}. {why}") for each in made.items))

    async def distill_rule(self, request: RuleRequest) -> Written:
        """The owner has answered already: whatever keeps the model from wording a rule, there is one."""
        try:
            return await self._ask("rule", lambda: self._rule(request))
        except PrimeError as error:
            self._instead("rule", error)
            return await self._engine.distill_rule(request)

    async def extract(self, lines: Sequence[Line], *, today: str = "") -> Extraction:
        try:
            return await self._ask("extract", lambda: self._model.extract(lines, today=today))
        except _UNFIT as error:
            self._instead("extract", error)
            return await self._engine.extract(lines, today=today)

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written:
        return await self._written(
            "consolidate",
            lambda: self._model.consolidate(lines, before=before),
            lambda: self._engine.consolidate(lines, before=before),
        )

    async def describe(self, request: DescribeRequest) -> Written:
        return await self._written(
            "describe", lambda: self._model.describe(request), lambda: self._engine.describe(request)
        )

    async def draft(self, request: DraftRequest) -> Written:
        """Words in the owner's name are the model's or nobody's."""
        return await self._model.draft(request)

    async def picture(self, request: PictureRequest) -> Picture | None:
        return await self._model.picture(request)

    async def close(self) -> None:
        close = getattr(self._model, "close", None)
        if close is not None:
            await close()

    async def _plan(self, request: PlanRequest) -> Plan:
        """The model's plan, unless it is one that nobody can have meant: a form can be filled with anything."""
        plan = await self._model.plan(request)
        if not (plan_fits(plan, request.wish) if plan.channels else await self._is_answer(plan, request)):
            raise ModelNonsense(f"{self.name} planned something that does not fit what was asked.")
        return plan

    async def _is_answer(self, plan: Plan, request: PlanRequest) -> bool:
        """Whether words alone are enough: not a word or two, not the wish said back, and to a plain project only a question."""
        expected = await self._engine.plan(request)
        if not expected.channels:
            return True
        asks_back = "?" in plan.words or "？" in plan.words
        known = expected.aims.get("archetype") not in {None, "general"}
        meant_so = is_sentence(plan.words) and not says_back(plan.words, request.wish)
        return meant_so and (asks_back or not known or bool(request.channels))

    async def _rule(self, request: RuleRequest) -> Written:
        written = await self._model.distill_rule(request)
        rule = written.text.strip().strip('"“”').strip()
        if not speaks_of(rule, f"{request.question} {request.answer}") or len(rule) > _LONGEST_RULE or "\n" in rule:
            raise ModelNonsense(f"{self.name} wrote no rule of one sentence.", hint="Word it yourself.")
        return replace(written, text=rule)

    async def _written(
        self, job: str, by_model: Callable[[], Awaitable[Written]], by_engine: Callable[[], Awaitable[Written]]
    ) -> Written:
        try:
            written = await self._ask(job, by_model)
        except _UNFIT as error:
            self._instead(job, error)
            return await by_engine()
        return written if written.text else await by_engine()

    async def _ask(self, job: str, ask: Callable[[], Awaitable[T]]) -> T:
        if self._rests_until.get(job, 0) > self._clock.now_ms():
            raise _Resting(f"{self.name} is not asked for this at the moment; it failed {IN_A_ROW} times in a row.")
        try:
            answer = await ask()
        except _UNFIT:
            self._in_a_row[job] += 1
            if self._in_a_row[job] >= IN_A_ROW:
                self._in_a_row[job] = 0
                self._rests_until[job] = self._clock.now_ms() + REST_MS
            raise
        self._in_a_row[job] = 0
        return answer

    def _instead(self, job: str, error: PrimeError, language_of: str = "") -> str:
        """Say it: to the status, and as a sentence for whoever reads the result."""
        self._done[job] += 1
        jobs = ", ".join(f"{name} {times}" for name, times in sorted(self._done.items()))
        self._told(f"Prime's own engine stood in for it ({jobs}). The last reason: {error}")
        if _HAN.search(language_of):
            return f"（{self.name} 没能完成这一步，由 Prime 自带的引擎代做。）"
        return f"({self.name} could not do this; Prime's own engine did it instead.)"
