"""The style sheet: how the owner writes, and nothing of what they wrote."""

from hypothesis import given
from hypothesis import strategies as st

from prime.hub.gate.style import GREETINGS, SIGN_OFFS, StyleSheet, distill

MESSAGES = [
    "Hi Mara, thanks for the notes! I'll go through them tonight. Best, A.",
    "Hi Tom, the Zanzibar project budget is 90,000. Best, A.",
    "Hi! The room is booked. Best, A.",
    "Hi Ines, sounds good. Best, A.",
]
_FIXED = """
tone greeting sign off length about characters in sentence sentences emoji yes no exclamation marks often
rarely begins with small letters none casual formal neutral or not enough of your own messages are known yet
write plainly and briefly writes it all on one line
"""
FIXED = set(_FIXED.split())


def test_habits_are_found() -> None:
    sheet = distill(MESSAGES)
    assert (sheet.messages, sheet.greetings, sheet.sign_offs) == (4, ("hi",), ("best",))
    assert sheet.sentences in {2, 3}
    assert "“hi”" in sheet.text()
    assert "about" in sheet.text()
    assert sheet.one_line
    assert not distill([text.replace(". ", ".\n\n") for text in MESSAGES]).one_line


def test_other_languages_and_manners() -> None:
    chinese = distill(["您好，报价单已发送，谢谢", "您好，会议改到周五，谢谢", "您好，没有问题，谢谢"])
    assert (chinese.greetings, chinese.sign_offs, chinese.tone) == (("您好",), ("谢谢",), "formal")
    casual = distill(["hey lol ok 😀", "hey yeah cool 😀", "haha nope 😀"])
    assert (casual.tone, casual.emoji, casual.lower_case) == ("casual", True, True)
    formal = distill(["Dear Sir, please find the offer. Kind regards"] * 3)
    assert (formal.tone, formal.greetings, formal.sign_offs) == ("formal", ("dear",), ("kind regards",))


def test_too_little_says_so() -> None:
    assert "Not enough" in distill(["Hi"]).text()
    assert distill([]) == StyleSheet()


def test_nothing_of_the_content_gets_onto_it() -> None:
    text = distill(MESSAGES).text().lower()
    for word in ("mara", "tom", "zanzibar", "budget", "90,000", "notes", "ines"):
        assert word not in text


@given(st.lists(st.text(max_size=120), max_size=30))
def test_only_words_of_a_fixed_list_can_stand_on_it(messages: list[str]) -> None:
    text = distill(messages).text().lower()
    for known in (*GREETINGS, *SIGN_OFFS):
        text = text.replace(f"“{known}”", " ")
    words = "".join(c if c.isalpha() else " " for c in text).split()
    assert set(words) <= FIXED
