"""Which connectors this instance has, by its settings."""

from prime.connectors.connectors import Connectors, Setup
from prime.connectors.contract import Connector
from prime.connectors.profiles.telegram.mock import MockTelegramUser, World
from prime.connectors.profiles.telegram.profile import TelegramProfile
from prime.connectors.profiles.telegram_bot import TelegramBot
from prime.connectors.profiles.x.client import XApi
from prime.connectors.profiles.x.mock import MockX
from prime.connectors.profiles.x.profile import XProfile
from prime.connectors.publish.folder import FolderPublisher
from prime.connectors.publish.gdrive import GDrivePublisher
from prime.connectors.publish.github import GitHubPublisher
from prime.connectors.publish.netlify import NetlifyPublisher
from prime.core.clock import Clock
from prime.core.http import NetworkPolicy
from prime.core.settings import Settings
from prime.hub.gate.gate import Gate
from prime.store.secrets import Secrets
from prime.store.store import Store


def open_connectors(
    settings: Settings,
    store: Store,
    secrets: Secrets,
    clock: Clock,
    gate: Gate,
    *,
    base_url: str,
    policy: NetworkPolicy,
) -> Connectors:
    """All of them, not yet connected. Mocks connect by themselves, and the folder, which needs no account."""
    always = {"folder"} | {name for name, on in (("telegram", settings.tg_user_mock), ("x", settings.x_mock)) if on}
    setup = Setup(base_url=base_url, policy=policy, always=frozenset(always))
    return Connectors(store, secrets, clock, gate, setup, built_in(settings, clock))


def built_in(settings: Settings, clock: Clock) -> list[Connector]:
    return [
        _telegram(settings, clock),
        TelegramBot(settings.telegram_api_base.rstrip("/")),
        _x(settings, clock),
        FolderPublisher(),
        GitHubPublisher(),
        NetlifyPublisher(),
        GDrivePublisher(),
    ]


def _x(settings: Settings, clock: Clock) -> Connector:
    if settings.x_mock:
        played = MockX(clock)
        return XProfile(lambda _desk, _token: played, mock=True)
    base = settings.x_api_base.rstrip("/")
    return XProfile(lambda desk, token: XApi(desk.rest(base).at(base, authorization=f"Bearer {token}")))


def _telegram(settings: Settings, clock: Clock) -> Connector:
    if settings.tg_user_mock:
        world = World()
        return TelegramProfile(lambda: MockTelegramUser(clock, world))
    return TelegramProfile(lambda: _telethon(settings.tg_dc))


def _telethon(dc: str | None):  # noqa: ANN202
    # Late: it takes a third of a second to import.
    from prime.connectors.profiles.telegram.telethon_client import TelethonUser

    return TelethonUser(dc)
