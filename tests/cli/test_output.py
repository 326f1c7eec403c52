"""What is printed shows itself and steers nothing."""

import json

import pytest

from prime.cli.output import plain, print_json


def test_json_names_what_would_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"words": "straße 价格 \x1b[2J \x9b31m \u202e \U000e0041", "lines": ["a", "b"]}
    print_json(value)
    shown = capsys.readouterr().out
    assert json.loads(shown) == value
    assert "straße 价格" in shown
    assert all(char.isprintable() or char == "\n" for char in shown)


def test_a_text_keeps_its_lines_and_nothing_else_that_acts() -> None:
    assert plain("one\n\x1b]0;title\x07two\u202e") == "one\n ]0;title two "
