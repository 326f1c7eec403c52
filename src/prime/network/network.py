"""The network as one part of the house, put together and taken apart in order."""

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, Unauthorized
from prime.core.http import GuardedClient, NetworkPolicy
from prime.network.a2a.rpc import A2A
from prime.network.callbacks import Callbacks
from prime.network.calls.queries import MESSAGE_TOPIC, POLL_TOPIC
from prime.network.contacts import Contacts, Remote, read_remote_agents
from prime.network.correspondence import Correspondence, Credentials, Me
from prime.network.desk import Desk
from prime.network.directory.directory import Directory
from prime.network.inbox import Inbox
from prime.network.limits import Limits
from prime.network.peer import Peers
from prime.network.queries import CALLBACK_TOPIC
from prime.network.signatures import same_hash, token_hash
from prime.network.tasks import Caller, Card, InboundHandler
from prime.network.threads import Threads
from prime.network.wire import OWN_ID
from prime.rooms.rooms import Rooms
from prime.store.outbox import Deliverer, Outbox
from prime.store.store import Store

log = logging.getLogger(__name__)

TIDY_SECONDS = 3600.0
# Between two tries to attach an agent that was not there; the last one as often as it takes.
ATTACH_WAITS = (5.0, 15.0, 60.0, 300.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSetup:
    """What the network needs to know of the instance it is in."""

    base_url: str
    policy: NetworkPolicy
    # The same at every start; task secrets and callback tokens are made with it.
    key: bytes
    credentials: Credentials
    remote_agents: str | None = None
    name: str = "Prime"


class Network:
    """Use `open`; `close` in the end."""

    def __init__(self, store: Store, rooms: Rooms, clock: Clock, handler: InboundHandler, setup: NetworkSetup) -> None:
        self._key = setup.key
        self._clock = clock
        identity = hmac.new(setup.key, b"identity", hashlib.sha256).hexdigest()[:20]
        self.card = Card(
            id=f"{OWN_ID}{identity}",
            name=setup.name,
            capabilities=("conversation",),
            description="One chat for its owner, and behind it every agent and every tool.",
            base_url=setup.base_url,
        )
        self._client = GuardedClient(setup.policy, clock=clock)
        self._strict = GuardedClient(NetworkPolicy(), clock=clock)
        peers = Peers(self._client, self._strict, clock)
        self.limits = Limits(clock)
        self.directory = Directory(store.database, clock, peers)
        threads = Threads(store, rooms, self.directory)
        bell = asyncio.Event()
        self._inbox = Inbox(store, threads, self.limits, clock, bell)
        self.desk = Desk(self._inbox, handler)
        self.a2a = A2A(self.desk, keeps_files=True)
        self.contacts = Contacts(self.directory, threads, peers, self.limits, self.card)
        me = Me(self.card, setup.key, setup.credentials)
        self.correspondence = Correspondence(store, self.directory, threads, peers, me, clock, bell)
        callbacks = Callbacks(store.database, self._client, clock)
        self.outbox = Outbox(
            store.database,
            clock,
            {
                CALLBACK_TOPIC: Deliverer(callbacks.deliver),
                MESSAGE_TOPIC: Deliverer(self.correspondence.deliver),
                POLL_TOPIC: Deliverer(self.correspondence.poll),
            },
            bell,
        )
        self._loops: list[asyncio.Task[None]] = []

    @classmethod
    async def open(
        cls, store: Store, rooms: Rooms, clock: Clock, handler: InboundHandler, setup: NetworkSetup
    ) -> "Network":
        """The network at work: what was left unfinished is taken up, and the outbox is being sent."""
        remotes = read_remote_agents(setup.remote_agents) if setup.remote_agents else []
        network = cls(store, rooms, clock, handler, setup)
        await network.directory.start()
        await network.desk.resume()
        network.outbox.start()
        network._loops.append(asyncio.create_task(network._tidy_loop(), name="prime-network-tidy"))
        if remotes:
            network._loops.append(asyncio.create_task(network._attach(remotes), name="prime-remote-agents"))
        return network

    async def close(self) -> None:
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await self.outbox.stop()
        await self.desk.stop()
        await self.directory.stop()
        await self._client.aclose()
        await self._strict.aclose()

    async def caller(self, address: str, authorization: str | None, *, is_owner: bool = False) -> Caller:
        """Who is calling. A token that is shown must be right: a wrong one does not make somebody a mere stranger."""
        token = bearer(authorization)
        if token is None:
            return Caller(address=address, is_owner=is_owner)
        entry = await self.directory.caller_of(token)
        if entry is None:
            raise Unauthorized("This token is not known here.", hint="Register again.", code="unknown_token")
        return Caller(
            address=address,
            agent_id=entry.id,
            signing_key=token_hash(token),
            is_owner=is_owner,
            vouched=entry.speaks_as_itself,
        )

    def task_secret(self, task_id: str) -> str:
        """What its caller shows to ask for a task's result."""
        return hmac.new(self._key, f"task:{task_id}".encode(), hashlib.sha256).hexdigest()

    def opens_task(self, task_id: str, secret: str) -> bool:
        return same_hash(secret, self.task_secret(task_id))

    async def _attach(self, remotes: Sequence[Remote]) -> None:
        """Whoever does not answer yet is tried again: what starts together does not come up in order."""
        missing, told = remotes, set[Remote]()
        waits = iter(ATTACH_WAITS)
        while missing:
            failed = await self.contacts.attach(missing)
            missing = [remote for remote, why in failed if not isinstance(why, InvalidInput | Conflict)]
            for remote, why in failed:
                if remote not in told:
                    again = " It is tried again by itself." if remote in missing else ""
                    log.warning("the agent at %s could not be attached: %s%s", remote.url, why, again)
            told.update(missing)
            if missing:
                await self._clock.sleep(next(waits, ATTACH_WAITS[-1]))

    async def _tidy_loop(self) -> None:
        while True:
            await self._clock.sleep(TIDY_SECONDS)
            try:
                await self._inbox.tidy()
            except Exception:  # the database may be away for a moment; an hour later it is tried again
                log.exception("old tasks could not be tidied")


def bearer(authorization: str | None) -> str | None:
    """The token of an `Authorization: Bearer` header."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None
