"""From statements to facts: who ends whom, and who contradicts whom. A pure function, read at any state of knowledge."""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from prime.brain.facts.claim import Claim
from prime.brain.facts.keys import owned_by, predicate_key, subject_key
from prime.brain.facts.records import Fact, Span, Statement
from prime.rooms.records import HUB, OWNER

_DAY_MS = 24 * 3600 * 1000


def history(statements: Iterable[Statement]) -> list[Fact]:
    """The facts of all subjects, oldest first. A channel's facts are a matter of that channel alone."""
    groups: defaultdict[tuple[str, str, str, str], list[Statement]] = defaultdict(list)
    for each in statements:
        whose = owned_by(each.subject, each.actor_id)
        groups[each.channel_id, each.subject_key, each.predicate_key, whose].append(each)
    facts = [fact for _, group in sorted(groups.items()) for fact in _told(group)]
    return sorted(facts, key=lambda fact: (fact.valid_from, fact.known_since, fact.id))


def across(facts: Sequence[Fact]) -> list[Fact]:
    """For eyes that see several channels: facts of different channels do not end each other, they contradict."""
    same: defaultdict[tuple[str, str, str], list[Fact]] = defaultdict(list)
    keys = [
        (subject_key(fact.subject), predicate_key(fact.predicate), owned_by(fact.subject, fact.said_by[0]))
        for fact in facts
    ]
    for key, fact in zip(keys, facts, strict=True):
        same[key].append(fact)
    return [
        replace(fact, contradicts=(*fact.contradicts, *_others(fact, same[key])))
        for key, fact in zip(keys, facts, strict=True)
    ]


def _others(fact: Fact, same: list[Fact]) -> list[str]:
    return [
        other.id
        for other in same
        if other.channel_id != fact.channel_id
        and not (fact.many or other.many)
        and other.object.casefold() != fact.object.casefold()
        and _overlap(fact, other)
        and other.id not in fact.contradicts
    ]


def _overlap(one: Fact, other: Fact) -> bool:
    end = one.valid_to if one.valid_to is not None else 1 << 62
    return Span(one.valid_from, end - 1).meets(other)


def weight(fact: Fact) -> tuple[bool, bool, int, int, str]:
    """What is shown first: the owner's own word, then what was said last."""
    return (OWNER not in fact.said_by, fact.channel_id != HUB, -fact.valid_from, -fact.known_since, fact.id)


def _told(group: list[Statement]) -> list[Fact]:
    # What is no more so comes before what is so instead, though both were said in one breath.
    ordered = sorted(group, key=lambda s: (s.valid_from, s.said_at, s.source_seq, not s.is_end, s.id))
    # Said once that a subject may have several, it may: a later statement without the mark ends none of them.
    claims = _all_of(ordered) if any(s.many for s in ordered) else _one_after_another(ordered)
    known: dict[str, int] = {}
    for statement in ordered:
        known[statement.source_id] = statement.said_at
    return [claim.fact(min(known[source] for source in claim.sources)) for claim in claims]


def _all_of(ordered: list[Statement]) -> list[Claim]:
    claims: list[Claim] = []
    latest: dict[str, Claim] = {}
    for statement in ordered:
        claim = latest.get(statement.object_key)
        if claim is None or (claim.valid_to is not None and claim.valid_to < statement.valid_from):
            claim = latest[statement.object_key] = Claim(replace(statement, many=True), statement, statement.valid_to)
            claims.append(claim)
        claim.confirm(statement)
    return claims


def _one_after_another(ordered: list[Statement]) -> list[Claim]:
    claims: list[Claim] = []
    # What goes on after a time of which something else was told later, the first to go on first.
    resumed: list[Claim] = []
    for statement in ordered:
        _resume(claims, resumed, statement.valid_from)
        held = _held_at(claims, statement.valid_from)
        corrected = next((c for c in held if c.corrects(statement)), None)
        if corrected is not None:
            resumed[:] = [c for c in resumed if not _is_followed(c, statement)]
            claims.append(Claim.of(statement))
            _end(claims[-1], corrected.last, corrected.id, resumed)
            continue
        same = next((c for c in held if c.first.object_key == statement.object_key), None)
        if same is None:
            if statement.is_end and any(c.first.object_key == statement.object_key for c in claims):
                continue  # it had ended before
            same = Claim(statement, statement, statement.valid_to)
            claims.append(same)
        for other in held:
            if other is same or statement.is_end:  # which says nothing of anything else
                continue
            if _disputes(statement, other):
                same.contradicts += [other.id] if other.id not in same.contradicts else []
                other.contradicts += [same.id] if same.id not in other.contradicts else []
            else:
                _end(other, statement, same.id, resumed)
        same.confirm(statement)
    _resume(claims, resumed, None)
    return claims


def _held_at(claims: list[Claim], moment: int) -> list[Claim]:
    return [c for c in claims if c.superseded_by is None and (c.valid_to is None or c.valid_to > moment)]


def _end(claim: Claim, by: Statement, by_id: str, resumed: list[Claim]) -> None:
    """One ends the other. What is told later of a time that is over changes nothing about what came after it."""
    if by.is_over and by.valid_to is not None and (claim.valid_to is None or claim.valid_to > by.valid_to):
        insort(resumed, claim.from_moment(by.valid_to), key=lambda c: (c.first.valid_from, c.id))
    claim.end(by.valid_from, by_id)


def _resume(claims: list[Claim], resumed: list[Claim], until: int | None) -> None:
    """Those whose time comes go on, unless something else holds by then."""
    while resumed and (until is None or resumed[0].first.valid_from < until):
        again = resumed.pop(0)
        if all(claim.is_resumed for claim in _held_at(claims, again.first.valid_from)):
            claims.append(again)


def _is_followed(claim: Claim, statement: Statement) -> bool:
    """Whether what would go on had been ended by the statement, had nobody told of the time between."""
    goes_on = statement.valid_to is None or statement.valid_to > claim.first.valid_from
    return goes_on and not _disputes(statement, claim)


def _disputes(statement: Statement, other: Claim) -> bool:
    """Two people who say different things of the same time contradict each other; one who said so before, or the owner,
    corrects, and a later time is a change."""
    if statement.actor_id in other.said_by or statement.actor_id == OWNER:
        return False
    apart = statement.valid_from - other.last.valid_from
    if statement.dated or other.last.dated:
        return apart == 0
    return apart < _DAY_MS
