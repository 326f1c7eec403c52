"""What a notification says, and what it leaves out."""

from prime.accounts.push.note import MAX_BODY, draft_note, question_note
from prime.rooms.records import Question

SECRET = "hunter2hunter2"


def redact(text: str) -> str:
    return text.replace(SECRET, "[redacted]")


def question(text: str, *suggestions: str) -> Question:
    return Question(
        id="q_1", kind="decision", channel_id="ch_hub", text=text, context="", necessity=1, reason="",
        suggestions=suggestions, call=None, sources=(), asked_at=0, status="pending",
    )  # fmt: skip


def test_a_draft_says_its_words_only_to_who_wants_them_and_never_a_secret() -> None:
    text = f"Dear Bo, the key is {SECRET}."
    assert "Bo" not in str(draft_note(1, text, "waiting", redact).as_json("en"))
    assert "Bo" not in str(draft_note(2, text, "full", redact).as_json("en"))
    full = draft_note(1, text, "full", redact).as_json("en")
    assert full["body"] == "Dear Bo, the key is [redacted]."
    assert (full["title"], full["url"]) == ("Prime drafted a reply", "/drafts")


def test_no_button_has_a_secret_or_more_than_it_can_show() -> None:
    note = question_note([question("Which?", SECRET, "x" * 41, "The first")], "full", redact)
    assert [action.answer for action in note.actions] == [{"text": "The first"}]


def test_a_long_question_is_cut_in_bytes_not_in_the_middle_of_a_character() -> None:
    body = str(question_note([question("问" * 2000)], "full", redact).as_json("zh")["body"])
    assert len(body.encode()) <= MAX_BODY
    assert body.startswith("问" * 300)


def test_several_are_counted_in_every_language() -> None:
    three = [question("a"), question("b"), question("c")]
    assert question_note(three, "waiting", redact).as_json("en")["body"] == "3 questions wait for you."
    assert question_note(three, "waiting", redact).as_json("zh")["body"] == "有 3 个问题等你回答。"
    assert question_note(three, "full", redact).as_json("zh")["title"] == "Prime 有事问你（共 3 个）"
