"""The words after a program's name, read the way that finds too much rather than too little.

Programs differ in where options may stand, which take values and what `--` ends. Reading every word that could be an
option as one makes no spelling safer than another; the price is a question too many now and then.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """`all` as they stand."""

    all: tuple[str, ...]

    @staticmethod
    def of(words: Sequence[str]) -> "Words":
        return Words(tuple(words))

    @property
    def plain(self) -> tuple[str, ...]:
        """Words that are not options, in small letters."""
        return tuple(word.casefold() for word in self.all if not word.startswith("-"))

    @property
    def letters(self) -> frozenset[str]:
        """Every letter of `-abc`: bundled short options, attached values included."""
        return frozenset("".join(word[1:] for word in self.all if word.startswith("-") and not word.startswith("--")))

    def short(self, letters: str) -> bool:
        return not self.letters.isdisjoint(letters)

    def long(self, *names: str) -> bool:
        """Whether one of the long options is there, abbreviated (`--recurs`) or with a value (`--delete=now`)."""
        given = [word[2:].partition("=")[0] for word in self.all if word.startswith("--") and len(word) > 2]
        return any(name.startswith(one) for name in names for one in given)

    def begins(self, *prefixes: str) -> bool:
        """Whether some word begins with one of these, in any case: `-exec`, `of=`."""
        return any(word.casefold().startswith(prefixes) for word in self.all)

    def has(self, *words: str) -> bool:
        """Whether some plain word is one of these."""
        return not set(self.plain).isdisjoint(words)

    def sub(self, command: str) -> bool:
        """Whether the subcommand's words stand in this order, with whatever between them."""
        rest = iter(self.plain)
        return all(any(word == other for other in rest) for word in command.split())
