"""Publishing into a folder of this instance, which serves it under `/site/<slug>/`. It needs no account."""

import asyncio
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from prime.connectors.contract import Declaration, Desk
from prime.connectors.publish.publisher import Publisher, bundle_of, slug
from prime.core.errors import NotFound
from prime.core.ids import new_id
from prime.hub.gate.records import Delivered, Outgoing
from prime.hub.gate.senders import Progress, Sender
from prime.store.outbox import NotSent

NAME = "folder"
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
MARK = ".prime-draft"

DECLARATION = Declaration(
    name=NAME,
    kind="publish",
    title="This instance",
    description="A static site under an address of this instance. Anyone with the link can open it.",
    capabilities=("publishes a static site", "works without an account", "can be undone"),
)


class FolderPublisher(Publisher):
    declaration = DECLARATION

    async def open(self, desk: Desk) -> tuple[Sender, Mapping[str, str]]:
        return FolderSender(desk), {"address": f"{desk.base_url}/site/"}


class FolderSender:
    """Writes beside what is there and swaps it in at the end: a reader sees the old site or the new one."""

    max_length = 16_000

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        bundle = await bundle_of(self._desk, outgoing)
        name = slug(outgoing)
        fresh = self._desk.folder / f".{name}.{new_id('tmp')}"
        try:
            for number, item in enumerate(bundle.items):
                progress(f"writing {item.path}", number, len(bundle.items))
                await asyncio.to_thread(_write, fresh / item.path, await self._desk.content(item.attachment_id))
            await asyncio.to_thread(_write, fresh / MARK, outgoing.draft_id.encode())
            await asyncio.to_thread(_swap, fresh, self._desk.folder / name)
        except OSError as error:
            shutil.rmtree(fresh, ignore_errors=True)
            raise NotSent(f"The site could not be written: {error.strerror}.") from error
        return Delivered(external_id=name, url=f"{self._desk.base_url}/site/{name}/", facts={"slug": name})

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        mark = self._desk.folder / slug(outgoing) / MARK
        if not mark.is_file() or mark.read_text() != outgoing.draft_id:
            return None
        name = slug(outgoing)
        return Delivered(external_id=name, url=f"{self._desk.base_url}/site/{name}/", facts={"slug": name})

    async def undo(self, outgoing: Outgoing) -> None:
        """Take the site down, if it is still the one that this draft put up."""
        if await self.lookup(outgoing):
            await asyncio.to_thread(shutil.rmtree, self._desk.folder / slug(outgoing), ignore_errors=True)


def find_page(folder: Path, slug: str, path: str) -> Path:
    """The file behind an address of a published site; `index.html` for a folder. `NotFound` for everything else."""
    missing = NotFound("There is no such page.")
    parts = [part for part in path.split("/") if part]
    hidden = any(part.startswith(".") or part == ".." or "\0" in part or "\\" in part for part in parts)
    if not _SLUG.fullmatch(slug) or hidden:
        raise missing
    try:
        target = _inside(folder / slug, parts)
    except (OSError, ValueError):  # a name that no file system takes
        raise missing from None
    if target is None:
        raise missing
    return target


def _inside(root: Path, parts: Sequence[str]) -> Path | None:
    target = root.joinpath(*parts)
    if target.is_dir():
        target /= "index.html"
    return target if target.resolve().is_relative_to(root.resolve()) and target.is_file() else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _swap(fresh: Path, place: Path) -> None:
    old = place.with_name(f".{place.name}.{new_id('old')}")
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)
