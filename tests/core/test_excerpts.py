"""Excerpts end where a word ends."""

import pytest

from prime.core.excerpts import beginning


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("ready for you to look at", 20, "ready for you to…"),
        ("ready for you to look at", 16, "ready for you to…"),
        ("complete, with three", 10, "complete…"),
        ("三月在上海发布台灯预算五万", 6, "三月在上海发…"),
        ("a " + "x" * 40, 20, "a " + "x" * 18 + "…"),
        ("", 5, ""),
    ],
)
def test_a_long_text_ends_at_a_word(text: str, most: int, shown: str) -> None:
    assert beginning(text, most) == shown
