"""Everything as a file: the owner's way out."""

import asyncio
import logging
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from prime.core.errors import Conflict, Unavailable
from prime.rooms.records import HUB, OWNER
from prime.store.disk import HINTS
from prime.store.message import NewMessage
from prime.store.moving import export_to
from prime.web.parts import Parts, PartsNeeded

log = logging.getLogger(__name__)

router = APIRouter(prefix="/api", tags=["export"])

LINES = "application/x-ndjson"
_AS_LINES: dict[int | str, dict[str, object]] = {200: {"content": {LINES: {}}, "description": "JSON Lines."}}
_one_at_a_time = asyncio.Lock()


@router.get("/export", response_class=FileResponse, responses=_AS_LINES)
async def export(parts: PartsNeeded) -> FileResponse:
    """Everything as it is at this moment, as `prime export` writes it; secrets stay sealed. For the owner alone."""
    if _one_at_a_time.locked():
        raise Conflict("An export is under way already.", hint="Wait until it has ended.", code="already_exporting")
    async with _one_at_a_time:
        file = await asyncio.to_thread(_written, parts)
    said = NewMessage(
        channel_id=HUB, actor_id=OWNER, kind="system", text="You exported everything.", body={"op": "exported"}
    )
    try:
        await parts.store.log.append(said)
    except Unavailable as error:  # it can be read and not written: just then people want all of it elsewhere
        log.warning("the owner exported everything, which could not be kept in the log: %s", error.message)
    day = datetime.fromtimestamp(parts.clock.now_ms() / 1000, UTC).date().isoformat()
    away = BackgroundTask(shutil.rmtree, file.parent, ignore_errors=True)
    return FileResponse(file, media_type=LINES, filename=f"prime-{day}.jsonl", background=away)


def _written(parts: Parts) -> Path:
    """A file that nobody but this process can read: in the data folder, where there is room for what is in it, or, when that
    disk takes nothing, where the system has its passing files."""
    try:
        return _written_in(parts.store.folder.path, parts)
    except OSError as error:
        if error.errno not in HINTS:
            raise
        log.warning("an export does not go to the data folder but to %s: %s", tempfile.gettempdir(), error)
    return _written_in(Path(tempfile.gettempdir()), parts)


def _written_in(folder: Path, parts: Parts) -> Path:
    url = parts.settings.database_url if parts.store.database.engine_name != "sqlite" else None
    place = Path(tempfile.mkdtemp(prefix="export-", dir=folder))
    try:
        file = place / "prime.jsonl"
        told = url.get_secret_value() if url else None
        asyncio.run(export_to(file, parts.store.folder, told, lambda _done, _of: None))
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return file
