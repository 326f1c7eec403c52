"""The job that writes notes. It finds its work in the log, so a crash costs it nothing but the file it was reading."""

import asyncio
import hashlib
import logging
from dataclasses import replace
from urllib.parse import urlsplit

from prime.brain.alone import LEASE_MS, alone
from prime.brain.notes.fetching import Fetcher
from prime.brain.notes.queries import NOTES, Attached, read_next, read_note_of
from prime.brain.notes.writing import note_body, note_text
from prime.brain.reading.process import Reader
from prime.brain.reading.reading import Reading
from prime.brain.thinking import File, Thinker
from prime.core.errors import PrimeError, Unavailable
from prime.rooms.queries import ROOMS, read_channel
from prime.rooms.records import PRIME
from prime.store.attachments import Attachment
from prime.store.erasing import Forgotten, refuse_forgotten
from prime.store.leases import Lease
from prime.store.message import NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

# Every provider takes a file of this size within a request.
_MOST_SHOWN = 10 * 1024 * 1024
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MOST_DESCRIBED = 24_000  # characters that a mind is shown


def note_id(attachment_id: str, channel_id: str) -> str:
    """The id that the note of this attachment has in this channel, known before it is written."""
    return f"msg_{hashlib.sha256(f'note/{attachment_id}/{channel_id}'.encode()).hexdigest()[:24]}"


class Notes:
    def __init__(self, store: Store, reader: Reader, thinker: Thinker, fetcher: Fetcher | None = None) -> None:
        self._store = store
        self._fetcher = fetcher
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
            turns: dict[str, int] = {}
            while attached := await self._store.projector.read(lambda c: read_next(c, turns), NOTES):
                turns[attached.channel_id] = max(turns.values(), default=0) + 1
                await self._write(attached, turn.lease)
                await turn.go_on()
        return None

    async def _write(self, attached: Attached, lease: Lease) -> None:
        named = {"referenceId" if attached.url else "attachmentId": attached.attachment_id}
        try:
            attachment, content = await self._content(attached)
        except PrimeError as error:
            # Removed, never there, or not to be had. The note says so, and it is not tried again.
            text = f"{attached.name or 'The file'}: {error}" if attached.url else str(error)
            await self._append(attached, text, {**named, "missing": True}, lease)
            return
        reading = await self._reader.read(content)
        description = await self._describe(attachment, reading, content)
        body = {**named, **note_body(attachment, reading)}
        await self._append(attached, note_text(attachment, reading, description), body, lease)

    async def _content(self, attached: Attached) -> tuple[Attachment, bytes]:
        if attached.url is None:
            attachment = await self._store.attachments.get(attached.attachment_id)
            return attachment, await self._store.attachments.content(attachment)
        if self._fetcher is None:
            raise Unavailable("Files are not fetched here.")
        channel = await self._store.projector.read(lambda c: read_channel(c, attached.channel_id), ROOMS)
        known = channel is not None and channel.tier != "external"
        content = await self._fetcher.fetch(attached.url, trusted=known)
        name = attached.name or urlsplit(attached.url).path.rsplit("/", 1)[-1] or "file"
        return await self._store.attachments.put(name, "", content), content

    async def _describe(self, attachment: Attachment, reading: Reading, content: bytes) -> str:
        if reading.refused:
            return ""
        # What was scanned is a picture, too: there are no words in it to be read.
        scanned = attachment.mime_type == "application/pdf" and not reading.text.strip()
        shown = (scanned or attachment.mime_type in _PICTURES) and len(content) <= _MOST_SHOWN
        file = File(
            name=attachment.name,
            mime_type=attachment.mime_type,
            text=reading.text[:_MOST_DESCRIBED],
            facts=reading.facts,
            image=content if shown else None,
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
        try:
            await self._store.log.append(note, lease=lease, also=lambda c: refuse_forgotten(c, note.sources))
        except Forgotten:  # erased while it was being read: that there was a file is all that stays
            name = "referenceId" if attached.url else "attachmentId"
            gone = {name: attached.attachment_id, "missing": True}
            await self._store.log.append(replace(note, text="The file was erased.", body=gone), lease=lease)
