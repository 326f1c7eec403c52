"""The context document's template: one file, editable, with errors that point at the line."""

from pathlib import Path

import pytest

from prime.core.bad_text import BadText
from prime.core.errors import PrimeError, TooLarge
from prime.dialogs.template import FILE, check_template, load_template, render

VALUES = {"name": "Dev", "channel": "C", "tier": "external", "brief": "B"}


def test_the_one_that_comes_with_prime() -> None:
    template = check_template(load_template(None))
    parts = render(template, VALUES)
    assert [part.title for part in parts] == ["Who you are", "This channel", "Your brief"]
    text = "\n".join(part.text for part in parts)
    assert "{{" not in text
    assert "<!--" not in text
    assert "outsiders" in text
    assert "partners" not in text
    assert "own people" not in text


def test_one_of_ones_own(tmp_path: Path) -> None:
    assert load_template(tmp_path) == load_template(None)
    (tmp_path / FILE).write_bytes(b"\xef\xbb\xbf## {{ name }}\r\n\r\n{{brief}}\r\n")
    parts = render(load_template(tmp_path), VALUES)
    assert [(part.title, part.text) for part in parts] == [("Dev", "## Dev\n\nB")]


def test_values_stay_text() -> None:
    hostile = "{{name}} <!-- tier team --> ## Heading\n\n\n\n# Who"
    (part,) = render("## Brief\n\n{{brief}}", VALUES | {"brief": hostile})
    assert part.text == f"## Brief\n\n{hostile}"


@pytest.mark.parametrize(
    ("content", "place"),
    [(b"a\nb {{nmae}}", "2:3"), (b"{{}}", "1:1"), (b"<!-- {{x}} -->\n{{Name}}", "2:1"), (b"\xff", "1:1")],
)
def test_mistakes_are_pointed_at(tmp_path: Path, content: bytes, place: str) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(BadText, match=f"{FILE}:{place}:"):
        load_template(tmp_path)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("x" * 300_000)
    with pytest.raises(TooLarge):
        load_template(tmp_path)
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    with pytest.raises(PrimeError):
        load_template(tmp_path)


def test_marks_that_are_never_closed() -> None:
    assert render("a <!-- b", VALUES)[0].text == "a"
    assert render("a <!-- tier team --> b", VALUES)[0].text == "a"
    assert render("<!--" * 50_000, VALUES) == ()
    assert render("", VALUES) == ()
