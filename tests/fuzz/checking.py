"""One input given to one reader: it must hold what it promises, and soon."""

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.readers import READERS, REFUSALS, Reader

SLOW_SECONDS = 2.0
CRASHES = Path(__file__).parent / "crashes"


def check(name: str, data: bytes, readers: Mapping[str, Reader] = READERS) -> None:
    taken = time_to_read(readers[name], name, data)
    if taken >= SLOW_SECONDS:  # the first to come by also pays for what is imported and set up; a slow input stays slow
        taken = min(taken, time_to_read(readers[name], name, data))
    assert taken < SLOW_SECONDS, f"{name} took {taken:.1f} s on {len(data):,} bytes: {data[:300]!r}"


def time_to_read(reader: Reader, name: str, data: bytes) -> float:
    begin = time.process_time()
    try:
        reader.read(data)
    except REFUSALS:
        pass
    except Exception as error:
        raise AssertionError(f"{name} broke on {data[:2000]!r}: {error!r}") from error
    return time.process_time() - begin


def keep(name: str, data: bytes) -> Path:
    """Put what broke a reader where the suite reads it again every time."""
    path = CRASHES / name / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def kept() -> list[tuple[str, Path]]:
    return [(path.parent.name, path) for path in sorted(CRASHES.glob("*/*"))]
