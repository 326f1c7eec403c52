"""The store as one part: opened once per process, closed at its end."""

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound
from prime.store.answering import Answering
from prime.store.attachments import Attachments, Blobs, FolderBlobs, TableBlobs
from prime.store.database import Database
from prime.store.engines.sqlite import SqliteDatabase
from prime.store.erasing import Erasure
from prime.store.file_blobs import FileBlobs
from prime.store.folder import DataFolder
from prime.store.folding import Projection
from prime.store.heads import Heads
from prime.store.leases import Leases
from prime.store.live_settings import LiveSettings
from prime.store.log import Log
from prime.store.migrations import STORE_MIGRATIONS, Migration
from prime.store.projector import Projector
from prime.store.rows import read_head
from prime.store.whispers import Whispers


@dataclass(frozen=True, slots=True)
class Store:
    folder: DataFolder
    database: Database
    heads: Heads
    log: Log
    attachments: Attachments
    leases: Leases
    live_settings: LiveSettings
    projector: Projector
    whispers: Whispers
    answering: Answering

    @classmethod
    async def open(
        cls,
        folder: DataFolder,
        url: str | None,
        clock: Clock,
        *,
        projections: Sequence[Projection] = (),
        last: Collection[str] = (),
        migrations: Sequence[Migration] = (),
    ) -> "Store":
        """Open the database (SQLite in the folder when there is no `url`) and bring everything up to date.

        `last` are projections that take long: after a burst, the others come first.
        """
        folder.create()
        steps = (*STORE_MIGRATIONS, *migrations)
        heads = Heads()
        if url is None:
            database, whispers = await _open_sqlite(folder, clock, steps)
            blobs: Blobs = FolderBlobs(database, FileBlobs(folder.attachments))
        else:
            check_url(url)
            database, whispers = await _open_postgresql(url, clock, steps, heads)
            blobs = TableBlobs(database)
        attachments = Attachments(database, blobs, clock)
        log = Log(database, clock, heads, attachments)
        projector = Projector(database, log, heads, projections, last=last)
        try:
            heads.announce(await database.read(read_head))
            await projector.start()
        except BaseException:
            await database.close()
            raise
        leases = Leases(database)
        return cls(
            folder,
            database,
            heads,
            log,
            attachments,
            leases,
            LiveSettings(database, clock),
            projector,
            whispers,
            Answering(database, leases),
        )

    async def erase(self, message_ids: Sequence[str], *, by: str) -> Erasure:
        """Forget these messages: payloads, attachments, derived rows, and what they leave behind in files."""
        erasure = await self.log.erase(message_ids, by=by)
        self.projector.forget()
        for attachment_id in erasure.attachment_ids:
            with contextlib.suppress(NotFound):  # gone with another message already
                await self.attachments.remove(attachment_id)
        await self.projector.read(lambda _: None, *self.projector.names)
        await self.database.scrub()
        return erasure

    async def close(self) -> None:
        await self.projector.stop()
        await self.whispers.stop()
        await self.answering.stop()
        await self.database.close()


def check_url(url: str) -> None:
    """Refuse what is no address of a PostgreSQL database; a password in it is not repeated."""
    if not url.startswith(("postgresql://", "postgres://")):
        raise InvalidInput(
            "PRIME_DATABASE_URL must begin with postgresql:// or sqlite:///.", hint="Leave it out to use SQLite."
        )
    try:
        make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidInput(
            "PRIME_DATABASE_URL is not an address.", hint="Write postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        ) from None


async def _open_sqlite(folder: DataFolder, clock: Clock, steps: Sequence[Migration]) -> tuple[Database, Whispers]:
    database = await SqliteDatabase.open(folder.database, clock, steps)
    return database, Whispers(database)


async def _open_postgresql(
    url: str, clock: Clock, steps: Sequence[Migration], heads: Heads
) -> tuple[Database, Whispers]:
    """Its database, which also says what other processes appended and whispered."""
    # Late: its driver is half of the time that a start on SQLite would take.
    from prime.store.engines.postgresql import PostgresqlDatabase

    database = await PostgresqlDatabase.open(url, clock, steps)
    whispers = Whispers(database)

    async def catch_up() -> None:
        heads.announce(await database.read(read_head))

    database.listen(heads.announce, catch_up, whispers.hear)
    return database, whispers
