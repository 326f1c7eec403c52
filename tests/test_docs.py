"""Documentation is true: generated pages are fresh, links lead somewhere, README's commands are there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_generated_pages_are_fresh() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "write_docs.py", "--check"], check=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_reachable_from_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, f"docs/README.md does not mention {page.name}"


def test_readme_names_scripts_that_are_there() -> None:
    for script in re.findall(r"^(scripts/\w+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE):
        assert (ROOT / script).is_file()


def test_the_architecture_shows_packages_as_large_as_they_are() -> None:
    """Within a quarter: the picture is of proportions."""
    drawn = re.findall(r"^(\w+) +([\d,]+) +█", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    assert dict(drawn).keys() == {path.parent.name for path in (ROOT / "src/prime").glob("*/__init__.py")}
    for name, lines in drawn:
        there = sum(len(path.read_text("utf-8").splitlines()) for path in (ROOT / "src/prime" / name).rglob("*.py"))
        assert 0.75 <= there / int(lines.replace(",", "")) <= 1.25, f"{name} has {there} lines now"


def test_contributing_points_at_what_is_there() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Where to change what")[2]
    named = [name for name in re.findall(r"`((?:src|tests|web)/[\w./*-]+)`", table) if name != "web/gate.py"]
    assert len(named) > 15
    assert [name for name in named if not any(ROOT.glob(name.rstrip("/")))] == []
