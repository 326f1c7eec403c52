"""Learned rules: what one answer says about the next case like it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prime.core.classes import Profile, match_profiles, profile
from prime.mind.jobs.judging import KnownRule
from prime.mind.offline.figures.bounds import asks_first, bound_of, unquoted
from prime.mind.offline.judging.restrictions import is_met
from prime.mind.offline.judging.rules import is_in, place_of, understood

_NUMBER = re.compile(r"(\d[\d,.]*)\s*(万|亿|k\b|m\b|million\b|thousand\b)?", re.IGNORECASE)
_UNITS = {"万": 1e4, "亿": 1e8, "k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A distilled decision. `sources` are the messages that it was learned from, `channel_id` where they stand."""

    id: str
    text: str
    question_id: str
    question: str
    channel_id: str
    sources: tuple[str, ...]
    hits: int
    last_hit_at: int | None
    active: bool
    created_at: int


class RuleBook:
    """Standing rules, ready to be tried on many candidates."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = [rule for rule in rules if rule.active]
        self._profiles: list[tuple[Rule, tuple[Profile, ...]]] = [
            (rule, tuple(profile(text) for text in (rule.question, rule.text) if text)) for rule in self.rules
        ]
        self._ids = {rule.id: rule for rule in self.rules}

    def named(self, rule_id: str | None, candidate: str) -> Rule | None:
        """The standing rule that a mind says settles a candidate; one that plainly does not is none."""
        rule = self._ids.get(rule_id) if rule_id else None
        if rule is None or asks_first(rule.text):
            return None
        bound = bound_of(rule.text)
        return None if bound and bound.excludes(candidate) else rule

    def covers(self, candidate: str, place: str = "") -> Rule | None:
        """The rule that settles a candidate of this channel by its own words; the best of several."""
        if not self._profiles:
            return None
        wanted = profile(candidate)
        best: tuple[float, Rule] | None = None
        for rule, taught in self._profiles:
            if (kept_to := place_of(rule.text)) and not is_in(kept_to, place):
                continue
            found = [m.cover for each in taught if (m := match_profiles(wanted, each))]
            if found and _within(candidate, rule) and (best is None or max(found) > best[0]):
                best = max(found), rule
        return best[1] if best else None


def told_of(rule: Rule) -> str:
    """What somebody is told whom a rule answers: yes or no, and never how far the owner would go."""
    chinese = any("\u4e00" <= c <= "\u9fff" for c in rule.text)
    bounded = understood(KnownRule(id=rule.id, text=rule.text)).answer if bound_of(rule.text) else ""
    if _DECLINES.search(rule.text) or bounded == "no":
        return "不，这次不行。" if chinese else "No, not this time."
    if _AGREES.search(rule.text) or bounded == "yes":
        return "可以，请照此进行。" if chinese else "Yes, please go ahead."
    return ""


_DECLINES = re.compile(
    r"^\W*(?:decline|refuse|reject|never|do not|don[’']t|no)\b|一律(?:不|拒绝)|绝不|拒绝|不(?:接受|同意)", re.IGNORECASE
)
_AGREES = re.compile(r"^\W*(?:agree|accept|approve|allow|spend|yes)\b|直接(?:同意|接受)", re.IGNORECASE)


def tried(text: str, question: str) -> RuleBook:
    """A book of the one rule that somebody thinks of learning."""
    return RuleBook([
        Rule(
            id="", text=text, question_id="", question=question, channel_id="", sources=(), hits=0, last_hit_at=None,
            active=True, created_at=0,
        )
    ])  # fmt: skip


def _within(candidate: str, rule: Rule) -> bool:
    """A rule about five thousand says nothing about fifty thousand, and nothing about what names no sum."""
    read = understood(KnownRule(id=rule.id, text=rule.text))
    if asks_first(rule.text) or (read.is_verdict and not is_met(rule.text, candidate)):
        return False
    if bound := bound_of(rule.text):
        return bound.holds(candidate)
    known = _numbers(unquoted(rule.text)) or _numbers(rule.question)
    return not known or max(_numbers(candidate), default=0.0) <= max(known)


def _numbers(text: str) -> list[float]:
    found: list[float] = []
    for number, unit in _NUMBER.findall(text):
        plain = number.rstrip(".,").replace(",", "")
        if plain.count(".") <= 1:
            found.append(float(plain) * _UNITS.get(unit.casefold(), 1))
    return found
