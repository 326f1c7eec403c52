"""Contents of attachments as files. Apart from the database's parts: a backup's process needs this and not those."""

import os
import re
from pathlib import Path

from prime.core.errors import InvalidInput
from prime.core.ids import new_id
from prime.core.whole_file import fsync

# Names come from the database, and what is in that may come from a file that somebody sent: no other leads anywhere.
_NAME = re.compile("[0-9a-f]{64}")


class FileBlobs:
    """One file per content, in folders by the first two digits of the hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, sha256: str) -> Path | None:
        return self._folder / sha256[:2] / sha256 if _NAME.fullmatch(sha256) else None

    def read(self, sha256: str) -> bytes | None:
        path = self._path(sha256)
        return path.read_bytes() if path and path.exists() else None

    def remove(self, sha256: str) -> None:
        if path := self._path(sha256):
            path.unlink(missing_ok=True)

    def write(self, sha256: str, content: bytes) -> None:
        path = self._path(sha256)
        if path is None:
            raise InvalidInput(f"{sha256[:80]!r} is not the hash of a content.")
        if path.exists():
            return
        if not path.parent.is_dir():
            # For this user alone, also where somebody else made the folder around it.
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            fsync(self._folder)
        temporary = path.with_name(f".{sha256}.{new_id('tmp')}")
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.rename(path)
        except OSError:
            temporary.unlink(missing_ok=True)  # half a file would take the room that is missing
            raise
        fsync(path.parent)
