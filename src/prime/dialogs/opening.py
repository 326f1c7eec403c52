"""How a dialog begins: the channel and the history of its startup scripts, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from prime.core.canonical import canonical_json
from prime.core.errors import TooLarge
from prime.dialogs.scripts.messages import HistoryMessage
from prime.rooms.records import OWNER, Channel, ChannelDraft
from prime.rooms.rooms import Rooms
from prime.store.attachments import MAX_BYTES
from prime.store.log import MAX_BODY_BYTES
from prime.store.message import NewMessage

MOST_MESSAGES = 20_000


@dataclass(frozen=True, slots=True)
class Opening:
    """A channel that is about to be made with a history."""

    rooms: Rooms
    draft: ChannelDraft
    agent_id: str

    async def begin(self, messages: Sequence[HistoryMessage]) -> Channel:
        """Make the channel with all messages, or nothing."""
        # The log puts long texts away before its transaction: whatever it would refuse is refused before that.
        for number, message in enumerate(messages, 1):
            _check_size(number, message)
        if len(messages) > MOST_MESSAGES:
            raise TooLarge(
                f"A dialog may begin with {MOST_MESSAGES:,} records, these are {len(messages):,}.",
                hint="Begin with a shorter script.",
            )
        placed = [_placed(self.draft.id, self.agent_id, message) for message in messages]
        return await self.rooms.open_channel(self.draft, placed)


def _placed(channel_id: str, agent_id: str, message: HistoryMessage) -> NewMessage:
    return NewMessage(
        channel_id=channel_id,
        # What a tool or a teammate said in the past was said to this agent; the message's body knows who it was.
        actor_id=OWNER if message.actor == "human" else agent_id,
        kind=message.kind,
        text=message.text,
        body=message.body,
        # A thought is nobody's but the thinker's.
        audience="hub" if message.kind == "thought" else "room",
        source_tag=message.source_tag,
    )


def _check_size(number: int, message: HistoryMessage) -> None:
    if len(canonical_json(message.body)) > MAX_BODY_BYTES:
        raise TooLarge(
            f"Record {number} has more than {MAX_BODY_BYTES:,} bytes of fields.", hint="Put long text into its text."
        )
    if len(message.text) > MAX_BYTES // 4 and len(message.text.encode("utf-8", "replace")) > MAX_BYTES:
        raise TooLarge(f"The text of record {number} has more than {MAX_BYTES:,} bytes.", hint="Shorten it.")
