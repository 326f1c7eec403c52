"""The composition root: settings become concrete parts, parts become the ASGI app and its loops."""

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from prime.accounts.opening import House, open_reception
from prime.accounts.tables import ACCOUNTS_MIGRATIONS
from prime.brain.brain import Brain
from prime.brain.facts.queries import FactsProjection
from prime.brain.notes.fetching import GuardedFetcher
from prime.brain.notes.queries import NotesProjection
from prime.brain.reading.process import SandboxedReader
from prime.brain.recall.index.queries import RecallProjection
from prime.brain.state.queries import StateProjection
from prime.brain.tools import add_tools
from prime.connectors.agents.claude_code import Builders
from prime.connectors.agents.llm_generic import LlmGeneric
from prime.connectors.agents.registry import agent_connectors
from prime.connectors.house import open_connectors
from prime.connectors.publish.publications import Publications
from prime.connectors.publish.tool import add_publish
from prime.connectors.tables import CONNECTORS_MIGRATIONS
from prime.core.clock import Clock, SystemClock
from prime.core.errors import InvalidInput, NotFound
from prime.core.http import NetworkPolicy
from prime.core.secret_box import SecretBox
from prime.core.settings import Settings
from prime.dialogs.talk import Beneath, open_talk
from prime.dialogs.turns.queries import TurnsProjection
from prime.gateway.gateway import Gateway, Supplies
from prime.gateway.tables import GATEWAY_MIGRATIONS
from prime.hub.directive.queries import DirectiveProjection
from prime.hub.gate.gate import Gate
from prime.hub.gate.index.queries import GateProjection
from prime.hub.house import HubSetup, build_hub
from prime.hub.hub import Hub
from prime.hub.inbound import HubInbound
from prime.hub.metrics.queries import MetricsProjection
from prime.hub.outside import NetworkOutside
from prime.hub.pace import Pace, PaceSource
from prime.hub.queries import FeedProjection
from prime.hub.swarm.queries import SwarmProjection
from prime.hub.thinker import MindThinker
from prime.mind.connection import ModelConnection
from prime.mind.protocol import Mind
from prime.mind.spend import Caps, SpendGuard
from prime.mind.tables import MIND_MIGRATIONS
from prime.network.network import Network, NetworkSetup
from prime.network.tables import NETWORK_MIGRATIONS
from prime.rooms.briefs import Briefs
from prime.rooms.clamp import Clamp
from prime.rooms.queries import RoomsProjection
from prime.rooms.questions import Questions
from prime.rooms.records import HUB, OWNER, PRIME
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.backup import Backups
from prime.store.backup_timer import open_backups
from prime.store.folder import DataFolder
from prime.store.secrets import Secrets
from prime.store.store import Store
from prime.store.tuning import Tuning
from prime.tools.queries import ToolsProjection
from prime.tools.runtimes.folder_runtime import FolderRuntime
from prime.tools.runtimes.places import runtime_cache, user_tools
from prime.tools.runtimes.registry import Registry
from prime.tools.tables import TOOLS_MIGRATIONS
from prime.tools.workshop import Workshop
from prime.web.app import WebApp
from prime.web.gate import GatePolicy
from prime.web.parts import Parts

MIGRATIONS = (
    *ROOMS_MIGRATIONS,
    *MIND_MIGRATIONS,
    *ACCOUNTS_MIGRATIONS,
    *TOOLS_MIGRATIONS,
    *NETWORK_MIGRATIONS,
    *GATEWAY_MIGRATIONS,
    *CONNECTORS_MIGRATIONS,
)
PROJECTIONS = (
    RoomsProjection(),
    FeedProjection(),
    ToolsProjection(),
    RecallProjection(),
    TurnsProjection(),
    NotesProjection(),
    FactsProjection(),
    StateProjection(),
    SwarmProjection(),
    DirectiveProjection(),
    MetricsProjection(),
    GateProjection(),
)


@dataclass(frozen=True, slots=True)
class Prime:
    """A running house: its parts, and the app that serves them."""

    parts: Parts
    app: WebApp


@asynccontextmanager
async def open_prime(
    settings: Settings, *, base_url: str | None = None, clock: Clock | None = None, serving: bool = False
) -> AsyncGenerator[Prime]:
    """Open the data folder as its owner, put everything together, and take it apart again at the end.

    `serving`: for long, so that it is worth looking for new tools from time to time.
    """
    policy = gate_policy(settings)  # first: nothing is touched when this must not run at all
    async with AsyncExitStack() as stack:
        parts = await _put_together(settings, base_url, clock or SystemClock(), stack)
        if serving and settings.tool_scan_ms:
            parts.workshop.keep_scanning(parts.clock, settings.tool_scan_ms / 1000)
        yield Prime(parts, WebApp(parts, policy))


