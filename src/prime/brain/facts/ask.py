"""Facts as others ask for them: the owner over everything, a channel's participant over what its view shows."""

from collections.abc import Sequence

from prime.brain.facts.history import across, history, weight
from prime.brain.facts.keys import asked_words, parse_span, predicate_key, subject_key, words_of
from prime.brain.facts.queries import FACTS, read_statements
from prime.brain.facts.records import Fact, Span
from prime.rooms.records import HUB
from prime.rooms.views import View, observed_by, observer
from prime.store.database import Job
from prime.store.store import Store

MOST_STATEMENTS = 5000  # looked at for one answer; the newest


async def timeline(store: Store, subject: str, *, as_of: str | None = None) -> list[Fact]:
    """All that was ever so of a subject, oldest first, as the owner sees it."""
    return _meant(await store.projector.read(_job(None, subject, as_of), FACTS), subject)


async def facts(store: Store, subject: str, *, at: Span, as_of: str | None = None) -> list[Fact]:
    """What holds of a subject in that time, what the owner said first; `as_of` leaves out what was said later."""
    return _holding(await store.projector.read(_job(None, subject, as_of), FACTS), at, subject)


@observed_by("prime.brain.facts.ask.known_facts")
async def timeline_from(view: View, subject: str, *, as_of: str | None = None) -> list[Fact]:
    """The same for somebody in the view's channel: what was said there, and nothing else."""
    return _meant(await view.read(_job(_scope(view.channel.id), subject, as_of), FACTS), subject)


@observed_by("prime.brain.facts.ask.known_facts")
async def facts_from(view: View, subject: str, *, at: Span, as_of: str | None = None) -> list[Fact]:
    return _holding(await view.read(_job(_scope(view.channel.id), subject, as_of), FACTS), at, subject)


def _scope(channel_id: str) -> str | None:
    return None if channel_id == HUB else channel_id


@observer
async def known_facts(view: View) -> list[list[Fact]]:
    """What a participant may know: everything, and what is asked by the words of the latest facts."""
    everything = await timeline_from(view, "")
    always = Span(0, 1 << 62)
    asked = [words for fact in everything[-3:] for words in (fact.subject, fact.object)]
    return [everything, *[await facts_from(view, words, at=always) for words in asked]]


def _job(channel_id: str | None, subject: str, as_of: str | None) -> Job[list[Fact]]:
    until = parse_span(as_of, "asOf").end if as_of else None
    return lambda connection: across(
        history(read_statements(connection, channel_id=channel_id, subject=subject, as_of=until, limit=MOST_STATEMENTS))
    )


def _meant(told: Sequence[Fact], subject: str) -> list[Fact]:
    """Those of the subject; where there are none, what is said to be it: of “CEO” that Tom is our CEO."""
    asked = asked_words(subject)
    of_it = [fact for fact in told if asked <= _words(fact)]
    return of_it or [fact for fact in told if asked <= {*_words(fact), *words_of(fact.object)}]


def _holding(told: Sequence[Fact], at: Span, subject: str) -> list[Fact]:
    """Those that hold then; the subject itself comes before what merely has its words."""
    wanted = subject_key(subject)
    found = _meant([fact for fact in told if at.meets(fact)], subject)
    return sorted(found, key=lambda fact: (bool(wanted) and subject_key(fact.subject) != wanted, weight(fact)))


def _words(fact: Fact) -> set[str]:
    subject, predicate = fact.subject, fact.predicate
    return {*words_of(subject), *words_of(predicate), subject_key(subject), predicate_key(predicate)}
