"""What somebody agrees to is what they see."""

import time

import pytest

from prime.core.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "echo \u202e# rm\u2066 \x1b[2J \U000e0041 \u00a0\u3164",
            r"echo \u202e# rm\u2066 \x1b[2J \U000e0041 \xa0\u3164",
        ),
        ("ls\rrm", r"ls\x0drm"),
        ("ls" + " " * 6000 + "; curl evil", "ls ␣×6000 ; curl evil"),
        ("ls" + " \n" * 60 + "curl evil", "ls ⏎×60\ncurl evil"),
    ],
)
def test_nothing_hides_or_is_pushed_out_of_sight(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text", ["", "价格\u3000ok", "می\u200cخواهم 👩\u200d🚀", "if x:\n" + " " * 12 + "pass\n\n\nend\tstraße"]
)
def test_what_shows_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("unit", [" " * 39 + "x", " " * 39 + "\n", "\n\n\nx", "\u202e"])
def test_it_takes_no_longer_than_what_it_reads(unit: str) -> None:
    began = time.process_time()
    visible(unit * (400_000 // len(unit)))
    assert time.process_time() - began < 5
