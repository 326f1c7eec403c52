"""Rooms as one part: who takes part, and where. Every change is a message."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.core.ids import new_id
from prime.core.visible import is_blank
from prime.rooms import queries
from prime.rooms.briefs import Brief, Briefs, built_in_briefs
from prime.rooms.heard.queries import put_read_mark, read_last_words, read_unread
from prime.rooms.queries import OF_ACTORS, OF_PLACES, ROOMS
from prime.rooms.records import (
    HUB,
    OWNER,
    PRIME,
    Actor,
    ActorKind,
    Channel,
    ChannelDraft,
    ChannelKind,
)
from prime.rooms.tier import Tier
from prime.store.message import Message, NewMessage
from prime.store.store import Store

MAX_NAME = 120
_PAGE = 500


class Rooms:
    def __init__(self, store: Store, briefs: Briefs | None = None) -> None:
        self._store = store
        self.briefs = briefs or built_in_briefs()

    async def open(self) -> None:
        """Make the owner, Prime and the hub's room where they are missing; several replicas may do it at once."""
        await self._store.log.append(
            actor_message(Actor(id=OWNER, name="You", kind="human", connector="owner"), key="first-owner"),
            actor_message(Actor(id=PRIME, name="Prime", kind="agent", connector="llm_generic"), key="first-prime"),
            channel_message(ChannelDraft(id=HUB, kind="dm", name="Prime", tier="team"), key="first-hub"),
        )

    # --- actors ---

    async def actors(self) -> list[Actor]:
        return list(await self._store.projector.read_kept("actors", queries.read_actors, ROOMS, kinds=OF_ACTORS))

    async def actor(self, actor_id: str) -> Actor:
        found = next((actor for actor in await self.actors() if actor.id == actor_id), None)
        if found is None:
            raise NotFound(f"There is no actor {actor_id}.", actorId=actor_id)
        return found

    async def add_actor(
        self,
        name: str,
        kind: ActorKind,
        connector: str,
        *,
        actor_id: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Actor:
        """Make an actor known; with an id that is there already, change it. `settings` are its connector's."""
        if actor_id in {OWNER, PRIME}:
            raise Conflict(f"{actor_id} is a part of Prime itself.", hint="Leave the id out to get a new one.")
        actor = Actor(
            id=actor_id or new_id("act"), name=plain_name(name), kind=kind, connector=connector, settings=settings or {}
        )
        await self._store.log.append(actor_message(actor))
        return actor

    # --- channels ---

    async def channels(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Channel]]:
        """Open channels in the order of their making, each with its place for the next page."""
        return await self._store.projector.read(
            lambda c: queries.read_channels(c, after=after, limit=limit, with_closed=False), ROOMS
        )

    async def all_channels(self) -> list[Channel]:
        """Every open channel, in the order of their making; read page by page."""
        found: list[Channel] = []
        after = 0
        while page := await self.channels(after=after, limit=_PAGE):
            found += [channel for _, channel in page]
            after = page[-1][0]
        return found

    async def channel(self, channel_id: str) -> Channel:
        read = self._store.projector.read(lambda c: queries.read_channel(c, channel_id), ROOMS)
        return _there(await read, channel_id)

    async def place(self, channel_id: str) -> Channel:
        """The channel for who has no use for what was said in it: its last time and count may be a moment old."""
        read = self._store.projector.read_kept(
            ("place", channel_id), lambda c: queries.read_channel(c, channel_id), ROOMS, kinds=OF_PLACES
        )
        return _there(await read, channel_id)

    async def create_channel(
        self,
        name: str,
        *,
        kind: ChannelKind = "group",
        tier: Tier,
        members: Sequence[str] = (),
        brief: str | None = None,
        channel_id: str | None = None,
    ) -> Channel:
        """Make a channel with its first members and its brief; all of it or nothing."""
        draft = ChannelDraft(
            id=channel_id or new_id("ch"), name=name, kind=kind, tier=tier, members=tuple(members), brief=brief or ""
        )
        return await self.open_channel(draft)

    async def open_channel(self, draft: ChannelDraft, history: Sequence[NewMessage] = ()) -> Channel:
        """Make the channel with what it begins with; all of it or nothing."""
        known = {actor.id for actor in await self.actors()}
        for member in draft.members:
            if member not in known:
                raise InvalidInput(f"There is no actor {member}.", hint="Add the actor first.", field="members")
        messages = [channel_message(replace(draft, name=plain_name(draft.name)))]
        if draft.brief.strip():
            brief = Brief(channel_id=draft.id, tier=draft.tier, text=draft.brief.strip())
            messages += self.briefs.tell(brief).messages
        await self._store.log.append(*messages, *history)
        return await self.channel(draft.id)

    async def begin_course(self, channel_id: str) -> Channel:
        """Leave the present history behind and begin a new one; what was said stays in its course."""
        latest = max(course for _, _, course in await self.courses(channel_id))
        # Two who begin at once begin the same course.
        await self._change(channel_id, {"op": "course", "course": latest + 1}, key=f"course/{latest + 1}")
        return await self.channel(channel_id)

    async def resume_course(self, channel_id: str, course: int) -> Channel:
        """Go back to a course: what is said next goes on from its history."""
        channel = await self.channel(channel_id)
        if course not in {each for _, _, each in await self.courses(channel_id)}:
            raise NotFound(f"{channel.name} has no course {course}.", channelId=channel_id, course=course)
        if course != channel.course:
            await self._change(channel_id, {"op": "course", "course": course})
        return await self.channel(channel_id)

    async def courses(self, channel_id: str) -> list[tuple[int, int | None, int]]:
        """The channel's stretches, newest first: where each begins, where the next begins, and its course."""
        await self.place(channel_id)
        return await self._store.projector.read(lambda c: queries.read_courses(c, channel_id), ROOMS)

    async def rename_channel(self, channel_id: str, name: str) -> Channel:
        await self._change(channel_id, {"op": "renamed", "name": plain_name(name)})
        return await self.channel(channel_id)

    async def close_channel(self, channel_id: str) -> None:
        """End it; what was said stays."""
        if channel_id == HUB:
            raise Conflict("Your own room cannot be closed.", hint="Close the other channels instead.")
        await self._change(channel_id, {"op": "closed", "closed": True})

    async def join(self, channel_id: str, actor_id: str) -> None:
        await self._membership(channel_id, actor_id, "joined")

    async def leave(self, channel_id: str, actor_id: str) -> None:
        await self._membership(channel_id, actor_id, "left")

    async def say(
        self,
        channel_id: str,
        actor_id: str,
        text: str,
        *,
        idempotency_key: str | None = None,
        attachment_ids: Sequence[str] = (),
    ) -> Message:
        """Add words to a channel that is open."""
        channel = await self.place(channel_id)
        if channel.closed:
            raise Conflict(f"{channel.name} is closed.", hint="Open a new channel.", channelId=channel_id)
        if is_blank(text):
            raise InvalidInput("A message needs some text.", field="text")
        words = NewMessage(
            channel_id=channel_id,
            actor_id=actor_id,
            kind="text",
            text=text,
            body={"attachmentIds": list(attachment_ids)} if attachment_ids else {},
            course=channel.course,
            idempotency_key=idempotency_key,
        )
        return (await self._store.log.append(words))[0]

    async def unread(self) -> dict[str, int]:
        return await self._store.projector.read(read_unread, ROOMS)

    async def last_words(self, channel_ids: Sequence[str]) -> dict[str, str]:
        """How what was said last begins, for the owner's list of channels."""
        return await self._store.projector.read(lambda c: read_last_words(c, channel_ids), ROOMS)

    async def mark_read(self, channel_id: str, message_id: str) -> None:
        """The owner has read up to this message."""
        message = await self._store.log.get(message_id)
        if message.channel_id != channel_id:
            raise NotFound(f"There is no message {message_id} in {channel_id}.", messageId=message_id)
        await self._store.database.write(lambda c: put_read_mark(c, channel_id, message.seq))

    async def _change(self, channel_id: str, body: Mapping[str, object], *, key: str | None = None) -> None:
        await self.place(channel_id)
        changed = NewMessage(channel_id=channel_id, actor_id=OWNER, kind="channel", audience="hub", body=body)
        await self._store.log.append(replace(changed, idempotency_key=key))

    async def _membership(self, channel_id: str, actor_id: str, op: str) -> None:
        await self.place(channel_id)
        if actor_id not in {actor.id for actor in await self.actors()}:
            raise NotFound(f"There is no actor {actor_id}.", hint="Add the actor first.", actorId=actor_id)
        await self._store.log.append(
            NewMessage(channel_id=channel_id, actor_id=OWNER, kind="membership", body={"op": op, "actorId": actor_id})
        )


