"""Statements as they were said, and the facts that follow from them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of one message. Times are milliseconds; `valid_to` is None while no end was said."""

    id: str
    channel_id: str
    subject: str
    predicate: str
    object: str
    subject_key: str
    predicate_key: str
    object_key: str
    many: bool
    source_id: str
    source_seq: int
    actor_id: str
    said_at: int
    valid_from: int
    valid_to: int | None
    # Whether the time was said, or is only the time of saying.
    dated: bool

    @property
    def is_end(self) -> bool:
        """Whether it says of something that it is so no more: it holds for no longer than it took to say it."""
        return not self.dated and self.valid_to is not None and self.valid_to <= self.said_at + 1

    @property
    def is_over(self) -> bool:
        """Whether it tells of a time that had a beginning and an end, and was over when it was said."""
        return self.dated and self.valid_to is not None and self.said_at >= self.valid_to


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What holds from `valid_from` until before `valid_to`, and has been known since `known_since`.

    `sources` are the messages that say so, first to last. `contradicts` names facts that others hold at the same time;
    `superseded_by` the one that ended this one.
    """

    id: str
    channel_id: str
    subject: str
    predicate: str
    object: str
    many: bool
    valid_from: int
    valid_to: int | None
    known_since: int
    sources: tuple[str, ...]
    said_by: tuple[str, ...]
    superseded_by: str | None = None
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time that is asked about: a moment, a day, a month."""

    begin: int
    end: int

    def meets(self, fact: Fact) -> bool:
        """Whether the fact holds at any time of it."""
        return fact.valid_from <= self.end and (fact.valid_to is None or fact.valid_to > self.begin)
