"""A builder's folder: one per channel, and what is new in it after a run."""

import hashlib
import mimetypes
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from prime.hub.connector import Deliverable

MOST_FILES = 20
LARGEST = 12 * 1024 * 1024
MOST_LOOKED_AT = 20_000
# What tools leave behind on their way.
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", ".venv", "target", "dist-info"})


class Workspace:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> Mapping[str, str]:
        """Make the folder; what is in it, by path and hash."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return {path: _digest(self.folder / path) for path in self._paths()}

    def deliverables(self, before: Mapping[str, str]) -> list[Deliverable]:
        """Files that are new or changed, the smallest paths first."""
        found: list[Deliverable] = []
        for path in sorted(self._paths(), key=lambda p: (p.count("/"), p)):
            file = self.folder / path
            if len(found) < MOST_FILES and before.get(path) != _digest(file):
                kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
                found.append(Deliverable(name=path.replace("/", " - "), mime_type=kind, content=file.read_bytes()))
        return found

    def _paths(self) -> Iterator[str]:
        looked_at = 0
        for root, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
            for name in files:
                file = Path(root) / name
                looked_at += 1
                if looked_at > MOST_LOOKED_AT:
                    return
                # A link could lead anywhere, and what is too large is no attachment.
                if not name.startswith(".") and not file.is_symlink() and file.is_file() and _fits(file):
                    yield str(file.relative_to(self.folder))


def _fits(file: Path) -> bool:
    return 0 < file.stat().st_size <= LARGEST


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
