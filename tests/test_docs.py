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
