"""A fact while it is being put together from statements."""

from dataclasses import dataclass, field, replace

from prime.brain.facts.keys import fact_id
from prime.brain.facts.records import Fact, Statement
from prime.rooms.records import OWNER


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
    # It goes on after a time of which something else was told.
    is_resumed: bool = False

    @property
    def id(self) -> str:
        return self.first.id

    @classmethod
    def of(cls, statement: Statement) -> "Claim":
        claim = cls(statement, statement, statement.valid_to)
        claim.confirm(statement)
        return claim

    def corrects(self, statement: Statement) -> bool:
        """Whether it is what the same speaker, or the owner, said of that time later, when it was over."""
        return (
            self.last.is_over
            and self.last.said_at > statement.said_at
            and self.last.actor_id in {statement.actor_id, OWNER}
            and self.first.object_key != statement.object_key
        )

    def from_moment(self, moment: int) -> "Claim":
        """The same, going on from there."""
        first = replace(self.first, id=fact_id(self.first.id, str(moment)), valid_from=moment)
        return Claim(first, self.last, self.valid_to, list(self.sources), list(self.said_by), is_resumed=True)

    def confirm(self, statement: Statement) -> None:
        """It was said once more; of now, though it had been told of a time that is over."""
        if statement.valid_to is not None or self.last.is_over:
            self.valid_to = statement.valid_to
        self.last = statement
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