async def _put_together(settings: Settings, base_url: str | None, clock: Clock, stack: AsyncExitStack) -> Parts:
    """The parts from the ground up; whatever must end is put on the stack as it begins."""
    folder = DataFolder(settings.data_folder)
    url = database_url(settings, folder)
    store = await _opened(folder, url, clock, stack)
    rooms = Rooms(store, Briefs(Clamp.load(settings.config_folder / "clamp")))
    await rooms.open()
    box = secret_box(settings, folder)
    secrets = Secrets(store.database, box, clock)
    spend = SpendGuard(store.database, _caps(settings), clock)
    model = ModelConnection(settings, store.live_settings, secrets, spend)
    stack.push_async_callback(model.stop)
    mind = model.present
    questions = Questions(store, clock)
    workshop = Workshop.build(
        settings, store, questions, clock, secrets=secrets.values, folders=tool_folders(settings, secrets)
    )
    stack.push_async_callback(workshop.stop)
    address = (settings.public_url or base_url or f"http://{settings.host}:{settings.port}").rstrip("/")
    setup = network_setup(settings, address, box, secrets)
    prime = LlmGeneric(await rooms.actor(PRIME), mind)
    network = await Network.open(store, rooms, clock, HubInbound(store, rooms.briefs.clamp, prime.reply), setup)
    stack.push_async_callback(network.close)
    tuning = await _tuned(settings, store, spend, clock, stack)
    builders = Builders(settings.data_folder / "workspaces", hidden_from_builders(settings))
    hub = build_hub(
        HubSetup(
            store=store,
            rooms=rooms,
            questions=questions,
            mind=mind,
            connectors=agent_connectors(mind, network.correspondence, network.directory, builders),
            outside=NetworkOutside(network),
            spend=spend,
            clock=clock,
            pace=pace_of(tuning),
        )
    )
    stack.push_async_callback(hub.stop)
    brain = house_brain(settings, store, clock, hub)
    stack.push_async_callback(brain.stop)
    hub.swarm.on_quiet.append(settling(rooms, brain))
    add_tools(workshop.builtins, store, brain)
    beneath = Beneath(store=store, rooms=rooms, questions=questions, workshop=workshop, clock=clock)
    talk = open_talk(settings, beneath, mind_of(hub))
    stack.push_async_callback(talk.answering.stop)
    house = House(
        settings=settings,
        store=store,
        rooms=rooms,
        questions=questions,
        secrets=secrets,
        tuning=tuning,
        clock=clock,
    )
    reception = await stack.enter_async_context(
        open_reception(house, base_url=address, key=box.derive("accounts"), policy=setup.policy)
    )
    keeping = await stack.enter_async_context(
        open_backups(store, Backups(folder, clock, settings.backup_keep, url), tuning, clock, setup.policy)
    )
    gate = await Gate.open(settings, store, rooms, clock, mind=mind_of(hub), secrets=secrets.values)
    stack.push_async_callback(gate.close)
    connectors = open_connectors(settings, store, secrets, clock, gate, base_url=address, policy=setup.policy)
    stack.push_async_callback(connectors.close)
    publications = Publications(store, gate, connectors, secrets.values)
    add_publish(workshop.builtins, publications)
    gateway = Gateway(
        Supplies(
            settings=settings,
            clock=clock,
            store=store,
            rooms=rooms,
            questions=questions,
            hub=hub,
            dialogs=talk.dialogs,
            workshop=workshop,
            secrets=secrets,
            base_url=address,
            key=box.derive("mcp"),
        )
    )
    stack.push_async_callback(gateway.stop)
    await hub.resume()
    await connectors.start()
    await gate.replies.resume()
    # Last, and without a pause: nothing runs before everything is there.
    workshop.start()
    brain.start()
    talk.answering.start()
    hub.start()
    model.start()
    return Parts(
        settings=settings,
        clock=clock,
        store=store,
        rooms=rooms,
        questions=questions,
        hub=hub,
        brain=brain,
        dialogs=talk.dialogs,
        spend=spend,
        model=model,
        accounts=reception.accounts,
        backups=keeping.backups,
        backup_timer=keeping.timer,
        secrets=secrets,
        workshop=workshop,
        network=network,
        gateway=gateway,
        turns=talk.turns,
        answering=talk.answering,
        tuning=tuning,
        push=reception.push,
        gate=gate,
        connectors=connectors,
        publications=publications,
        base_url=address,
    )


async def _opened(folder: DataFolder, url: str | None, clock: Clock, stack: AsyncExitStack) -> Store:
    """The store; on SQLite, as the owner of the data folder."""
    if url is None:
        folder.own()
        stack.callback(folder.release)
    store = await Store.open(folder, url, clock, projections=PROJECTIONS, migrations=MIGRATIONS)
    stack.push_async_callback(store.close)
    if url is None:
        await store.leases.take_over()  # the folder has one owner: who held them before is gone
    return store


