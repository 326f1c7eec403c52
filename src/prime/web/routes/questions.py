"""What waits for the owner."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import Answered, AnswerGiven, Page, QuestionShown, SnoozeGiven
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/questions", tags=["questions"])


@router.get("")
async def list_questions(
    parts: PartsNeeded,
    status: Literal["pending", "all"] = "all",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=64)] = None,
) -> Page[QuestionShown]:
    """With `status=pending` what waits now, oldest first; else all of them, newest first."""
    if status == "pending":
        return Page(items=[QuestionShown.of(q) for q in await parts.questions.waiting()])
    found = await parts.questions.page(before=decode_cursor(cursor), limit=limit)
    return Page(
        items=[QuestionShown.of(q) for _, q in found],
        next_cursor=encode_cursor(found[-1][0]) if len(found) == limit else None,
    )


@router.post("/{question_id}/answer")
async def answer(question_id: str, given: AnswerGiven, parts: PartsNeeded) -> Answered:
    """The owner's answer; the first one counts."""
    if given.choice == "always" and given.pattern:
        parts.workshop.approver.check_pattern(await parts.questions.get(question_id), given.pattern)
    question = await parts.questions.answer(question_id, text=given.text, choice=given.choice, pattern=given.pattern)
    return Answered(question=QuestionShown.of(question))


@router.post("/{question_id}/snooze")
async def snooze(question_id: str, given: SnoozeGiven, parts: PartsNeeded) -> QuestionShown:
    """Put it off until a time."""
    return QuestionShown.of(await parts.questions.snooze(question_id, given.until_ms))
