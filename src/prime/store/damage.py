"""Finding damage in SQLite's files before anybody relies on them."""

import contextlib
import sqlite3
import time
from pathlib import Path

# Beyond this a start would be felt: it takes in some hundred megabytes. `prime doctor` takes the time it needs.
CHECK_SECONDS = 0.5
_STEPS = 20_000


def damage_of(path: Path, *, seconds: float | None = CHECK_SECONDS) -> str | None:
    """What is wrong with the file, in SQLite's words; None when nothing is, or nothing was found in time."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    deadline = None if seconds is None else time.monotonic() + seconds
    connection = sqlite3.connect(path)
    try:
        if deadline is not None:
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return None if "interrupted" in str(error) else str(error)
    finally:
        connection.close()
    return None if found == "ok" else str(found)


def set_aside(path: Path) -> Path:
    """Move a damaged file out of the way, with what belongs to it; where it went."""
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    for side in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + side).unlink()
    return aside
