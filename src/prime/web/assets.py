"""The page's files, held in memory once somebody asked for them: a first visit waits for no disk and no thread.

The build leaves a `.gz` beside what becomes smaller by it; a browser that takes it gets that one.
"""

import hashlib
import mimetypes
import os
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response

PACKED = ".gz"

FOREVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "no-cache"


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it stood on the disk at `moment`."""

    moment: int
    content: bytes
    packed: bytes | None
    media_type: str
    etag: str

    def answer(self, headers: Headers, cache: str) -> Response:
        kept = {"etag": self.etag, "cache-control": cache, "vary": "accept-encoding"}
        known = [tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")]
        if self.etag in known or "*" in known:
            return Response(status_code=304, headers=kept)
        if self.packed is not None and "gzip" in headers.get("accept-encoding", ""):
            return Response(self.packed, headers=kept | {"content-encoding": "gzip"}, media_type=self.media_type)
        return Response(self.content, headers=kept, media_type=self.media_type)


class Assets:
    """Every file that was asked for, read again when it has changed."""

    def __init__(self) -> None:
        self._kept: dict[str, Asset] = {}

    def get(self, path: str, found: os.stat_result) -> Asset:
        kept = self._kept.get(path)
        if kept is None or kept.moment != found.st_mtime_ns:
            kept = self._kept[path] = _read(Path(path), found.st_mtime_ns)
        return kept


def _read(path: Path, moment: int) -> Asset:
    content = path.read_bytes()
    packed = path.with_name(path.name + PACKED)
    return Asset(
        moment=moment,
        content=content,
        packed=packed.read_bytes() if packed.is_file() else None,
        media_type=mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        etag=f'"{hashlib.sha256(content).hexdigest()[:24]}"',
    )
