"""The mind of a fresh machine: each job is a module of its own beside this one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from prime.mind.jobs.judging import Judgements, JudgeRequest, RuleRequest
from prime.mind.jobs.keeping import DescribeRequest, DraftRequest, Extraction, Picture, PictureRequest, Written
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.mind.offline.facts.extracting import statements_in
from prime.mind.offline.judging.drawing import drawn
from prime.mind.offline.judging.judging import judged
from prime.mind.offline.judging.rules import distilled
from prime.mind.offline.judging.summarising import summary
from prime.mind.offline.library.archetypes import Library
from prime.mind.offline.talk.describing import description
from prime.mind.offline.talk.drafting import drafted
from prime.mind.offline.talk.talk import plain_reply
from prime.mind.offline.talk.walking import walk_on
from prime.mind.offline.wishes.planner import plan
from prime.mind.offline.words.hearing import READING, heard, heard_lines
from prime.mind.precedent import precedent


class OfflineMind:
    """The default mind of a fresh machine. `archetypes` are folders with the owner's own archetypes."""

    name = "offline"

    def __init__(self, *archetypes: Path) -> None:
        self.library = Library(archetypes)

    async def plan(self, request: PlanRequest) -> Plan:
        request = replace(request, wish=heard(request.wish), lines=heard_lines(request.lines))
        return plan(request, self.library)

    async def reply(self, request: ReplyRequest) -> Reply:
        """In a channel that was planned, its next beat; anywhere else, plain talk."""
        request = replace(request, lines=heard_lines(request.lines))
        text = walk_on(request, self.library) if request.facts.get("archetype") else plain_reply(request.lines)
        if text and request.on_words:
            request.on_words(text)
        return Reply(text=text)

    async def judge(self, request: JudgeRequest) -> Judgements:
        lines, before, elsewhere = map(heard_lines, (request.lines, request.before, request.elsewhere))
        return Judgements(items=judged(replace(request, lines=lines, before=before, elsewhere=elsewhere)))

    async def distill_rule(self, request: RuleRequest) -> Written:
        question, answer, context, place = map(
            heard, (request.question, request.answer, request.context, request.place)
        )
        return Written(text=distilled(RuleRequest(question=question, answer=answer, context=context, place=place)))

    async def extract(self, lines: Sequence[Line], *, today: str = "") -> Extraction:
        return Extraction(statements=statements_in(heard_lines(lines, READING), today))

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written:
        return Written(text=summary(heard_lines(lines, READING), before))

    async def describe(self, request: DescribeRequest) -> Written:
        return Written(text=description(request))

    async def draft(self, request: DraftRequest) -> Written:
        request = replace(request, lines=heard_lines(request.lines))
        return Written(text=precedent(request.lines) or drafted(request))

    async def picture(self, request: PictureRequest) -> Picture | None:
        return drawn(request)
