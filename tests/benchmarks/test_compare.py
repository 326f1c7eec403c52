"""The regression guard looks at ratios; how long anything took does not count."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / "benchmarks" / "run.py"


def results(path: Path, ratio: float, *, ours: float = 1.0, higher: bool = True, quick: bool = False) -> Path:
    row = {
        "what": "append",
        "peer": "fsync",
        "ours": ours,
        "ratio": ratio,
        "spread": [ratio * 0.95, ratio * 1.05],
        "higher_is_better": higher,
    }
    path.write_text(json.dumps({"benchmarks": [{"name": "append", "quick": quick, "rows": [row]}]}))
    return path


def compared(old: Path, new: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(RUN), "--compare", str(old), "--out", str(new)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("before", "after", "higher", "code"),
    [(1.0, 0.9, True, 0), (1.0, 0.5, True, 1), (1.0, 2.0, True, 0), (1.0, 2.0, False, 1), (1.0, 0.5, False, 0)],
)
def test_a_ratio_that_became_worse_fails(tmp_path: Path, before: float, after: float, higher: bool, code: int) -> None:
    old = results(tmp_path / "old.json", before, higher=higher)
    new = results(tmp_path / "new.json", after, higher=higher)
    assert compared(old, new).returncode == code


def test_times_and_quick_runs_beside_full_ones_are_not_compared(tmp_path: Path) -> None:
    old = results(tmp_path / "old.json", 1.0, ours=1.0)
    assert compared(old, results(tmp_path / "slow.json", 1.0, ours=1000.0)).returncode == 0
    apart = compared(old, results(tmp_path / "quick.json", 0.1, quick=True))
    assert apart.returncode == 0
    assert "0 ratios compared" in apart.stdout


def test_a_file_that_is_none_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[]")
    assert compared(tmp_path / "broken.json", tmp_path / "broken.json").returncode == 2
    assert compared(tmp_path / "missing.json", tmp_path / "missing.json").returncode == 2
