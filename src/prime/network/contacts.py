"""Getting in touch: the chat with an agent of the directory, and agents that the owner brings in by their address."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from prime.core.canonical import parse_json
from prime.core.errors import Conflict, InvalidInput, NotFound, PrimeError
from prime.network.directory.directory import Directory
from prime.network.directory.entry import Entry, Kind, Registration, plain_endpoint
from prime.network.limits import Limits
from prime.network.names import MAX_NAME
from prime.network.peer import Peer, Peers
from prime.network.tasks import Caller, Card
from prime.network.threads import Counterpart, Threads
from prime.network.wire import OWN_ID
from prime.rooms.tier import Tier, parse_tier


@dataclass(frozen=True, slots=True)
class Contact:
    agent_id: str
    channel_id: str
    speaks: str | None = None


class Contacts:
    def __init__(self, directory: Directory, threads: Threads, peers: Peers, limits: Limits, me: Card) -> None:
        self._directory = directory
        self._threads = threads
        self._peers = peers
        self._limits = limits
        self._me = me

    async def contact(self, agent_id: str, caller: Caller, tier: Tier | None = None) -> Contact:
        """The chat with an agent, made at the first contact. A stranger's is external; the owner may name a tier."""
        if tier is not None and not caller.is_owner:
            raise InvalidInput("Only the owner may name a tier.", hint="Leave it out.", field="tier")
        self._limits.check("contact", caller)
        entry = await self._directory.get(agent_id)
        if not caller.is_owner:
            chosen: Tier = "external"
        elif tier is None:
            chosen = entry.tier
        else:
            entry, chosen = await self._directory.set_tier(agent_id, tier), tier
        return await self._open(entry, chosen)

    async def invite(self, agent_id: str, channel_id: str) -> str:
        """Make a channel of the owner's a conversation with an agent; the agent's actor."""
        counterpart = await self._directory.counterpart(agent_id)
        if counterpart is None:
            raise NotFound(f"There is no agent {agent_id} in the directory.", agentId=agent_id)
        return (await self._threads.bind(counterpart, channel_id)).actor_id

    async def connect(self, url: str, tier: Tier = "team", name: str | None = None) -> Contact:
        """Look who is there, take them into the directory as the owner's own agent, and open the chat."""
        peer = await self._peers.probe(url)
        self._refuse_myself(peer)
        entry = await self._directory.adopt(_registration(peer, name or self._told_apart(peer)), tier)
        self._directory.heard_of(entry.id)
        contact = await self._open(entry, tier)
        return Contact(contact.agent_id, contact.channel_id, peer.speaks)

    async def attach(self, remotes: Sequence["Remote"]) -> list[tuple["Remote", PrimeError]]:
        """Connect these; those that could not be, each with the reason."""
        failed: list[tuple[Remote, PrimeError]] = []
        for remote in remotes:
            try:
                await self.connect(remote.url, remote.tier, remote.name)
            except PrimeError as error:
                failed.append((remote, error))
        return failed

    async def _open(self, entry: Entry, tier: Tier) -> Contact:
        counterpart = await self._directory.counterpart(entry.id)
        if counterpart is None:
            raise NotFound(f"There is no agent {entry.id} in the directory.", agentId=entry.id)
        named = Counterpart(counterpart.actor_id, counterpart.name, tier, entry.id)
        thread = await self._threads.of_agent(named, tier)
        return Contact(entry.id, thread.channel_id)

    def _told_apart(self, peer: Peer) -> str:
        """Its name; with its address where it is called as this one is, as every Prime is at first."""
        if peer.name.casefold() != self._me.name.casefold():
            return peer.name
        return f"{peer.name} at {urlsplit(peer.base_url).netloc}"[:MAX_NAME]

    def _refuse_myself(self, peer: Peer) -> None:
        if peer.card_id == self._me.id or peer.base_url == self._me.base_url:
            raise Conflict("This address is this instance itself.", hint="Connect to another one.", code="own_address")


@dataclass(frozen=True, slots=True)
class Remote:
    """One item of PRIME_REMOTE_AGENTS."""

    url: str
    name: str | None
    tier: Tier


def read_remote_agents(text: str) -> list[Remote]:
    """A JSON list of `{name?, url, tier?}`; the tier is `team` unless it says another."""
    try:
        listed = parse_json(text)
    except InvalidInput as error:
        raise _wrong(error.message.rstrip(".")) from error
    if not isinstance(listed, list):
        raise _wrong("it is no list")
    remotes: list[Remote] = []
    for item in listed:
        if not isinstance(item, dict) or not isinstance(item.get("url"), str):
            raise _wrong("an item has no url")
        name, tier = item.get("name"), item.get("tier", "team")
        if not isinstance(tier, str) or not isinstance(name, str | None):
            raise _wrong("name and tier are texts")
        try:
            remotes.append(Remote(cast("str", item["url"]), name, parse_tier(tier)))
        except InvalidInput as error:
            raise _wrong(f"there is no tier {tier!r}") from error
    return remotes


def _wrong(why: str) -> InvalidInput:
    return InvalidInput(
        f"PRIME_REMOTE_AGENTS cannot be read: {why}.",
        hint='Write for example [{"name": "Scout", "url": "https://scout.example.com", "tier": "team"}].',
    )


def _registration(peer: Peer, name: str) -> Registration:
    kinds: dict[str, Kind] = {"prime": "prime", "openclaw": "openclaw", "hermes": "hermes"}
    usual: Kind = "prime" if peer.card_id.startswith(OWN_ID) else "custom"
    return Registration.checked(
        name=name,
        kind=kinds.get(peer.kind, usual),
        capabilities=peer.capabilities,
        endpoint=plain_endpoint(peer.base_url),
        owner=None,
    )
