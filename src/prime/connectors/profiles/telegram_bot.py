"""The Telegram bot: an identity of its own from @BotFather, never the owner's account. By webhook, or by polling."""

import hmac
from collections.abc import Mapping
from typing import cast

from prime.connectors.contract import Declaration, Desk, Setting, Status
from prime.connectors.profiles.telegram.profile import TIER
from prime.connectors.rest import Rest
from prime.core.canonical import JSON
from prime.core.errors import Forbidden, InvalidInput, NotFound, PrimeError, Unavailable
from prime.core.ids import new_secret
from prime.hub.gate.records import Delivered, Outgoing
from prime.hub.gate.replies import Incoming, Media
from prime.hub.gate.senders import Progress, Sender, Unsure
from prime.rooms.tier import parse_tier
from prime.store.outbox import NotSent

NAME = "telegram_bot"
PREFIX = "ch_pp_tgbot_"
MAX_LENGTH = 4096
POLL_SECONDS = 25
MAX_FILE = 10 << 20

DECLARATION = Declaration(
    name=NAME,
    kind="profile",
    title="Telegram bot",
    description="A bot of yours from @BotFather: people write to it, and its answers pass the same gate.",
    settings=(
        Setting(name="token", label="Bot token", kind="password", secret=True, required=True, help="From @BotFather."),
        Setting(
            name="delivery",
            label="How messages come",
            kind="choice",
            choices=("polling", "webhook"),
            default="polling",
            help="A webhook needs an address that Telegram can reach (PRIME_PUBLIC_URL).",
        ),
        TIER,
    ),
    capabilities=("reads messages to the bot", "drafts replies", "sends when approved"),
)


