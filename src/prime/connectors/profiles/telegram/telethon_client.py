"""The real client: Telethon, which speaks MTProto as the owner's own account."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

from telethon import TelegramClient, errors, events, functions, types
from telethon.network.connection import ConnectionTcpFull

from prime.connectors.profiles.telegram.client import Kept, PasswordNeeded, Told, WrongCode
from prime.connectors.profiles.telegram.reading import Reading, display_name, said
from prime.connectors.profiles.telegram.telethon_session import KeptSession
from prime.core.errors import InvalidInput, PrimeError, RateLimited, Unavailable
from prime.hub.gate.senders import Unsure
from prime.store.outbox import NotSent

log = logging.getLogger(__name__)

LOOK_BACK = 30
CONNECT_SECONDS = 30.0
CHECK_SECONDS = 600.0
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
# Something to tell; done one after the other.
Event = Callable[[Told], Awaitable[None]]


class TelethonUser:
    """One account; connected again as often as the connection breaks."""

    def __init__(self, dc: str | None = None) -> None:
        self._dc = dc
        self._make: Callable[[], Any] = lambda: None
        self._client: Any = None
        self._reading: Reading | None = None
        self._code_hash = ""
        # Events come in from the moment of connecting, and wait here for whoever follows.
        self._waiting: deque[Event] = deque()
        self._news = asyncio.Event()
        self._told: Told | None = None

    async def open(self, api_id: int, api_hash: str, kept: Kept, told: Told) -> str | None:
        self._told = told
        session = KeptSession(kept, self._dc, self._came_further)
        self._make = partial(TelegramClient, session, api_id, api_hash, use_ipv6=session.is_ipv6, **self._habits())
        try:
            async with _asking("Telegram does not take these", "Check API id and hash."):
                await self._reach()
                return await self._account() if await self._client.is_user_authorized() else None
        except errors.AuthKeyNotFound:  # Telegram has forgotten this session: begin anew
            await self.close()
            self._client = None
            return await self.open(api_id, api_hash, Kept(), told)

    async def request_code(self, phone: str) -> None:
        hint = "Check the phone number, API id and hash."
        async with _asking("Telegram sent no code", hint), asyncio.timeout(CONNECT_SECONDS):
            sent = await self._client.send_code_request(phone)
        self._code_hash = sent.phone_code_hash

    async def sign_in(self, phone: str, code: str) -> str:
        try:
            async with (
                _asking("Telegram does not take this code", "Look it up again."),
                asyncio.timeout(CONNECT_SECONDS),
            ):
                await self._client.sign_in(phone, code, phone_code_hash=self._code_hash)
                return await self._account()
        except errors.PhoneCodeExpiredError:
            await self.request_code(phone)
            raise WrongCode("This code has expired; Telegram has sent another one.") from None

    async def give_password(self, password: str) -> str:
        async with _asking("Telegram does not take this password", "Try it again."), asyncio.timeout(CONNECT_SECONDS):
            await self._client.sign_in(password=password)
            return await self._account()

    def session(self) -> str:
        return cast("str", self._client.session.save())

    async def follow(self) -> None:
        async with _asking("Telegram does not let Prime in", "Connect it again.", Unavailable):
            await self._reach()
        try:
            await self._unless_cut(self._hand_over_all())
        except OSError as error:
            raise Unavailable("Telegram closed the connection.", hint="Prime connects again by itself.") from error
        finally:
            await self._client.disconnect()

    async def send(self, chat_id: str, text: str, *, reply_to: str | None, random_id: int) -> str:
        if not self._client.is_connected():
            raise NotSent("Telegram cannot be reached now.")
        try:
            peer = await self._peer(chat_id)
        except (ValueError, OSError, errors.RPCError) as error:
            raise NotSent(f"Telegram does not find this conversation: {said(error)}.") from error
        answered = types.InputReplyToMessage(reply_to_msg_id=int(reply_to)) if reply_to else None
        request = functions.messages.SendMessageRequest(
            peer=peer, message=text, random_id=random_id, reply_to=answered, no_webpage=True
        )
        try:
            result = await self._unless_cut(self._client(request))
        except errors.RandomIdDuplicateError:
            with contextlib.suppress(Unsure, PrimeError):  # it is there, whether its number is found or not
                return await self.sent_since(chat_id, text, since=reply_to) or ""
            return ""
        except errors.FloodWaitError as error:
            raise NotSent(f"Telegram wants to be left alone for {error.seconds} s.") from error
        except _REFUSED as error:
            raise NotSent(f"Telegram did not take it: {said(error)}.") from error
        return str(_sent_id(result, random_id))

    async def sent_since(self, chat_id: str, text: str, *, since: str | None) -> str | None:
        seen = 0
        async with _asking("Telegram does not show the conversation", "Look there.", Unavailable):
            peer = await self._peer(chat_id)
            async for message in self._client.iter_messages(peer, limit=LOOK_BACK, min_id=int(since or 0)):
                seen += 1
                if message.out and message.raw_text == text:
                    return str(message.id)
        if since is None or seen >= LOOK_BACK:
            raise Unsure
        return None

    async def mark_read(self, chat_id: str, message_id: str) -> None:
        peer = await self._peer(chat_id)
        await self._unless_cut(self._client.send_read_acknowledge(peer, max_id=int(message_id)))

    async def own_messages(self, limit: int) -> list[str]:
        found: list[str] = []
        async with _asking("Telegram does not show the conversations", "Connect it again later.", Unavailable):
            async for dialog in self._client.iter_dialogs(limit=LOOK_BACK):
                if dialog.is_user and not (dialog.entity.bot or dialog.entity.is_self) and len(found) < limit:
                    messages = self._client.iter_messages(dialog, limit=LOOK_BACK)
                    found += [message.raw_text or "" async for message in messages if message.out]
        return [text for text in found if text][:limit]

    async def sign_out(self) -> None:
        async with _asking("Telegram does not end the session", "End it in Telegram, under Devices.", Unavailable):
            await self._reach()
            await self._client(functions.auth.LogOutRequest())

    async def close(self) -> None:
        if not self._client:
            return
        with contextlib.suppress(OSError):
            await self._client.disconnect()
        # Nobody can be asked any more, and what came stands behind the question.
        self._waiting = deque(event for event in self._waiting if event != self._check_signed_in)
        with contextlib.suppress(PrimeError, OSError):  # what is left is asked for again at the next start
            await self._hand_over()

    # --- what comes in ---

    async def _heard(self, event: Any) -> None:
        self._put_message(event, edited=False)

    async def _changed(self, event: Any) -> None:
        if not event.message.edit_hide:  # a reaction, or a preview: the words are the same
            self._put_message(event, edited=True)

    async def _read(self, event: Any) -> None:
        if event.is_private and event.inbox:
            chat_id, max_id = event.chat_id, event.max_id

            async def hand(to: Told) -> None:
                last = await self._reader.last_of_theirs(chat_id, max_id)
                if last:
                    await to.read(str(chat_id), last)

            self._put(hand)

    def _put_message(self, event: Any, *, edited: bool) -> None:
        if event.is_private:

            async def hand(to: Told) -> None:
                message = await self._reader.message(event.message, edited=edited)
                if message:
                    await to.message(message)

            self._put(hand)

    def _came_further(self, position: str) -> None:
        # Behind all that came before it, so that it counts once that is written down.
        self._put(lambda to: to.position(position))

    def _put(self, event: Event) -> None:
        self._waiting.append(event)
        self._news.set()

    async def _hand_over_all(self) -> None:
        while True:
            self._news.clear()
            await self._hand_over()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._news.wait()
                    continue
            self._put(self._check_signed_in)

    async def _check_signed_in(self, _: Told) -> None:
        """Telegram does not say by itself that the owner has ended the session elsewhere."""
        if not await self._client.get_me():
            raise Unavailable("Telegram has ended this session.", hint="Connect it again to sign in.")

    async def _hand_over(self) -> None:
        """Hand over what waits. What could not be taken just now is taken later, and what never can is left out."""
        while self._waiting and self._told:
            try:
                await self._waiting[0](self._told)
            except (OSError, Unavailable):
                raise
            except Exception:  # one odd message must not keep the others back
                log.exception("a message from Telegram could not be taken")
            self._waiting.popleft()

    # --- the connection ---

    @property
    def _reader(self) -> Reading:
        assert self._reading
        return self._reading

    async def _reach(self) -> None:
        """Connect, with a new client: one that has given up would send late what it was asked for before."""
        if self._client is None or not self._client.is_connected():
            self._client = self._make()
            self._client.add_event_handler(self._heard, events.NewMessage())
            self._client.add_event_handler(self._changed, events.MessageEdited())
            self._client.add_event_handler(self._read, events.MessageRead(inbox=True))
            self._reading = Reading(self._client)
        async with asyncio.timeout(CONNECT_SECONDS):
            await self._client.connect()

    def _habits(self) -> dict[str, Any]:
        return {
            "connection": _noticed(self._catch_up),
            # A message sent twice is refused as often as it is tried: the first refusal says it all.
            "request_retries": 1,
            "raise_last_call_error": True,
            # Some seconds; then Prime says that Telegram is away, and tries on by itself.
            "connection_retries": 2,
            # In the order in which they came.
            "sequential_updates": True,
            "catch_up": True,
        }

    async def _unless_cut(self, work: Awaitable[Any]) -> Any:
        """What comes of it, as long as there is a connection. Telethon leaves questions without an end when it gives up."""
        asked, cut = asyncio.ensure_future(work), asyncio.ensure_future(self._client.disconnected)
        try:
            await asyncio.wait({asked, cut}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise ConnectionError("the connection has ended")
            return asked.result()
        finally:
            asked.cancel()
            cut.cancel()
            await asyncio.gather(asked, cut, return_exceptions=True)

    async def _catch_up(self) -> None:
        """Ask for what came while the connection was broken; Telegram does not say it by itself."""
        self._put(self._check_signed_in)
        await self._client.catch_up()

    async def _peer(self, chat_id: str) -> Any:
        """Who that is to Telegram, which wants to be shown that it was told of them: a new start knows nobody yet."""
        number = int(chat_id)
        with contextlib.suppress(ValueError):
            return await self._client.get_input_entity(number)
        async for dialog in self._client.iter_dialogs():
            if dialog.id == number:
                return dialog.input_entity
        raise ValueError("there is no such conversation any more")

    async def _account(self) -> str:
        me = await self._client.get_me()
        if self._client.session.get_update_state(0) is None:  # from now on, also when this process is killed soon
            self._client.session.set_update_state(0, await self._client(functions.updates.GetStateRequest()))
        return display_name(me) or str(me.id)


def _noticed(on_connect: Callable[[], Awaitable[None]]) -> type[ConnectionTcpFull]:
    """Telethon's connection, which says when it is there (again)."""

    class NoticedConnection(ConnectionTcpFull):
        async def connect(self, timeout: Any = None, ssl: Any = None) -> None:  # noqa: ASYNC109  (Telethon's own)
            await cast("Any", super()).connect(timeout=timeout, ssl=ssl)
            await on_connect()

    return NoticedConnection


@asynccontextmanager
async def _asking(what: str, hint: str, kind: type[PrimeError] = WrongCode) -> AsyncGenerator[None]:
    """What may go wrong with a question to Telegram, in our words."""
    try:
        yield
    except errors.SessionPasswordNeededError:
        raise PasswordNeeded from None
    except errors.PhoneCodeExpiredError:
        raise
    except errors.FloodWaitError as error:
        wait = f"Telegram wants to be left alone for {error.seconds} s."
        raise RateLimited(wait, retryAfter=error.seconds) from error
    except (OSError, TimeoutError) as error:
        raise Unavailable("Telegram cannot be reached.", hint="Check the connection, then try again.") from error
    except (errors.RPCError, ValueError, TypeError) as error:
        raise kind(f"{what}: {said(error)}.", hint=hint) from error


def _sent_id(result: Any, random_id: int) -> int:
    if isinstance(result, types.UpdateShortSentMessage):
        return result.id
    for update in getattr(result, "updates", ()):
        if isinstance(update, types.UpdateMessageID) and update.random_id == random_id:
            return update.id
    raise InvalidInput("Telegram took it without saying its id.")
