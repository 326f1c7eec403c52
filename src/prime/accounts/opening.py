"""Accounts and push put together, for `prime.app`."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from prime.accounts.accounts import Accounts, AccountsSetup
from prime.accounts.mail import MailServer, SmtpMailer
from prime.accounts.push.keys import open_keys
from prime.accounts.push.note import Detail
from prime.accounts.push.push import Push
from prime.accounts.push.watch import PushWatch, Told
from prime.core.clock import Clock
from prime.core.http import GuardedClient, NetworkPolicy
from prime.core.settings import Settings
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.store.secrets import Secrets
from prime.store.store import Store
from prime.store.tuning import Tuning


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The parts that accounts stand on."""

    settings: Settings
    store: Store
    rooms: Rooms
    questions: Questions
    secrets: Secrets
    tuning: Tuning
    clock: Clock


@dataclass(frozen=True, slots=True)
class Reception:
    """Whom to let in, and whom to tell."""

    accounts: Accounts
    push: Push


@asynccontextmanager
async def open_reception(
    house: House, *, base_url: str, key: bytes, policy: NetworkPolicy
) -> AsyncGenerator[Reception]:
    """Accounts and push at work until the end of the block."""
    setup = AccountsSetup(
        owner_email=house.settings.owner_email,
        base_url=base_url,
        key=key,
        mailer=mailer_of(house.settings, base_url),
        say=_say,
    )
    accounts = Accounts(house.store, house.rooms, house.clock, setup)
    private = house.settings.vapid_private
    keys = await open_keys(house.settings.vapid_public, private.get_secret_value() if private else None, house.secrets)
    async with GuardedClient(policy, clock=house.clock) as client:
        push = Push(
            house.store.database,
            house.clock,
            keys,
            client,
            subject=house.settings.owner_email or _own_address(base_url),
            allow_http=policy.allow_private,
        )
        watch = PushWatch(house.store, house.clock, push, house.questions, _told(house))
        accounts.start()
        watch.start()
        try:
            yield Reception(accounts, push)
        finally:
            await watch.stop()
            await accounts.stop()


def mailer_of(settings: Settings, base_url: str) -> SmtpMailer | None:
    if settings.smtp_url is None:
        return None
    return SmtpMailer(MailServer.read(settings.smtp_url.get_secret_value(), default_sender=_own_address(base_url)))


def _own_address(base_url: str) -> str:
    """At the name that people use: what is from `localhost`, push services (Apple's) and mail servers do not take."""
    return f"prime@{urlsplit(base_url).hostname or 'localhost'}"


def _told(house: House) -> Told:
    async def detail() -> Detail:
        return (await house.tuning.now()).push_detail

    return Told(detail=detail, secrets=house.secrets.values)


def _say(text: str) -> None:
    # The console, not the log: a link is a secret, and logs are collected and kept.
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