class TelegramBot:
    """Private chats only; what groups say is not for it."""

    declaration = DECLARATION

    def __init__(self, api_base: str) -> None:
        self._api_base = api_base
        self._desk: Desk | None = None
        self._api: Rest | None = None
        self._files: Rest | None = None
        # The secret parts of the webhook's address and of the header that Telegram sends with it.
        self._path = ""
        self._header = ""

    @property
    def sender(self) -> Sender | None:
        return BotSender(self._api) if self._api else None

    async def connect(self, desk: Desk) -> Status:
        token = await desk.secret("token") or ""
        if "/" in token or not token.isascii():
            raise InvalidInput("This is not a bot token.", hint="It looks like 123456:AbC….", field="token")
        api = desk.rest(f"{self._api_base}/bot{token}")
        me = _result(await api.get("/getMe"))
        if desk.values.get("delivery") == "webhook":
            await self._set_webhook(desk, api)
        else:
            await api.post("/deleteWebhook", {}, repeatable=True)
        self._desk, self._api = desk, api
        self._files = desk.rest(f"{self._api_base}/file/bot{token}")
        return Status(state="connected", facts={"account": f"@{me.get('username', '')}"})

    async def answer(self, given: Mapping[str, str]) -> Status:
        raise InvalidInput("The bot asks for nothing.")

    async def run(self) -> None:
        desk, api = self._connected()
        if desk.values.get("delivery") == "webhook":
            return
        while True:
            offset = int(await desk.recall("offset") or 0)
            query = {
                "timeout": POLL_SECONDS,
                "offset": offset or None,
                "allowed_updates": '["message","edited_message"]',
            }
            answer = await api.request("GET", "/getUpdates", query=query, seconds=POLL_SECONDS + 10)
            for update in _list(_object(answer.json()).get("result")):
                await self.take(update)
                await desk.remember("offset", str(int(cast("int", update.get("update_id", 0))) + 1))

    async def disconnect(self) -> None:
        self._desk = self._api = self._files = None
        self._path = self._header = ""

    # --- the webhook ---

    async def on_webhook(self, path: str, header: str | None, update: Mapping[str, object]) -> None:
        """An update that Telegram pushed. A wrong path is not there; a wrong header is refused."""
        if not self._path or not hmac.compare_digest(path.encode(), self._path.encode()):
            raise NotFound("There is nothing here.")
        if not hmac.compare_digest((header or "").encode(), self._header.encode()):
            raise Forbidden("This did not come from Telegram.", code="wrong_webhook_secret")
        await self.take(update)

    async def _set_webhook(self, desk: Desk, api: Rest) -> None:
        if not desk.base_url.startswith("https://"):
            raise InvalidInput(
                "A webhook needs an https address.", hint="Set PRIME_PUBLIC_URL, or choose polling.", field="delivery"
            )
        path = await desk.secret("webhook_path") or new_secret()
        header = await desk.secret("webhook_header") or new_secret()
        await desk.keep("webhook_path", path)
        await desk.keep("webhook_header", header)
        await api.post(
            "/setWebhook",
            {
                "url": f"{desk.base_url}/telegram/webhook/{path}",
                "secret_token": header,
                "allowed_updates": ["message", "edited_message"],
            },
            repeatable=True,
        )
        self._path, self._header = path, header

    # --- updates ---

    async def take(self, update: Mapping[str, object]) -> None:
        """One update, which may come any number of times."""
        desk, _ = self._connected()
        edited = "edited_message" in update
        message = _object(update.get("edited_message") or update.get("message"))
        chat, sender = _object(message.get("chat")), _object(message.get("from"))
        if chat.get("type") != "private" or sender.get("is_bot") or not isinstance(chat.get("id"), int):
            return
        chat_id, message_id = str(chat["id"]), str(message.get("message_id"))
        name = " ".join(str(sender[part]) for part in ("first_name", "last_name") if sender.get(part))
        replied = _object(message.get("reply_to_message")).get("message_id")
        await desk.receive(
            Incoming(
                connector=NAME,
                prefix=PREFIX,
                conversation=chat_id,
                person=name or str(sender.get("username") or "Someone"),
                external_id=f"{chat_id}/{message_id}",
                text=str(message.get("text") or message.get("caption") or ""),
                target={"chatId": chat_id, "replyTo": message_id},
                edited=edited,
                media=() if edited else await self._media(message),
                reply_to=str(replied) if replied else None,
                tier=parse_tier(desk.values.get("tier") or "external"),
            )
        )

    async def _media(self, message: Mapping[str, object]) -> tuple[Media, ...]:
        _, api = self._connected()
        photos = _list(message.get("photo"))
        file = _object(message.get("document") or (photos[-1] if photos else None))
        file_id = file.get("file_id")
        size = file.get("file_size")
        if not isinstance(file_id, str) or (isinstance(size, int) and size > MAX_FILE) or self._files is None:
            return ()
        try:
            found = _result(await api.get("/getFile", file_id=file_id))
            path = str(found.get("file_path") or "")
            content = (await self._files.request("GET", f"/{path}")).body
        except PrimeError:
            return ()  # the words count more than the picture
        name = str(file.get("file_name") or path.rsplit("/", 1)[-1] or "file")
        kind = str(file.get("mime_type") or ("image/jpeg" if photos else "application/octet-stream"))
        return (Media(name=name, mime_type=kind, content=content),)

    def _connected(self) -> tuple[Desk, Rest]:
        if self._desk is None or self._api is None:
            raise Unavailable("The bot is not connected.", hint="Connect it first.")
        return self._desk, self._api


class BotSender:
    """The Bot API takes no key of ours and cannot be asked what it sent: a lost answer stays open."""

    max_length = MAX_LENGTH

    def __init__(self, api: Rest) -> None:
        self._api = api

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        chat_id, reply_to = str(outgoing.target.get("chatId")), outgoing.target.get("replyTo")
        body: dict[str, JSON] = {"chat_id": int(chat_id), "text": outgoing.text}
        if reply_to:
            body["reply_parameters"] = {"message_id": int(str(reply_to)), "allow_sending_without_reply": True}
        sent = _result(await self._api.post("/sendMessage", body))
        return Delivered(external_id=f"{chat_id}/{sent.get('message_id', '')}")

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        raise Unsure


def _result(answer: JSON) -> dict[str, object]:
    body = _object(answer)
    if body.get("ok") is not True:
        raise NotSent(f"Telegram did not take it: {str(body.get('description'))[:200]}")
    return _object(body.get("result"))


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[dict[str, object]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [_object(item) for item in items]
