"""What a notification says. How much of it is the owner's choice: a lock screen is read by others, too.

Prime's own words are in the language of the device; what is quoted stays as it was said.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prime.accounts.push.said import Language, Said, in_words, quoted
from prime.core.redaction import cut, redact_for_yes
from prime.rooms.records import Question

Trigger = Literal["question", "draft", "autostop", "test"]
Detail = Literal["waiting", "full"]
Urgency = Literal["normal", "high"]

MAX_BODY = 1200  # bytes; push services take 4096 in all, encrypted
MAX_LINES = 6  # more are folded away, even where there is room for the letters
MAX_ACTION = 40
MOST_ACTIONS = 2  # what browsers show

DAY = 24 * 60 * 60


PRIME = quoted("Prime")


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A button; `answer` is what the page sends to `/api/questions/{id}/answer` when it is pressed."""

    action: str
    title: Said
    answer: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    trigger: Trigger
    title: Said
    body: Said
    # A path of the page.
    url: str
    question_id: str | None = None
    actions: Sequence[Action] = ()
    # How many wait.
    count: int = 1
    urgency: Urgency = "high"
    ttl: int = field(default=DAY)

    def as_json(self, language: Language) -> dict[str, object]:
        """The payload, as the service worker gets it."""
        actions = [
            {"action": a.action, "title": a.title.in_language(language), "answer": dict(a.answer)} for a in self.actions
        ]
        return {
            "kind": self.trigger,
            "title": self.title.in_language(language),
            "body": self.body.in_language(language),
            "url": self.url,
            "questionId": self.question_id,
            "actions": actions,
            "count": self.count,
            "tag": f"prime-{self.trigger}",
        }


def question_note(waiting: Sequence[Question], detail: Detail, redact: Callable[[str], str]) -> Note:
    """For questions that wait, the newest last."""
    newest = waiting[-1]
    count = len(waiting)
    said = Said(
        "A question waits for you." if count == 1 else f"{count} questions wait for you.",
        f"有 {count} 个问题等你回答。",
    )
    if detail == "waiting":
        question_id = newest.id if count == 1 else None
        return Note(
            trigger="question", title=PRIME, body=said, url=_at(question_id), question_id=question_id, count=count
        )
    written = _in_full(newest)
    asked = Said(redact(written.en), redact(written.zh))
    body = Said(cut(asked.en, MAX_BODY), cut(asked.zh, MAX_BODY))
    hides = _is_primes_own(newest) and redact_for_yes(written.en, redact) != asked.en
    return Note(
        trigger="question",
        title=Said("Prime asks", "Prime 有事问你")
        if count == 1
        else Said(f"Prime asks ({count} wait)", f"Prime 有事问你（共 {count} 个）"),
        body=body,
        url=_at(newest.id),
        question_id=newest.id,
        actions=_actions(newest, redact, whole=body == asked and not hides and asked.en.count("\n") < MAX_LINES),
        count=count,
    )


def draft_note(count: int, text: str, detail: Detail, redact: Callable[[str], str]) -> Note:
    said = Said(
        "A draft waits for your yes." if count == 1 else f"{count} drafts wait for your yes.",
        f"有 {count} 份草稿等你批准。",
    )
    full = detail == "full" and count == 1 and text
    return Note(
        trigger="draft",
        title=Said("Prime drafted a reply", "Prime 起草了一份回复") if full else PRIME,
        body=quoted(cut(redact(text), MAX_BODY)) if full else said,
        url="/drafts",
        count=count,
    )


def autostop_note() -> Note:
    return Note(
        trigger="autostop",
        title=PRIME,
        body=Said("The work has paused to save credits.", "为节省额度，工作已暂停。"),
        url="/",
        urgency="normal",
        ttl=DAY // 24,
    )


def try_note() -> Note:
    said = Said("Notifications reach this device.", "通知可以送达这台设备。")
    return Note(trigger="test", title=PRIME, body=said, url="/settings", ttl=60)


def _at(question_id: str | None) -> str:
    return f"/questions/{question_id}" if question_id else "/questions"


def _in_full(question: Question) -> Said:
    """What is asked. Prime's own question is followed by what it is about: the very line that would run."""
    if not _is_primes_own(question):
        return quoted(question.text)
    asked, about = in_words(question.text), f"\n{question.context}" if question.context else ""
    return Said(asked.en + about, asked.zh + about)


def _is_primes_own(question: Question) -> bool:
    """A question about what people said has sources, and is in their language."""
    return question.kind == "approval" or not question.sources


def _actions(question: Question, redact: Callable[[str], str], *, whole: bool) -> list[Action]:
    """Buttons, if the notification has the `whole` question: nobody agrees to what they could not read to its end."""
    if question.kind == "approval":
        yes = Action(action="yes", title=Said("Yes", "可以"), answer={"choice": "yes"})
        no = Action(action="no", title=Said("No", "不行"), answer={"choice": "no"})
        return [yes, no] if whole else [no]
    if not whole:
        return []
    # The same goes for an answer that a button cannot show.
    short = [s for s in question.suggestions if len(s) <= MAX_ACTION and redact(s) == s]
    titled = in_words if _is_primes_own(question) else quoted
    return [
        Action(action=f"suggestion-{n}", title=titled(s), answer={"text": s})
        for n, s in enumerate(short[:MOST_ACTIONS])
    ]
