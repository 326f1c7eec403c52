"""The connectors that act as the owner, as one part: which there are, how they are set up, who is connected."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from prime.connectors import queries
from prime.connectors.contract import (
    OFF,
    Connector,
    Declaration,
    Desk,
    Revocable,
    Setting,
    Status,
    followed,
    is_declared,
    outcome_of,
)
from prime.connectors.desks import Giving
from prime.connectors.rest import Rest, told
from prime.connectors.values import checked_value
from prime.connectors.wanted import Wanted
from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, NotFound, PrimeError, Unavailable
from prime.core.http import GuardedClient, NetworkPolicy
from prime.core.plugins import plugins
from prime.core.tasks import end
from prime.hub.gate.gate import Gate
from prime.store.leases import Lease
from prime.store.outbox import NotSent
from prime.store.secrets import SecretFacts, Secrets
from prime.store.store import Store

log = logging.getLogger(__name__)

GROUP = "prime.connectors"
LEASE_MS = 60_000
BEAT_SECONDS = 20.0
FIRST_RETRY = 2.0
LONGEST_RETRY = 300.0
FOLLOW_SECONDS = 5.0
ELSEWHERE = "Another replica of this Prime has it open; this one takes over when that one ends."


@dataclass(slots=True)
class Slot:
    """One connector and how it stands."""

    connector: Connector
    status: Status = OFF
    task: "asyncio.Task[None] | None" = None
    lease: Lease | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    # What the owner last did with it, at whichever replica, that is done here as well.
    done: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A connector as the settings page shows it."""

    declaration: Declaration
    status: Status
    enabled: bool
    values: Mapping[str, str]
    secrets: Mapping[str, SecretFacts | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What connectors need to know of the instance."""

    base_url: str
    policy: NetworkPolicy
    # Connectors that are connected at start though nobody enabled them: the mocks.
    always: frozenset[str] = frozenset()


class Connectors:
    def __init__(
        self, store: Store, secrets: Secrets, clock: Clock, gate: Gate, setup: Setup, made: Sequence[Connector]
    ) -> None:
        self._store = store
        self._secrets = secrets
        self._clock = clock
        self._gate = gate
        self._setup = setup
        self._wanted = Wanted(store.live_settings, secrets, setup.always)
        self._client = GuardedClient(setup.policy, clock=clock)
        self._slots = {c.declaration.name: Slot(c) for c in [*made, *third_parties()]}
        self._following: asyncio.Task[None] | None = None
        gate.policy.known = self.names

    def names(self) -> list[str]:
        return list(self._slots)

    def declaration(self, name: str) -> Declaration:
        return self._slot(name).connector.declaration

    def connector(self, name: str) -> Connector:
        return self._slot(name).connector

    def status(self, name: str) -> Status:
        return self._slot(name).status

    # --- setting up ---

    async def facts(self, name: str) -> Facts:
        slot = self._slot(name)
        declaration = slot.connector.declaration
        want = await self._wanted.of(name)
        return Facts(
            declaration=declaration,
            status=slot.status,
            enabled=want.enabled,
            values=want.shown(declaration),
            secrets=await self._wanted.secrets(declaration),
        )

    async def configure(self, name: str, values: Mapping[str, str | None]) -> Facts:
        """Set what is given; None takes one back. Secrets go into the box and never come out of it here."""
        await self._wanted.set(self.declaration(name), values)
        return await self.facts(name)

    # --- connecting ---

    async def start(self) -> None:
        """Connect what the owner had connected; one that cannot be keeps nothing else from starting."""
        for name in self._slots:
            want = await self._wanted.of(name)
            self._slots[name].done = want.done
            if want.enabled:
                await self._connect_quietly(name)
        if self._store.database.engine_name != "sqlite":  # there, nobody else is
            self._following = asyncio.create_task(self._follow_others(), name="prime-connectors")

    async def close(self) -> None:
        await end(self._following)
        for name in self._slots:
            await self._stop(name)
        await self._client.aclose()

    async def connect(self, name: str) -> Status:
        """Begin, or begin anew. What it answers may be a question for the owner."""
        status = await self._connect(name)
        if status.state != "asking":
            await self._note(name, enabled=True)  # so that the other replicas do the same
        return status

    async def _connect(self, name: str) -> Status:
        slot = self._slot(name)
        async with slot.lock:
            await self._stop(name)
            facts = await self.facts(name)
            missing = [s for s in facts.declaration.settings if s.required and not _is_set(s, facts)]
            if missing and name not in self._setup.always:
                wanted = ", ".join(s.label for s in missing)
                raise InvalidInput(f"{facts.declaration.title} needs: {wanted}.", hint="Set it, then connect again.")
            await self._wanted.begin(name)
            slot.status = Status(state="connecting")
            if not await self._may_open(name):
                slot.status = Status(state="connecting", detail=ELSEWHERE)
                slot.task = asyncio.create_task(self._wait_for_turn(name), name=f"prime-connector-{name}")
                return slot.status
            try:
                return await self._settle(name, await slot.connector.connect(self._desk(name, facts)))
            except PrimeError as error:
                slot.status = Status(state="failed", detail=str(error))
                raise told(error) from error

    async def answer(self, name: str, given: Mapping[str, str]) -> Status:
        """The owner's answer to what signing in asked for."""
        slot = self._slot(name)
        async with slot.lock:
            if slot.status.state != "asking":
                raise Conflict(f"{name} asks for nothing now.", hint="Connect it first.", code="not_asking")
            wanted = {s.name: s for s in slot.status.asks}
            for key in given:
                if key not in wanted:
                    raise InvalidInput(f"{name} did not ask for {key!r}.", hint=f"It asks for: {', '.join(wanted)}.")
            values = {key: cast("str", checked_value(wanted[key], value)) for key, value in given.items()}
            try:
                status = await self._settle(name, await slot.connector.answer(values))
            except NotSent as error:
                raise told(error) from error
        if status.state == "connected":
            await self._note(name, enabled=True)
        return status

    async def disconnect(self, name: str, *, forget: bool = False) -> Facts:
        """End it; with `forget` its secrets and what it remembered go too."""
        slot = self._slot(name)
        async with slot.lock:
            if forget and isinstance(slot.connector, Revocable):
                await slot.connector.revoke()
            await self._stop(name)
            await self._note(name, enabled=False)
            if forget:
                await self._wanted.forget_secrets(name)
                await self._store.database.write(lambda c: queries.forget_memory(c, name))
                await self._gate.style.forget(name)
        return await self.facts(name)

    async def _may_open(self, name: str) -> bool:
        """Whether this replica may open the account. It then holds it until it stops."""
        slot = self._slot(name)
        if not slot.connector.declaration.is_exclusive:
            return True
        slot.lease = await self._store.leases.acquire(_resource(name), LEASE_MS)
        return slot.lease is not None

    async def _wait_for_turn(self, name: str) -> None:
        slot = self._slot(name)
        while not await self._may_open(name):
            await self._clock.sleep(BEAT_SECONDS)
        slot.task = None  # this one, which ends by beginning anew
        await self._connect_quietly(name)

    async def _connect_quietly(self, name: str) -> None:
        """Where nobody asked at this moment: what goes wrong is shown with the connector."""
        try:
            await self._connect(name)
        except Exception as error:  # whatever somebody's connector does wrong
            reason = str(error) if isinstance(error, PrimeError) else "It failed; Prime's log says how."
            self._slots[name].status = Status(state="failed", detail=reason)
            log.warning("%s could not be connected: %s", name, error, exc_info=not isinstance(error, PrimeError))

    async def follow(self) -> None:
        """Do here what the owner did at another replica: connect, connect anew with other settings, end it."""
        for name, want in (await self._wanted.all(self.names())).items():
            slot = self._slots[name]
            if want.done == slot.done:
                continue
            slot.done = want.done
            if want.enabled:
                await self._connect_quietly(name)
            else:
                async with slot.lock:
                    await self._stop(name)

    async def _follow_others(self) -> None:
        while True:
            await self._clock.sleep(FOLLOW_SECONDS)
            try:
                await self.follow()
            except Exception:  # the database may be away for a moment
                log.exception("what was connected elsewhere could not be looked at; trying again")

    async def _hold(self, lease: Lease) -> None:
        """Keep the account while its owner looks for the code."""
        while await self._store.leases.renew(lease, LEASE_MS):
            await self._clock.sleep(BEAT_SECONDS)

    async def _settle(self, name: str, status: Status) -> Status:
        slot = self._slot(name)
        slot.status = status
        await _ended(slot)
        if status.state == "asking" and slot.lease:
            slot.task = asyncio.create_task(self._hold(slot.lease), name=f"prime-connector-{name}")
        if status.state == "connected":
            sender = slot.connector.sender
            if sender:
                self._gate.senders.register(name, sender)
                await self._gate.sending.settle(name)
            slot.task = asyncio.create_task(self._run(name), name=f"prime-connector-{name}")
        return status

    async def _stop(self, name: str) -> None:
        slot = self._slot(name)
        self._gate.senders.remove(name)
        await _ended(slot)
        await slot.connector.disconnect()
        lease, slot.lease = slot.lease, None
        if lease:
            with contextlib.suppress(Unavailable):  # it ends by itself
                await self._store.leases.release(lease)
        slot.status = OFF

    async def _run(self, name: str) -> None:
        """Follow the service while this process may, and begin anew, ever more patiently, when that breaks."""
        slot = self._slot(name)
        wait = FIRST_RETRY
        while True:
            lease = slot.lease = await self._store.leases.acquire(_resource(name), LEASE_MS)
            if lease is None and slot.connector.declaration.is_exclusive:
                await self._give_up(name)
                return
            if lease is None:
                await self._clock.sleep(BEAT_SECONDS)  # another replica follows it
                continue
            running = asyncio.ensure_future(followed(slot.connector))
            try:
                while not running.done():
                    beat = asyncio.ensure_future(self._clock.sleep(BEAT_SECONDS))
                    await asyncio.wait({running, beat}, return_when=asyncio.FIRST_COMPLETED)
                    beat.cancel()
                    if not running.done() and not await self._store.leases.renew(lease, LEASE_MS):
                        break
                if running.done():
                    outcome_of(running)
                    return
            except PrimeError as error:
                self._report(name, Status(state="failed", detail=str(error), facts=slot.status.facts))
                log.warning("%s stumbled: %s", name, error)
            except Exception as error:  # a connector's own fault ends neither Prime nor the other connectors
                self._report(name, Status(state="failed", detail=f"It stumbled over {type(error).__name__}."))
                log.exception("%s stumbled", name)
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            await self._clock.sleep(wait)
            wait = min(LONGEST_RETRY, wait * 2)
            self._report(name, Status(state="connected", facts=slot.status.facts))

    async def _give_up(self, name: str) -> None:
        """This process was away for so long that another has the account open: close it here, and wait."""
        slot = self._slot(name)
        self._gate.senders.remove(name)
        await slot.connector.disconnect()
        slot.status = Status(state="connecting", detail=ELSEWHERE)
        slot.task = asyncio.create_task(self._wait_for_turn(name), name=f"prime-connector-{name}")

    def _report(self, name: str, status: Status) -> None:
        self._slot(name).status = status

    # --- what connectors are given ---

    def _desk(self, name: str, facts: Facts) -> Desk:
        def rest(base: str) -> Rest:
            return Rest(self._client, self._clock, facts.declaration.title, base.rstrip("/"), {})

        give = Giving(self._store, self._secrets, self._clock, self._gate, base_url=self._setup.base_url, rest=rest)
        return give.desk(name, facts.values, lambda status: self._report(name, status))

    def _slot(self, name: str) -> Slot:
        if name not in self._slots:
            raise NotFound(f"There is no connector {name!r}.", hint=f"There are: {', '.join(self._slots)}.")
        return self._slots[name]

    async def _note(self, name: str, *, enabled: bool) -> None:
        self._slots[name].done = await self._wanted.note(name, enabled=enabled)


async def _ended(slot: Slot) -> None:
    task, slot.task = slot.task, None
    if task:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _resource(name: str) -> str:
    return f"connector/{name}"


def third_parties() -> list[Connector]:
    """Connectors of installed packages, by entry point. One that does not load is said and left out."""
    found: list[Connector] = []
    for entry in plugins(GROUP):
        try:
            made = cast("Callable[[], Connector]", entry.load())
            if is_declared(made):
                found.append(made())
        except (Exception, SystemExit):  # somebody else's package: it must not keep Prime from starting
            log.exception("the connector %s could not be loaded", entry.name)
    return found


def _is_set(setting: Setting, facts: Facts) -> bool:
    return bool(facts.secrets.get(setting.name) if setting.secret else facts.values.get(setting.name))
