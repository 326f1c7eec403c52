"""Files in and out."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Header, Request, Response, UploadFile

from prime.brain.notes.notes import note_id
from prime.core.errors import Forbidden, TooLarge
from prime.rooms.records import HUB, OWNER
from prime.store.attachments import MAX_BYTES, Attachment
from prime.store.message import NewMessage
from prime.web.identity import identity_of
from prime.web.models import AttachmentShown, Ok
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api/attachments", tags=["attachments"])

# Shown in the page; everything else is a download, so that nothing somebody sent can run as a page of ours. These are
# types that the content itself has, never those that a sender claims.
INLINE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "text/plain", "application/pdf"})


@router.post("", status_code=201)
async def upload(
    file: Annotated[UploadFile, File()],
    parts: PartsNeeded,
    channel_id: Annotated[str | None, Form(alias="channelId", max_length=120, pattern=r"^[A-Za-z0-9_.:-]+$")] = None,
) -> AttachmentShown:
    """Keep a file of up to 12 MB; the answer's id goes into a message's `attachmentIds`.

    A note of what is in it follows once it is part of a message. With `channelId` it is put into that channel as a
    message of its own at once, and `noteMessageId` is the id that its note will have.
    """
    content = await file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise TooLarge(
            f"{file.filename or 'The file'} is larger than {MAX_BYTES:,} bytes.", hint="Send a smaller file."
        )
    if channel_id is not None:
        await parts.rooms.channel(channel_id)  # before anything is kept
    claimed = (file.content_type or "").split(";")[0].strip().lower()
    attachment = await parts.store.attachments.put(file.filename or "file", claimed, content)
    if channel_id is None:
        return AttachmentShown.of(attachment)
    await parts.rooms.say(channel_id, OWNER, attachment.name, attachment_ids=[attachment.id])
    return AttachmentShown.of(attachment, note_id(attachment.id, channel_id))


@router.get("/{attachment_id}", response_class=Response)
async def download(
    attachment_id: str, parts: PartsNeeded, request: Request, accept: Annotated[str, Header()] = ""
) -> Response:
    """The original; to a client that accepts `application/json` only, what is known about it."""
    attachment = await parts.store.attachments.get(attachment_id)
    if accept.split(",")[0].split(";")[0].strip() == "application/json":
        shown = AttachmentShown.of(attachment, await parts.brain.notes.note_of(attachment_id))
        return Response(shown.model_dump_json(by_alias=True), media_type="application/json", headers={"Vary": "Accept"})
    return await original(parts, attachment, request)


@router.delete("/{attachment_id}")
async def remove(attachment_id: str, parts: PartsNeeded, request: Request) -> Ok:
    """Let go of the original, which only the owner may; its note stays, and the log says that it was removed."""
    if identity_of(request).role != "owner":
        raise Forbidden("Only the owner removes a file.", hint="Sign in as the owner.")
    attachment = await parts.store.attachments.get(attachment_id)
    await parts.store.attachments.remove(attachment_id)
    await parts.store.log.append(
        NewMessage(
            channel_id=HUB,
            actor_id=OWNER,
            kind="system",
            audience="hub",
            text=f"{attachment.name} was removed.",
            body={"removedAttachmentId": attachment.id, "sha256": attachment.sha256},
        )
    )
    return Ok()


async def original(parts: Parts, attachment: Attachment, request: Request) -> Response:
    """The file itself. A browser may keep it, but asks each time: whoever is signed out, and what is removed, stays out."""
    inline = attachment.mime_type in INLINE
    etag = f'"{attachment.sha256}"'
    headers = {
        "Content-Disposition": f"{'inline' if inline else 'attachment'}; filename*=UTF-8''{quote(attachment.name, safe='')}",
        "Cache-Control": "private, no-cache",
        "ETag": etag,
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Vary": "Accept",
    }
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    content = await parts.store.attachments.content(attachment)
    return Response(content, media_type=attachment.mime_type if inline else "application/octet-stream", headers=headers)
