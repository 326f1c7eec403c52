"""Everything as a file: the owner's way out."""

import asyncio
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from prime.core.errors import Conflict
from prime.rooms.records import HUB, OWNER
from prime.store.message import NewMessage
from prime.store.moving import export_to
from prime.web.parts import Parts, PartsNeeded

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
    await parts.store.log.append(said)
    day = datetime.fromtimestamp(parts.clock.now_ms() / 1000, UTC).date().isoformat()
    away = BackgroundTask(shutil.rmtree, file.parent, ignore_errors=True)
    return FileResponse(file, media_type=LINES, filename=f"prime-{day}.jsonl", background=away)


def _written(parts: Parts) -> Path:
    """A file that nobody but this process can read, in the data folder, where there is room for what is in it."""
    folder = parts.store.folder
    url = parts.settings.database_url if parts.store.database.engine_name != "sqlite" else None
    place = Path(tempfile.mkdtemp(prefix="export-", dir=folder.path))
    try:
        file = place / "prime.jsonl"
        asyncio.run(export_to(file, folder, url.get_secret_value() if url else None, lambda _done, _of: None))
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return file
