"""Channels and the messages in them."""

from typing import Annotated

from fastapi import APIRouter, Query

from prime.core.errors import InvalidInput, NotFound
from prime.core.ids import new_id
from prime.dialogs.dialogs import Priming
from prime.hub.swarm.pausing import channel_switches, pause_channel, resume_channel
from prime.rooms.records import HUB, OWNER, ChannelDraft
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import (
    ChannelChange,
    ChannelShown,
    MessageShown,
    NewChannel,
    NewMessageGiven,
    Page,
    Said,
)
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api", tags=["channels"])

Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[str | None, Query(max_length=64)]


@router.post("/chat")
async def chat(given: NewMessageGiven, parts: PartsNeeded) -> Said:
    """The owner speaks in the hub's room."""
    await _refuse_missing_attachments(parts, given)
    said = await parts.hub.say(given.text, idempotency_key=given.idempotency_key, attachment_ids=given.attachment_ids)
    return Said(message_id=said.id, channel_id=said.channel_id)


@router.get("/channels")
async def list_channels(parts: PartsNeeded, limit: Limit = 200, cursor: Cursor = None) -> Page[ChannelShown]:
    """Open channels, the hub's room first."""
    found = await parts.rooms.channels(after=decode_cursor(cursor) or 0, limit=limit)
    unread = await parts.rooms.unread()
    words = await parts.rooms.last_words([each.id for _, each in found])
    switches = await channel_switches(parts.store)
    return Page(
        items=[
            ChannelShown.of(each, unread.get(each.id, 0), last_words=words.get(each.id), paused=switches.get(each.id))
            for _, each in found
        ],
        next_cursor=encode_cursor(found[-1][0]) if len(found) == limit else None,
    )


@router.post("/channels", status_code=201)
async def create_channel(given: NewChannel, parts: PartsNeeded) -> ChannelShown:
    """Open a channel with its tier, its members, what it is for, and the startup scripts that it begins with.

    With scripts, all of it is made or nothing: one that cannot be read, or is not for the channel's agent, is refused.
    """
    draft = ChannelDraft(
        id=new_id("ch"),
        name=given.name,
        kind=given.kind,
        tier=given.tier,
        members=tuple(given.members),
        brief=given.brief or "",
    )
    priming = Priming(tuple(given.priming.script_refs), given.priming.show_in_ui) if given.priming else None
    channel = await parts.dialogs.create(draft, priming)
    return await get_channel(channel.id, parts)


@router.get("/channels/{channel_id}")
async def get_channel(channel_id: str, parts: PartsNeeded) -> ChannelShown:
    channel = await parts.rooms.channel(channel_id)
    paused = (await channel_switches(parts.store)).get(channel_id)
    words = (await parts.rooms.last_words([channel_id])).get(channel_id)
    unread = (await parts.rooms.unread()).get(channel_id, 0)
    return ChannelShown.of(channel, unread, last_words=words, paused=paused)


@router.patch("/channels/{channel_id}")
async def change_channel(channel_id: str, given: ChannelChange, parts: PartsNeeded) -> ChannelShown:
    """Rename a channel, mark it as read, or close it."""
    # What can be refused comes first, so that a refused request changes nothing.
    if given.read_up_to is not None:
        await parts.rooms.mark_read(channel_id, given.read_up_to)
    if given.closed:
        await parts.rooms.close_channel(channel_id)
    if given.name is not None:
        await parts.rooms.rename_channel(channel_id, given.name)
    return await get_channel(channel_id, parts)


@router.post("/channels/{channel_id}/pause")
async def pause(channel_id: str, parts: PartsNeeded) -> ChannelShown:
    """Stop one channel at once; the others go on."""
    await parts.rooms.channel(channel_id)
    await pause_channel(parts.store, parts.hub.swarm, channel_id)
    return await get_channel(channel_id, parts)


@router.post("/channels/{channel_id}/resume")
async def resume(channel_id: str, parts: PartsNeeded) -> ChannelShown:
    """Let one channel go on where it stopped."""
    await parts.rooms.channel(channel_id)
    await resume_channel(parts.store, parts.hub.swarm, channel_id)
    return await get_channel(channel_id, parts)


@router.get("/channels/{channel_id}/messages")
async def list_messages(
    channel_id: str,
    parts: PartsNeeded,
    limit: Limit = 50,
    cursor: Cursor = None,
    around: Annotated[str | None, Query(max_length=120)] = None,
) -> Page[MessageShown]:
    """The newest messages, in order; `nextCursor` leads to older ones. `around` begins at the page with that message."""
    await parts.rooms.place(channel_id)
    if around is not None and cursor is not None:
        raise InvalidInput("Give either a cursor or a message to begin around.", field="around")
    before = decode_cursor(cursor)
    if around is not None:
        message = await parts.store.log.get(around)
        if message.channel_id != channel_id:
            raise NotFound(
                f"There is no message {around} in {channel_id}.",
                hint="It was said in another channel.",
                messageId=around,
                channelId=message.channel_id,
            )
        newer = await parts.store.log.page(channel_id, after=message.seq, limit=limit // 2)
        before = (newer[-1] if newer else message).seq + 1
    found = await parts.store.log.page(channel_id, before=before, limit=limit)
    return Page(
        items=[MessageShown.of(m) for m in found],
        next_cursor=encode_cursor(found[0].seq) if len(found) == limit else None,
    )


@router.post("/channels/{channel_id}/messages", status_code=201)
async def post_message(channel_id: str, given: NewMessageGiven, parts: PartsNeeded) -> MessageShown:
    """The owner speaks in a channel. The same `idempotencyKey` twice is one message."""
    await _refuse_missing_attachments(parts, given)
    if channel_id == HUB:
        said = await parts.hub.say(
            given.text, idempotency_key=given.idempotency_key, attachment_ids=given.attachment_ids
        )
    elif not given.attachment_ids and await parts.network.correspondence.reaches(channel_id):
        said = await parts.network.correspondence.say(channel_id, given.text, actor_id=OWNER, key=given.idempotency_key)
    else:
        said = await parts.rooms.say(
            channel_id,
            OWNER,
            given.text,
            idempotency_key=given.idempotency_key,
            attachment_ids=given.attachment_ids,
        )
    if channel_id != HUB:
        await parts.hub.swarm.hear_owner()
    return MessageShown.of(said)


async def _refuse_missing_attachments(parts: Parts, given: NewMessageGiven) -> None:
    for attachment_id in given.attachment_ids:
        await parts.store.attachments.get(attachment_id)
