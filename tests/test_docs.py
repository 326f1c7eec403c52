"""Documentation is true: generated pages are fresh, links lead somewhere, README's commands are there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from prime.cli import program

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_generated_pages_are_fresh() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "write_docs.py", "--check"], check=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_into_a_page_lead_to_a_heading(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?://|mailto:)([^)#]*)#([^)]+)\)", page.read_text("utf-8")):
        there = page.parent / target if target else page
        assert anchor in anchors(there), f"{page.name} links to {target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """What its headings are called in an address."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_reachable_from_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, f"docs/README.md does not mention {page.name}"


@pytest.mark.parametrize(("page", "least"), [("README.md", 2), ("CONTRIBUTING.md", 6)])
def test_scripts_that_are_named_are_there_and_run(page: str, least: int) -> None:
    named = set(re.findall(r"(?:^|`)(scripts/\w+(?:\.py)?)", (ROOT / page).read_text("utf-8"), re.MULTILINE))
    assert len(named) >= least
    for script in named:
        assert script.endswith(".py") or os.access(ROOT / script, os.X_OK), script
        assert (ROOT / script).is_file(), script


def test_the_architecture_shows_packages_as_large_as_they_are() -> None:
    """Within a quarter: the picture is of proportions."""
    drawn = re.findall(r"^(\w+) +([\d,]+) +█", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    assert dict(drawn).keys() == {path.parent.name for path in (ROOT / "src/prime").glob("*/__init__.py")}
    for name, lines in drawn:
        there = sum(len(path.read_text("utf-8").splitlines()) for path in (ROOT / "src/prime" / name).rglob("*.py"))
        assert 0.75 <= there / int(lines.replace(",", "")) <= 1.25, f"{name} has {there} lines now"


def test_the_page_about_archetypes_names_all_of_them() -> None:
    page = (ROOT / "docs" / "archetypes.md").read_text("utf-8").partition("## ")[0]
    there = {path.stem for path in (ROOT / "src/prime/mind/archetypes").glob("*.yaml")} - {"common"}
    assert set(re.findall(r"`(\w+)`", page)) - {"name"} == there


def test_contributing_points_at_what_is_there() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Where to change what")[2]
    named = [name for name in re.findall(r"`((?:src|tests|web)/[\w./*-]+)`", table) if name != "web/gate.py"]
    assert len(named) > 15
    assert [name for name in named if not any(ROOT.glob(name.rstrip("/")))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_named_in_passing_are_there(page: Path) -> None:
    """Blocks run in test_docs_run; a command in the middle of a sentence names what `prime` has."""
    for said in re.findall(r"`(?:\.venv/bin/)?prime ([^`]+)`", page.read_text("utf-8")):
        command: click.Command = program
        for word in said.split():
            name = word.partition("=")[0]
            if name.startswith("--") and len(name) > 2:
                flags = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}
                assert name in flags | {"--help", "--agent"}, f"prime {said}"
            elif isinstance(command, click.Group) and name.isidentifier() and name.islower():
                found = command.get_command(click.Context(command), name)
                assert found is not None, f"prime {said}"
                command = found
