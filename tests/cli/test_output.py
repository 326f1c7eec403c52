"""What is printed shows itself and steers nothing."""

import json
import sys
from collections.abc import Callable

import pytest

from prime.cli.output import broken, columns, hanging, paint, plain, print_json, print_table

ROWS = [
    ("PRIME_DATA", "environment", "The data folder, else the usual place of this machine."),
    ("短", "默认", "价格" * 30),
]
HEADER = ("variable", "source", "meaning")


def test_json_names_what_would_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"words": "straße 价格 \x1b[2J \x9b31m \u202e \U000e0041", "lines": ["a", "b"]}
    print_json(value)
    shown = capsys.readouterr().out
    assert json.loads(shown) == value
    assert "straße 价格" in shown
    assert all(char.isprintable() or char == "\n" for char in shown)


def test_a_text_keeps_its_lines_and_nothing_else_that_acts() -> None:
    assert plain("one\n\x1b]0;title\x07two\u202e") == "one\n ]0;title two "


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Standard output is a terminal of this width."""

    def of(width: int) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")

    return of


def test_a_row_is_a_line_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(ROWS, HEADER)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_what_is_told_last_stays_in_its_column_on_a_terminal(
    capsys: pytest.CaptureFixture[str], terminal: Callable[[int], None]
) -> None:
    terminal(60)
    print_table(ROWS, HEADER)
    shown = capsys.readouterr().out.splitlines()
    assert max(columns(line) for line in shown) <= 60
    at = shown[0].index("meaning")
    assert shown[1] == "PRIME_DATA  environment  The data folder, else the usual"
    assert shown[2] == " " * at + "place of this machine."
    assert all(line.startswith((" " * at, "短")) for line in shown[3:])
    assert "".join(shown[3:]).count("价") == 30


def test_where_there_is_no_room_it_stands_below(
    capsys: pytest.CaptureFixture[str], terminal: Callable[[int], None]
) -> None:
    for width in (16, 40):
        terminal(width)
        print_table(ROWS[:1], HEADER)
        shown = capsys.readouterr().out.splitlines()
        assert shown[:2] == [
            "variable  source" if width == 16 else "variable    source",
            "    meaning",
        ]
        assert max(columns(line) for line in shown[3:]) <= width
        assert all(line.startswith("    ") for line in shown[3:])


def test_what_begins_within_a_line_goes_on_below_itself(terminal: Callable[[int], None]) -> None:
    said = "the page is built and lies in a folder with a long name"
    assert hanging(20, said) == said
    terminal(60)
    first, *others = hanging(20, said).split("\n")
    assert others
    assert all(line.startswith(" " * 20) and line[20] != " " for line in others)
    assert all(columns(line) <= 60 for line in (" " * 20 + first, *others))


def test_words_are_as_wide_as_they_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    marked = paint("offer", bold=True)
    assert broken(f"an {marked} of 9", 8) == [f"an {marked}", "of 9"]
    assert broken("价格很好 ok", 4) == ["价格", "很好", "ok"]
    assert broken("", 10) == [""]
