"""Every command and code block of the documentation runs, page by page, as a reader would run them.

Blocks run in order in one folder. `sh` runs line by line as written; `python` runs as a program; a block with
`file=NAME` or `title=NAME` is saved under that name, and a `json`, `toml` or `yaml` block must be that. What a reader has to
fill in is filled in: `CHANNEL` is a channel's id, port 8787 a running Prime's. A comment above a block says what is special
about it: `<!-- runs until stopped -->`, with data of its own; `<!-- runs in the checkout -->`; `<!-- run by tests/… -->`, when
a test of its own does; or `<!-- not run: it needs two machines -->`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import httpx2
import pytest
import yaml

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(
    r"(?:^ *<!-- (?P<remark>[^\n]*?) -->\n+)?"
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<language>\w*) *(?P<named>[^\n]*)\n(?P<code>.*?)^(?P=indent)(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
UNTIL_STOPPED = "runs until stopped"
IN_CHECKOUT = "runs in the checkout"
ELSEWHERE = re.compile(r"run by (tests/\S+\.py)")
READ: dict[str, Callable[[str], object]] = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}
SECONDS = 60


@dataclass(frozen=True)
class Block:
    language: str
    name: str | None
    code: str
    remark: str


def blocks(page: Path) -> Iterator[Block]:
    for found in BLOCK.finditer(page.read_text("utf-8")):
        name = re.search(r"(?:file|title)=(\S+)", found["named"])
        yield Block(found["language"], name[1] if name else None, dedent(found["code"]), found["remark"] or "")


def test_every_block_says_what_it_is() -> None:
    """A block without a language would be passed over silently; a program's own configuration and texts are `text`."""
    known = {"sh", "python", *READ, "markdown", "text"}
    unknown = [(page.name, b.language, b.code[:60]) for page in PAGES for b in blocks(page) if b.language not in known]
    assert unknown == []


def test_no_block_is_passed_over() -> None:
    """Every fence that opens or closes a block belongs to one that was found, however it is indented."""
    for page in PAGES:
        fences = re.findall(r"^ *(?:`{3,}|~{3,})", page.read_text("utf-8"), re.MULTILINE)
        inside = sum(len(re.findall(r"^ *(?:`{3,}|~{3,})", block.code, re.MULTILINE)) for block in blocks(page))
        assert len(fences) == 2 * len(list(blocks(page))) + inside, page.name


def pages_with_code() -> list[Path]:
    return [page for page in PAGES if any(block.language for block in blocks(page))]


@dataclass(frozen=True)
class Desk:
    """Where a page's blocks run: a folder, and a Prime with a channel."""

    folder: Path
    url: str
    channel: str
    environment: dict[str, str]

    def clear(self) -> None:
        """A page begins in a new checkout."""
        for left in self.folder.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        shutil.copytree(ROOT / "examples", self.folder / "examples")

    def run(self, command: list[str], block: Block) -> None:
        environment = self.environment
        if block.remark == UNTIL_STOPPED:
            command = ["timeout", "--signal=TERM", "3", *command]
            environment = environment | {"PRIME_DATA": str(self.folder / "data")}  # that of the one that runs is in use
        done = subprocess.run(
            command,
            cwd=ROOT if block.remark == IN_CHECKOUT else self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        stopped = block.remark == UNTIL_STOPPED and done.returncode in {124, 143, 0}
        assert done.returncode == 0 or stopped, f"{block.code}\n{done.stdout}\n{done.stderr}"

    def filled_in(self, code: str) -> str:
        filled = code.replace("http://127.0.0.1:8787", self.url).replace("CHANNEL", self.channel)
        return filled.replace(".venv/bin/", "")  # the suite's own is first on PATH


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, serve_for_all: Callable[..., object]) -> Desk:
    """One for all pages, as for a reader who goes from page to page."""
    place = tmp_path_factory.mktemp("reader")
    folder = place / "desk"
    folder.mkdir()
    home = {"HOME": str(place / "home"), "XDG_DATA_HOME": str(place / "share")}
    home |= {"XDG_CONFIG_HOME": str(place / "config"), "PRIME_WORKSPACE": str(folder)}
    serving = serve_for_all(**home)
    url, data = str(getattr(serving, "url")), str(getattr(serving, "data"))  # noqa: B009
    made = httpx2.post(
        f"{url}/api/channels", json={"name": "Deal", "kind": "group", "tier": "team", "members": ["act_prime"]}
    ).json()
    httpx2.post(f"{url}/api/channels/{made['id']}/messages", json={"text": "The budget is 5,000 EUR."})
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = dict(os.environ) | home | {"PATH": path, "PRIME_DATA": data, "PRIME_PORT": "0", "NO_COLOR": "1"}
    return Desk(folder, url, made["id"], environment)


@pytest.mark.parametrize("page", pages_with_code(), ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run(page: Path, desk: Desk) -> None:
    desk.clear()
    for block in blocks(page):
        if block.name:
            target = desk.folder / block.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.code, "utf-8")
        if block.remark.startswith("not run"):
            assert block.remark.removeprefix("not run").strip(": "), f"{page.name} does not say why a block is not run"
        elif elsewhere := ELSEWHERE.fullmatch(block.remark):
            assert page.name in (ROOT / elsewhere[1]).read_text("utf-8"), f"{elsewhere[1]} does not read {page.name}"
        elif block.language == "sh":
            desk.run(["bash", "-euo", "pipefail", "-c", desk.filled_in(block.code)], block)
        elif block.language == "python" and not block.name:
            desk.run([sys.executable, "-c", desk.filled_in(block.code)], block)
        elif block.language in READ:
            READ[block.language](block.code)
