"""Other people's programs for tests, installed once into folders of their own; whoever cannot be had is skipped."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

_PEERS = Path(__file__).parents[2] / "benchmarks" / "peers.py"


def python_program(package: str, pin: str, *others: str) -> Path:
    """The Python of an environment that holds a package from PyPI."""
    peers = _peers()
    try:
        return peers.peer(package, *others, pin=pin).python
    except peers.Absent as why:
        pytest.skip(f"{package} cannot be installed here: {why}")


def node_packages(*packages: str) -> Path:
    """The folder of commands of packages from npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not here")
    peers = _peers()
    folder: Path = peers._home() / f"node-{peers._digest(list(packages))}"
    if not (folder / "ready").exists():
        words = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", *packages]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode:
            pytest.skip(f"npm cannot install {' '.join(packages)}: {done.stderr.strip()[-200:]}")
        (folder / "ready").touch()
    return folder / "node_modules" / ".bin"


def _peers() -> ModuleType:
    """Benchmarks have the same need, and are no package."""
    name = "prime_bench_peers"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _PEERS)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]
