"""What a mind does, with typed inputs and outputs. One call is at most one request to a model.

Tool calls come back to the caller, whose loop sends them through the tool pipeline; a mind runs nothing itself. What a mind is
shown is what its caller may see: it keeps nothing between two calls.
"""

from collections.abc import Sequence
from typing import Protocol

from prime.mind.jobs.judging import Judgements, JudgeRequest, RuleRequest
from prime.mind.jobs.keeping import DescribeRequest, DraftRequest, Extraction, Picture, PictureRequest, Written
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.jobs.speaking import Reply, ReplyRequest


class Mind(Protocol):
    """The jobs of a mind."""

    @property
    def name(self) -> str:
        """How the status strip calls it: `offline`, or `provider:model`."""
        ...

    async def plan(self, request: PlanRequest) -> Plan: ...

    async def reply(self, request: ReplyRequest) -> Reply: ...

    async def judge(self, request: JudgeRequest) -> Judgements: ...

    async def distill_rule(self, request: RuleRequest) -> Written: ...

    async def extract(self, lines: Sequence[Line], *, today: str = "") -> Extraction: ...

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written: ...

    async def describe(self, request: DescribeRequest) -> Written: ...

    async def draft(self, request: DraftRequest) -> Written: ...

    async def picture(self, request: PictureRequest) -> Picture | None:
        """A work image, or None where nothing is worth drawing or the mind cannot draw."""
        ...
