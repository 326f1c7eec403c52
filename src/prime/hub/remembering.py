"""What was said in the owner's room long ago, where the owner asks about it."""

import re

from prime.brain.recall import recall
from prime.hub.speaking import SPOKEN
from prime.rooms.records import HUB
from prime.store.message import Message
from prime.store.store import Store

MOST = 8
# Of all that is found anywhere, how much is looked through for what was said in this room.
_LOOKED_AT = 60
_ASKS = re.compile(
    r"\s*(?:what|when|where|who|whom|whose|which|how|why|did|do|does|is|are|was|were|has|have)\b.*|.*[?？]\s*|.*(?:吗|什么|多少|哪|谁|几时|何时).*",
    re.IGNORECASE | re.DOTALL,
)


async def remembered(store: Store, said: Message) -> list[Message]:
    """The messages of the owner's room that fit a question best, in order; none for what is no question."""
    if not _ASKS.fullmatch(said.text):
        return []
    found = await recall(store, said.text, limit=_LOOKED_AT)
    ids = [hit.message_id for hit in found.hits if hit.channel_id == HUB and hit.kind in SPOKEN]
    messages = [await store.log.get(message_id) for message_id in ids[:MOST] if message_id != said.id]
    return sorted((m for m in messages if m.seq < said.seq), key=lambda m: m.seq)
