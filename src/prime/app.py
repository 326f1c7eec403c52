"""The composition root: settings become concrete parts, parts become the ASGI app and its loops."""

import ipaddress
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from prime.accounts.accounts import Accounts
from prime.accounts.tables import ACCOUNTS_MIGRATIONS
from prime.brain.recall.index.queries import RecallProjection
from prime.connectors.connectors import Connectors
from prime.connectors.house import open_connectors
from prime.connectors.publish.publications import Publications
from prime.connectors.publish.tool import add_publish
from prime.connectors.tables import CONNECTORS_MIGRATIONS
from prime.core.clock import Clock, SystemClock
from prime.core.errors import InvalidInput, NotFound
from prime.core.http import NetworkPolicy
from prime.core.secret_box import SecretBox
from prime.core.settings import Settings
from prime.dialogs.dialogs import Dialogs
from prime.dialogs.document import DocumentBuilder
from prime.hub.gate.gate import Gate
from prime.hub.gate.index.queries import GateProjection
from prime.hub.hub import Hub
from prime.hub.inbound import HubInbound
from prime.hub.queries import FeedProjection
from prime.mind.offline import OfflineMind
from prime.mind.protocol import Mind
from prime.mind.spend import Caps, SpendGuard
from prime.mind.tables import MIND_MIGRATIONS
from prime.network.network import Network, NetworkSetup
from prime.network.tables import NETWORK_MIGRATIONS
from prime.rooms.queries import RoomsProjection
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.backup import Backups
from prime.store.folder import DataFolder
from prime.store.secrets import Secrets
from prime.store.store import Store
from prime.tools.queries import ToolsProjection
from prime.tools.runtimes.folder_runtime import FolderRuntime
from prime.tools.runtimes.places import runtime_cache, user_tools, workspace_tools
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
    *CONNECTORS_MIGRATIONS,
)
PROJECTIONS = (RoomsProjection(), FeedProjection(), ToolsProjection(), RecallProjection(), GateProjection())


@dataclass(frozen=True, slots=True)
class Prime:
    """A running house: its parts, and the app that serves them."""

    parts: Parts
    app: WebApp


@asynccontextmanager
async def open_prime(
    settings: Settings, *, base_url: str | None = None, clock: Clock | None = None
) -> AsyncGenerator[Prime]:
    """Open the data folder as its owner, put everything together, and take it apart again at the end."""
    policy = gate_policy(settings)  # first: nothing is touched when this must not run at all
    clock = clock or SystemClock()
    folder = DataFolder(settings.data_folder)
    url = database_url(settings, folder)
    if url is None:
        folder.own()
    store: Store | None = None
    hub: Hub | None = None
    workshop: Workshop | None = None
    network: Network | None = None
    gate: Gate | None = None
    connectors: Connectors | None = None
    try:
        store = await Store.open(folder, url, clock, projections=PROJECTIONS, migrations=MIGRATIONS)
        rooms = Rooms(store)
        await rooms.open()
        hub = Hub(store, rooms, OfflineMind())
        box = secret_box(settings, folder)
        secrets = Secrets(store.database, box, clock)
        questions = Questions(store, clock)
        workshop = Workshop.build(
            settings, store, questions, clock, secrets=secrets.values, folders=tool_folders(settings, secrets)
        )
        address = (settings.public_url or base_url or f"http://{settings.host}:{settings.port}").rstrip("/")
        setup = network_setup(settings, address, box, secrets)
        network = await Network.open(store, rooms, clock, HubInbound(store, hub.mind), setup)
        gate = await Gate.open(settings, store, rooms, clock, mind=_mind_of(hub), secrets=secrets.values)
        connectors = open_connectors(settings, store, secrets, clock, gate, base_url=address, policy=setup.policy)
        publications = Publications(store, gate, connectors, secrets.values)
        add_publish(workshop.builtins, publications)
        parts = Parts(
            settings=settings,
            clock=clock,
            store=store,
            rooms=rooms,
            questions=questions,
            hub=hub,
            dialogs=Dialogs(
                store, rooms, clock, settings.workspace_folder, DocumentBuilder(settings.config_folder / "prompts")
            ),
            spend=SpendGuard(store.database, Caps(settings.max_llm_calls, settings.max_images)),
            accounts=Accounts(store.database, clock),
            backups=Backups(folder, clock, settings.backup_keep),
            secrets=secrets,
            workshop=workshop,
            network=network,
            gate=gate,
            connectors=connectors,
            publications=publications,
            base_url=address,
        )
        await hub.resume()
        workshop.start()
        await connectors.start()
        await gate.replies.resume()
        yield Prime(parts, WebApp(parts, policy))
    finally:
        if connectors:
            await connectors.close()
        if gate:
            await gate.close()
        if workshop:
            await workshop.stop()
        if network:
            await network.close()
        if hub:
            await hub.stop()
        if store:
            await store.close()
        folder.release()


def _mind_of(hub: Hub) -> Callable[[], Mind]:
    """The mind of the moment: which one it is may change while Prime runs."""
    return lambda: hub.mind


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


def tool_folders(settings: Settings, secrets: Secrets) -> FolderRuntime:
    """The tools that are folders, the user's and the workspace's."""
    registry = Registry(user_tools(), workspace_tools(settings.workspace_folder))
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
