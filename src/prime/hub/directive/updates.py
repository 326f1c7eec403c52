"""Inbox updates: Prime's short word in the owner's room about what was surfaced since the last one."""

from collections.abc import Sequence

from prime.core.clock import Clock, is_due
from prime.hub.directive.decisions import excerpt
from prime.hub.directive.queries import DIRECTIVE, UPDATE, read_told
from prime.hub.feed import FeedItem
from prime.hub.queries import FEED, read_feed_after
from prime.rooms.records import HUB, PRIME
from prime.rooms.rooms import Rooms
from prime.store.leases import Lease
from prime.store.message import NewMessage
from prime.store.store import Store

SHOWN = 5
MOST = 200


class Updates:
    def __init__(self, store: Store, rooms: Rooms, clock: Clock) -> None:
        self._store = store
        self._rooms = rooms
        self._clock = clock

    async def tell(self, lease: Lease, gap_ms: int) -> bool:
        """Say what is new, unless the last word was a moment ago; whether something was said."""
        told = await self._store.projector.read(read_told, DIRECTIVE)
        if told.updated_at and not is_due(told.updated_at + gap_ms, self._clock.now_ms(), gap_ms):
            return False
        found = await self._store.projector.read(lambda c: read_feed_after(c, told.updated_seq, MOST), FEED)
        items = [item for _, item in found]
        if not any(item.type == "surfaced" for item in items):
            return False
        names = {channel.id: channel.name for channel in await self._rooms.all_channels()}
        shown = [item for item in items if item.type == "surfaced"]
        word = NewMessage(
            channel_id=HUB,
            actor_id=PRIME,
            kind="text",
            text=update_text(shown, len(items) - len(shown), names),
            body={"upTo": found[-1][0]},
            source_tag=UPDATE,
            sources=tuple(dict.fromkeys(source for item in shown[-SHOWN:] for source in item.sources)),
            idempotency_key=f"update/{found[-1][0]}",
        )
        await self._store.log.append(word, lease=lease)
        return True


def _news(item: FeedItem, room: str) -> str:
    """The whole sentence where there is one; who said it stands in the feed."""
    if item.title == room:  # what is asked of the owner in a conversation of theirs is titled with who asks
        return excerpt(item.text)
    _, mark, said = item.text.partition("：" if "：" in item.text[:60] else ": ")
    return excerpt(said if mark and said.startswith(item.title.rstrip("…")[:20]) else item.title)


def _told(room: str, news: str, mark: str) -> str:
    """With the room that it comes from, unless it begins with that name: a direct conversation bears a person's."""
    return news if news.startswith(room) else f"{room}{mark}{news}"


def update_text(items: Sequence[FeedItem], settled: int, names: dict[str, str]) -> str:
    chinese = any("\u4e00" <= c <= "\u9fff" for item in items for c in item.title)
    rooms = [(item, names.get(item.channel_id, item.channel_id)) for item in items[-SHOWN:]]
    lines = [f"- {_told(room, _news(item, room), '：' if chinese else ': ')}" for item, room in rooms]
    more = len(items) - len(lines)
    if chinese:
        first = "新情况："
        last = [*([f"另有 {more} 条。"] if more else []), *([f"已自行处理 {settled} 件。"] if settled else [])]
    else:
        first = "What is new:"
        last = [
            *([f"{more} more in the feed."] if more else []),
            *([f"Settled without you: {settled}."] if settled else []),
        ]
    news = "\n".join([first, *lines])
    # A paragraph of its own, or the page would take it for a part of the last item.
    return f"{news}\n\n{('' if chinese else ' ').join(last)}" if last else news
