"""Everything in front, put together."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, cast

from prime.core.clock import Clock
from prime.core.errors import InvalidInput, JsonValue, PrimeError
from prime.gateway.behind.rpc import Message
from prime.gateway.front.changes import Changes
from prime.gateway.front.desk import Desk, Given, Method
from prime.gateway.front.doors import Doors
from prime.gateway.front.results import Result
from prime.gateway.front.server import Front
from prime.gateway.front.sessions import Session, Sessions
from prime.gateway.front.state import RequestStates
from prime.gateway.prompts.completion import Completion
from prime.gateway.prompts.contexts import OWN, Contexts
from prime.gateway.prompts.folder import PromptFolders
from prime.gateway.prompts.prompts import Prompts
from prime.gateway.prompts.theirs import ServerPrompts
from prime.gateway.resources.changing import DELETE, READ, WRITE
from prime.gateway.resources.resources import Resources, WorkspaceResources
from prime.gateway.resources.theirs import ServerResources, address_of
from prime.gateway.resources.watching import Watching

if TYPE_CHECKING:
    from prime.gateway.gateway import Gateway

log = logging.getLogger(__name__)

# Changes of one moment are told once.
_SETTLE_S = 0.05
_LOOK_S = 1.0


class FrontHouse:
    def __init__(self, gateway: "Gateway") -> None:
        supplies, records = gateway.supplies, gateway.records
        self.is_open = False
        workshop, files = supplies.workshop, gateway.files
        self.sessions = Sessions()
        self.changes = Changes(self.sessions)
        theirs = ServerResources(gateway.servers)
        self.resources = Resources(
            [WorkspaceResources(files), records, theirs, *gateway.resource_sources],
            workshop.catalog.get(READ),
        )
        self._folders = PromptFolders(
            supplies.settings.config_folder / "prompts", workshop.folder / ".prime" / "prompts"
        )
        self.prompts = Prompts(
            self._folders,
            ServerPrompts(gateway.servers, [prompt.name for prompt in OWN]),
            Contexts(supplies.dialogs),
            self.resources,
            gateway.inference,
            lambda: supplies.hub.mind.name,
            supplies.store.log,
        )
        completion = Completion(self.prompts, self.resources, theirs, supplies.rooms, workshop.catalog, files)
        self._watching = Watching(files, supplies.store, self.changes)
        self.changes.on_watched = self._watching.look
        self._desk = Desk(
            workshop, gateway.servers, self.sessions, supplies.settings.mcp_surface, self._methods(completion)
        )
        self._desk.watch = self.resources.watch
        self.front = Front(self._desk, self.changes, RequestStates(supplies.key, supplies.clock))
        self.doors = Doors(self.front, self.sessions, gateway.tokens, {supplies.base_url})
        self._telling: asyncio.Task[None] | None = None
        self._told: set[asyncio.Task[None]] = set()
        self._catalog = workshop.catalog
        self._told_of = self._catalog.stamp
        self._looking = asyncio.create_task(self._look(supplies.clock), name="mcp-looking")
        self._servers = gateway.servers
        gateway.servers.listen(self._heard)

    async def open(self) -> None:
        await self.doors.wait()
        self.is_open = True

    async def close(self) -> None:
        for task in (self._telling, self._looking, *self._told):
            if task is not None:
                task.cancel()
        await self._watching.close()
        await self.doors.close()

    def end_streams(self) -> None:
        self.doors.end_streams()

    def _methods(self, completion: Completion) -> dict[str, Method]:
        return {
            "resources/list": self.resources.listed,
            "resources/templates/list": self.resources.templates,
            "resources/read": self.resources.read,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
            "resources/write": self._write,
            "resources/delete": self._delete,
            "prompts/list": self.prompts.listed,
            "prompts/get": self.prompts.get,
            "prompt/list": self.prompts.listed,
            "prompt/call": self.prompts.call,
            "completion/complete": completion.complete,
        }

    async def _subscribe(self, session: Session, params: Given) -> Result:
        await self.resources.subscribe(session, params)
        self._watching.look()
        return {}

    async def _unsubscribe(self, session: Session, params: Given) -> Result:
        await self.resources.unsubscribe(session, params)
        self._watching.look()
        return {}

    async def _write(self, session: Session, params: Given) -> Result:
        return await self._changed(session, WRITE, params)

    async def _delete(self, session: Session, params: Given) -> Result:
        return await self._changed(session, DELETE, params)

    async def _changed(self, session: Session, tool: str, params: Given) -> Result:
        """A call of the tool through the pipeline; what it refuses is an error of the method."""
        try:
            return cast("Result", await self._desk.run(session, tool, params))
        except InvalidInput as error:
            raise InvalidInput(error.message, code=error.error_code, hint=error.hint, field=_field(error)) from None

    def _heard(self, server: str, method: str, params: Message) -> None:
        if method == "tools" and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._tell())
        elif method == "notifications/resources/updated" and isinstance(params.get("uri"), str):
            uri = address_of(self._servers.server(server), str(params["uri"]))
            self._spawn(self.changes.resource_updated(uri))
        elif method == "notifications/resources/list_changed":
            self._spawn(self.changes.resources_changed())
        elif method == "notifications/prompts/list_changed":
            self._spawn(self.changes.prompts_changed())
        elif method == "ready":
            self._came(self._servers.server(server).capabilities)

    def _came(self, capabilities: Given) -> None:
        """A server was opened: what it has beside tools is there now."""
        if "resources" in capabilities:
            self._spawn(self.changes.resources_changed())
        if "prompts" in capabilities:
            self._spawn(self.changes.prompts_changed())

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._told.add(task)
        task.add_done_callback(self._told.discard)

    async def _tell(self) -> None:
        await asyncio.sleep(_SETTLE_S)
        self._told_of = self._catalog.stamp
        await self.changes.tools_changed()

    async def _look(self, clock: Clock) -> None:
        """Prompts and tools are files that people edit while clients are there, and a scan finds programs."""
        seen = self._folders.stamp()
        while True:
            await clock.sleep(_LOOK_S)
            try:
                if self._catalog.stamp != self._told_of:
                    await self._tell()
                now = await asyncio.to_thread(self._folders.stamp)
                if now != seen:
                    seen = now
                    await self.changes.prompts_changed()
            except Exception:  # one client or one folder that fails must not leave all others untold
                log.exception("clients could not be told what has changed; trying again")


def _field(error: PrimeError) -> JsonValue:
    return error.data.get("field") or str(error.data.get("pointer", "")).strip("/")
