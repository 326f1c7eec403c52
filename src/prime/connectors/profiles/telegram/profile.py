"""The personal Telegram account as a connector: a guided sign-in, messages in, and a sender for the gate."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping
from functools import partial

from prime.connectors.contract import Declaration, Desk, Setting, Status
from prime.connectors.profiles.telegram.client import Kept, PasswordNeeded, TelegramUser, Told, UserMessage, WrongCode
from prime.core.errors import InvalidInput, PrimeError
from prime.hub.gate.records import Delivered, Outgoing
from prime.hub.gate.replies import Incoming
from prime.hub.gate.senders import Progress, Sender
from prime.rooms.tier import TIERS, parse_tier

log = logging.getLogger(__name__)

NAME = "telegram"
PREFIX = "ch_pp_tg_"
MAX_LENGTH = 4096
STYLE_MESSAGES = 300
POSITION = "position"

CODE = Setting(name="code", label="Code from Telegram", secret=True, required=True, help="Sent to your Telegram app.")
PASSWORD = Setting(
    name="password", label="Two-step password", kind="password", secret=True, required=True, help="It is not kept."
)
TIER = Setting(
    name="tier",
    label="Tier of new conversations",
    kind="choice",
    choices=tuple(TIERS),
    default="external",
    help="What your contacts there may be told of your work.",
)

DECLARATION = Declaration(
    name=NAME,
    kind="profile",
    title="Telegram",
    description="Your personal account: Prime reads your private conversations and drafts answers as you.",
    settings=(
        Setting(
            name="api_id", label="API id", kind="number", required=True, help="From my.telegram.org, API development."
        ),
        Setting(name="api_hash", label="API hash", kind="password", secret=True, required=True),
        Setting(name="phone", label="Phone number", required=True, help="With country code, such as +49 170 1234567."),
        TIER,
    ),
    capabilities=("reads private conversations", "drafts replies", "sends when approved"),
    # Telegram ends a session for good that it sees at two addresses.
    is_exclusive=True,
)


class TelegramProfile:
    """Reacts to private conversations that exist already, and to nothing else."""

    declaration = DECLARATION

    def __init__(self, make_client: Callable[[], TelegramUser]) -> None:
        self._make_client = make_client
        self._client: TelegramUser | None = None
        self._desk: Desk | None = None
        self._name = ""

    @property
    def sender(self) -> Sender | None:
        return TelegramSender(self._client) if self._client and self._name else None

    async def connect(self, desk: Desk) -> Status:
        self._desk, self._client = desk, self._make_client()
        api_id, api_hash = int(desk.values.get("api_id") or 0), await desk.secret("api_hash") or ""
        kept = Kept(session=await desk.secret("session"), position=await desk.recall(POSITION))
        name = await self._client.open(api_id, api_hash, kept, _told(desk))
        if name is not None:
            return await self._signed_in(name)
        await self._client.request_code(_phone(desk))
        return Status(state="asking", detail="Telegram has sent you a code.", asks=(CODE,))

    async def answer(self, given: Mapping[str, str]) -> Status:
        desk, client = self._connected()
        try:
            if "password" in given:
                return await self._signed_in(await client.give_password(given["password"]))
            return await self._signed_in(await client.sign_in(_phone(desk), given.get("code", "")))
        except PasswordNeeded:
            return Status(state="asking", detail="Your account has a two-step password.", asks=(PASSWORD,))
        except WrongCode as error:
            asks = (PASSWORD,) if "password" in given else (CODE,)
            return Status(state="asking", detail=str(error), asks=asks)

    async def run(self) -> None:
        _, client = self._connected()
        # Beside it: going through the conversations takes a while, and what comes in need not wait for it.
        learning = asyncio.create_task(self._learn_style(), name="prime-telegram-style")
        try:
            await client.follow()
        finally:
            learning.cancel()
            await asyncio.gather(learning, return_exceptions=True)

    async def revoke(self) -> None:
        if self._client and self._name:
            await self._client.sign_out()

    async def disconnect(self) -> None:
        client, self._client, self._name = self._client, None, ""
        if client:
            await client.close()

    async def _learn_style(self) -> None:
        desk, client = self._connected()
        try:
            await desk.learn_style(await client.own_messages(STYLE_MESSAGES))
        except PrimeError as error:
            log.warning("the style sheet could not be learned: %s", error)

    async def _signed_in(self, name: str) -> Status:
        desk, client = self._connected()
        await desk.keep("session", client.session())
        self._name = name
        return Status(state="connected", facts={"account": name})

    def _connected(self) -> tuple[Desk, TelegramUser]:
        if self._desk is None or self._client is None:
            raise InvalidInput("Telegram is not connected.", hint="Connect it first.")
        return self._desk, self._client


def _told(desk: Desk) -> Told:
    """Takes down what is told, also in the moment of disconnecting."""

    async def message(message: UserMessage) -> None:
        if message.existing:
            await desk.receive(_incoming(message, desk))

    async def read(chat_id: str, message_id: str) -> None:
        await desk.read_up_to(f"{PREFIX}{chat_id}", f"{chat_id}/{message_id}")

    return Told(message=message, read=read, position=partial(desk.remember, POSITION))


def _incoming(message: UserMessage, desk: Desk) -> Incoming:
    return Incoming(
        connector=NAME,
        prefix=PREFIX,
        conversation=message.chat_id,
        person=message.person,
        external_id=f"{message.chat_id}/{message.message_id}",
        text=message.text,
        target={"chatId": message.chat_id, "replyTo": message.message_id},
        own=message.own,
        edited=message.edited,
        media=message.media,
        reply_to=message.reply_to,
        tier=parse_tier(desk.values.get("tier") or "external"),
    )


class TelegramSender:
    """Sends as the owner. Telegram knows a message by a number of ours, so a repeated request is one message."""

    max_length = MAX_LENGTH

    def __init__(self, client: TelegramUser) -> None:
        self._client = client

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        chat_id, reply_to = str(outgoing.target.get("chatId")), outgoing.target.get("replyTo")
        answered = str(reply_to) if reply_to else None
        sent = await self._client.send(chat_id, outgoing.text, reply_to=answered, random_id=_random_id(outgoing.key))
        if answered:
            try:
                await self._client.mark_read(chat_id, answered)
            except Exception:  # it is sent, whatever becomes of the tick
                log.exception("a message could not be marked as read")
        return Delivered(external_id=f"{chat_id}/{sent}")

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        chat_id, answered = str(outgoing.target.get("chatId")), outgoing.target.get("replyTo")
        found = await self._client.sent_since(chat_id, outgoing.text, since=str(answered) if answered else None)
        return Delivered(external_id=f"{chat_id}/{found}") if found else None


def _random_id(key: str) -> int:
    """63 bits that are the same for the same key."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1


def _phone(desk: Desk) -> str:
    return "".join(c for c in desk.values.get("phone", "") if c.isdigit() or c == "+")
