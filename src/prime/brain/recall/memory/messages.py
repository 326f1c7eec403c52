"""What was said, so that a search that found its places need ask no database what stands there."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, repeat
from typing import cast

from prime.brain.recall.queries import Candidate
from prime.core.canonical import canonical_json
from prime.store.message import Message

MOST_BYTES = 40_000_000
MOST_CHARACTERS = 4_000_000  # of messages that were found lately
LARGEST = 8_000  # characters; a longer message is read from the log each time, and shown by a thread
SEPARATOR = "\x1f"  # stands in no id and no JSON; the text, where it may, comes last
_FIELDS = 7
# In half of the time that `Candidate` takes.
_candidate_of = cast("Callable[[type[Candidate], tuple[object, ...]], Candidate]", tuple.__new__)
BESIDE = 48  # bytes that one takes in memory beside its own
_ASIDE = 400  # what a message takes as an object beside its text, in characters


class Messages:
    """The latest of the log, each as one stretch of bytes, a third of what it takes as an object; and as objects those
    that were found lately. The half that came first goes when it becomes too much."""

    def __init__(self, after: int = 0, said: Sequence[bytes] = (), most_bytes: int = MOST_BYTES) -> None:
        """`said` is what comes after that message of the log, one for each number; empty where there is nothing to find."""
        self._most_bytes = most_bytes
        self._after = after
        self._said = list(said)
        self._weight = sum(map(_weight, said))
        self._found: dict[int, Candidate] = {}
        self._found_weight = 0

    def find(self, there: Mapping[int, int]) -> list[Candidate]:
        """The messages that stand at these places, by their numbers; those that are not at hand are left out."""
        known, said, first = self._found, self._said, self._after + 1
        found: list[Candidate] = []
        for place, seq in there.items():
            candidate = known.get(seq)
            if candidate is None:
                if not first <= seq < first + len(said) or not (stretch := said[seq - first]):
                    continue
                message_id, channel_id, actor_id, ts, kind, body, text = stretch.decode().split(SEPARATOR, _FIELDS - 1)
                fields = (place, seq, message_id, channel_id, actor_id, int(ts), kind, text, body)
                candidate = known[seq] = _candidate_of(Candidate, fields)
                self._found_weight += len(stretch) + _ASIDE
            found.append(candidate)
        self._bound_found()
        return found

    def keep(self, candidate: Candidate) -> bool:
        """Keep one that was found in the log; False when it is too large."""
        if (weight := len(candidate.text) + len(candidate.body)) > LARGEST:
            return False
        if candidate.seq not in self._found:
            self._found[candidate.seq] = candidate
            self._found_weight += weight + _ASIDE
            self._bound_found()
        return True

    def _bound_found(self) -> None:
        if self._found_weight > MOST_CHARACTERS:
            self._found = dict(islice(self._found.items(), len(self._found) // 2, None))
            self._found_weight = sum(len(kept.text) + len(kept.body) + _ASIDE for kept in self._found.values())

    def follow(self, seq: int, heard: Iterable[tuple[int, bytes]]) -> None:
        """Add what the log holds next, until `seq`: the messages that say anything, by number and packed."""
        for number, said in heard:
            self._reach(number - 1)
            self._said.append(said)
            self._weight += _weight(said)
        self._reach(seq)
        if self._weight > self._most_bytes:
            gone = len(self._said) // 2
            self._weight -= sum(map(_weight, self._said[:gone]))
            del self._said[:gone]
            self._after += gone

    def _reach(self, seq: int) -> None:
        silent = seq - self._after - len(self._said)
        self._said.extend(repeat(b"", silent))
        self._weight += silent * _weight(b"")


def _weight(said: bytes) -> int:
    return len(said) + BESIDE


def packed(message: Message) -> bytes:
    """A message as it is kept; empty when it is not."""
    body = canonical_json(message.body) if message.body else "{}"
    if len(message.text) + len(body) > LARGEST:
        return b""
    head = (message.id, message.channel_id, message.actor_id, str(message.ts), message.kind, body)
    if any(SEPARATOR in field for field in head):
        return b""
    return SEPARATOR.join((*head, message.text)).encode()
