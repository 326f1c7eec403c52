"""Several who want the same single thing: once one of them has a yes, the others hold.

A plan says which channels compete, by a fact of theirs. A yes that binds is logged as a commitment; the others are told by a
brief, what waits for the owner in their rooms is settled with a card, and what they ask later is settled the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from prime.hub.directive.queries import COMMITTED, DIRECTIVE, Rival, read_rivals
from prime.mind.offline.heard.decisions import hands_over, polarity_of
from prime.rooms.briefs import Brief, Briefs
from prime.rooms.questions import settling_message
from prime.rooms.records import PRIME, Channel, Question
from prime.rooms.rooms import Rooms
from prime.store.message import NewMessage
from prime.store.store import Store


@dataclass(frozen=True, slots=True)
class Taken:
    """Where the thing is promised, and by which message."""

    channel: Channel
    message_id: str

    def hold(self) -> str:
        """What somebody is told who wants it, too."""
        return "先不定，已答应别人。" if self.chinese else "Not for now: promised elsewhere."

    def because(self) -> str:
        name = self.channel.name
        return f"你已在“{name}”答应，只有一份。" if self.chinese else f"You said yes in {name}, and there is only one."

    @property
    def chinese(self) -> bool:
        return is_chinese(self.channel.name)


@dataclass(slots=True)
class Commitments:
    """Who competes with whom, and who has it; changes as decisions of one round are made."""

    briefs: Briefs
    rivals: Sequence[Rival] = ()
    channels: dict[str, Channel] = field(default_factory=dict[str, Channel])
    _now: dict[str, Taken] = field(default_factory=dict[str, Taken])

    @classmethod
    async def load(cls, store: Store, rooms: Rooms) -> "Commitments":
        rivals = await store.projector.read(read_rivals, DIRECTIVE)
        channels = {rival.channel_id: await rooms.channel(rival.channel_id) for rival in rivals}
        taken = {
            rival.group: Taken(channels[rival.channel_id], rival.committed_by) for rival in rivals if rival.committed_by
        }
        return cls(rooms.briefs, rivals, channels, taken)

    def elsewhere(self, channel_id: str) -> Taken | None:
        """Who has what this channel's counterpart wants."""
        taken = self._now.get(self._group(channel_id))
        return taken if taken and taken.channel.id != channel_id else None

    def commit(
        self, channel_id: str, sources: Sequence[str], pending: Sequence[Question], key: str | None = None
    ) -> list[NewMessage]:
        """Promise it to this channel: the messages that say so, to whoever else wants it and to the owner."""
        group = self._group(channel_id)
        if not group or group in self._now:
            return []
        channel = self.channels[channel_id]
        said = NewMessage(
            channel_id=channel_id,
            actor_id=PRIME,
            kind="system",
            audience="hub",
            text=f"“{channel.name}”已答应。" if is_chinese(channel.name) else f"Promised in {channel.name}.",
            body={"op": COMMITTED},
            sources=tuple(sources),
            idempotency_key=key and f"{key}/committed",
            course=channel.course,
        )
        taken = self._now[group] = Taken(channel, said.id)
        messages = [said]
        for rival in self.rivals:
            if rival.group == group and rival.channel_id != channel_id:
                messages += self._told(taken, rival.channel_id, pending, key)
        return messages

    def _told(self, taken: Taken, channel_id: str, pending: Sequence[Question], key: str | None) -> list[NewMessage]:
        channel = self.channels[channel_id]
        waiting = [q for q in pending if q.channel_id == channel_id and q.kind == "decision"]
        messages = [message for question in waiting for message in _settled(question, taken, key)]
        brief = Brief(
            channel_id=channel_id,
            tier=channel.tier,
            text=taken.hold(),
            sources=(taken.message_id,),
            key=key and f"{key}/hold/{channel_id}",
            course=channel.course,
        )
        return [*messages, *self.briefs.tell(brief).messages]

    def _group(self, channel_id: str) -> str:
        return next((rival.group for rival in self.rivals if rival.channel_id == channel_id), "")


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= c <= "\u9fff" for c in text)


def is_yes(words: str) -> bool:
    return polarity_of(words) == "yes"


def leaves_open(words: str) -> bool:
    """Whether an answer decides nothing: it asks back, or puts it off."""
    return polarity_of(words) == "open"


def leaves_to_prime(words: str) -> bool:
    """Whether an answer asks Prime to decide."""
    return hands_over(words)


def _settled(question: Question, taken: Taken, key: str | None) -> list[NewMessage]:
    """The question ends without the owner, and a card says why."""
    card = NewMessage(
        channel_id=question.channel_id,
        actor_id=PRIME,
        kind="decision",
        audience="hub",
        text=taken.hold(),
        body={
            "outcome": "auto_resolved",
            "title": question.text,
            "question": question.text,
            "necessity": question.necessity,
            "reason": taken.because(),
        },
        sources=(*question.sources, taken.message_id),
        idempotency_key=key and f"{key}/card/{question.id}",
    )
    ended = {"status": "expired", "because": taken.because()}
    return [settling_message(question, ended, "", final=True), card]
