"""Who can send at this moment. Connectors register here when they connect; after a restart nobody is registered."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from prime.core.errors import Conflict
from prime.hub.gate.records import Delivered, Outgoing

# Told how a long send goes: what is being done, how much of how much.
Progress = Callable[[str, int, int], None]


class NotConnected(Conflict):
    """The connector that would send this is not connected; nothing is lost."""

    code = "connector_not_connected"


class Unsure(Exception):
    """Raised by `Sender.lookup` when the service cannot say whether something arrived."""


class Sender(Protocol):
    """How one connector sends. Only the gate calls it."""

    @property
    def max_length(self) -> int:
        """The most characters that the service takes."""
        ...

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        """Send it. `prime.store.outbox.NotSent` says that nothing went out; any other error leaves that open."""
        ...

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        """What the service knows of a send whose answer was lost; None when it never arrived, `Unsure` when it cannot say."""
        ...


class Senders:
    """The registry, in memory."""

    def __init__(self) -> None:
        self._senders: dict[str, Sender] = {}
        # Set whenever somebody came or went.
        self.changed = asyncio.Event()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._senders)

    def register(self, connector: str, sender: Sender) -> None:
        self._senders[connector] = sender
        self.changed.set()

    def remove(self, connector: str) -> None:
        self._senders.pop(connector, None)
        self.changed.set()

    def find(self, connector: str) -> Sender | None:
        return self._senders.get(connector)

    def get(self, connector: str) -> Sender:
        found = self._senders.get(connector)
        if found is None:
            raise NotConnected(
                f"connector not connected: {connector} is not connected now, so the draft stays pending.",
                hint="Connect it in the settings and approve again.",
                connector=connector,
            )
        return found
