"""What the routes are given: the house's parts, put together by `prime.app`."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from prime.accounts.accounts import Accounts
from prime.core.clock import Clock
from prime.core.settings import Settings
from prime.hub.hub import Hub
from prime.mind.spend import SpendGuard
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.store.backup import Backups
from prime.store.secrets import Secrets
from prime.store.store import Store
from prime.tools.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Parts:
    settings: Settings
    clock: Clock
    store: Store
    rooms: Rooms
    questions: Questions
    hub: Hub
    spend: SpendGuard
    accounts: Accounts
    backups: Backups
    secrets: Secrets
    workshop: Workshop
    # The address that links are built from, never a Host header.
    base_url: str


def _parts(request: Request) -> Parts:
    return cast("Parts", request.app.state.parts)


PartsNeeded = Annotated[Parts, Depends(_parts)]
