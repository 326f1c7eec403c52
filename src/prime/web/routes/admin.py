"""For operators: backups, rebuilding, erasing, sign-in links for the person at the machine."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from prime.brain import BRAIN
from prime.core.clock import iso
from prime.core.errors import Forbidden
from prime.rooms.records import OWNER
from prime.store.backup import Backup
from prime.web.models import (
    BackupShown,
    Erased,
    EraseGiven,
    Given,
    Hidden,
    Page,
    RebuildGiven,
    RebuildProgress,
    Rebuilt,
    Shown,
)
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/admin", tags=["admin"])


class LinkMade(Shown):
    url: str


class BackupWanted(Given):
    """`full` puts the key that seals secrets beside the data; a passphrase seals the file."""

    full: bool = False
    passphrase: Annotated[Hidden, Field(min_length=1, max_length=1000)] | None = None


@router.post("/backup", status_code=201)
async def make_backup(parts: PartsNeeded, wanted: BackupWanted | None = None) -> BackupShown:
    """Take a backup now and let the oldest go."""
    given = wanted or BackupWanted()
    passphrase = given.passphrase.get_secret_value() if given.passphrase else None
    return _shown(await parts.backup_timer.take(full=given.full, passphrase=passphrase))


@router.get("/backups")
async def list_backups(parts: PartsNeeded) -> Page[BackupShown]:
    """Names, sizes and times, newest first."""
    return Page(items=[_shown(b) for b in parts.backups.list()])


@router.post("/rebuild")
async def rebuild(given: RebuildGiven, parts: PartsNeeded) -> Rebuilt:
    """Fold the log anew into one projection, or all; the answer names those that were not what the log says.

    `brain` stands for all that the brain derives.
    """
    projector = parts.store.projector
    names: list[str] = list(BRAIN) if given.name == "brain" else [given.name] if given.name else projector.names
    repaired = await projector.rebuild(*names)  # together: the log is read once
    return Rebuilt(names=names, repaired=repaired, messages=await parts.store.log.head())


@router.get("/rebuild")
async def rebuild_progress(parts: PartsNeeded) -> RebuildProgress:
    """How far the rebuild under way has come."""
    progress = parts.store.projector.progress
    if progress is None:
        return RebuildProgress(running=False, name=None, done=0, of=0)
    return RebuildProgress(running=True, name=progress.projection, done=progress.done, of=progress.of)


@router.post("/erase")
async def erase(given: EraseGiven, parts: PartsNeeded) -> Erased:
    """Blank these messages and their attachments for good; the answer names the backups that still hold them."""
    erasure = await parts.store.erase(given.message_ids, by=OWNER)
    holding = [b.name for b in parts.backups.list() if b.created_at >= erasure.oldest_ts]
    return Erased(message_ids=list(erasure.message_ids), attachment_ids=list(erasure.attachment_ids), backups=holding)


@router.post("/sign-in-link", status_code=201)
async def sign_in_link(parts: PartsNeeded, request: Request) -> LinkMade:
    """A link for the person at the machine; only through the data folder's socket."""
    if not request.scope.get("prime.local"):
        raise Forbidden("This works on the machine itself only.", hint="Run `prime login` there.")
    return LinkMade(url=f"{parts.base_url}/api/auth/verify?token={await parts.accounts.links.make()}")


def _shown(backup: Backup) -> BackupShown:
    return BackupShown(name=backup.name, size=backup.size, created_at=iso(backup.created_at))
