"""The ground that the house stands on: the store and the few things that everything else is built of."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass

from prime.accounts.tables import ACCOUNTS_MIGRATIONS
from prime.app.access import network_policy
from prime.brain.facts.queries import FactsProjection
from prime.brain.notes.queries import NotesProjection
from prime.brain.recall.index.queries import RecallProjection
from prime.brain.state.queries import StateProjection
from prime.connectors.tables import CONNECTORS_MIGRATIONS
from prime.core.clock import Clock
from prime.core.errors import InvalidInput
from prime.core.http import NetworkPolicy
from prime.core.private_folders import kept_private
from prime.core.secret_box import SecretBox
from prime.core.settings import Settings
from prime.core.tasks import end
from prime.dialogs.turns.queries import TurnsProjection
from prime.gateway.tables import GATEWAY_MIGRATIONS
from prime.hub.directive.queries import DirectiveProjection
from prime.hub.gate.index.queries import GateProjection
from prime.hub.metrics.queries import MetricsProjection
from prime.hub.queries import FeedProjection
from prime.hub.swarm.queries import SwarmProjection
from prime.mind.spend import Caps, SpendGuard
from prime.mind.tables import MIND_MIGRATIONS
from prime.network.tables import NETWORK_MIGRATIONS
from prime.rooms.briefs import Briefs
from prime.rooms.clamp import Clamp
from prime.rooms.queries import RoomsProjection
from prime.rooms.questions import Questions
from prime.rooms.records import HUB, OWNER
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.folder import DataFolder
from prime.store.secrets import Secrets
from prime.store.store import Store, check_url
from prime.store.tuning import Tuning
from prime.tools.queries import ToolsProjection
from prime.tools.tables import TOOLS_MIGRATIONS

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
TAKE_LONG = (RecallProjection.name,)


@dataclass(frozen=True, slots=True)
class Ground:
    settings: Settings
    clock: Clock
    folder: DataFolder
    database_url: str | None
    store: Store
    rooms: Rooms
    questions: Questions
    box: SecretBox
    secrets: Secrets
    spend: SpendGuard
    tuning: Tuning
    # Where others reach this house, and whom it may reach.
    base_url: str
    policy: NetworkPolicy


async def lay_ground(settings: Settings, base_url: str | None, clock: Clock, stack: AsyncExitStack) -> Ground:
    """Whatever must end is put on the stack as it begins."""
    folder = DataFolder(settings.data_folder)
    stack.enter_context(kept_private(settings.data_folder, settings.config_folder))
    url = database_url(settings, folder)
    store = await _opened(folder, url, clock, stack)
    rooms = Rooms(store, Briefs(Clamp.load(settings.config_folder / "clamp")))
    await rooms.open()
    box = secret_box(settings, folder)
    spend = SpendGuard(store.database, _caps(settings), clock)
    return Ground(
        settings=settings,
        clock=clock,
        folder=folder,
        database_url=url,
        store=store,
        rooms=rooms,
        questions=Questions(store, clock),
        box=box,
        secrets=Secrets(store.database, box, clock, given=settings.secret_values()),
        spend=spend,
        tuning=await _tuned(settings, store, spend, clock, stack),
        base_url=(settings.public_url or base_url or f"http://{settings.host}:{settings.port}").rstrip("/"),
        policy=network_policy(settings),
    )


async def _opened(folder: DataFolder, url: str | None, clock: Clock, stack: AsyncExitStack) -> Store:
    """The store; on SQLite, as the owner of the data folder."""
    if url is None:
        folder.own()
        stack.callback(folder.release)
    store = await Store.open(folder, url, clock, projections=PROJECTIONS, last=TAKE_LONG, migrations=MIGRATIONS)
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
    stack.push_async_callback(end, telling)
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
    check_url(url)
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


def _caps(settings: Settings) -> Caps:
    return Caps(settings.max_llm_calls, settings.max_images, settings.max_dollars_per_day)
