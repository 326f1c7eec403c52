"""The data folder: where everything lies, and the lock that makes one process its owner."""

import contextlib
import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from prime.core.errors import Conflict, Unavailable

# Bytes that the address of a socket may have, on the system that takes the fewest.
LONGEST_ADDRESS = 100


@contextmanager
def socket_address(socket: Path) -> Generator[str]:
    """What to bind or to connect to: the socket's path, or a short way to it where that is too long for the system."""
    if len(os.fsencode(socket)) <= LONGEST_ADDRESS:
        yield str(socket)
        return
    folder = os.open(socket.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{socket.name}"
    finally:
        os.close(folder)


class DataFolder:
    """A folder with `prime.db`, `derived.db`, `attachments/`, `backups/`, `secrets.key` and the owner's `prime.sock`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    @property
    def database(self) -> Path:
        return self.path / "prime.db"

    @property
    def socket(self) -> Path:
        return self.path / "prime.sock"

    @property
    def attachments(self) -> Path:
        return self.path / "attachments"

    @property
    def backups(self) -> Path:
        return self.path / "backups"

    @property
    def secret_key(self) -> Path:
        return self.path / "secrets.key"

    def create(self) -> None:
        """Make it, readable by this user alone."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Unavailable(
                f"The data folder {self.path} cannot be made: {error.strerror}.",
                hint="Choose another with --data or PRIME_DATA.",
            ) from error

    def own(self) -> None:
        """Become the owner process until `release` or the end of the process; refuses when there is one."""
        self.create()
        try:
            descriptor = os.open(self.path / "prime.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Unavailable(
                f"The data folder {self.path} cannot be written: {error.strerror}.",
                hint="Make it writable for this user, or choose another with --data or PRIME_DATA.",
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise Conflict(
                f"The data folder {self.path} is in use by process {owner or 'unknown'}.",
                hint="Use that one, stop it, or choose another folder with --data.",
                code="data_folder_in_use",
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        self._lock = descriptor
        self.socket.unlink(missing_ok=True)  # left by an owner that was killed

    def release(self) -> None:
        if self._lock is not None:
            with contextlib.suppress(OSError):  # the disk may take nothing; whoever comes next makes it anew
                self.socket.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None
