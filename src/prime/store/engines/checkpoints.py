"""Moving SQLite's write-ahead log into its file, beside the writer instead of in its commits.

A commit that finds the write-ahead log long would move it itself, and everybody who waits for that commit with it: after
a backup, which keeps the log from being moved while it reads, that took a third of a second.
"""

import logging
import sqlite3
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

# Commits after which it is worth a look: a little under the thousand pages that SQLite itself would wait for.
COMMITS = 150
# Pages beyond which writers are held up for the moment that it takes to begin the write-ahead log anew. A log that is
# written over is synced in half the time of one that grows, so this is soon.
LONG = 500


class Checkpointer:
    """A thread that moves pages when enough was written, and holds up nobody that it need not."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._commits = 0
        self._due = threading.Event()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="prime-checkpointer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def committed(self) -> None:
        """Called by the writer after each commit."""
        self._commits += 1
        if self._commits >= COMMITS:
            self._commits = 0
            self._due.set()

    def stop(self) -> None:
        self._ending = True
        self._due.set()
        self._thread.join()

    def _run(self) -> None:
        connection = self._connect()
        try:
            while self._due.wait() and not self._ending:
                self._due.clear()
                _move(connection)
        finally:
            connection.close()


def _move(connection: sqlite3.Connection) -> None:
    try:
        [(_, pages, _)] = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if pages > LONG:
            # Almost all is moved by now. Gives up at once while somebody reads: a backup goes on for long.
            connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
    except sqlite3.Error as error:  # a full disk; the commits go on and say so themselves
        log.warning("the write-ahead log could not be moved into its file: %s", error)
