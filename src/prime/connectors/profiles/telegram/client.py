"""What the profile needs of Telegram: a small seam, so that the real client and the mock stand behind one contract."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from prime.core.errors import InvalidInput
from prime.hub.gate.replies import Media


class WrongCode(InvalidInput):
    """The code, the password or the phone number is not right."""

    code = "wrong_code"


class PasswordNeeded(Exception):
    """The account has two-factor authentication: the password is asked for next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """A message of a private conversation, as Telegram knows it."""

    chat_id: str
    message_id: str
    person: str
    text: str
    own: bool = False
    edited: bool = False
    reply_to: str | None = None
    media: Sequence[Media] = ()
    # Whether the owner has taken part in the conversation before, or knows the person.
    existing: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What was kept of the account between two starts."""

    # What signs in again without a code; a secret.
    session: str | None = None
    # Up to where everything was handed over.
    position: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Who is told of what happens, one thing after the other."""

    message: Callable[[UserMessage], Awaitable[None]]
    # The chat and the last message in it that the owner has read.
    read: Callable[[str, str], Awaitable[None]]
    # Everything up to here is handed over: what to begin after at the next start.
    position: Callable[[str], Awaitable[None]]


class TelegramUser(Protocol):
    """A personal account. Errors of signing in are `WrongCode`; `PasswordNeeded` asks for the next step."""

    async def open(self, api_id: int, api_hash: str, kept: Kept, told: Told) -> str | None:
        """Connect; the account's name when the session is good, None when signing in is needed."""
        ...

    async def request_code(self, phone: str) -> None: ...

    async def sign_in(self, phone: str, code: str) -> str:
        """The account's name."""
        ...

    async def give_password(self, password: str) -> str: ...

    def session(self) -> str:
        """What signs in again without a code; a secret."""
        ...

    async def follow(self) -> None:
        """Hand over what comes, what was missed since the position first; until cancelled."""
        ...

    async def send(self, chat_id: str, text: str, *, reply_to: str | None, random_id: int) -> str:
        """The sent message's id. The same `random_id` is one message, however often it is sent."""
        ...

    async def sent_since(self, chat_id: str, text: str, *, since: str | None) -> str | None:
        """The id of a message with this text that the owner sent there after another one; None when there is none.

        `prime.hub.gate.senders.Unsure` when so much was said since that it cannot be told.
        """
        ...

    async def mark_read(self, chat_id: str, message_id: str) -> None: ...

    async def own_messages(self, limit: int) -> list[str]:
        """Texts that the owner sent lately, in any private conversation."""
        ...

    async def sign_out(self) -> None:
        """End the session for good, also at Telegram."""
        ...

    async def close(self) -> None: ...
