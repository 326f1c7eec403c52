"""The numbers of words, remembered: most of what a batch says was said before."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat

from prime.brain.recall.analysis import words_of

LAST_WORD = ""  # no word is empty: its number in the table is the last that was given
MOST_REMEMBERED = 100_000
_LONGEST_REMEMBERED = 64
END = 0  # stands behind the numbers of a message's words; no word has it
_ENDING = ("",)  # a piece that no text has


class Vocabulary(dict[str, tuple[int, ...]]):
    """From a piece of a message to the numbers of its words; known pieces are looked up without a step of Python.

    What a word's number is follows from the log and from where the fold was begun anew. So they stay true until it is
    begun anew again, or until the table no longer has the last one in its place: that was rolled back.
    """

    def __init__(self, settled: int | None, *, is_whole: bool) -> None:
        super().__init__()
        self.settled = settled
        # Whether it knows every word there is. Who was there when the first was said need not look any up.
        self.is_whole = is_whole
        self.last = 0
        self.last_word: str | None = None
        self._numbers: dict[str, int] = {}
        self._new: list[tuple[str, int]] = []

    @property
    def is_full(self) -> bool:
        return len(self._numbers) > MOST_REMEMBERED

    def agrees_with(self, numbers: Mapping[str, int]) -> bool:
        """Whether the table, which says this, has the last word that was numbered here in its place, and none fewer."""
        in_place = self.last_word is None or numbers.get(self.last_word) == self.last
        return in_place and numbers.get(LAST_WORD, 0) >= self.last

    def unknown(self, said: Iterable[Sequence[str]]) -> list[str]:
        """The words of these messages that are to be looked up, each once."""
        if self.is_whole:
            return []
        pieces = [piece for piece in dict.fromkeys(chain.from_iterable(said)) if piece not in self]
        words = dict.fromkeys(chain.from_iterable(map(words_of, pieces)))
        return [word for word in words if word not in self._numbers]

    def learn(self, known: Iterable[tuple[str, int]]) -> None:
        self._numbers.update(known)

    def numbers(self, said: Iterable[Sequence[str]]) -> list[int]:
        """The numbers of the words of these messages, with `END` behind each message.

        New words are numbered in the order in which they are said, wherever the batch was cut.
        """
        pieces = chain.from_iterable(chain.from_iterable(zip(said, repeat(_ENDING))))
        return list(chain.from_iterable(map(self.__getitem__, pieces)))

    def take_new(self) -> list[tuple[str, int]]:
        """Words that were numbered since this was asked last, in the order in which the table keeps them."""
        new, self._new = sorted(self._new), []
        if len(self) > MOST_REMEMBERED:
            self.clear()
        return new

    def __missing__(self, piece: str) -> tuple[int, ...]:
        numbers = tuple([self._number(word) for word in words_of(piece)]) if piece else (END,)
        if len(piece) <= _LONGEST_REMEMBERED:
            self[piece] = numbers
        return numbers

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = self.last = self.last + 1
            self.last_word = word
            self._new.append((word, number))
        return number
