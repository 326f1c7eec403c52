"""What may be seen from a channel.

A `View` is made for one channel and gives nothing of any other. Whoever speaks or acts in a channel on behalf of
somebody there (prompt builders, recall, resources, listings) reads through one. Functions that a channel's participant
can observe are registered as observers; the non-interference tests run every one of them over random logs, with and
without what the view leaves out, and compare.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Self, TypeVar

from prime.core.errors import NotFound
from prime.rooms import queries
from prime.rooms.queries import OF_PLACES, ROOMS
from prime.rooms.records import HUB, Actor, ChannelKind, Moment
from prime.rooms.tier import Tier
from prime.store.database import Job
from prime.store.message import Kind, Message
from prime.store.projector import Projector
from prime.store.store import Store

T = TypeVar("T")

# The hub's decisions, drafts, thoughts and extractions about a channel are not part of its conversation.
VISIBLE: frozenset[Kind] = frozenset(
    {"text", "edit", "note", "brief", "tool_call", "tool_result", "membership", "system"}
)


def visible_from(channel_id: str, message: Message) -> bool:
    """The allow-list V(C), for one message."""
    if channel_id == HUB:
        return True
    return message.channel_id == channel_id and message.audience == "room" and message.kind in VISIBLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What others in a channel may know of an actor."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What is known of a channel inside it. How much the hub noted about it, and when, is not."""

    id: str
    kind: ChannelKind
    name: str
    tier: Tier
    members: tuple[str, ...]
    course: int
    closed: bool


class View:
    """The store as it looks from one channel."""

    def __init__(self, store: Store, moment: Moment) -> None:
        self._store = store
        self._moment = moment
        channel = moment.channel
        self._channel = Place(
            id=channel.id,
            kind=channel.kind,
            name=channel.name,
            tier=channel.tier,
            members=channel.members,
            course=channel.course,
            closed=channel.closed,
        )

    @classmethod
    async def of(cls, store: Store, channel_id: str) -> Self:
        moment = await store.projector.read_kept(
            ("moment", channel_id), lambda c: queries.read_moment(c, channel_id), ROOMS, kinds=OF_PLACES
        )
        if moment is None:
            raise NotFound(f"There is no channel {channel_id}.", channelId=channel_id)
        return cls(store, moment)

    @property
    def channel(self) -> Place:
        return self._channel

    async def messages(self, *, before: int | None = None, limit: int = 200) -> list[Message]:
        """The newest messages that are visible here, in order. The hub's own room sees its whole self."""
        if self._channel.id == HUB:
            return await self._store.log.page(HUB, before=before, limit=limit)
        return await self._store.log.page(
            self._channel.id, before=before, limit=limit, kinds=sorted(VISIBLE), audience="room"
        )

    async def read(self, job: Job[T], *projections: str) -> T:
        """Read derived tables, for functions that keep to V(C) themselves and are registered as observers."""
        return await self._store.projector.read(job, *projections)

    @property
    def projector(self) -> Projector:
        """What keeps derived tables, for such functions that also keep something beside them."""
        return self._store.projector

    async def course_messages(self, *, before: int | None = None, limit: int = 200) -> list[Message]:
        """The newest messages of the present course that are visible here, in order, also over interruptions."""
        found: list[Message] = []
        for start, end, course in self._moment.stretches:
            if course != self._channel.course or (before is not None and start >= before):
                continue
            upper = min((place for place in (before, end) if place is not None), default=None)
            page = await self.messages(before=upper, limit=limit - len(found))
            found = [*(message for message in page if message.seq >= start), *found]
            if len(found) >= limit:
                break
        return found

    async def briefs(self) -> list[Message]:
        """What the hub told this channel, in order."""
        return await self._store.log.at(self._moment.briefs)

    async def full_text(self, message: Message) -> str:
        """A visible message's whole text, also when it lies in an attachment."""
        return await full_text(self._store, message)

    async def cards(self) -> list[Card]:
        """The public cards of the channel's members."""
        return [_card(actor) for actor in self._moment.members]


async def full_text(store: Store, message: Message) -> str:
    """A message's whole text. The log keeps a long one as an attachment, which is named for the message."""
    attachment_id = message.body.get("fullTextAttachmentId")
    if not isinstance(attachment_id, str):
        return message.text
    attachment = await store.attachments.get(attachment_id)
    if attachment.name != f"{message.id}.txt":
        return message.text  # somebody's own field of that name: it opens no attachment of others
    return (await store.attachments.content(attachment)).decode()


def _card(actor: Actor) -> Card:
    return Card(id=actor.id, name=actor.name, kind=actor.kind)


# --- observers ---

Observer = Callable[[View], Awaitable[object]]

OBSERVERS: dict[str, Observer] = {}
# Function -> the name of the observer that exercises it.
OBSERVED_BY: dict[str, str] = {}

F = TypeVar("F", bound=Callable[..., object])


def observer(function: Observer) -> Observer:
    """Register a function whose result a channel's participant can see, in words, order or number."""
    OBSERVERS[f"{function.__module__}.{function.__qualname__}"] = function
    return function


def observed_by(name: str) -> Callable[[F], F]:
    """Mark a part that takes a view and more, and that the observer of this name (in the same package) goes through."""

    def mark(function: F) -> F:
        OBSERVED_BY[f"{function.__module__}.{function.__qualname__}"] = name
        return function

    return mark


@observer
async def transcript(view: View) -> list[Message]:
    """The conversation as a participant sees it."""
    return await view.messages()


@observer
async def listing(view: View) -> tuple[str, str, list[Card]]:
    """The channel and who is in it, as a participant sees it."""
    return view.channel.name, view.channel.tier, await view.cards()
