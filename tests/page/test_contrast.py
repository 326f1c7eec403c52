"""Every pair of colours that the page sets text in meets WCAG AA, in light and in dark."""

import re
from pathlib import Path
from typing import Literal

import pytest

TOKENS = Path(__file__).parents[2] / "web" / "src" / "styles" / "tokens.css"

GROUNDS = ("ground", "surface", "sunken", "accent-soft")
TEXT = ("ink", "soft", "faint", "accent", "ask", "bad", "team", "biz", "ext")
PAIRS = [
    *((text, ground) for text in TEXT for ground in GROUNDS),
    *((tier, f"{tier}-soft") for tier in ("team", "biz", "ext", "ask")),
    ("ink", "biz-soft"),
    ("accent-ink", "accent"),
    ("ask-ink", "ask"),
    ("ground", "ink"),
]
# What shows where a field or a button is.
EDGES = [("edge", ground) for ground in ("ground", "surface", "sunken")]


def colours_of(theme: Literal["light", "dark"]) -> dict[str, str]:
    """Each colour by its name; every one of them has both themes on one line."""
    colour = "(#[0-9a-f]{6})"
    found = re.findall(rf"--([\w-]+): light-dark\({colour}, {colour}\);", TOKENS.read_text())
    return {name: light if theme == "light" else dark for name, light, dark in found}


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(PAIRS, 4.5), (EDGES, 3.0)])
def test_contrast(theme: Literal["light", "dark"], pairs: list[tuple[str, str]], least: float) -> None:
    colours = colours_of(theme)
    short = {f"{a} on {b}": round(c, 2) for a, b in pairs if (c := contrast(colours[a], colours[b])) < least}
    assert not short
