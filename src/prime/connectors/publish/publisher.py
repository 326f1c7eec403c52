"""What the publishing connectors share: connecting without a conversation, and failing half-way with the facts."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import cast

from prime.connectors.contract import Declaration, Desk, Status
from prime.connectors.publish.bundle import Bundle, load
from prime.core.errors import InvalidInput, JsonValue, Unavailable
from prime.hub.gate.records import Outgoing
from prime.hub.gate.senders import Sender
from prime.store.outbox import NotSent


class Halfway(NotSent):
    """Something exists and the rest does not; approving again goes on from there, undoing takes it back."""

    code = "half_done"

    def __init__(self, what: str, why: str, **exists: JsonValue) -> None:
        super().__init__(
            f"Half done: {what} exists, then: {why}",
            hint="Approve again to finish it, or undo it.",
        )
        self.data = {**exists, "exists": what}


class Publisher(ABC):
    """Base of connectors that only send. Subclasses check the credentials in `open` and make the sender."""

    declaration: Declaration

    def __init__(self) -> None:
        self._sender: Sender | None = None

    @property
    def sender(self) -> Sender | None:
        return self._sender

    async def connect(self, desk: Desk) -> Status:
        self._sender, facts = await self.open(desk)
        return Status(state="connected", facts=facts)

    @abstractmethod
    async def open(self, desk: Desk) -> tuple[Sender, Mapping[str, str]]:
        """Check the credentials; what sends, and what is to be shown of the account."""

    async def answer(self, given: Mapping[str, str]) -> Status:
        raise InvalidInput(f"{self.declaration.title} asks for nothing.")

    async def run(self) -> None:
        return

    async def disconnect(self) -> None:
        self._sender = None


async def bundle_of(desk: Desk, outgoing: Outgoing) -> Bundle:
    return await load(desk, outgoing.target)


def option(outgoing: Outgoing, name: str) -> str:
    options = outgoing.target.get("options")
    found = cast("Mapping[str, object]", options).get(name) if isinstance(options, dict) else None
    return found if isinstance(found, str) else ""


def slug(outgoing: Outgoing) -> str:
    return str(outgoing.target.get("slug") or "site")


def obj(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def needed(value: object, key: str, service: str) -> str:
    """A field that the service must have answered with."""
    found = obj(value).get(key)
    if not isinstance(found, str | int) or found == "":
        raise Unavailable(f"{service} answered without {key}, and may have done it.")
    return str(found)
