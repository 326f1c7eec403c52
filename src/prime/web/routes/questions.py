"""What waits for the owner."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from prime.hub.learning import OwnersAnswer
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import AnswerGiven, Page, QuestionShown, SnoozeGiven
from prime.web.parts import PartsNeeded
from prime.web.rule_models import Answered, RulePreviewGiven, RulePreviewShown, RuleShown

router = APIRouter(prefix="/api/questions", tags=["questions"])


@router.get("")
async def list_questions(
    parts: PartsNeeded,
    status: Literal["pending", "snoozed", "answered", "expired", "all"] = "all",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=64)] = None,
) -> Page[QuestionShown]:
    """With `status=pending` what waits now, oldest first; else those of a status or all of them, newest first."""
    if status == "pending":
        return Page(items=[QuestionShown.of(q) for q in await parts.questions.waiting()])
    wanted = None if status == "all" else status
    found = await parts.questions.page(before=decode_cursor(cursor), limit=limit, status=wanted)
    return Page(
        items=[QuestionShown.of(q) for _, q in found],
        next_cursor=encode_cursor(found[-1][0]) if len(found) == limit else None,
    )


@router.post("/{question_id}/answer")
async def answer(question_id: str, given: AnswerGiven, parts: PartsNeeded) -> Answered:
    """The owner's answer; the first one counts. It goes to the channels that asked, and becomes a rule if wanted:
    `makeRule` is the rule's text, or true to have it worded. Where no rule can be made of it, the answer is taken all the same,
    and the hub's room says why.
    """
    if given.choice == "always" and given.pattern:
        parts.workshop.approver.check_pattern(await parts.questions.get(question_id), given.pattern)
    answer = OwnersAnswer(text=given.text, choice=given.choice, pattern=given.pattern, make_rule=given.make_rule)
    question, rule = await parts.hub.answer(question_id, answer)
    return Answered(question=QuestionShown.of(question), rule=RuleShown.of(rule) if rule else None)


@router.post("/{question_id}/preview-rule")
async def preview_rule(question_id: str, given: RulePreviewGiven, parts: PartsNeeded) -> RulePreviewShown:
    """The rule as it would be learned, and what it would have settled so far. Changes nothing.

    `text` is the rule; without it, the rule is worded from `answer`, or from the answer that was given.
    """
    preview = await parts.hub.learning.preview(question_id, text=given.text, answer=given.answer)
    return RulePreviewShown.of(preview)


@router.post("/{question_id}/snooze")
async def snooze(question_id: str, given: SnoozeGiven, parts: PartsNeeded) -> QuestionShown:
    """Put it off until a time."""
    return QuestionShown.of(await parts.questions.snooze(question_id, given.until_ms))
