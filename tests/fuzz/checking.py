"""One input given to one reader: it must hold what it promises, and soon."""

import hashlib
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.fuzz.readers import READERS, REFUSALS, Reader

SLOW_SECONDS = 2.0
CRASHES = Path(__file__).parent / "crashes"


def check(name: str, data: bytes, readers: Mapping[str, Reader] = READERS) -> None:
    make_ready(readers[name])
    begin = time.process_time()
    try:
        readers[name].read(data)
    except REFUSALS:
        pass
    except Exception as error:
        raise AssertionError(f"{name} broke on {data[:2000]!r}: {error!r}") from error
    taken = time.process_time() - begin
    assert taken < SLOW_SECONDS, f"{name} took {taken:.1f} s on {len(data):,} bytes: {data[:300]!r}"


@cache
def make_ready(reader: Reader) -> None:
    """Import and set up what the first to come by would pay for. An input is timed the first time that it is read: some
    readers remember what they made of a text."""
    with suppress(Exception):  # it is told when the example's turn comes
        reader.read(reader.examples[0])


def keep(name: str, data: bytes) -> Path:
    """Put what broke a reader where the suite reads it again every time."""
    path = CRASHES / name / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def kept() -> list[tuple[str, Path]]:
    return [(path.parent.name, path) for path in sorted(CRASHES.glob("*/*"))]
