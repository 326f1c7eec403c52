"""What the routes are given: the house's parts, put together by `prime.app`."""

from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request

from prime.accounts.accounts import Accounts
from prime.accounts.push.push import Push
from prime.brain.brain import Brain
from prime.connectors.connectors import Connectors
from prime.connectors.publish.publications import Publications
from prime.core.clock import Clock
from prime.core.settings import Settings
from prime.dialogs.answering import Answering
from prime.dialogs.dialogs import Dialogs
from prime.dialogs.turn import Turns
from prime.gateway.gateway import Gateway
from prime.hub.gate.gate import Gate
from prime.hub.hub import Hub
from prime.mind.connection import ModelConnection
from prime.mind.spend import SpendGuard
from prime.network.network import Network
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.store.backup import Backups
from prime.store.backup_timer import BackupTimer
from prime.store.secrets import Secrets
from prime.store.store import Store
from prime.store.tuning import Tuning
from prime.tools.workshop import Workshop
from prime.web.requests import RequestCounts


@dataclass(frozen=True, slots=True)
class Parts:
    settings: Settings
    clock: Clock
    store: Store
    rooms: Rooms
    questions: Questions
    hub: Hub
    brain: Brain
    dialogs: Dialogs
    spend: SpendGuard
    model: ModelConnection
    accounts: Accounts
    backups: Backups
    backup_timer: BackupTimer
    secrets: Secrets
    workshop: Workshop
    network: Network
    gateway: Gateway
    turns: Turns
    answering: Answering
    tuning: Tuning
    push: Push
    gate: Gate
    connectors: Connectors
    publications: Publications
    # The address that links are built from, never a Host header.
    base_url: str
    requests: RequestCounts = field(default_factory=RequestCounts)


async def _parts(request: Request) -> Parts:
    # Not a plain function: FastAPI would run that in a thread, which costs more than most routes do.
    return cast("Parts", request.app.state.parts)


PartsNeeded = Annotated[Parts, Depends(_parts)]
