"""Decisions and tests name each other: none stands alone on either side."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent


def marks() -> Iterator[str]:
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "holds":
                yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))


def test_every_decision_is_held_and_every_mark_names_one() -> None:
    stated = set(re.findall(r"\*\*(D-[A-Z]+-\d+)\*\*", (ROOT / "docs" / "decisions.md").read_text("utf-8")))
    held = set(marks())
    assert stated - held == set(), "stated in docs/decisions.md, held by no test"
    assert held - stated == set(), "named by a test, not stated in docs/decisions.md"
