"""Messages that were found lately: who searches again finds many of the same."""

from collections.abc import Iterable

from prime.brain.recall.queries import Candidate
from prime.store.message import Message

MOST_CHARACTERS = 4_000_000
_LARGEST = 8_000  # a longer message is read from the log each time, and shown by a thread
_ASIDE = 400  # what a message takes beside its text, in characters


class Messages(dict[int, Candidate]):
    """By number. The half that came first goes when it becomes too much."""

    def __init__(self) -> None:
        super().__init__()
        self._weight = 0

    def keep(self, candidate: Candidate) -> bool:
        """False when it is too large to be kept."""
        if (weight := len(candidate.text) + len(candidate.body)) > _LARGEST:
            return False
        if candidate.seq not in self:
            self[candidate.seq] = candidate
            self._weight += weight + _ASIDE
            if self._weight > MOST_CHARACTERS:
                self._halve()
        return True

    def keep_new(self, added: Iterable[tuple[int, Message]]) -> None:
        """What was just said, which is what somebody may look for; with its place."""
        for place, new in added:
            if not new.body:  # most have none; of others the log knows how it is written
                self.keep(
                    Candidate(place, new.seq, new.id, new.channel_id, new.actor_id, new.ts, new.kind, new.text, "{}")
                )

    def _halve(self) -> None:
        for seq in list(self)[: len(self) // 2]:
            gone = self.pop(seq)
            self._weight -= len(gone.text) + len(gone.body) + _ASIDE
