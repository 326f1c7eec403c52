"""What a notification says. How much of it is the owner's choice: a lock screen is read by others, too."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prime.core.redaction import cut
from prime.rooms.records import Question

Trigger = Literal["question", "draft", "autostop", "test"]
Detail = Literal["waiting", "full"]
Urgency = Literal["normal", "high"]

MAX_BODY = 1200  # bytes; push services take 4096 in all, encrypted
MAX_ACTION = 40
MOST_ACTIONS = 2  # what browsers show

DAY = 24 * 60 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A button; `answer` is what the page sends to `/api/questions/{id}/answer` when it is pressed."""

    action: str
    title: str
    answer: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    trigger: Trigger
    title: str
    body: str
    # A path of the page.
    url: str
    question_id: str | None = None
    actions: Sequence[Action] = ()
    # How many wait.
    count: int = 1
    urgency: Urgency = "high"
    ttl: int = field(default=DAY)

    def as_json(self) -> dict[str, object]:
        """The payload, as the service worker gets it."""
        return {
            "kind": self.trigger,
            "title": self.title,
            "body": self.body,
            "url": self.url,
            "questionId": self.question_id,
            "actions": [{"action": a.action, "title": a.title, "answer": dict(a.answer)} for a in self.actions],
            "count": self.count,
            "tag": f"prime-{self.trigger}",
        }


def question_note(waiting: Sequence[Question], detail: Detail, redact: Callable[[str], str]) -> Note:
    """For questions that wait, the newest last."""
    newest = waiting[-1]
    count = len(waiting)
    said = "A question waits for you." if count == 1 else f"{count} questions wait for you."
    if detail == "waiting":
        question_id = newest.id if count == 1 else None
        return Note(
            trigger="question", title="Prime", body=said, url=_at(question_id), question_id=question_id, count=count
        )
    return Note(
        trigger="question",
        title="Prime asks" if count == 1 else f"Prime asks ({count} wait)",
        body=cut(redact(newest.text), MAX_BODY),
        url=_at(newest.id),
        question_id=newest.id,
        actions=_actions(newest, redact),
        count=count,
    )


def draft_note(count: int, text: str, detail: Detail, redact: Callable[[str], str]) -> Note:
    said = "A draft waits for your yes." if count == 1 else f"{count} drafts wait for your yes."
    full = detail == "full" and count == 1 and text
    return Note(
        trigger="draft",
        title="Prime drafted a reply" if full else "Prime",
        body=cut(redact(text), MAX_BODY) if full else said,
        url="/drafts",
        count=count,
    )


def autostop_note() -> Note:
    return Note(
        trigger="autostop",
        title="Prime",
        body="The work has paused to save credits.",
        url="/",
        urgency="normal",
        ttl=DAY // 24,
    )


def try_note() -> Note:
    return Note(trigger="test", title="Prime", body="Notifications reach this device.", url="/settings", ttl=60)


def _at(question_id: str | None) -> str:
    return f"/questions/{question_id}" if question_id else "/questions"


def _actions(question: Question, redact: Callable[[str], str]) -> list[Action]:
    if question.kind == "approval":
        return [
            Action(action="yes", title="Yes", answer={"choice": "yes"}),
            Action(action="no", title="No", answer={"choice": "no"}),
        ]
    # A button that cannot show the whole answer would have people agree to what they did not read.
    short = [s for s in question.suggestions if len(s) <= MAX_ACTION and redact(s) == s]
    return [Action(action=f"suggestion-{n}", title=s, answer={"text": s}) for n, s in enumerate(short[:MOST_ACTIONS])]
