"""Messages as Telethon shows them, turned into ours: who wrote, whether they are known, and the files that came along."""

import logging
from typing import Any, cast

from telethon import errors, utils

from prime.connectors.profiles.telegram.client import UserMessage
from prime.hub.gate.replies import Media
from prime.store.attachments import MAX_BYTES

log = logging.getLogger(__name__)

# How far back it is looked whether the owner ever wrote there.
TOOK_PART = 100


class Reading:
    """Reads for one connection."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._took_part: set[int] = set()

    async def message(self, message: Any, *, edited: bool) -> UserMessage | None:
        """None when it is the owner's notes to themself, or a bot's."""
        peer = await message.get_chat()
        if peer is None or getattr(peer, "bot", False) or getattr(peer, "is_self", False):
            return None
        existing = bool(message.out or getattr(peer, "contact", False)) or await self._knows(message.chat_id)
        media, note = await _media(message) if existing else ((), "")
        said = cast("str", message.raw_text or "")
        return UserMessage(
            chat_id=str(message.chat_id),
            message_id=str(message.id),
            person=display_name(peer),
            text=f"{said}\n{note}".strip() if note else said,
            own=bool(message.out),
            edited=edited,
            reply_to=str(message.reply_to_msg_id) if message.reply_to_msg_id else None,
            media=media,
            existing=existing,
        )

    async def last_of_theirs(self, chat_id: int, up_to: int) -> str | None:
        """The newest message of the other side that is not newer than this one."""
        async for message in self._client.iter_messages(chat_id, max_id=up_to + 1, limit=TOOK_PART):
            if not message.out:
                return str(message.id)
        return None

    async def _knows(self, chat_id: int) -> bool:
        # Telegram cannot be asked for the owner's own messages in a private conversation, only for all.
        if chat_id not in self._took_part:
            async for message in self._client.iter_messages(chat_id, limit=TOOK_PART):
                if message.out:
                    self._took_part.add(chat_id)
                    break
        return chat_id in self._took_part


async def _media(message: Any) -> tuple[tuple[Media, ...], str]:
    """The file that came with it, or else a note that says which one did not."""
    file = message.file
    if file is None:
        return (), _without_file(message)
    name = file.name or f"telegram-{message.id}{file.ext or ''}"
    if (file.size or 0) > MAX_BYTES:
        return (), f"[{name}: too large to keep here, {file.size:,} bytes]"
    try:
        content = await message.download_media(bytes)
    except (errors.RPCError, ValueError) as error:
        log.warning("a file from Telegram could not be fetched: %s", said(error))
        content = None
    if not content:
        return (), f"[{name}: could not be fetched]"
    return (Media(name=name, mime_type=file.mime_type or "application/octet-stream", content=content),), ""


def _without_file(message: Any) -> str:
    """A place, a contact, a poll: nothing to keep, but the owner should know that it came."""
    kind = type(message.media).__name__.removeprefix("MessageMedia")
    return "" if kind in {"NoneType", "Empty", "WebPage"} else f"[{kind.lower()}: see it in Telegram]"


def display_name(entity: Any) -> str:
    return cast("str", cast("Any", utils).get_display_name(entity))


def said(error: Exception) -> str:
    """What Telegram said, without Telethon's words on who asked."""
    return str(error).split(" (caused by")[0].rstrip(".")
