"""Attachments by content hash: the same bytes are kept once, whoever brings them.

In a data folder they are files; where replicas share a PostgreSQL database and no disk, they are rows.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection, delete, insert, select

from prime.core.canonical import clean_text
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound, TooLarge
from prime.core.ids import new_id
from prime.core.media import media_type
from prime.store import tables
from prime.store.database import Database, Job
from prime.store.disk import telling
from prime.store.file_blobs import FileBlobs
from prime.store.upsert import add_row

MAX_BYTES = 12 * 1024 * 1024
MAX_NAME = 255

_blob = tables.attachment_blob


@dataclass(frozen=True, slots=True)
class Attachment:
    id: str
    name: str
    mime_type: str
    size: int
    sha256: str
    created_at: int


class Blobs(Protocol):
    """Where contents lie, by hash. Between looking whether a content is used and letting it go, nobody begins to use it."""

    async def put(self, sha256: str, content: bytes, using: Job[object]) -> None:
        """Keep the content and do `using`, which writes down that it is used; both are durable when this returns."""
        ...

    async def get(self, sha256: str) -> bytes | None: ...

    async def remove(self, sha256: str, leaving: Job[bool]) -> None:
        """Do `leaving`; where it says that nobody uses the content any more, that goes as well."""
        ...


class FolderBlobs:
    """Contents as files of the data folder, which only this process writes."""

    def __init__(self, database: Database, files: FileBlobs) -> None:
        self._database = database
        self._files = files
        self._lock = asyncio.Lock()

    async def put(self, sha256: str, content: bytes, using: Job[object]) -> None:
        async with self._lock:
            with telling("The file cannot be kept"):
                await asyncio.to_thread(self._files.write, sha256, content)
            await self._database.write(using)

    async def get(self, sha256: str) -> bytes | None:
        return await asyncio.to_thread(self._files.read, sha256)

    async def remove(self, sha256: str, leaving: Job[bool]) -> None:
        async with self._lock:
            if await self._database.write(leaving):
                await asyncio.to_thread(self._files.remove, sha256)


class TableBlobs:
    """Contents as rows, for replicas that share no disk; writes of all replicas come one after the other."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, sha256: str, content: bytes, using: Job[object]) -> None:
        def job(connection: Connection) -> None:
            add_row(connection, _blob, {"sha256": sha256, "content": content})
            using(connection)

        await self._database.write(job)

    async def get(self, sha256: str) -> bytes | None:
        query = select(_blob.c.content).where(_blob.c.sha256 == sha256)
        return await self._database.read(lambda c: c.execute(query).scalar_one_or_none())

    async def remove(self, sha256: str, leaving: Job[bool]) -> None:
        def job(connection: Connection) -> None:
            if leaving(connection):
                connection.execute(delete(_blob).where(_blob.c.sha256 == sha256))

        await self._database.write(job)


class Attachments:
    def __init__(self, database: Database, blobs: Blobs, clock: Clock) -> None:
        self._database = database
        self._blobs = blobs
        self._clock = clock

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
        await self._blobs.put(attachment.sha256, content, lambda c: c.execute(insert(tables.attachment).values(values)))
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
        same = select(table.c.id).where(table.c.sha256 == attachment.sha256).limit(1)

        def leaving(connection: Connection) -> bool:
            connection.execute(delete(table).where(table.c.id == attachment_id))
            return connection.execute(same).first() is None

        await self._blobs.remove(attachment.sha256, leaving)


def _plain_name(name: str) -> str:
    """The last part of whatever path a browser or program gave, without control characters."""
    last = clean_text(name).replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(c for c in last if c.isprintable()).strip()
    if plain in {"", ".", ".."}:
        raise InvalidInput("An attachment needs a file name.")
    return plain[-MAX_NAME:]
