"""Files in and out."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, File, Response, UploadFile

from prime.core.errors import TooLarge
from prime.store.attachments import MAX_BYTES
from prime.web.models import AttachmentShown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/attachments", tags=["attachments"])

# Shown in the page; everything else is a download, so that nothing somebody sent can run as a page of ours.
INLINE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "text/plain", "application/pdf"})


@router.post("", status_code=201)
async def upload(file: Annotated[UploadFile, File()], parts: PartsNeeded) -> AttachmentShown:
    """Keep a file of up to 12 MB; the answer's id goes into a message's `attachmentIds`."""
    content = await file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise TooLarge(
            f"{file.filename or 'The file'} is larger than {MAX_BYTES:,} bytes.", hint="Send a smaller file."
        )
    mime_type = (file.content_type or "application/octet-stream").split(";")[0].strip().lower()
    return AttachmentShown.of(await parts.store.attachments.put(file.filename or "file", mime_type, content))


@router.get("/{attachment_id}", response_class=Response)
async def download(attachment_id: str, parts: PartsNeeded) -> Response:
    """The original."""
    attachment = await parts.store.attachments.get(attachment_id)
    content = await parts.store.attachments.content(attachment)
    inline = attachment.mime_type in INLINE
    disposition = f"{'inline' if inline else 'attachment'}; filename*=UTF-8''{quote(attachment.name)}"
    return Response(
        content,
        media_type=attachment.mime_type if inline else "application/octet-stream",
        headers={
            "Content-Disposition": disposition,
            "Cache-Control": "private, max-age=31536000, immutable",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        },
    )