async def _tuned(settings: Settings, store: Store, spend: SpendGuard, clock: Clock, stack: AsyncExitStack) -> Tuning:
    """What the owner may change while Prime runs, followed by what runs by it."""
    tuning = Tuning(settings, store.live_settings, store.log, channel_id=HUB, actor_id=OWNER)

    def set_caps(now: Settings) -> None:
        spend.caps = _caps(now)

    await tuning.follow(set_caps)
    telling = asyncio.create_task(tuning.keep_telling(clock), name="prime-tuning")
    stack.callback(telling.cancel)
    return tuning


def database_url(settings: Settings, folder: DataFolder) -> str | None:
    """The PostgreSQL address, or None for SQLite in the data folder."""
    if settings.database_url is None:
        return None
    url = settings.database_url.get_secret_value()
    if url.startswith("sqlite:///"):
        if url.removeprefix("sqlite:///") != str(folder.database):
            raise InvalidInput(
                "PRIME_DATABASE_URL names a SQLite file outside the data folder.",
                hint=f"Leave it out and choose the folder with --data; the file is {folder.database}.",
            )
        return None
    if settings.secret_key is None:
        raise InvalidInput(
            "PRIME_SECRET_KEY is not set.",
            hint="With PostgreSQL every replica needs the same key: `openssl rand -hex 32` makes one.",
        )
    return url


def secret_box(settings: Settings, folder: DataFolder) -> SecretBox:
    """Sealed with the key of the environment, else with the data folder's own."""
    if settings.secret_key:
        return SecretBox.from_value(settings.secret_key.get_secret_value())
    return SecretBox.from_file(folder.secret_key)


def network_setup(settings: Settings, address: str, box: SecretBox, secrets: Secrets) -> NetworkSetup:
    """Private addresses may be reached while the instance itself is on loopback, or where PRIME_NETWORK_ALLOW says so."""

    async def credentials(agent_id: str) -> str | None:
        try:
            return await secrets.use(f"agent:{agent_id}")
        except NotFound:
            return None

    return NetworkSetup(
        base_url=address,
        policy=NetworkPolicy(allow_private=is_loopback(settings.host), allow=settings.network_allow),
        key=box.derive("network"),
        credentials=credentials,
        remote_agents=settings.remote_agents,
    )


def _caps(settings: Settings) -> Caps:
    return Caps(settings.max_llm_calls, settings.max_images, settings.max_dollars_per_day)


def hidden_from_builders(settings: Settings) -> tuple[str, ...]:
    """What of the data folder a builder, whose own folder is in there, must not see."""
    data = settings.data_folder
    return tuple(str(data / name) for name in ("prime.db", "derived.db", "secrets.key", "attachments", "backups"))


def pace_of(tuning: Tuning) -> PaceSource:
    """How fast the hub works, as the owner has it at the moment."""

    async def now() -> Pace:
        return Pace.of(await tuning.now())

    return now


def settling(rooms: Rooms, brain: Brain) -> Callable[[], Awaitable[None]]:
    """What a quiet moment is good for: every channel's summary is brought up to date, the owner's room last."""

    async def settle() -> None:
        channels = [channel.id for _, channel in await rooms.channels(limit=1000)]
        for channel_id in sorted(channels, key=lambda each: each == HUB):
            await brain.consolidate(channel_id)

    return settle


def mind_of(hub: Hub) -> Callable[[], Mind]:
    """The mind that the hub has at the moment it is asked for."""
    return lambda: hub.mind


def house_brain(settings: Settings, store: Store, clock: Clock, hub: Hub) -> Brain:
    """Files are read where Prime's own data and configuration cannot be seen."""
    reader = SandboxedReader(hidden=(str(settings.data_folder), str(settings.config_folder)))
    policy = NetworkPolicy(allow_private=is_loopback(settings.host), allow=settings.network_allow)
    return Brain(store, clock, MindThinker(mind_of(hub)), reader, GuardedFetcher(policy, clock))


def tool_folders(settings: Settings, secrets: Secrets) -> FolderRuntime:
    """The tools that are folders, the user's and the workspace's."""
    registry = Registry(user_tools(), settings.workspace_folder)
    return FolderRuntime(registry, cache=runtime_cache(), data=settings.data_folder, secret=secrets.find)


def gate_policy(settings: Settings) -> GatePolicy:
    """Open on loopback while no owner is set; beyond loopback an owner is required."""
    loopback = is_loopback(settings.host)
    if not loopback and settings.owner_email is None:
        raise InvalidInput(
            f"Listening on {settings.host} without an owner would let anyone act as you.",
            hint="Set PRIME_OWNER_EMAIL to your address, or listen on 127.0.0.1.",
            code="owner_required",
        )
    public = urlsplit(settings.public_url or "").hostname
    hosts = frozenset(name.lower() for name in (settings.host, public) if name)
    return GatePolicy(
        owner_set=settings.owner_email is not None,
        admin_token=settings.admin_token.get_secret_value() if settings.admin_token else None,
        # Behind a reverse proxy the name is the proxy's business, unless it was said.
        hosts=hosts if loopback or public else frozenset(),
    )


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
