"""Statements as they were said, and the facts that follow from them."""

from dataclasses import dataclass, field


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


@dataclass(slots=True)
class Claim:
    """A fact that is being put together."""

    first: Statement
    last: Statement
    valid_to: int | None
    sources: list[str] = field(default_factory=list[str])
    said_by: list[str] = field(default_factory=list[str])
    superseded_by: str | None = None
    contradicts: list[str] = field(default_factory=list[str])

    @property
    def id(self) -> str:
        return self.first.id

    def confirm(self, statement: Statement) -> None:
        """It was said once more."""
        self.last = statement
        self.valid_to = statement.valid_to if statement.valid_to is not None else self.valid_to
        self.sources += [statement.source_id] if statement.source_id not in self.sources else []
        self.said_by += [statement.actor_id] if statement.actor_id not in self.said_by else []

    def end(self, moment: int, by: str) -> None:
        """A newer fact ends it; an earlier end that was said stays."""
        self.superseded_by = by
        if self.valid_to is None or self.valid_to > moment:
            self.valid_to = max(moment, self.first.valid_from)

    def fact(self, known_since: int) -> Fact:
        return Fact(
            id=self.id,
            channel_id=self.first.channel_id,
            subject=self.last.subject,
            predicate=self.last.predicate,
            object=self.last.object,
            many=self.first.many,
            valid_from=self.first.valid_from,
            valid_to=self.valid_to,
            known_since=known_since,
            sources=tuple(self.sources),
            said_by=tuple(self.said_by),
            superseded_by=self.superseded_by,
            contradicts=tuple(self.contradicts),
        )
