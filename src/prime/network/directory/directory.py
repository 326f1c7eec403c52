"""The directory as one part: registering, heartbeats, searching, leaving."""

import asyncio
import contextlib
import hmac
import logging
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from prime.core.clock import Clock
from prime.core.errors import Conflict, Forbidden, NotFound, RateLimited, Unauthorized
from prime.core.ids import new_id, new_secret
from prime.network.directory import queries
from prime.network.directory.entry import Entry, Registration, plain_endpoint
from prime.network.directory.index import Index
from prime.network.signatures import same_hash, token_hash
from prime.network.threads import Counterpart
from prime.rooms.tier import Tier
from prime.store.database import Database

log = logging.getLogger(__name__)

MAX_AGENTS = 250_000
FLUSH_SECONDS = 2.0
# Changes of other replicas are looked for this far back: commits of one moment are seen a little apart.
SLACK_MS = 5_000
_NOBODY = "0" * 64
# Stands where a token's hash would, for an agent that never registered itself and so has no token.
UNCLAIMED = "unclaimed:"


# What a card answers to a challenge: nothing, the challenge itself, or what only who registers could make of it.
Shown = Literal["nothing", "echo", "proof"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Made up for one registration by who registers; `places` are the names that this directory goes by."""

    key: str
    places: frozenset[str]


class Prover(Protocol):
    """Asks an endpoint whether it serves what registers. An echo says that an agent is there, a proof that it is this one."""

    async def challenge(self, endpoint: str, claim: Claim | None) -> Shown: ...


class Directory:
    def __init__(self, database: Database, clock: Clock, prover: Prover) -> None:
        self._database = database
        self._clock = clock
        self._prover = prover
        self._index = Index()
        self._since = 0
        self._seen: dict[str, int] = {}
        self._answered: dict[str, int] = {}
        self._refreshed = float("-inf")
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.refresh()
        self._task = asyncio.create_task(self._flush_loop(), name="prime-directory")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self.flush()

    # --- registering ---

    async def register(
        self, given: Registration, token: str | None, *, tier: Tier | None = None, claim: Claim | None = None
    ) -> tuple[Entry, str]:
        """The agent's entry and its token, which is shown only here.

        An endpoint that is there already needs its token, or must answer a challenge; its token is then a new one. Any agent
        echoes, whoever it was that asked: after an echo nobody is vouched for until there is a proof again.
        """
        if len(self._index) >= MAX_AGENTS:
            raise RateLimited("The directory is full.", hint="Try again later.", retryAfter=3600)
        there = await self._database.read(lambda c: queries.find_at(c, given.endpoint))
        known = there is not None and _has_token(there, token)
        asks = claim is not None or not (there is None or known)
        shown = await self._prover.challenge(given.endpoint, claim) if asks else "nothing"
        vouched = shown == "proof" or (known and there is not None and there.vouched)
        if there is not None and not known and shown == "nothing":
            raise Conflict(
                "This endpoint is registered already.",
                hint="Send its token as `Authorization: Bearer …`, or let its card echo ?challenge=….",
                code="endpoint_taken",
            )
        fresh = new_secret()
        digest = token_hash(fresh)
        # Under the log's lock: numbers are given out one at a time, whichever replica asks.
        entry = await self._database.write(lambda c: queries.put_over(c, given, there, digest, tier, vouched=vouched))
        self._index.put(entry)
        return entry, fresh

    async def adopt(self, given: Registration, tier: Tier) -> Entry:
        """Register on the owner's word: what is there keeps its token, and gets the tier. The token opens that tier to who
        proved, or will prove, that the endpoint is theirs."""
        there = self._index.at(given.endpoint)
        kept = there.token_hash if there else f"{UNCLAIMED}{new_secret()}"
        agent_id = there.id if there else new_id("agent")
        vouched = there is not None and there.vouched
        entry = await self._database.write(lambda c: queries.put(c, agent_id, given, kept, tier, vouched=vouched))
        self._index.put(entry)
        return entry

    async def move(self, agent_id: str, token: str, endpoint: str) -> Entry:
        """Self-service change of the endpoint."""
        entry = self._trusted(agent_id, token)
        wanted = plain_endpoint(endpoint)
        if wanted != entry.endpoint and self._index.at(wanted) is not None:
            raise Conflict("This endpoint is registered by another agent.", code="endpoint_taken")
        given = Registration(
            name=entry.name, kind=entry.kind, capabilities=entry.capabilities, endpoint=wanted, owner=entry.owner
        )
        kept = entry.token_hash
        moved = await self._database.write(lambda c: queries.put(c, agent_id, given, kept, None, vouched=entry.vouched))
        self._index.put(moved)
        return moved

    async def deregister(self, agent_id: str, token: str | None, *, by_owner: bool = False) -> None:
        entry = await self.get(agent_id) if by_owner else self._trusted(agent_id, token or "")
        await self._database.write(lambda c: queries.remove(c, entry.id))
        self._index.remove(entry.id)

    async def set_tier(self, agent_id: str, tier: Tier) -> Entry:
        """The owner names an agent and what it is trusted with; whoever registered it is taken for it."""
        entry = await self.get(agent_id)
        vouched = entry.vouched or (tier != "external" and not entry.token_hash.startswith(UNCLAIMED))
        await self._database.write(lambda c: queries.set_tier(c, agent_id, tier, vouched=vouched))
        changed = replace(entry, tier=tier, vouched=vouched)
        self._index.put(changed)
        return changed

    # --- signs of life ---

    def heartbeat(self, agent_id: str, token: str) -> None:
        """Takes the same time whether the agent is unknown or the token is another's."""
        self._with_token(agent_id, token)
        self.heard_of(agent_id)

    def heard_of(self, agent_id: str) -> None:
        """It is up: it sent a heartbeat, showed its card, or answered."""
        now = self._clock.now_ms()
        self._seen[agent_id] = now
        self._index.saw(agent_id, seen_at=now)

    def answered(self, agent_id: str) -> None:
        """A real message was answered."""
        self.heard_of(agent_id)
        now = self._clock.now_ms()
        self._answered[agent_id] = now
        self._index.saw(agent_id, answered_at=now)

    async def flush(self) -> None:
        """Write the signs of life that came in since the last time."""
        seen, self._seen = self._seen, {}
        answered, self._answered = self._answered, {}
        if seen or answered:
            await self._database.write(lambda c: queries.write_signs(c, seen, answered))

    # --- reading ---

    async def caller_of(self, token: str) -> Entry | None:
        """The agent that a token belongs to."""
        digest = token_hash(token)
        agent_id = self._index.with_token(digest)
        entry = self._index.get(agent_id) if agent_id else None
        return entry if entry and same_hash(digest, entry.token_hash) else None

    async def get(self, agent_id: str) -> Entry:
        await self._follow()
        entry = self._index.get(agent_id)
        if entry is None:
            raise NotFound(f"There is no agent {agent_id[:80]} in the directory.", agentId=agent_id[:80])
        return entry

    def signing_key(self, agent_id: str) -> str | None:
        """What messages to an agent are signed with: the hash of its token, which it can make as well."""
        entry = self._index.get(agent_id)
        return entry.token_hash if entry and not entry.token_hash.startswith(UNCLAIMED) else None

    def online(self, agent_id: str) -> bool | None:
        """Whether an agent was heard of lately; None of one that nobody knows."""
        entry = self._index.get(agent_id)
        if entry is None:
            return None
        return entry.online(self._clock.now_ms())

    async def counterpart(self, agent_id: str) -> Counterpart | None:
        await self._follow()
        entry = self._index.get(agent_id)
        return Counterpart(f"act_{entry.id}", entry.name, entry.tier, entry.id) if entry else None

    async def search(self, *, capability: str = "", q: str = "", after: int = 0, limit: int = 100) -> list[Entry]:
        await self._follow()
        return self._index.search(capability=capability, q=q, after=after, limit=limit)

    async def on_host(self, host: str) -> list[Entry]:
        await self._follow()
        return self._index.on_host(host)

    async def page(self, *, after: int = 0, limit: int = 100) -> tuple[int, list[Entry]]:
        await self._follow()
        return len(self._index), self._index.page(after=after, limit=limit)

    # --- inside ---

    def _with_token(self, agent_id: str, token: str) -> Entry:
        entry = self._index.get(agent_id)
        kept = entry.token_hash if entry else _NOBODY
        right = hmac.compare_digest(token_hash(token).encode(), kept.encode())
        if entry is None or not right:
            raise Unauthorized("Unknown agent or wrong token.", hint="Register again.", code="unknown_agent")
        return entry

    def _trusted(self, agent_id: str, token: str) -> Entry:
        """For what changes where the owner's words go."""
        entry = self._with_token(agent_id, token)
        if not entry.speaks_as_itself:
            raise Forbidden(
                "The owner trusts this agent, and whoever has this token has not proved to be it.",
                hint="Register again with a proofKey.",
                code="not_proved",
            )
        return entry

    async def _follow(self) -> None:
        """On PostgreSQL other replicas write, too: look for their changes, once a second at most."""
        if self._database.engine_name == "sqlite" or self._clock.monotonic() - self._refreshed < 1:
            return
        await self.refresh()

    async def refresh(self) -> None:
        """Take in what others have written."""
        self._refreshed = self._clock.monotonic()
        since = self._since - SLACK_MS if self._since else 0
        for entry in await self._database.read(lambda c: queries.read_changes(c, since)):
            self._index.put(entry)
            self._since = max(self._since, entry.changed_at)

    async def _flush_loop(self) -> None:
        while True:
            await self._clock.sleep(FLUSH_SECONDS)
            try:
                await self.flush()
            except Exception:  # the database may be away for a moment; heartbeats come again by themselves
                log.exception("heartbeats could not be written; the next ones will be")


def _has_token(entry: Entry, token: str | None) -> bool:
    return token is not None and same_hash(token_hash(token), entry.token_hash)
