"""A stream as the fold keeps it: how much stands in it, and where its next message will stand."""

from dataclasses import dataclass

from prime.brain.recall.places import FIRST, next_position, place_of
from prime.store.message import Message


@dataclass(slots=True)
class Stream:
    id: int
    documents: int = 0
    length: int = 0
    position: int = 0
    seq: int = 0
    ts: int = 0
    stored: bool = False

    def take(self, message: Message, length: int) -> int:
        """The place of the stream's next message."""
        self.position = next_position(self.position, message.ts - self.ts) if self.position else FIRST
        self.documents += 1
        self.length += length
        self.seq = message.seq
        self.ts = message.ts
        return place_of(self.id, self.position)

    def counts(self) -> dict[str, int]:
        return {
            "documents": self.documents,
            "length": self.length,
            "position": self.position,
            "seq": self.seq,
            "ts": self.ts,
        }
