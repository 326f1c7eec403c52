"""The job that writes notes. It finds its work in the log, so a crash costs it nothing but the file it was reading."""

import asyncio
import hashlib
import logging

from prime.brain.alone import LEASE_MS, alone
from prime.brain.notes.queries import NOTES, Attached, read_note_of, read_without_note
from prime.brain.notes.writing import note_body, note_text
from prime.brain.reading.process import Reader
from prime.brain.reading.reading import Reading
from prime.brain.thinking import File, Thinker
from prime.core.errors import NotFound, PrimeError
from prime.rooms.records import PRIME
from prime.store.attachments import Attachment
from prime.store.leases import Lease
from prime.store.message import NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

_BATCH = 20
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MOST_DESCRIBED = 24_000  # characters that a mind is shown


def note_id(attachment_id: str, channel_id: str) -> str:
    """The id that the note of this attachment has in this channel, known before it is written."""
    return f"msg_{hashlib.sha256(f'note/{attachment_id}/{channel_id}'.encode()).hexdigest()[:24]}"


class Notes:
    def __init__(self, store: Store, reader: Reader, thinker: Thinker) -> None:
        self._store = store
        self._reader = reader
        self._thinker = thinker
        self._lock = asyncio.Lock()

    async def note_of(self, attachment_id: str) -> str | None:
        """The id of an attachment's note; None while there is none."""
        return await self._store.projector.read(lambda c: read_note_of(c, attachment_id), NOTES)

    async def catch_up(self) -> int | None:
        """Write every note that is missing; milliseconds until to look again, None when there is nothing left."""
        async with self._lock, alone(self._store, "notes") as turn:
            if turn is None:
                return LEASE_MS
            while missing := await self._store.projector.read(lambda c: read_without_note(c, _BATCH), NOTES):
                for attached in missing:
                    await self._write(attached, turn.lease)
                    await turn.go_on()
        return None

    async def _write(self, attached: Attached, lease: Lease) -> None:
        try:
            attachment = await self._store.attachments.get(attached.attachment_id)
            content = await self._store.attachments.content(attachment)
        except NotFound as error:
            # Removed, or never there. The note says so, and is not tried again.
            await self._append(attached, str(error), {"attachmentId": attached.attachment_id, "missing": True}, lease)
            return
        reading = await self._reader.read(content)
        description = await self._describe(attachment, reading, content)
        await self._append(
            attached, note_text(attachment, reading, description), dict(note_body(attachment, reading)), lease
        )

    async def _describe(self, attachment: Attachment, reading: Reading, content: bytes) -> str:
        if reading.refused:
            return ""
        picture = content if attachment.mime_type in _PICTURES else None
        file = File(
            name=attachment.name,
            mime_type=attachment.mime_type,
            text=reading.text[:_MOST_DESCRIBED],
            facts=reading.facts,
            image=picture,
        )
        try:
            return await self._thinker.describe(file)
        except PrimeError as error:  # a cap or a model that is away; what is certain is written all the same
            log.info("a note is written without a description: %s", error)
            return ""

    async def _append(self, attached: Attached, text: str, body: dict[str, object], lease: Lease) -> None:
        note = NewMessage(
            id=note_id(attached.attachment_id, attached.channel_id),
            channel_id=attached.channel_id,
            actor_id=PRIME,
            kind="note",
            audience=attached.audience,
            text=text,
            body=body,
            sources=(attached.message_id,),
            idempotency_key=f"note/{attached.attachment_id}",
        )
        await self._store.log.append(note, lease=lease)
