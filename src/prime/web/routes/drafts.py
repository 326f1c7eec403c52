"""What waits at the gate, what left, and what was learned from it."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field, JsonValue

from prime.core.clock import iso
from prime.hub.gate.records import MAX_TEXT, DecidedBy, Draft, DraftKind, DraftStatus
from prime.hub.gate.sending import Going
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import Given, Id, Page, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api", tags=["drafts"])

Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[str | None, Query(max_length=64)]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


class ProgressShown(Shown):
    what: str
    done: int
    of: int


class DraftShown(Shown):
    id: str
    connector: str
    kind: DraftKind
    channel_id: str
    text: str
    title: str
    status: DraftStatus
    # Why it waits, or how it went out.
    reason: str
    class_: Annotated[str | None, Field(alias="class")]
    reply_to: str | None
    # What it answers.
    trigger: str
    edited: bool
    # Only the owner can send it: copy it, and say “I sent it”.
    copy_only: bool
    decided_by: DecidedBy | None
    # What the service said: its id, the link; after a failure half-way, what exists.
    result: dict[str, JsonValue]
    url: str | None
    progress: ProgressShown | None
    created_at: str
    decided_at: str | None
    sent_at: str | None

    @classmethod
    def of(cls, draft: Draft, going: Going | None = None) -> "DraftShown":
        url = draft.result.get("url")
        return cls.model_validate(
            {
                "id": draft.id,
                "connector": draft.connector,
                "kind": draft.kind,
                "channel_id": draft.channel_id,
                "text": draft.text,
                "title": draft.title,
                "status": draft.status,
                "reason": draft.reason,
                "class_": draft.class_id,
                "reply_to": draft.reply_to,
                "trigger": draft.trigger,
                "edited": draft.edited,
                "copy_only": draft.target.get("copyOnly") is True,
                "decided_by": draft.decided_by,
                "result": dict(draft.result),
                "url": url if isinstance(url, str) else None,
                "progress": {"what": going.what, "done": going.done, "of": going.of} if going else None,
                "created_at": iso(draft.created_at),
                "decided_at": iso(draft.decided_at) if draft.decided_at else None,
                "sent_at": iso(draft.sent_at) if draft.sent_at else None,
            }
        )


class ApprovalGiven(Given):
    """The owner's own words, if they edited the draft."""

    text: Text | None = None


UNCHANGED = ApprovalGiven()


class ResolvedGiven(Given):
    """What became of it: `sent` (also by hand) or `not_sent`."""

    outcome: Literal["sent", "not_sent"]
    text: Text | None = None


def shown(parts: Parts, draft: Draft) -> DraftShown:
    return DraftShown.of(draft, parts.gate.sending.going.get(draft.id))


@router.get("/drafts")
async def list_drafts(
    parts: PartsNeeded, status: DraftStatus | None = None, limit: Limit = 50, cursor: Cursor = None
) -> Page[DraftShown]:
    """Newest first; `status` picks those that are `pending`, `sending`, `sent`, `rejected` or `uncertain`."""
    found = await parts.gate.drafts.page(status=status, before=decode_cursor(cursor), limit=limit)
    return Page(
        items=[shown(parts, draft) for _, draft in found],
        next_cursor=encode_cursor(found[-1][0]) if len(found) == limit else None,
    )


@router.get("/drafts/{draft_id}")
async def get_draft(draft_id: Id, parts: PartsNeeded) -> DraftShown:
    return shown(parts, await parts.gate.drafts.get(draft_id))


@router.post("/drafts/{draft_id}/approve")
async def approve(draft_id: Id, parts: PartsNeeded, given: ApprovalGiven = UNCHANGED) -> DraftShown:
    """Send it as the owner, edited if `text` is given. Twice is once: a draft is sent at most one time."""
    return shown(parts, await parts.gate.drafts.approve(draft_id, given.text))


@router.post("/drafts/{draft_id}/reject")
async def reject(draft_id: Id, parts: PartsNeeded) -> DraftShown:
    """Drop it; nothing is sent."""
    return shown(parts, await parts.gate.drafts.reject(draft_id))


@router.post("/drafts/{draft_id}/resolve")
async def resolve(draft_id: Id, given: ResolvedGiven, parts: PartsNeeded) -> DraftShown:
    """Say what became of one that is `uncertain`, or that a pending one was sent by hand."""
    sent = given.outcome == "sent"
    return shown(parts, await parts.gate.drafts.resolve(draft_id, sent=sent, text=given.text))


@router.get("/sent")
async def list_sent(parts: PartsNeeded, limit: Limit = 50, cursor: Cursor = None) -> Page[DraftShown]:
    """Everything that left as the owner, over all connectors, the latest first."""
    found = await parts.gate.drafts.sent(before=decode_cursor(cursor), limit=limit)
    return Page(
        items=[shown(parts, draft) for _, draft in found],
        next_cursor=encode_cursor(found[-1][0]) if len(found) == limit else None,
    )
