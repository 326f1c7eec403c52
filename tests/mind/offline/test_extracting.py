"""Since when a plain statement holds, by the day on which it was said."""

import pytest

from prime.mind.jobs.lines import Line
from prime.mind.offline.facts.extracting import statements_in


def stated(text: str, today: str) -> tuple[str, str, str | None] | None:
    found = statements_in([Line(message_id="msg_1", speaker="Ann", text=text)], today)
    return (found[0].subject, found[0].object, found[0].valid_from) if found else None


@pytest.mark.parametrize(
    ("text", "today", "expected"),
    [
        ("As of March the price is 14 EUR.", "2026-03-15", ("the price", "14 EUR", "2026-03-01")),
        ("As of March the price is 14 EUR.", "2026-04-22", ("the price", "14 EUR", "2026-03-01")),
        ("As of July the price is 16 EUR.", "2026-04-22", ("the price", "16 EUR", "2026-07-01")),
        ("As of March 2027 the price is 20 EUR.", "2026-04-22", ("the price", "20 EUR", "2027-03-01")),
        ("Actually the price is 12 EUR now.", "2026-04-22", ("the price", "12 EUR", None)),
        ("王伟是经理。", "2026-04-22", ("王伟", "经理", None)),
        ("咖啡机三月份的价格是3800元", "2026-11-18", ("咖啡机", "3800元", "2026-03-01")),
        ("房租四月份是六千元", "2026-11-18", ("房租", "六千元", "2026-04-01")),
        ("会议改到五月三日", "2026-04-22", ("会议", "五月三日", None)),
        ("The picture of the shop is ready.", "2026-04-22", ("The picture of the shop", "ready", None)),
        ("Tom has a red van.", "2026-04-22", ("Tom", "a red van", None)),
    ],
)
def test_since_when(text: str, today: str, expected: tuple[str, str, str | None] | None) -> None:
    assert stated(text, today) == expected


@pytest.mark.parametrize(
    "text",
    [
        "咖啡机三月份的价格是多少",
        "房租四月份是多少钱",
        "老板是谁",
        "Word has come from Ravi",
        "Ravi has agreed to 40 EUR",
        "The team has already sent it",
        "好的，the date is March 2026，已经改过来了",
        "明白：the date is March 2026",
        "how much is the rent in April",
        "Whatever is needed every day",
        "The matter is the work on the water",
        "Our side is done: the documents are complete",
        "Figures: 78 EUR.",
        "The PDF is damaged.",
    ],
)
def test_no_fact(text: str) -> None:
    assert stated(text, "2026-11-18") is None
