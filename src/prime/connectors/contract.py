"""What a connector is: a declaration from which its settings page is drawn, and a class that connects.

A connector of the owner's own accounts (`profile`) or one that publishes (`publish`) never sends by itself. It hands what
came in to `Desk.receive`, and gives the gate a `Sender`, which only the gate calls.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from prime.connectors.rest import Rest
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, Unavailable
from prime.hub.gate.replies import Incoming
from prime.hub.gate.senders import Sender

Kind = Literal["profile", "publish"]
SettingKind = Literal["text", "password", "number", "choice"]
State = Literal["off", "asking", "connecting", "connected", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One field of a connector's form. What is `secret` is written and never read back."""

    name: str
    label: str
    kind: SettingKind = "text"
    secret: bool = False
    required: bool = False
    help: str = ""
    choices: tuple[str, ...] = ()
    default: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What there is to know of a connector before it is connected."""

    name: str
    kind: Kind
    title: str
    description: str
    settings: tuple[Setting, ...] = ()
    # For people: what it can do, in a word or two each.
    capabilities: tuple[str, ...] = ()
    # The account can be open in one place at a time: of several replicas one opens it, and another when that one ends.
    is_exclusive: bool = False

    def setting(self, name: str) -> Setting:
        found = next((s for s in self.settings if s.name == name), None)
        if found is None:
            known = ", ".join(s.name for s in self.settings) or "none"
            raise InvalidInput(f"{self.title} has no setting {name!r}.", hint=f"There are: {known}.", field=name)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a connector stands. While `asking`, `asks` are the fields that the next step of signing in needs."""

    state: State
    detail: str = ""
    asks: tuple[Setting, ...] = ()
    # What may be shown of the account: its name, its mode; no secrets.
    facts: Mapping[str, str] = field(default_factory=dict[str, str])


OFF = Status(state="off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a connector is given to work with."""

    clock: Clock
    rest: Callable[[str], Rest]
    # Values of its settings; secrets come from `secret`, and a new one is kept by `keep`.
    values: Mapping[str, str]
    secret: Callable[[str], Awaitable[str | None]]
    keep: Callable[[str, str], Awaitable[None]]
    # Small things to remember between two starts, such as the last id that was read.
    remember: Callable[[str, str], Awaitable[None]]
    recall: Callable[[str], Awaitable[str | None]]
    receive: Callable[[Incoming], Awaitable[object]]
    read_up_to: Callable[[str, str], Awaitable[None]]
    # The owner's own sent messages, for the style sheet; they are counted and let go.
    learn_style: Callable[[Sequence[str]], Awaitable[object]]
    # Says how it stands when that changes by itself.
    report: Callable[[Status], None]
    base_url: str
    folder: Path
    # Contents of an attachment, for what is published.
    content: Callable[[str], Awaitable[bytes]]


class Connector(Protocol):
    """One connector. It is made once, without arguments, and may be connected and disconnected any number of times."""

    @property
    def declaration(self) -> Declaration: ...

    @property
    def sender(self) -> Sender | None:
        """Who sends for it, while it is connected and able to."""
        ...

    async def connect(self, desk: Desk) -> Status:
        """Begin; `asking` when the owner must give something first. Raises a `PrimeError` when it cannot be."""
        ...

    async def answer(self, given: Mapping[str, str]) -> Status:
        """The owner's answer to what it asked for."""
        ...

    async def run(self) -> None:
        """Follow the service until cancelled; one process at a time does. Returns when there is nothing to follow."""
        ...

    async def disconnect(self) -> None:
        """End it; called also when it was never connected."""
        ...


@runtime_checkable
class Revocable(Protocol):
    """A connector that holds a grant which can be given back; done when the owner forgets it."""

    async def revoke(self) -> None: ...


def is_declared(offered: object) -> bool:
    """Whether what a package offers under `prime.connectors` is an account of the owner's, and no participant."""
    return hasattr(offered, "declaration")


async def followed(connector: Connector) -> None:
    """What a connector follows. One that ends its process, or whose library panics, has failed and ends nothing of ours."""
    try:
        await connector.run()
    except (Exception, asyncio.CancelledError, GeneratorExit):
        raise
    except BaseException as error:
        raise Unavailable(f"It stumbled over {type(error).__name__}.") from error


def outcome_of(followed: asyncio.Future[None]) -> None:
    """What became of it: nothing to say, or why it failed."""
    if followed.cancelled():
        raise Unavailable("It gave up in the middle.")
    followed.result()
