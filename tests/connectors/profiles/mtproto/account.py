"""The account that the stand-in of Telegram keeps: who writes to it, what it sent, and what happened when."""

import asyncio
import datetime as dt
import itertools
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.connectors.profiles.mtproto.telethons import types

ME = 1000
CODE = "24680"
PASSWORD = "correct horse battery"
PHONE = "491701234567"


class Refused(Exception):
    """What Telegram answers instead of a result."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that the account sent through the API."""

    peer: int
    text: str
    reply_to: int | None
    random_id: int


@dataclass
class Account:
    """One person's Telegram. `trouble` maps a method to refusals that come before it works; `lost` ones work, and
    the connection breaks before the answer; `hung` ones are never answered."""

    has_password: bool = False
    people: dict[int, Any] = field(default_factory=dict[int, Any])
    chats: dict[int, Any] = field(default_factory=dict[int, Any])
    # Everything ever written, by peer; what happened, by the position after it.
    messages: "dict[int, list[Any]]" = field(default_factory=lambda: defaultdict(list))
    happened: "list[tuple[int, Any]]" = field(default_factory=list["tuple[int, Any]"])
    files: dict[int, bytes] = field(default_factory=dict[int, bytes])
    sent: list[Sent] = field(default_factory=list[Sent])
    read: dict[int, int] = field(default_factory=dict[int, int])
    signed_in: set[bytes] = field(default_factory=set[bytes])
    codes: int = 0
    trouble: dict[str, list[Refused]] = field(default_factory=lambda: defaultdict(list))
    lost: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    hung: set[str] = field(default_factory=set[str])
    asked: list[str] = field(default_factory=list[str])
    tell: Callable[[Any], None] = lambda _: None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.people[ME] = types.User(id=ME, is_self=True, access_hash=1, first_name="Alex", phone=PHONE)

    @property
    def position(self) -> int:
        return 1 + len(self.happened)

    def person(self, number: int, name: str, *, bot: bool = False, contact: bool = False, talked: bool = True) -> int:
        """Somebody; with `talked` the account has written to them before."""
        self.people[number] = types.User(
            id=number,
            access_hash=number * 7,
            first_name=name,
            bot=bot,
            contact=contact,
            bot_info_version=1 if bot else None,
        )
        if talked:
            self.messages[number].append(self._message(number, f"Hello {name}", out=True))
        return number

    def group(self, number: int, title: str) -> int:
        photo = types.ChatPhotoEmpty()
        self.chats[number] = types.Chat(number, title, photo, participants_count=3, date=_now(), version=1)
        return number

    def write(
        self,
        peer: int,
        text: str,
        *,
        out: bool = False,
        reply_to: int | None = None,
        media: Any = None,
        short: bool = False,
        quietly: bool = False,
    ) -> int:
        """Somebody writes (or the owner, elsewhere, with `out`); clients are told of it unless `quietly`."""
        message = self._message(peer, text, out=out, reply_to=reply_to, media=media)
        self.messages[peer].append(message)
        self._happens(
            lambda at: types.UpdateNewMessage(message, at, 1), quietly=quietly, short=message if short else None
        )
        return message.id

    def edit(self, peer: int, number: int, text: str) -> None:
        message = next(m for m in self.messages[peer] if m.id == number)
        message.message, message.edit_date = text, _now()
        self._happens(lambda at: types.UpdateEditMessage(message, at, 1))

    def read_elsewhere(self, peer: int, up_to: int) -> None:
        self._happens(lambda at: types.UpdateReadHistoryInbox(types.PeerUser(peer), up_to, 0, at, 1))

    def file(self, content: bytes, name: str, mime_type: str, *, size: int | None = None) -> Any:
        """A document that a message can carry."""
        number = 9000 + len(self.files)
        self.files[number] = content
        document = types.Document(
            id=number,
            access_hash=1,
            file_reference=b"here",
            date=_now(),
            mime_type=mime_type,
            size=len(content) if size is None else size,
            dc_id=2,
            attributes=[types.DocumentAttributeFilename(name)],
        )
        return types.MessageMediaDocument(document=document)

    def receive(self, peer: int, text: str, reply_to: int | None, random_id: int) -> Any:
        """The account sends; the same number is one message."""
        if any(one.random_id == random_id for one in self.sent):
            raise Refused(500, "RANDOM_ID_DUPLICATE")
        self.sent.append(Sent(peer, text, reply_to, random_id))
        message = self._message(peer, text, out=True, reply_to=reply_to)
        self.messages[peer].append(message)
        self._happens(lambda at: types.UpdateNewMessage(message, at, 1), quietly=True)
        return types.UpdateShortSentMessage(message.id, self.position, 1, message.date, out=True)

    def difference(self, since: int) -> Any:
        """What happened after a position, as a client that was away is told it."""
        missed = [update for at, update in self.happened if at > since]
        if not missed:
            return types.updates.DifferenceEmpty(_now(), 0)
        new = [u.message for u in missed if isinstance(u, types.UpdateNewMessage)]
        other = [u for u in missed if not isinstance(u, types.UpdateNewMessage)]
        return types.updates.Difference(
            new, [], other, list(self.chats.values()), list(self.people.values()), self.state()
        )

    def state(self) -> Any:
        return types.updates.State(self.position, 0, _now(), 0, 0)

    def peer(self, number: int) -> Any:
        return types.PeerChat(number) if number in self.chats else types.PeerUser(number)

    def _message(self, peer: int, text: str, *, out: bool, reply_to: int | None = None, media: Any = None) -> Any:
        return types.Message(
            id=next(self._ids),
            peer_id=self.peer(peer),
            from_id=types.PeerUser(ME)
            if out
            else types.PeerUser(next(iter(self.people)))
            if peer in self.chats
            else None,
            date=_now(),
            message=text,
            out=out,
            reply_to=types.MessageReplyHeader(reply_to_msg_id=reply_to) if reply_to else None,
            media=media,
        )

    def _happens(self, update: Callable[[int], Any], *, quietly: bool = False, short: Any = None) -> None:
        made = update(self.position + 1)
        self.happened.append((made.pts, made))
        self.changed.set()
        if quietly:
            return
        if short is not None:
            self.tell(types.UpdateShortMessage(short.id, short.peer_id.user_id, short.message, made.pts, 1, short.date))
            return
        self.tell(types.Updates([made], list(self.people.values()), list(self.chats.values()), _now(), 0))


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC).replace(microsecond=0)
