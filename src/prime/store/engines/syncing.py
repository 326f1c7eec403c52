"""Bringing to the disk what SQLite committed without waiting for it, beside the writer.

Such a commit is in the system's memory: it outlives the process, whatever kills that, and not yet a power cut.
"""

import logging
import os
import threading
from pathlib import Path

log = logging.getLogger(__name__)

# How long a commit may wait for others to share its sync with. The writer counts it: waking this thread at once would
# take the interpreter from whoever was just answered.
MOMENT_S = 0.005


class Syncer:
    """A thread that syncs the write-ahead log when the writer owes it a sync."""

    def __init__(self, path: Path) -> None:
        self._path = path  # of the write-ahead log
        self._owed = threading.Event()
        self._ending = threading.Event()
        self._failed = False
        self._file: int | None = None
        self._thread = threading.Thread(target=self._run, name="prime-syncer", daemon=True)

    @property
    def works(self) -> bool:
        """Whether the disk took everything so far. After a failure nobody may leave without having waited for it."""
        return not self._failed

    def start(self) -> None:
        self._thread.start()

    def owe(self) -> None:
        """Called by the writer a moment after a commit that did not wait."""
        self._owed.set()

    def stop(self) -> None:
        """Called when the writer has ended: sync what is owed."""
        self._ending.set()
        owed = self._owed.is_set()
        self._owed.set()
        self._thread.join()
        if owed:
            self._sync()
        if self._file is not None:
            os.close(self._file)

    def _run(self) -> None:
        while self._owed.wait() and not self._ending.is_set():
            self._owed.clear()  # first: what is committed from here on owes another
            self._sync()

    def _sync(self) -> None:
        try:
            # It is there once something was committed, and the same file for as long as the writer is connected. SQLite
            # locks its other two files, so that closing this one lets go of no lock.
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            os.fdatasync(self._file)
        except OSError as error:
            self._failed = True
            log.error("the last results of tools may not be on the disk (%s); from now on each is waited for", error)  # noqa: TRY400
