"""How much a message is like the examples of each of several kinds.

A word speaks for a kind by how much oftener it stands in that kind's examples than in all others, a rare one louder than a common
one: sums and logarithms over what was written, so that the same files always say the same. Nothing is trained beforehand.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

# How often a word is taken to have been written in a kind where it was not.
_UNSEEN = 0.4
_REMEMBERED = 64


class Likeness:
    """`weigh` says which words a text has, and how loud each is."""

    def __init__(self, examples: Mapping[str, Iterable[str]], weigh: Callable[[str], Mapping[str, float]]) -> None:
        self._weigh = weigh
        known = [(kind, weigh(text)) for kind, texts in examples.items() for text in texts]
        written = Counter(word for _, words in known for word in words)
        # A pair that was written once says nothing.
        self._rarity = {
            word: math.log(len(known) / times) for word, times in written.items() if times > 1 or " " not in word
        }
        self._in: dict[str, dict[str, float]] = {}
        of = dict.fromkeys(examples, 0.0)
        for kind, words in known:
            for word, share in self._shares(words):
                row = self._in.setdefault(word, {})
                row[kind] = row.get(kind, 0.0) + share
                of[kind] += share
        whole, unseen = sum(of.values()), _UNSEEN * len(self._in)
        self._rest = {kind: math.log((whole - own + unseen) / (own + unseen or 1.0)) for kind, own in of.items()}
        self.scores = lru_cache(_REMEMBERED)(self._scores)

    def _shares(self, words: Mapping[str, float]) -> list[tuple[str, float]]:
        """The known ones of some words, each with its share in what they say, however many they are."""
        loud = [(word, share * self._rarity[word]) for word, share in words.items() if word in self._rarity]
        length = math.sqrt(sum(share * share for _, share in loud)) or 1.0
        return [(word, share / length) for word, share in loud]

    def _scores(self, text: str) -> Mapping[str, float]:
        """Above nothing where the text is more like a kind than like all others together."""
        found = dict.fromkeys(self._rest, 0.0)
        for word, share in self._shares(self._weigh(text)):
            row = self._in[word]
            everywhere = sum(row.values())
            absent = math.log(_UNSEEN / (everywhere + _UNSEEN))
            for kind, rest in self._rest.items():
                times = row.get(kind)
                speaks = (
                    absent if times is None else math.log((times + _UNSEEN) / (max(everywhere - times, 0.0) + _UNSEEN))
                )
                found[kind] += share * (speaks + rest)
        return found
