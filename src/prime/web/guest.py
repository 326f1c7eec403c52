"""The routes that a guest has. They are an app of their own: a guest's request never reaches the owner's routes.

The paths and shapes are the owner's, so that the same page serves both. Everything is read through the view of a
channel that the guest may reach; what is elsewhere is not there, nor how much of it there is: places in the log are
sealed.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, FastAPI, File, Header, Query, Request, Response, UploadFile
from pydantic import JsonValue
from starlette.exceptions import HTTPException

from prime.accounts.guests import Reach
from prime.core.clock import iso
from prime.core.errors import Forbidden, InvalidInput, NotFound, TooLarge
from prime.rooms.views import View, observer, visible_from
from prime.store.attachments import MAX_BYTES
from prime.store.message import Kind, Message
from prime.web.errors import add_error_handlers, error_response
from prime.web.events import HEARTBEAT, HEARTBEAT_SECONDS, EventStream, encode
from prime.web.identity import identity_of
from prime.web.models import AttachmentShown, ChannelShown, NewMessageGiven, Page, Shown
from prime.web.parts import Parts, PartsNeeded
from prime.web.routes.actors import ActorShown
from prime.web.routes.attachments import original
from prime.web.routes.brain import HitShown

router = APIRouter()

Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[str | None, Query(max_length=64)]
PAGE = 500


class GuestMessage(Shown):
    """A message without its place in the log and without what it was made of: both may tell of other channels."""

    id: str
    channel_id: str
    actor_id: str
    kind: Kind
    text: str
    body: dict[str, JsonValue]
    ts: str
    course: int
    source_tag: str | None
    sources: tuple[str, ...] = ()

    @classmethod
    def of(cls, message: Message) -> "GuestMessage":
        return cls.model_construct(
            id=message.id,
            channel_id=message.channel_id,
            actor_id=message.actor_id,
            kind=message.kind,
            text=message.text,
            body=message.body,
            ts=iso(message.ts),
            course=message.course,
            source_tag=message.source_tag,
        )


def create_guest_routes(parts: Parts) -> FastAPI:
    app = FastAPI(
        title="Prime for guests",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        routes=list(router.routes),
    )
    app.state.parts = parts
    add_error_handlers(app)
    for status in (404, 405):
        app.add_exception_handler(status, _closed)
    return app


async def _closed(_request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return error_response(Forbidden("This is the owner's.", hint="You can read and write your channels."))
    raise error


def _reach(request: Request) -> Reach:
    reach = identity_of(request).reach
    assert reach is not None  # the gate sends nobody else here
    return reach


async def _view(parts: Parts, request: Request, channel_id: str) -> View:
    if channel_id not in _reach(request).channel_ids:
        raise NotFound(f"There is no channel {channel_id}.", channelId=channel_id)
    return await View.of(parts.store, channel_id)


@router.get("/api/channels")
async def list_channels(parts: PartsNeeded, request: Request) -> Page[ChannelShown]:
    views = [await View.of(parts.store, channel_id) for channel_id in _reach(request).channel_ids]
    return Page(items=[await channel_shown(view) for view in views if not view.channel.closed])


@router.get("/api/channels/{channel_id}")
async def get_channel(channel_id: str, parts: PartsNeeded, request: Request) -> ChannelShown:
    return await channel_shown(await _view(parts, request, channel_id))


async def channel_shown(view: View) -> ChannelShown:
    """What the channel is; how much of it the owner has read is the owner's."""
    place, latest = view.channel, await view.messages(limit=1)
    return ChannelShown.seen_from_inside(place, latest[0].ts if latest else None)


observer(channel_shown)


@router.get("/api/channels/{channel_id}/messages")
async def list_messages(
    channel_id: str, parts: PartsNeeded, request: Request, limit: Limit = 50, cursor: Cursor = None
) -> Page[GuestMessage]:
    view = await _view(parts, request, channel_id)
    guest_id = _reach(request).guest_id
    found = await view.messages(before=_place(parts, guest_id, cursor, "cursor"), limit=limit)
    return Page(
        items=[GuestMessage.of(m) for m in found],
        next_cursor=parts.accounts.places.seal(found[0].seq, guest_id) if len(found) == limit else None,
    )


@router.post("/api/channels/{channel_id}/messages", status_code=201)
async def post_message(channel_id: str, given: NewMessageGiven, parts: PartsNeeded, request: Request) -> GuestMessage:
    await _view(parts, request, channel_id)
    reach = _reach(request)
    for attachment_id in given.attachment_ids:
        await _refuse_unseen(parts, reach, attachment_id)
    parts.accounts.guests.pace.say(reach.guest_id)
    said = await parts.rooms.say(
        channel_id,
        reach.actor_id,
        given.text,
        idempotency_key=given.idempotency_key,
        attachment_ids=given.attachment_ids,
    )
    return GuestMessage.of(said)


