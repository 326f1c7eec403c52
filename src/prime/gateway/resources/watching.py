"""Tells of changes: files of the workspace while somebody watches them, and Prime's own records by the log."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from prime.core.errors import PrimeError
from prime.gateway.resources.files import WorkspaceFiles
from prime.store.message import Message
from prime.store.store import Store

log = logging.getLogger(__name__)

RETRY_SECONDS = 1.0


class Told(Protocol):
    """Whoever passes changes on to clients."""

    @property
    def watched(self) -> set[str]: ...

    async def resource_updated(self, uri: str) -> None: ...

    async def resources_changed(self) -> None: ...


class Watching:
    """`look` is called when what is watched has changed; the disk is followed only while a file is among it."""

    def __init__(self, files: WorkspaceFiles, store: Store, told: Told) -> None:
        self._files = files
        self._store = store
        self._told = told
        self._log: asyncio.Task[None] | None = None
        self._disk: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    def look(self) -> None:
        watched = self._told.watched
        if watched and self._log is None:
            self._log = asyncio.create_task(self._follow_log(self._store.heads.head), name="mcp-log")
        wanted = any(uri.startswith("file:") for uri in watched)
        if wanted and (self._disk is None or self._disk.done()):
            self._stop = asyncio.Event()
            self._disk = asyncio.create_task(self._follow_disk(self._stop), name="mcp-files")
        elif not wanted:
            self._stop.set()

    async def close(self) -> None:
        self._stop.set()
        for task in (self._log, self._disk):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _follow_disk(self, stop: asyncio.Event) -> None:
        from watchfiles import Change, awatch  # pyright: ignore[reportUnknownVariableType]

        async for changes in awatch(self._files.root, stop_event=stop, step=50, debounce=200, watch_filter=_visible):
            for path in sorted({path for _, path in changes}):
                await self._changed(path)
            if any(change is not Change.modified for change, _ in changes):
                await self._told.resources_changed()

    async def _changed(self, path: str) -> None:
        uri = self._files.uri(Path(path))
        if uri in self._told.watched:
            await self._told.resource_updated(uri)

    async def _follow_log(self, seen: int) -> None:
        while True:
            await self._store.heads.past_burst(seen)
            try:
                found = await self._store.log.after(seen)
            except Exception:  # the database may be away for a moment
                log.exception("what was said could not be read for those who watch it; trying again")
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if not found:
                continue
            seen = found[-1].seq
            await self._tell(found)

    async def _tell(self, found: Sequence[Message]) -> None:
        touched = {f"prime://channel/{quote(message.channel_id, safe='')}" for message in found}
        if any(message.kind == "decision" for message in found):
            touched.add("prime://feed")
        for uri in sorted(touched & self._told.watched):
            with suppress(PrimeError):
                await self._told.resource_updated(uri)


def _visible(_change: object, path: str) -> bool:
    return not any(part.startswith(".") for part in Path(path).parts)
