"""The real client: Telethon, which speaks MTProto as the owner's own account."""

import asyncio
import contextlib
from typing import Any, cast

from telethon import TelegramClient, errors, events, functions, types, utils
from telethon.sessions import StringSession

from prime.connectors.profiles.telegram.client import OnMessage, OnRead, PasswordNeeded, UserMessage, WrongCode
from prime.core.errors import InvalidInput, RateLimited, Unavailable
from prime.hub.gate.replies import Media
from prime.store.attachments import MAX_BYTES
from prime.store.outbox import NotSent

LOOK_BACK = 30
CONNECT_SECONDS = 30.0
_REFUSED = (
    errors.UserIsBlockedError,
    errors.UserDeactivatedBanError,
    errors.ChatWriteForbiddenError,
    errors.PeerFloodError,
    errors.InputUserDeactivatedError,
    errors.MessageTooLongError,
    errors.MessageEmptyError,
    errors.PeerIdInvalidError,
    errors.AuthKeyUnregisteredError,
    errors.SessionRevokedError,
)


class TelethonUser:
    """One connection to Telegram; made anew for every connect."""

    def __init__(self) -> None:
        self._client: Any = None
        self._code_hash = ""

    async def open(self, api_id: int, api_hash: str, session: str | None) -> str | None:
        try:
            kept = StringSession(session or "")
        except ValueError:
            kept = StringSession()  # a session that cannot be read is none
        self._client = TelegramClient(kept, api_id, api_hash, receive_updates=True)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._client.connect()
                if not await self._client.is_user_authorized():
                    return None
        except (OSError, TimeoutError) as error:
            raise Unavailable("Telegram cannot be reached.", hint="Check the connection, then try again.") from error
        except errors.RPCError as error:
            raise WrongCode(f"Telegram does not take these: {_said(error)}.", hint="Check API id and hash.") from error
        return await self._account()

    async def request_code(self, phone: str) -> None:
        try:
            sent = await self._client.send_code_request(phone)
        except errors.FloodWaitError as error:
            raise _flood(error) from error
        except (errors.RPCError, ValueError, TypeError) as error:
            raise WrongCode(
                f"Telegram sent no code: {_said(error)}.", hint="Check the phone number, API id and hash."
            ) from error
        self._code_hash = sent.phone_code_hash

    async def sign_in(self, phone: str, code: str) -> str:
        try:
            await self._client.sign_in(phone, code, phone_code_hash=self._code_hash)
        except errors.SessionPasswordNeededError:
            raise PasswordNeeded from None
        except errors.FloodWaitError as error:
            raise _flood(error) from error
        except (errors.RPCError, ValueError) as error:
            raise WrongCode(f"Telegram does not take this code: {_said(error)}.", hint="Look it up again.") from error
        return await self._account()

    async def give_password(self, password: str) -> str:
        try:
            await self._client.sign_in(password=password)
        except errors.FloodWaitError as error:
            raise _flood(error) from error
        except (errors.RPCError, ValueError) as error:
            raise WrongCode(f"Telegram does not take this password: {_said(error)}.") from error
        return await self._account()

    def session(self) -> str:
        return cast("str", self._client.session.save())

    async def follow(self, on_message: OnMessage, on_read: OnRead) -> None:
        client = self._client

        async def heard(event: Any, *, edited: bool = False) -> None:
            if event.is_private:
                message = await self._message(event.message, edited=edited)
                if message:
                    await on_message(message)

        async def changed(event: Any) -> None:
            await heard(event, edited=True)

        async def read(event: Any) -> None:
            if event.is_private and event.inbox:
                await on_read(str(event.chat_id), str(event.max_id))

        client.add_event_handler(heard, events.NewMessage())
        client.add_event_handler(changed, events.MessageEdited())
        client.add_event_handler(read, events.MessageRead(inbox=True))
        await client.catch_up()
        await client.run_until_disconnected()
        raise Unavailable("Telegram closed the connection.", hint="Prime connects again by itself.")

    async def send(self, chat_id: str, text: str, *, reply_to: str | None, random_id: int) -> str:
        try:
            peer = await self._client.get_input_entity(int(chat_id))
        except (ValueError, errors.RPCError) as error:
            raise NotSent("Telegram does not know this conversation any more.") from error
        answered = types.InputReplyToMessage(reply_to_msg_id=int(reply_to)) if reply_to else None
        request = functions.messages.SendMessageRequest(
            peer=peer, message=text, random_id=random_id, reply_to=answered, no_webpage=True
        )
        try:
            result = await self._client(request)
        except errors.RandomIdDuplicateError:
            return await self.sent_lately(chat_id, text) or ""
        except errors.FloodWaitError as error:
            raise NotSent(f"Telegram wants to be left alone for {error.seconds} s.") from error
        except _REFUSED as error:
            raise NotSent(f"Telegram did not take it: {_said(error)}.") from error
        return str(_sent_id(result, random_id))

    async def sent_lately(self, chat_id: str, text: str) -> str | None:
        async for message in self._client.iter_messages(int(chat_id), from_user="me", limit=LOOK_BACK):
            if message.raw_text == text:
                return str(message.id)
        return None

    async def mark_read(self, chat_id: str, message_id: str) -> None:
        await self._client.send_read_acknowledge(int(chat_id), max_id=int(message_id))

    async def own_messages(self, limit: int) -> list[str]:
        found: list[str] = []
        async for dialog in self._client.iter_dialogs(limit=LOOK_BACK):
            if dialog.is_user and len(found) < limit:
                said = self._client.iter_messages(dialog, from_user="me", limit=LOOK_BACK)
                found += [message.raw_text or "" async for message in said]
        return [text for text in found if text][:limit]

    async def close(self) -> None:
        if self._client:
            with contextlib.suppress(OSError):
                await self._client.disconnect()

    async def _account(self) -> str:
        me = await self._client.get_me()
        return _display_name(me) or str(me.id)

    async def _message(self, message: Any, *, edited: bool) -> UserMessage | None:
        peer = await message.get_chat()
        if getattr(peer, "bot", False) or getattr(peer, "is_self", False):
            return None
        return UserMessage(
            chat_id=str(message.chat_id),
            message_id=str(message.id),
            person=_display_name(peer),
            text=message.raw_text or "",
            own=bool(message.out),
            edited=edited,
            reply_to=str(message.reply_to_msg_id) if message.reply_to_msg_id else None,
            media=await _media(message),
            existing=bool(message.out or getattr(peer, "contact", False) or await self._took_part(message.chat_id)),
        )

    async def _took_part(self, chat_id: int) -> bool:
        return bool(await self._client.get_messages(chat_id, from_user="me", limit=1))


async def _media(message: Any) -> tuple[Media, ...]:
    file = message.file
    if file is None or (file.size or 0) > MAX_BYTES:
        return ()
    content = await message.download_media(bytes)
    name = file.name or f"telegram-{message.id}{file.ext or ''}"
    return (
        (Media(name=name, mime_type=file.mime_type or "application/octet-stream", content=content),) if content else ()
    )


def _sent_id(result: Any, random_id: int) -> int:
    if isinstance(result, types.UpdateShortSentMessage):
        return result.id
    for update in getattr(result, "updates", ()):
        if isinstance(update, types.UpdateMessageID) and update.random_id == random_id:
            return update.id
    raise InvalidInput("Telegram took it without saying its id.")


def _display_name(entity: Any) -> str:
    return cast("str", cast("Any", utils).get_display_name(entity))


def _said(error: Exception) -> str:
    return str(error).split(" (caused by")[0].rstrip(".")


def _flood(error: Any) -> RateLimited:
    return RateLimited(f"Telegram wants to be left alone for {error.seconds} s.", retryAfter=error.seconds)
