"""Every benchmark says what it measures without measuring it."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if "from report import" in path.read_text("utf-8"))


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_benchmark_tells_what_it_is(name: str) -> None:
    command = [sys.executable, str(FOLDER / f"{name}.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--json" in done.stdout
    assert len(done.stdout.split()) > 8


def test_there_are_benchmarks() -> None:
    assert len(PROGRAMS) > 15
