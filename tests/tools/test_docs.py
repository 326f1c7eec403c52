"""The code and the commands of the two ATIP pages run."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```(?P<language>\w+)(?: file=(?P<file>\S+))?\n(?P<body>.*?)```", re.DOTALL)


def run_page(page: str, folder: Path) -> list[str]:
    """Writes the page's files, runs its programs and commands in order, and gives what they printed."""
    said: list[str] = []
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONUTF8": "1"}
    for block in BLOCK.finditer((ROOT / "docs" / page).read_text(encoding="utf-8")):
        if block["file"]:
            (folder / block["file"]).write_text(block["body"], encoding="utf-8")
        for command in block["body"].strip().splitlines() if block["language"] == "sh" else []:
            done = subprocess.run(
                ["sh", "-ec", command],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == 0, f"{page}: {command}\n{done.stderr}"
            said.append(done.stdout)
    return said


def test_the_pages_run(tmp_path: Path) -> None:
    said = run_page("tool-authors.md", tmp_path)
    assert '"name": "notes"' in said[0]
    assert "valid" in "".join(said)
    compiled = run_page("agent-authors.md", tmp_path)
    assert "DESTRUCTIVE" in compiled[0]
    done = subprocess.run(
        [sys.executable, "agent.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "would run ['notes', 'add', 'buy milk']" in done.stdout
