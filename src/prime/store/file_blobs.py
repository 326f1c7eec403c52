"""Contents of attachments as files. Apart from the database's parts: a backup's process needs this and not those."""

import os
from pathlib import Path

from prime.core.ids import new_id
from prime.core.whole_file import fsync


class FileBlobs:
    """One file per content, in folders by the first two digits of the hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256

    def read(self, sha256: str) -> bytes | None:
        path = self._path(sha256)
        return path.read_bytes() if path.exists() else None

    def remove(self, sha256: str) -> None:
        self._path(sha256).unlink(missing_ok=True)

    def write(self, sha256: str, content: bytes) -> None:
        path = self._path(sha256)
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
