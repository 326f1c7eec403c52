"""What a search asks of whatever it reads from: the tables, or what of them is in memory."""

from collections.abc import Collection, Sequence
from typing import Protocol

from prime.brain.recall.ground.queries import Ground
from prime.brain.recall.names import People
from prime.brain.recall.queries import Candidate, Conditions, Held
from prime.brain.recall.scoring import Postings


class Reads(Protocol):
    """One state of the log, seen from one ground. `Reading` says what each of these is."""

    ground: Ground

    def held(self, texts: Collection[str], most: int) -> list[Held]: ...

    def begun(self, prefix: str, most: int) -> list[str]: ...

    def postings(self, terms: Sequence[int]) -> dict[int, Postings]: ...

    def postings_at(self, terms: Sequence[int], places: Sequence[int]) -> dict[int, Postings]: ...

    def newest_postings(self, term: int, most: int) -> Postings: ...

    def candidates(self, places: Sequence[int], conditions: Conditions) -> list[Candidate]: ...

    def seqs(self, places: Sequence[int]) -> dict[int, int]: ...

    def latest(self, conditions: Conditions, *, before: int, limit: int) -> list[Candidate]: ...

    def people(self) -> People: ...

    def channels_called(self, names: Collection[str]) -> frozenset[str]: ...
