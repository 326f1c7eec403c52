"""Conversations with others are channels: found again by who speaks and the thread they name, made when they are new."""

import hashlib
from dataclasses import dataclass
from typing import Protocol

from prime.core.errors import Conflict, NotFound
from prime.core.ids import new_id
from prime.network import queries
from prime.network.names import strangers_name
from prime.network.queries import Thread
from prime.network.tasks import Caller, Incoming
from prime.rooms.rooms import Rooms
from prime.rooms.tier import Tier
from prime.store.store import Store

CONNECTOR = "prime_message"
_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Counterpart:
    """Somebody outside, as this instance knows them."""

    actor_id: str
    name: str
    tier: Tier
    agent_id: str | None = None


class Counterparts(Protocol):
    """Knows agents by their id; the directory does."""

    async def counterpart(self, agent_id: str) -> Counterpart | None: ...


class Threads:
    def __init__(self, store: Store, rooms: Rooms, known: Counterparts) -> None:
        self._store = store
        self._rooms = rooms
        self._known = known
        # A conversation never changes its channel, so what was seen once needs no second look.
        self._seen: dict[tuple[str, str], Thread] = {}
        self._by_channel: dict[str, Thread] = {}
        # Channels that are none, with those who are in them: who is outside is a member first.
        self._inside: dict[str, tuple[str, ...]] = {}

    async def of_message(self, incoming: Incoming, caller: Caller) -> tuple[Thread, bool]:
        """The conversation that a message belongs to, and whether it would be a new one. Makes nothing yet."""
        if caller.agent_id is not None and incoming.thread_id is not None:
            # Prime's own name for the channel: whoever it was opened with may use it.
            mine = await self.find(incoming.thread_id)
            if mine is not None and mine.agent_id == caller.agent_id and mine.scope == caller.scope:
                return mine, False
        key = await self._key(incoming, caller)
        if key is not None:
            there = await self._find_in(caller.scope, key)
            if there is not None:
                return there, False
        channel_id = new_id("ch_net")
        actor_id = await self._actor_id(incoming, caller)
        return Thread(caller.scope, key or channel_id, channel_id, actor_id, caller.agent_id), True

    async def of_agent(self, counterpart: Counterpart, tier: Tier) -> Thread:
        """The channel with an agent at a tier; made at the first contact, the same ever after."""
        scope, thread_id = f"agent:{counterpart.agent_id}", f"contact:{tier}"
        there = await self._find_in(scope, thread_id)
        thread = there or Thread(scope, thread_id, new_id("ch_net"), counterpart.actor_id, counterpart.agent_id)
        return (await self.ensure(thread, counterpart.name, tier))[0]

    async def bind(self, counterpart: Counterpart, channel_id: str) -> Thread:
        """Make a channel that somebody else creates the conversation with an agent; twice is as good as once."""
        thread = Thread(
            f"agent:{counterpart.agent_id}", channel_id, channel_id, counterpart.actor_id, counterpart.agent_id
        )
        kept = self._remember(await self._store.database.write(lambda c: queries.keep_thread(c, thread)))
        if counterpart.actor_id not in {actor.id for actor in await self._rooms.actors()}:
            await self._rooms.add_actor(counterpart.name, "agent", CONNECTOR, actor_id=counterpart.actor_id)
        return kept

    async def ensure(self, thread: Thread, name: str, tier: Tier) -> tuple[Thread, int]:
        """The thread with its actor and channel, whatever of them was missing, and the channel's course."""
        kept = self._seen.get((thread.scope, thread.thread_id)) or self._remember(
            await self._store.database.write(lambda c: queries.keep_thread(c, thread))
        )
        try:
            channel = await self._rooms.place(kept.channel_id)
        except NotFound:
            await self._rooms.add_actor(name, "agent", CONNECTOR, actor_id=kept.actor_id)
            await self._rooms.create_channel(
                name, kind="dm", tier=tier, members=[kept.actor_id], channel_id=kept.channel_id
            )
            return kept, 1
        if channel.closed:
            raise Conflict("This conversation is closed.", hint="Begin another one.", code="thread_closed")
        return kept, channel.course

    async def course(self, channel_id: str) -> int:
        """Where the conversation stands here; what is said in it belongs there."""
        return (await self._rooms.place(channel_id)).course

    async def counterpart(self, incoming: Incoming, caller: Caller) -> tuple[str, Tier]:
        """The name and the tier of who speaks. Strangers are external whatever they say."""
        if caller.agent_id is not None and caller.vouched:
            known = await self._known.counterpart(caller.agent_id)
            if known is not None:
                return known.name, known.tier
        return strangers_name(incoming.sender_name), "external"

    async def by_channel(self, channel_id: str) -> Thread:
        found = await self.find(channel_id)
        if found is None:
            raise NotFound(f"{channel_id} is not a conversation with somebody outside.", channelId=channel_id)
        return found

    async def find(self, channel_id: str) -> Thread | None:
        seen = self._by_channel.get(channel_id)
        if seen is not None:
            return seen
        found = await self._store.database.glance(lambda c: queries.find_thread_of_channel(c, channel_id))
        return self._remember(found) if found else None

    async def of_channel(self, channel_id: str) -> Thread | None:
        """The same for a channel that is there; looks again only when somebody has come or gone."""
        members = (await self._rooms.place(channel_id)).members
        if self._inside.get(channel_id) == members:
            return None
        found = await self.find(channel_id)
        if found is None:
            if len(self._inside) >= _REMEMBERED:
                self._inside.clear()
            self._inside[channel_id] = members
        return found

    async def _find_in(self, scope: str, thread_id: str) -> Thread | None:
        seen = self._seen.get((scope, thread_id))
        if seen is not None:
            return seen
        found = await self._store.database.glance(lambda c: queries.find_thread(c, scope, thread_id))
        return self._remember(found) if found else None

    def _remember(self, thread: Thread) -> Thread:
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
            self._by_channel.clear()
        self._seen[(thread.scope, thread.thread_id)] = self._by_channel[thread.channel_id] = thread
        return thread

    async def _key(self, incoming: Incoming, caller: Caller) -> str | None:
        """What a conversation is found by. A2A begins a new one when it names none."""
        if incoming.thread_id is not None:
            return incoming.thread_id
        if incoming.protocol == "a2a":
            return None
        if caller.agent_id is not None:
            _, tier = await self.counterpart(incoming, caller)
            return f"contact:{tier}"
        return f"from:{incoming.sender_id}" if incoming.sender_id else None

    async def _actor_id(self, incoming: Incoming, caller: Caller) -> str:
        if caller.agent_id is not None and caller.vouched:
            known = await self._known.counterpart(caller.agent_id)
            if known is not None:
                return known.actor_id
        claim = f"{caller.scope}\n{incoming.sender_id}\n{incoming.sender_name}\n{incoming.thread_id or ''}"
        return f"act_net_{hashlib.sha256(claim.encode()).hexdigest()[:24]}"
