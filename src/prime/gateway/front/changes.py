"""What changes, told to every client that wants to know, in the way of its protocol revision."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager

import mcp_types as types
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from prime.gateway.front.sessions import Session, Sessions

# A client that does not read must not hold up the others.
_SEND_S = 5.0


class Changes:
    """`watched` says which resources anybody subscribes to; `on_watched` is called when that changes."""

    def __init__(self, sessions: Sessions) -> None:
        self.bus = InMemorySubscriptionBus()
        self._sessions = sessions
        self._listened: Counter[str] = Counter()
        self.on_watched: Callable[[], None] = lambda: None

    @property
    def watched(self) -> set[str]:
        found = {uri for uri, count in self._listened.items() if count > 0}
        return found.union(*(session.subscribed for session in self._sessions.all()))

    @contextmanager
    def watching(self, uris: Iterable[str]) -> Generator[None]:
        """For as long as a stream of the stateless revision listens."""
        wanted = list(uris)
        self._listened.update(wanted)
        self.on_watched()
        try:
            yield
        finally:
            self._listened.subtract(wanted)
            self.on_watched()

    async def tools_changed(self, only: Session | None = None) -> None:
        """`only`: what one client sees has changed, and nobody else's."""
        await self._tell(types.ToolListChangedNotification(), [only] if only else self._sessions.all())
        if only is None or only.push is None:
            await self.bus.publish(ToolsListChanged())

    async def prompts_changed(self) -> None:
        await self._tell(types.PromptListChangedNotification(), self._sessions.all())
        await self.bus.publish(PromptsListChanged())

    async def resources_changed(self) -> None:
        await self._tell(types.ResourceListChangedNotification(), self._sessions.all())
        await self.bus.publish(ResourcesListChanged())

    async def resource_updated(self, uri: str) -> None:
        told = types.ResourceUpdatedNotification(params=types.ResourceUpdatedNotificationParams(uri=uri))
        await self._tell(told, [session for session in self._sessions.all() if uri in session.subscribed])
        await self.bus.publish(ResourceUpdated(uri))

    async def _tell(self, notification: types.ServerNotification, sessions: Iterable[Session]) -> None:
        pushes = [session.push for session in sessions if session.push is not None]
        if pushes:
            await asyncio.gather(*(_send(push.send_notification(notification)) for push in pushes))


async def _send(sending: Awaitable[None]) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SEND_S):
            await sending
