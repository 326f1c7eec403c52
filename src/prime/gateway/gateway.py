"""The gateway as one part of the house: servers behind it, and in front the doors, which are made when first used."""

import asyncio
import contextlib
import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prime.core.clock import Clock
from prime.core.settings import Settings
from prime.dialogs.dialogs import Dialogs
from prime.gateway.behind.acceptance import Acceptance
from prime.gateway.behind.files import ConfigFiles
from prime.gateway.behind.opening import Opening
from prime.gateway.behind.owner import OwnerDesk
from prime.gateway.behind.pool import Servers
from prime.gateway.behind.wishes import Wishes
from prime.gateway.inference import MindInference
from prime.gateway.resources.changing import add_tools
from prime.gateway.resources.files import Content, WorkspaceFiles
from prime.gateway.resources.records import SCHEME, Records
from prime.gateway.resources.source import ResourceSource
from prime.gateway.tokens import Tokens
from prime.hub.hub import Hub
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.store.secrets import Secrets
from prime.store.store import Store
from prime.tools.runtime import RunContext
from prime.tools.workshop import Workshop

if TYPE_CHECKING:
    from prime.gateway.front.house import FrontHouse


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplies:
    """The parts of the house that the gateway works with."""

    settings: Settings
    clock: Clock
    store: Store
    rooms: Rooms
    questions: Questions
    hub: Hub
    dialogs: Dialogs
    workshop: Workshop
    secrets: Secrets
    base_url: str
    # Seals what clients carry for the gateway between two requests.
    key: bytes


class Gateway:
    def __init__(self, supplies: Supplies) -> None:
        self.supplies = supplies
        settings, workshop = supplies.settings, supplies.workshop
        desk = OwnerDesk(supplies.store, supplies.questions, supplies.clock)
        self.inference = MindInference(lambda: supplies.hub.mind)
        self.tokens = Tokens(supplies.store.database, supplies.store.whispers, supplies.clock)
        self.servers = Servers(
            ConfigFiles(settings.config_folder, settings.workspace_folder),
            Opening(supplies.secrets.find, workshop.folder).open,
            Acceptance(supplies.store.database, desk),
            desk,
            Wishes(desk, self.inference),
            supplies.clock,
        )
        supplies.secrets.listen(self.servers.secret_changed)
        # Further resources, for whoever puts the house together; before the first client comes.
        self.resource_sources: list[ResourceSource] = []
        self.files = WorkspaceFiles(workshop.folder)
        self.records = Records(
            supplies.store, supplies.rooms, supplies.hub, supplies.dialogs, workshop.catalog, workshop.folder
        )
        add_tools(workshop.builtins, self.files, self._read)
        workshop.catalog.add_apart(self.servers)
        workshop.runtimes.add("mcp", self.servers)
        workshop.directives.add(self.servers)
        self._front: FrontHouse | None = None
        self._making = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None

    async def _read(self, uri: str, context: RunContext) -> Content:
        if uri.startswith(SCHEME):
            return await self.records.read_from(context, uri)
        return await asyncio.to_thread(self.files.read, uri)

    def start(self) -> None:
        """Open the servers behind, beside everything else that starts."""
        if self._starting is None:
            self._starting = asyncio.create_task(self.servers.start(), name="mcp-servers")

    async def opened(self) -> None:
        """For a command that opened the house for itself: wait until every server is there or has failed once.

        Where Prime serves they were opened at its start, and nobody waits for one that is slow.
        """
        if self._starting is None:
            self.start()
            await asyncio.shield(self._starting_now())
            await self.servers.settled()

    def _starting_now(self) -> "asyncio.Task[None]":
        assert self._starting is not None
        return self._starting

    async def stop(self) -> None:
        if self._front is not None:
            await self._front.close()
        if self._starting is not None:
            self._starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._starting
        await self.servers.stop()

    async def front(self) -> "FrontHouse":
        """The doors for clients. The SDK is large, so it is read when the first client comes, and in a thread."""
        if self._front is not None and self._front.is_open:
            return self._front
        async with self._making:
            if self._front is None:
                house = await asyncio.to_thread(_front_house)
                self._front = house(self)
                await self._front.open()
                _set_apart()
            return self._front

    def end_streams(self) -> None:
        """Let every stream go: Prime is about to stop."""
        if self._front is not None:
            self._front.end_streams()


def _set_apart() -> None:
    """What a Prime with its doors open consists of stays to its end: the collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


def _front_house() -> "type[FrontHouse]":
    from prime.gateway.front.house import FrontHouse

    return FrontHouse
