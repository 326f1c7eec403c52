"""Patterns over words: what they cover, and what they never do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.errors import InvalidInput
from prime.tools.pipeline.patterns import literal, matches, parse_pattern


@pytest.mark.parametrize(
    ("pattern", "words", "covered"),
    [
        ("git push origin *", ["git", "push", "origin", "main"], True),
        ("git push origin *", ["git", "push", "origin", "main", "next"], False),
        ("git push *", ["git", "push", "--force"], False),
        ("git push -*", ["git", "push", "--force"], True),
        ("git push **", ["git", "push", "origin", "main"], True),
        ("git push **", ["git", "push"], True),
        ("git push", ["git", "pull"], False),
        ("cat src/*", ["cat", "src/../../etc/passwd"], False),
        ("cat src/*", ["cat", "src/a/b"], True),
        ("cut path=*", ["cut", "path=../x"], False),
        ("cut path=*", ["cut", "path=.."], False),
        ("cut path=*", ["cut", "path=a..b"], True),
        ("get url=https://a.example/open/*", ["get", "url=https://a.example/open/%2e%2E/closed"], False),
        ("get url=https://a.example/open/*", ["get", "url=https://a.example/open/..\\closed"], False),
        ("get url=https://a.example/open/*", ["get", "url=https://a.example/open/%20x"], True),
        ("say 'two words'", ["say", "two words"], True),
        ("say *", ["say", "two words"], True),
    ],
)
def test_words_are_covered_one_by_one(pattern: str, words: list[str], covered: bool) -> None:
    assert matches(parse_pattern(pattern), words) is covered


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5))
def test_a_call_is_covered_by_its_own_literal_pattern_and_nothing_else_is(words: list[str]) -> None:
    first, *rest = words
    words = [f"t{''.join(c for c in first if c.isalnum())}", *rest]
    pattern = parse_pattern(literal(words))
    assert matches(pattern, words)
    assert not matches(pattern, [*words, "more"])
    assert not matches(pattern, [*words[:-1], f"{words[-1]}x"])


@pytest.mark.parametrize("text", ["", "   ", "* x", "g?t x", "a ** b", "'", "x" * 2001])
def test_what_cannot_be_a_pattern_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_pattern(text)
    assert caught.value.error_code == "invalid_pattern"