def _there(found: Channel | None, channel_id: str) -> Channel:
    if found is None:
        raise NotFound(f"There is no channel {channel_id}.", channelId=channel_id)
    return found


def channel_message(draft: ChannelDraft, *, key: str | None = None) -> NewMessage:
    """The message that makes a channel; the owner and Prime are in every one."""
    everyone = list(dict.fromkeys((OWNER, PRIME, *draft.members)))
    body: dict[str, object] = {"op": "created", "kind": draft.kind, "name": draft.name, "tier": draft.tier}
    body["members"] = everyone
    if draft.priming:
        body["priming"] = draft.priming
    if draft.dialog:
        body["dialog"] = draft.dialog
    made = NewMessage(channel_id=draft.id, actor_id=OWNER, kind="channel", audience="hub", body=body)
    return replace(made, idempotency_key=key)


def actor_message(actor: Actor, key: str | None = None) -> NewMessage:
    """The message that makes an actor known."""
    card: dict[str, object] = {"id": actor.id, "name": actor.name, "kind": actor.kind, "connector": actor.connector}
    if actor.settings:
        card["settings"] = dict(actor.settings)
    return NewMessage(
        channel_id=HUB,
        actor_id=OWNER,
        kind="membership",
        audience="hub",
        body={"op": "actor", "actor": card},
        idempotency_key=key,
    )


def plain_name(name: str) -> str:
    """A name on one line, without what cannot be seen; refuses what is none."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if not plain:
        raise InvalidInput("A name is needed.", field="name")
    if len(plain) > MAX_NAME:
        raise InvalidInput(f"A name may have {MAX_NAME} characters, this one has {len(plain)}.", field="name")
    return plain
