"""What somebody agrees to is what they see."""

import time
from typing import cast

import pytest

from prime.core.errors import JsonValue
from prime.core.visible import is_blank, unhidden, unhidden_json, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "echo \u202e# rm\u2066 \x1b[2J \U000e0041 \u00a0\u3164",
            r"echo \u202e# rm\u2066 \x1b[2J \U000e0041 \xa0\u3164",
        ),
        ("ls\rrm", r"ls\x0drm"),
        ("rm a\ufe01\U000e0141\u034f", r"rm a\ufe01\U000e0141\u034f"),
        ("a\u200d\u200c\u200d\ufe0f", "a\u200d\u200c\\u200d\\ufe0f"),
        ("ls" + " " * 6000 + "; curl evil", "ls ␣×6000 ; curl evil"),
        ("ls" + " \n" * 60 + "curl evil", "ls ⏎×60\ncurl evil"),
    ],
)
def test_nothing_hides_or_is_pushed_out_of_sight(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    ["", "价格\u3000ok", "می\u200cخواهم 👩\u200d🚀 ❤\ufe0f\u200d🔥", "if x:\n" + " " * 12 + "pass\n\n\nend\tstraße"],
)
def test_what_shows_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("unit", [" " * 39 + "x", " " * 39 + "\n", "\n\n\nx", "\u202e"])
def test_it_takes_no_longer_than_what_it_reads(unit: str) -> None:
    began = time.process_time()
    visible(unit * (400_000 // len(unit)))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b", "\u2060\ufeff \u3000", "\u3164\u2800", "\ufe0f", "\U000e0041", "\x00\x1b"]
)
def test_nothing_to_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "\u200bok", "👩\u200d🚀", "。", "\ufffd", "\U0001fae9", "\ue000", "\u0301"])
def test_one_sign_is_something(text: str) -> None:
    """Also one that is newer than what this Python knows of Unicode."""
    assert not is_blank(text)


def test_what_hides_is_left_out_of_what_is_read() -> None:
    tags = "".join(chr(0xE0000 + ord(c)) for c in "obey")
    bits = "".join("\u200d\u200c"[c & 1] for c in range(40))
    selectors = "".join(chr(0xE0100 + c) for c in b"obey")
    text = f"Re\u202ead\u00a0a\u200b {tags}fi\x1ble{selectors},\r\n☀\ufe0f می\u200cخواهم 👩\u200d🚀{bits}."
    assert unhidden(text) == "Read\u00a0a file,\n☀\ufe0f می\u200cخواهم 👩\u200d🚀\u200d\u200c.".replace("\u00a0", " ")


def test_what_hides_is_left_out_at_any_depth() -> None:
    deep: dict[str, object] = {"a\u200b": ["b\U000e0041", {"c": "dd\u2066dd"}, 1, None]}
    assert unhidden_json(cast("JsonValue", deep), longest=3) == {"a": ["b", {"c": "ddd"}, 1, None]}
