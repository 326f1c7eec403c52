"""Other people's programs to measure beside ours, each in an environment of its own that the project's never sees.

Environments are kept under PRIME_BENCH_PEERS (else a folder in the machine's temporary one) and can be thrown away at any
time. A peer that cannot be installed is told as such by whoever asked for it.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent / "peer_programs"
PATIENCE_S = 300


class Absent(Exception):
    """The peer is not to be had here."""


@dataclass(frozen=True)
class Peer:
    python: Path
    version: str

    def program(self, name: str) -> Path:
        """A command of the peer's environment."""
        return self.python.with_name(name)


def program(name: str) -> str:
    """A script of ours that runs in a peer's environment."""
    return str(HERE / name)


def peer(package: str, *others: str, pin: str = "") -> Peer:
    """The environment that holds `package` (exactly `pin`, if given) and `others`; made when it is not there yet."""
    wanted = [f"{package}=={pin}" if pin else package, *others]
    folder = _home() / f"{package.partition('[')[0]}-{_digest(wanted)}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        _call([*_uv(), "venv", "-q", "--clear", "-p", sys.executable, str(folder)])
        _call([*_uv(), "pip", "install", "-q", "-p", str(python), *wanted])
        (folder / "ready").touch()
    return Peer(python, _version(python, package.partition("[")[0]))


def _home() -> Path:
    given = os.environ.get("PRIME_BENCH_PEERS")
    home = Path(given) if given else Path(tempfile.gettempdir()) / f"prime-bench-peers-{os.getuid()}"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if home.stat().st_uid != os.getuid():
        raise Absent(f"{home} belongs to somebody else; set PRIME_BENCH_PEERS to a folder of your own")
    return home


def _digest(wanted: list[str]) -> str:
    return hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()[:12]


def _uv() -> list[str]:
    return [sys.executable, "-m", "uv"]


def _version(python: Path, package: str) -> str:
    asked = f"from importlib.metadata import version; print(version({package!r}))"
    return _call([str(python), "-c", asked]).strip()


def _call(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise Absent(f"{' '.join(command[:5])} took over {PATIENCE_S} s") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
        raise Absent(f"{' '.join(command[2:5])} failed: {last[:300]}")
    return done.stdout
