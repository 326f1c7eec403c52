"""Publishing: proposed, looked at, taken back; and the sites that this instance itself serves."""

import mimetypes
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import Field

from prime.connectors.publish.bundle import MAX_FILES
from prime.connectors.publish.bundle import Given as File
from prime.connectors.publish.folder import find_page
from prime.connectors.publish.publications import MAX_TITLE, Publication
from prime.connectors.publish.tool import content_of
from prime.core.errors import InvalidInput
from prime.rooms.records import HUB
from prime.web.models import Given, Id, Shown
from prime.web.parts import Parts, PartsNeeded
from prime.web.routes.drafts import DraftShown, shown

router = APIRouter(tags=["publish"])

# A published site is somebody's page on the owner's own address: it runs in a world of its own, without the owner's
# cookies, and reaches nothing of the instance.
SANDBOX = (
    "sandbox allow-scripts allow-popups allow-downloads; default-src 'self' 'unsafe-inline' data: https:; "
    "connect-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
PREVIEWED = 64 * 1024


class FileGiven(Given):
    """A file by its text, its bytes in base64, or an attachment."""

    path: Annotated[str, Field(min_length=1, max_length=200)]
    text: Annotated[str, Field(max_length=1_000_000)] | None = None
    base64: Annotated[str, Field(max_length=1_400_000)] | None = None
    attachment_id: Id | None = None


class PublicationGiven(Given):
    connector: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")] = "folder"
    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]
    description: Annotated[str, Field(max_length=2_000)] = ""
    files: Annotated[list[FileGiven], Field(min_length=1, max_length=MAX_FILES)]
    # The connector's own: `name`, for GitHub `as`, `private`, `pages`.
    options: Annotated[dict[str, Annotated[str, Field(max_length=200)]], Field(max_length=20)] = Field(
        default_factory=dict[str, str]
    )
    channel_id: Id = HUB


class TakenOut(Shown):
    sentence: str
    category: str


class FileShown(Shown):
    """One file exactly as it will leave. `text` is its beginning, where it is text."""

    path: str
    mime_type: str
    size: int
    sha256: str
    attachment_id: str
    redacted: bool
    removed: list[TakenOut]
    doubts: list[TakenOut]
    text: str | None


class PreviewShown(Shown):
    draft: DraftShown
    files: list[FileShown]


@router.post("/api/publish", status_code=201)
async def propose(given: PublicationGiven, parts: PartsNeeded) -> DraftShown:
    """Propose to publish files; what leaves is cleaned for strangers and waits at the gate."""
    await parts.rooms.channel(given.channel_id)
    publication = Publication(
        connector=given.connector,
        title=given.title,
        description=given.description,
        files=[File(path=file.path, content=await _content(parts, file)) for file in given.files],
        options=given.options,
        channel_id=given.channel_id,
    )
    return shown(parts, await parts.publications.propose(publication))


@router.get("/api/drafts/{draft_id}/preview")
async def preview(draft_id: Id, parts: PartsNeeded) -> PreviewShown:
    """Exactly what will leave, and what was taken out of it."""
    draft = await parts.gate.drafts.get(draft_id)
    if draft.kind != "publish":
        raise InvalidInput("Only what is published has a preview.", hint="A reply is its own text.")
    files: list[FileShown] = []
    for kept in await parts.publications.preview(draft):
        attachment = await parts.store.attachments.get(str(kept["attachmentId"]))
        content = await parts.store.attachments.content(attachment)
        files.append(FileShown.model_validate({**kept, "text": _beginning(content, attachment.mime_type)}))
    return PreviewShown(draft=shown(parts, draft), files=files)


@router.post("/api/drafts/{draft_id}/undo")
async def undo(draft_id: Id, parts: PartsNeeded) -> DraftShown:
    """Take back what a publication put into the world, whole or half done."""
    return shown(parts, await parts.publications.undo(draft_id))


@router.get("/site/{slug}/{path:path}", response_class=FileResponse, tags=["sites"])
async def site(
    slug: Annotated[str, Path(max_length=60)], path: Annotated[str, Path(max_length=1000)], parts: PartsNeeded
) -> FileResponse:
    """A page of a site that was published here; anyone with the link may open it."""
    file = find_page(parts.store.folder.path / "published", slug, path)
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return FileResponse(
        file,
        media_type=f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
        headers={
            "content-security-policy": SANDBOX,
            # Its own pictures too come from elsewhere, for a page in a world of its own.
            "cross-origin-resource-policy": "cross-origin",
            "cache-control": "no-cache",
            "referrer-policy": "no-referrer",
        },
    )


async def _content(parts: Parts, file: FileGiven) -> bytes:
    given = [name for name in ("text", "base64", "attachment_id") if getattr(file, name) is not None]
    if len(given) != 1:
        raise InvalidInput(f"{file.path[:80]} needs one of text, base64 and attachmentId.", field="files")
    if file.attachment_id is not None:
        return await parts.store.attachments.content(await parts.store.attachments.get(file.attachment_id))
    return content_of({"path": file.path, given[0]: str(getattr(file, given[0]))})


def _beginning(content: bytes, mime_type: str) -> str | None:
    texty = mime_type.startswith("text/") or mime_type in {"application/json", "image/svg+xml", "text/javascript"}
    return content[:PREVIEWED].decode("utf-8", "replace") if texty else None
