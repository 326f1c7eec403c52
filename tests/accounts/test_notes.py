"""What a notification says, and what it leaves out."""

import json
from pathlib import Path
from typing import Any

import pytest

from prime.accounts.push.note import MAX_BODY, draft_note, question_note
from prime.accounts.push.said import ASKED, Language
from prime.rooms.records import Question

SECRET = "hunter2hunter2"


def redact(text: str) -> str:
    return text.replace(SECRET, "[redacted]")


def question(text: str, *suggestions: str, **more: Any) -> Question:
    given: dict[str, Any] = {
        "id": "q_1", "kind": "decision", "channel_id": "ch_hub", "text": text, "context": "", "necessity": 1, "reason": "",
        "suggestions": suggestions, "call": None, "sources": (), "asked_at": 0, "status": "pending",
    }  # fmt: skip
    return Question(**given | more)


def told(asked: Question, language: Language) -> tuple[str, list[str]]:
    """The words and the buttons."""
    payload: Any = question_note([asked], "full", redact).as_json(language)
    return payload["body"], [button["title"] for button in payload["actions"]]


def test_nobody_agrees_on_a_notification_to_what_it_hides() -> None:
    asked = question("Run sh now?", kind="approval", context="""sh -c 'echo "token=`reboot`"'""")
    hiding = question_note([asked], "full", lambda text: text.replace("`reboot`", "[redacted]"))
    payload: Any = hiding.as_json("en")
    assert payload["body"] == """Run sh now?\nsh -c 'echo "token=[redacted]"'"""
    assert [button["title"] for button in payload["actions"]] == ["No"]


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


def test_an_approval_says_what_would_run_and_nobody_agrees_to_half_of_it() -> None:
    asked = question("May Ann run rm?", "yes", "no", "always", kind="approval", context=f"rm -rf build {SECRET}")
    assert told(asked, "en") == ("May Ann run rm?\nrm -rf build [redacted]", ["Yes", "No"])
    assert told(asked, "zh") == ("允许 Ann 运行 rm 吗？\nrm -rf build [redacted]", ["可以", "不行"])
    long = question("May Ann run rm?", "yes", "no", "always", kind="approval", context="rm " + "x" * MAX_BODY)
    assert told(long, "en")[1] == ["No"]
    tall = question("May Ann run rm?", "yes", "no", "always", kind="approval", context="ls\n" * 20 + "rm -rf ~")
    assert told(tall, "en")[1] == ["No"]
    # One device would have the whole line in its language and another would not: then none is asked for a yes.
    wide = question(
        f"May {'名' * 80} run rm?", kind="approval", context="x" * (MAX_BODY - 3 * 80 - len("May  run rm?\n"))
    )
    assert (told(wide, "en")[1], told(wide, "zh")[1]) == (["No"], ["不行"])
    assert told(question("x" * (MAX_BODY + 1), "Sell", sources=("msg_1",)), "en")[1] == []


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("May Ann run run run git_push?", "允许 Ann run run 运行 git_push 吗？"),
        ("May {0} run {1}?", "允许 {0} 运行 {1} 吗？"),
        ("The tool a of the MCP server b describes itself differently now. Accept it?",
         "MCP 服务器 b 的工具 a 改变了自我描述。接受吗？"),
        ("The MCP server b asks: Who\nare you?", "MCP 服务器 b 问：Who\nare you?"),
        ("Something else?", "Something else?"),
    ],
)  # fmt: skip
def test_what_prime_itself_asks_is_in_the_devices_language(text: str, chinese: str) -> None:
    assert told(question(text, "yes", "Maybe", context="this"), "zh") == (f"{chinese}\nthis", ["是", "Maybe"])
    # What somebody said, the same words or not, stays as it was.
    theirs = question(text, "yes", context="this", sources=("msg_1",))
    assert told(theirs, "zh") == (text, ["yes"])


def test_a_question_about_what_people_said_is_cleaned_of_secrets_too() -> None:
    assert told(question(f"Send {SECRET}?", sources=("msg_1",)), "en")[0] == "Send [redacted]?"


def test_the_page_says_it_in_the_same_words() -> None:
    catalogue = Path(__file__).parents[2] / "web" / "src" / "words" / "zh" / "said.json"
    page: dict[str, str] = json.loads(catalogue.read_text("utf-8"))["sentences"]
    assert {each.en: page.get(each.en) for each in ASKED} == {each.en: each.zh for each in ASKED}
    asked = {text for text in page if "{}" in text and text.endswith(("May it?", "May it start?", "Accept it?"))}
    assert asked <= {each.en for each in ASKED}