@router.get("/api/actors")
async def list_actors(parts: PartsNeeded, request: Request) -> Page[ActorShown]:
    """The people and agents of the guest's channels."""
    views = [await View.of(parts.store, channel_id) for channel_id in _reach(request).channel_ids]
    cards = {card.id: card for view in views for card in await view.cards()}
    return Page(items=[ActorShown.of_card(card) for card in cards.values()])


@router.get("/api/brain/recall")
async def get_recall(
    parts: PartsNeeded,
    request: Request,
    q: Annotated[str, Query(max_length=4000)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Page[HitShown]:
    """The best of each channel, together; there is one page."""
    views = [await View.of(parts.store, channel_id) for channel_id in _reach(request).channel_ids]
    hits = [hit for view in views for hit in (await parts.brain.recall_from(view, q, limit=limit)).hits]
    best = sorted(hits, key=lambda hit: (-hit.score, -hit.ts))[:limit]
    return Page(items=[HitShown.of(hit) for hit in best])


@router.post("/api/attachments", status_code=201)
async def upload(file: Annotated[UploadFile, File()], parts: PartsNeeded, request: Request) -> AttachmentShown:
    content = await file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise TooLarge(f"A file may have {MAX_BYTES:,} bytes.", hint="Send a smaller file.")
    parts.accounts.guests.pace.bring(_reach(request).guest_id, len(content))
    mime_type = (file.content_type or "application/octet-stream").split(";")[0].strip().lower()
    kept = await parts.store.attachments.put(file.filename or "file", mime_type, content)
    await parts.accounts.guests.keep_upload(_reach(request).guest_id, kept.id)
    return AttachmentShown.of(kept)


@router.get("/api/attachments/{attachment_id}", response_class=Response)
async def download(attachment_id: str, parts: PartsNeeded, request: Request) -> Response:
    await _refuse_unseen(parts, _reach(request), attachment_id)
    attachment = await parts.store.attachments.get(attachment_id)
    return await original(parts, attachment, request)


@router.get("/events", response_class=EventStream)
async def get_events(
    parts: PartsNeeded, request: Request, last_event_id: Annotated[str | None, Header(max_length=64)] = None
) -> EventStream:
    """What is said in the guest's channels from now on, or from behind `Last-Event-ID`."""
    reach = _reach(request)
    return EventStream(follow(parts, reach, _place(parts, reach.guest_id, last_event_id, "Last-Event-ID")))


async def follow(parts: Parts, reach: Reach, last: int | None) -> AsyncIterator[bytes]:
    heads, places = parts.store.heads, parts.accounts.places
    seen = min(heads.head if last is None else last, heads.head)
    yield f"id: {places.seal(seen, reach.guest_id)}\n\n".encode()  # for one who is cut off before the first event
    with parts.accounts.guests.streams.opened(reach.guest_id) as over:
        async for data in _heard(parts, reach, seen, over):
            yield data


async def _heard(parts: Parts, reach: Reach, seen: int, over: asyncio.Event) -> AsyncIterator[bytes]:
    heads, places = parts.store.heads, parts.accounts.places
    beat = asyncio.get_running_loop().time() + HEARTBEAT_SECONDS
    while not over.is_set():
        for message in await parts.store.log.after(seen, PAGE):
            seen = message.seq
            if _is_theirs(reach, message):
                shown = GuestMessage.of(message).model_dump(mode="json", by_alias=True)
                yield encode("message", shown, places.seal(seen, reach.guest_id))
        try:
            # Of its own time, whatever is said elsewhere: that must not show in it.
            async with asyncio.timeout_at(beat):
                await heads.wait_beyond(seen)
        except TimeoutError:
            beat += HEARTBEAT_SECONDS
            yield HEARTBEAT
        now = await parts.accounts.guests.reach(reach.guest_id)
        if now is None:
            return
        reach = now


def _place(parts: Parts, guest_id: str, sealed: str | None, field: str) -> int | None:
    if sealed is None:
        return None
    place = parts.accounts.places.open(sealed, guest_id)
    if place is None:
        raise InvalidInput(f"This {field} is not one of ours.", hint="Use one that came with an answer.", field=field)
    return place


def _is_theirs(reach: Reach, message: Message) -> bool:
    return message.channel_id in reach.channel_ids and visible_from(message.channel_id, message)


async def _refuse_unseen(parts: Parts, reach: Reach, attachment_id: str) -> None:
    if not await parts.accounts.guests.may_see(reach, attachment_id):
        raise NotFound(f"There is no attachment {attachment_id}.", attachmentId=attachment_id)
