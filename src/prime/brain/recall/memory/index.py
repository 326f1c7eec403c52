"""The words of the log and where they are said, in memory: the same fold as that of the tables, from where it was loaded."""

from array import array
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from prime.brain.recall.analysis import pack, words_of
from prime.brain.recall.index.said import marks_of, said, spoken
from prime.brain.recall.index.stream import Stream
from prime.brain.recall.memory.messages import packed
from prime.brain.recall.memory.posted import Posted
from prime.brain.recall.places import BITS, WINDOW, Range
from prime.rooms.views import visible_from
from prime.store.message import Message

_LEAST_BITS = 12
_NONE = Posted()
_MOST_FRESH = 64  # messages with a word that are set aside until somebody looks it up


class Heard(NamedTuple):
    """A message that says something, taken apart."""

    message: Message
    words: dict[str, int]  # and how often it is said
    length: int
    packed: bytes  # as `Messages` keeps it


class News(NamedTuple):
    """What the log holds next: until where, what of it is heard, and whether anything was erased."""

    seq: int
    heard: list[Heard]
    erased: bool


def news_of(messages: Sequence[Message]) -> News:
    """For a thread: taking a long message apart takes a while."""
    return News(
        messages[-1].seq if messages else 0,
        [_heard(message) for message in spoken(messages)],
        any(message.kind == "erased" for message in messages),
    )


def _heard(message: Message) -> Heard:
    words = list(chain.from_iterable(map(words_of, said(message))))
    return Heard(message, Counter(words), len(words) - marks_of(message), packed(message))


class Index:
    """As of the message `seq`. Nobody changes it while somebody reads: all of it happens in the event loop.

    Its places are those of the tables with fewer bits for the position: Python reckons with small numbers in two thirds
    of the time.
    """

    def __init__(self, seq: int, longest: int = 0) -> None:
        """`longest` is the last position of any stream, of which there may be four times as many."""
        self.seq = seq
        self.bits = min(max((4 * longest).bit_length(), _LEAST_BITS), BITS)
        self._longest = longest
        self.streams: dict[tuple[str, bool], Stream] = {}
        self.documents = 0
        self.length = 0
        self.last = 0  # the last message that says anything
        # By stream and position, which message stands there.
        self._seqs: dict[int, array[int]] = {}
        self._numbers: dict[str, int] = {}
        self._posted: list[Posted] = [_NONE]
        # What was said since a word was looked up last.
        self._fresh: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._alphabet: list[str] = []
        self._newest_words: list[str] = []

    @property
    def words(self) -> int:
        """How many there are, one by one: what it takes of memory follows from that."""
        return self.length + self.documents

    def has_room(self, messages: int) -> bool:
        """Whether so many more find a place; else it is to be loaded anew."""
        return self._longest + messages * (1 + WINDOW) < 1 << self.bits

    def range_of(self, stream_id: int) -> Range:
        return stream_id << self.bits, (stream_id + 1 << self.bits) - 1

    # --- words ---

    def number(self, word: str) -> int | None:
        return self._numbers.get(word)

    def posted(self, number: int) -> Posted:
        """Where a word is said."""
        if number in self._fresh:
            self._posted[number] = self._posted[number].joined(self._fresh.pop(number))
        return self._posted[number]

    def begun(self, prefix: str) -> Iterator[str]:
        """Words that begin so and are longer, in the order of the alphabet."""
        while self._newest_words:
            insort(self._alphabet, self._newest_words.pop())
        at = bisect_right(self._alphabet, prefix)
        while at < len(self._alphabet) and self._alphabet[at].startswith(prefix):
            yield self._alphabet[at]
            at += 1

    # --- messages ---

    def seqs_at(self, places: Iterable[int], until: int) -> dict[int, int]:
        """The messages at these places, where there is one and it came no later."""
        found: dict[int, int] = {}
        bits, within = self.bits, (1 << self.bits) - 1
        for place in places:
            seqs, position = self._seqs.get(place >> bits, ()), place & within
            if position < len(seqs) and 0 < (seq := seqs[position]) <= until:
                found[place] = seq
        return found

    # --- how it comes about ---

    def load_stream(self, channel_id: str, is_open: bool, stream: Stream, stood: Iterable[tuple[int, int]]) -> None:
        """A stream of the tables, and the position and number of each of its messages, in order."""
        self.streams[channel_id, is_open] = stream
        self._count(stream.documents, stream.length, stream.seq)
        for position, seq in stood:
            self._stand(stream.id, position, seq)

    def load_words(self, numbered: Sequence[tuple[str, int]]) -> None:
        self._numbers = dict(numbered)
        self._alphabet = sorted(self._numbers)
        self._posted = [_NONE] * (max(self._numbers.values(), default=0) + 1)

    def load_posted(self, number: int, posted: Posted) -> None:
        self._posted[number] = posted

    def fold(self, news: News) -> None:
        """Add what the log holds next."""
        for heard in news.heard:
            self._add(heard)
        self.seq = news.seq

    def _add(self, heard: Heard) -> None:
        message, words, length, _ = heard
        key = message.channel_id, visible_from(message.channel_id, message)
        stream = self.streams.get(key)
        if stream is None:
            last = max((known.id for known in self.streams.values()), default=0)
            stream = self.streams[key] = Stream(last + 1)
        stream.take(message, length)
        place = stream.id << self.bits | stream.position
        self._stand(stream.id, stream.position, message.seq)
        self._count(1, length, message.seq)
        for word, often in words.items():
            number = self._number(word)
            fresh = self._fresh[number]
            fresh.append((place, pack(often, length)))
            if len(fresh) == _MOST_FRESH:
                self.posted(number)

    def _stand(self, stream_id: int, position: int, seq: int) -> None:
        seqs = self._seqs.setdefault(stream_id, array("q"))
        seqs.extend(repeat(0, position - len(seqs)))
        seqs.append(seq)
        self._longest = max(self._longest, position)

    def _count(self, documents: int, length: int, seq: int) -> None:
        self.documents += documents
        self.length += length
        self.last = max(self.last, seq)

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self._posted)
            self._posted.append(_NONE)
            self._newest_words.append(word)
        return number
