"""Attachments by content hash: the same bytes are kept once, whoever brings them.

In a data folder they are files; where replicas share a PostgreSQL database and no disk, they are rows.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection, delete, func, insert, select

from prime.core.canonical import clean_text
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound, TooLarge
from prime.core.ids import new_id
from prime.core.media import media_type
from prime.store import tables
from prime.store.database import Database
from prime.store.upsert import add_row

MAX_BYTES = 12 * 1024 * 1024
MAX_NAME = 255


@dataclass(frozen=True, slots=True)
class Attachment:
    id: str
    name: str
    mime_type: str
    size: int
    sha256: str
    created_at: int


class Blobs(Protocol):
    """Where contents lie, by hash."""

    async def put(self, sha256: str, content: bytes) -> None: ...
    async def get(self, sha256: str) -> bytes | None: ...
    async def remove(self, sha256: str) -> None: ...


class TableBlobs:
    """Contents as rows, for replicas that share no disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, sha256: str, content: bytes) -> None:
        row = {"sha256": sha256, "content": content}
        await self._database.write(lambda c: add_row(c, tables.attachment_blob, row))

    async def get(self, sha256: str) -> bytes | None:
        blob = tables.attachment_blob
        return await self._database.read(
            lambda c: c.execute(select(blob.c.content).where(blob.c.sha256 == sha256)).scalar_one_or_none()
        )

    async def remove(self, sha256: str) -> None:
        blob = tables.attachment_blob
        await self._database.write(lambda c: c.execute(delete(blob).where(blob.c.sha256 == sha256)))


class Attachments:
    def __init__(self, database: Database, blobs: Blobs, clock: Clock) -> None:
        self._database = database
        self._blobs = blobs
        self._clock = clock
        # Between looking whether a content is used and letting it go, nobody may begin to use it.
        self._lock = asyncio.Lock()

    async def put(self, name: str, mime_type: str, content: bytes) -> Attachment:
        """Keep the content; durable when this returns. What type it is the content says, not who brings it."""
        if len(content) > MAX_BYTES:
            raise TooLarge(
                f"{name} has {len(content):,} bytes; {MAX_BYTES:,} is the most.", hint="Send a smaller file or a link."
            )
        attachment = Attachment(
            new_id("att"),
            _plain_name(name),
            media_type(content, mime_type),
            len(content),
            hashlib.sha256(content).hexdigest(),
            self._clock.now_ms(),
        )
        values = {field: getattr(attachment, field) for field in attachment.__slots__}
        async with self._lock:
            await self._blobs.put(attachment.sha256, content)
            await self._database.write(lambda c: c.execute(insert(tables.attachment).values(values)))
        return attachment

    async def keep_text(self, name: str, content: str) -> str:
        """For the log: a text that is too long for a message."""
        return (await self.put(name, "text/plain; charset=utf-8", content.encode())).id

    async def get(self, attachment_id: str) -> Attachment:
        query = select(tables.attachment).where(tables.attachment.c.id == attachment_id)
        row = await self._database.read(lambda c: c.execute(query).one_or_none())
        if row is None:
            raise NotFound(f"There is no attachment {attachment_id}.", attachmentId=attachment_id)
        return Attachment(*row)

    async def content(self, attachment: Attachment) -> bytes:
        content = await self._blobs.get(attachment.sha256)
        if content is None:
            raise NotFound(
                f"The content of {attachment.name} is missing.",
                hint="Restore it from a backup.",
                attachmentId=attachment.id,
            )
        return content

    async def remove(self, attachment_id: str) -> None:
        """Forget the attachment, and its content when no other attachment has the same."""
        attachment = await self.get(attachment_id)
        table = tables.attachment

        def job(connection: Connection) -> int:
            connection.execute(delete(table).where(table.c.id == attachment_id))
            return connection.execute(
                select(func.count()).select_from(table).where(table.c.sha256 == attachment.sha256)
            ).scalar_one()

        async with self._lock:
            if await self._database.write(job) == 0:
                await self._blobs.remove(attachment.sha256)


def _plain_name(name: str) -> str:
    """The last part of whatever path a browser or program gave, without control characters."""
    last = clean_text(name).replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(c for c in last if c.isprintable()).strip()
    if plain in {"", ".", ".."}:
        raise InvalidInput("An attachment needs a file name.")
    return plain[-MAX_NAME:]
