"""Tokens: made for one purpose by one instance."""

import pytest

from prime.accounts.tokens import Tokens

MINE = Tokens(b"key")


def test_a_token_is_recognised_for_its_purpose_alone() -> None:
    token = MINE.make("link")
    assert MINE.looks_real("link", token)
    assert not MINE.looks_real("session", token)
    assert not Tokens(b"another key").looks_real("link", token)


@pytest.mark.parametrize("ending", ["", "g", "00", "é"])
def test_a_changed_one_is_not(ending: str) -> None:
    token = MINE.make("link")
    assert not MINE.looks_real("link", token[:-1] + ending)
    assert not MINE.looks_real("link", ("b" if token[0] == "a" else "a") + token[1:])
