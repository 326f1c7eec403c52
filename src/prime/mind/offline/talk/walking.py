"""How a channel's two sides speak: the counterpart walks its beats, Prime answers them, both react, and both end.

Everything is read from the lines and the facts of the request; nothing is kept between two calls.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.heard.conditions import bare
from prime.mind.offline.heard.decisions import Decision
from prime.mind.offline.heard.transcript import Transcript, read_transcript
from prime.mind.offline.library.archetypes import ASKED, GENERAL, Library
from prime.mind.offline.library.roles import BEATS, BeatKind, Role, Said
from prime.mind.offline.rooms.names import first_name
from prime.mind.offline.talk.answers import Changed, Heard, asked_of_counterpart, heard_by_prime, reactions
from prime.mind.offline.words.language import Language, capitalised
from prime.mind.offline.words.templates import first_new, said_by

PRIME_ROLE = "prime"
_STEPS_AFTER_THE_END = 2
# Beats that a decision of the owner's comes before.
_AFTER_A_DECISION = frozenset({"commit", "deliver"})


@dataclass(frozen=True, slots=True)
class Walk:
    """One side of one channel, about to speak."""

    library: Library
    role: Role
    language: Language
    slots: Mapping[str, str]
    so_far: Transcript
    # Which of the project's rooms this is, and which of those that speak alike: what all may say is said differently in each.
    turn: int = 0
    alike: int = 0

    def say_alike(self, said: Said | None, *seeds: str) -> str:
        """One of the sentences that belong to a kind of counterpart: rooms with others of that kind say another one."""
        return replace(self, turn=self.alike).say(said, *seeds)

    def say(self, said: Said | None, *seeds: str, more: Mapping[str, str] | None = None) -> str:
        """One of these sentences that was not said before; "" where none is left."""
        if said is None:
            return ""
        slots = {**self.slots, **(more or {})}
        seed = "|".join((self.slots.get("project", ""), *seeds))
        return first_new(said.of(self.language), slots, self.so_far.own, seed, self.turn) or ""


def walk_on(request: ReplyRequest, library: Library) -> str:
    """What the speaker says next; "" when it is the other's turn or everything is said."""
    walk = _walk(request, library)
    if walk.so_far.waits:
        return ""
    text = _prime(walk, request) if request.role.casefold() == PRIME_ROLE else _counterpart(walk)
    return "" if text in walk.so_far.own else text


def _walk(request: ReplyRequest, library: Library) -> Walk:
    facts = request.facts
    role = library.role(facts.get("archetype", ""), facts.get("role", "")) or _any_role(
        library, request.tier, facts.get("role", "")
    )
    language: Language = "zh" if facts.get("language") == "zh" else "en"
    so_far = read_transcript(request.lines, request.brief)
    heard = so_far.last_other
    money, days = amounts(heard), dates(heard)
    thing = facts.get("thing") or facts.get("item") or role.item.of(language)
    item = facts.get("item") or role.item.of(language)
    slots = {
        **{name: value for name, value in facts.items() if request.tier == "team" or name != "budget"},
        "thing": thing,
        "project": facts.get("project") or thing,
        "thing_cap": capitalised(thing),
        "item": item,
        "item_cap": capitalised(item),
        "first": first_name(facts.get("me", ""), language),
        "heard": money[-1].text if money else "",
        "heard_date": days[-1].text if days else "",
    }
    turn, alike = _places(library, facts, role)
    return Walk(library, role, language, slots, so_far, turn, alike)


def _places(library: Library, facts: Mapping[str, str], role: Role) -> tuple[int, int]:
    """Where a room stands among all of its project, and among those whose counterparts speak alike."""
    archetype = library.archetypes.get(facts.get("archetype", ""))
    roles: Mapping[str, Role] = archetype.roles if archetype else {}
    key = facts.get("role", "")
    if key in roles:
        before = list(roles)[: list(roles).index(key)]
        return len(before), sum(roles[each].like == role.like for each in before)
    # Somebody who was asked for by name comes behind those whom the project always needs.
    number = int(found[0]) if (found := re.search(r"\d+$", key)) else 1
    return len(roles) + number - 1, sum(each.like == role.like for each in roles.values()) + number - 1


def _any_role(library: Library, tier: str, key: str) -> Role:
    """Whom somebody is like who is in no archetype: as the key says, else as anybody of that tier."""
    roles = library.archetypes[GENERAL].roles
    if named := roles.get(key.removeprefix(ASKED).partition("-")[0]):
        return named
    return next((role for role in roles.values() if role.tier == tier), next(iter(roles.values())))


# --- the counterpart ---


def _counterpart(walk: Walk) -> str:
    position = len(walk.so_far.own)
    wanted = _answer_to_what_is_wanted(walk)
    heed = wanted or _heed(walk) or _heed_change(walk)
    if position >= len(BEATS):
        return heed or _again(walk, position)
    kind = BEATS[position]
    if wanted and kind in _AFTER_A_DECISION:
        return wanted
    decided = _decided(walk, kind)
    # Who answers to the decision itself need not first say that it was heard.
    prefix = heed if not decided or _quoted_in(walk) else ""
    prefix = prefix or (_answer_to_prime(walk) if position and not heed else "")
    beat = walk.say_alike(decided or walk.library.beat(walk.role, kind), kind) or walk.say_alike(
        walk.library.voices[walk.role.like].beat(kind), kind
    )
    return _joined(walk, prefix, beat)


def _answer_to_what_is_wanted(walk: Walk) -> str:
    """What a counterpart says to a yes that wants something first."""
    so_far = walk.so_far
    if not so_far.owes_answer or so_far.decision is None or so_far.decision.condition is None:
        return ""
    said = reactions().wanted[so_far.decision.condition].answer
    more = {"decision": bare(so_far.decision.text), **_named_already(walk)}
    return walk.say(said, "wanted", more=more)


def _again(walk: Walk, position: int) -> str:
    """A second, smaller matter of the same kind: what the owner made a rule of need not be asked twice."""
    decision, deposit = walk.so_far.decision, walk.slots.get("deposit")
    agreed = decision is not None and decision.polarity == "yes" and decision.condition is None
    first = walk.role.like == "supplier" and not walk.alike and position == len(BEATS)
    if not (first and agreed and deposit and any(deposit in each for each in walk.so_far.own)):
        return ""
    return walk.say(reactions().again, "again")


def _named_already(walk: Walk) -> dict[str, str]:
    """The counterpart's own sums that it has named: nobody comes down to one of them."""
    own = walk.so_far.own
    return {name: "" for name in ("quote", "low") if any(walk.slots.get(name, "\0") in said for said in own)}


def _heed(walk: Walk) -> str:
    """What a decision of the owner's makes the counterpart say before it goes on."""
    so_far = walk.so_far
    if not so_far.owes_answer or so_far.decision is None:
        return ""
    said = reactions().heed.of(so_far.decision.polarity)
    return walk.say(said, "heed", more={"decision": _quoted_in(walk)})


def _heed_change(walk: Walk) -> str:
    change = walk.so_far.change
    return walk.say(_of_change(walk).heed, "changed", more={"change": change}) if change else ""


def _of_change(walk: Walk) -> Changed:
    return reactions().told if walk.so_far.only_told else reactions().changed


def _decided(walk: Walk, kind: BeatKind) -> Said | None:
    decision = walk.so_far.decision
    if kind == "deliver" and _is_unsettled(walk):
        return reactions().unsettled
    if decision is None or decision.polarity == "open":
        return None
    return walk.library.decided(walk.role, kind, agreed=decision.polarity != "no")


def _is_unsettled(walk: Walk) -> bool:
    """Whether the last word was none: who is no teammate hands nothing over then."""
    decision = walk.so_far.decision
    if decision is None or walk.role.tier == "team":
        return False
    return decision.polarity == "open" or decision.condition in {"less", "more", "time", "reading"}


def _quoted_in(walk: Walk) -> str:
    """The owner's words, where they say more than yes or no to what was asked."""
    decision = walk.so_far.decision
    if decision is None:
        return ""
    text = decision.text.strip().rstrip(".。!！")
    if decision.polarity in {"words", "open"}:
        return text
    known = {money.value for said in (*walk.so_far.own, walk.so_far.last_other) for money in amounts(said)}
    other_sum = decision.money is not None and decision.money.value not in known
    return text if len(text.split()) > _SHORT_ANSWER or len(text) > _LONG_ANSWER or other_sum else ""


_SHORT_ANSWER, _LONG_ANSWER = 5, 24


def _answer_to_prime(walk: Walk) -> str:
    asked = asked_of_counterpart(walk.so_far.last_other)
    # Nobody comes down to a sum that was named already, or from one that was not.
    more = {} if list(_named_already(walk)) == ["quote"] else {"low": ""}
    return walk.say(reactions().answers[asked], asked, more=more) if asked else ""


# --- Prime ---


def _prime(walk: Walk, request: ReplyRequest) -> str:
    change = walk.so_far.change
    if any(change in each for each in walk.so_far.new):
        change = ""  # who was quicker has taken it from the brief
    relay = walk.say(_of_change(walk).relay, "changed", more={"change": change}) if change else ""
    if change and not walk.so_far.new and not walk.so_far.owes_answer:
        return relay
    return _joined(walk, relay, _prime_goes_on(walk, request))


def _prime_goes_on(walk: Walk, request: ReplyRequest) -> str:
    so_far = walk.so_far
    if so_far.owes_answer and so_far.decision:
        return _relay(walk, so_far.decision)
    if not so_far.others:
        return _opening(walk, request)
    heard = heard_by_prime(so_far.last_other)
    if heard.instructed or (heard.private and request.tier != "team"):
        refusal = walk.say(reactions().answers["instructed" if heard.instructed else "private"], "refusal")
        return refusal or walk.say(reactions().closing, "closing")
    position = so_far.others - 1
    if position >= len(BEATS):
        return _after_the_end(walk, heard, position)
    kind = BEATS[position]
    if settled := _settled(walk, request, kind):
        return walk.say(settled, "settled")
    answers = _joined(walk, *_answers(walk, heard, kind))
    said = walk.say(_paired(walk, kind), "prime", kind) or _in_general(walk, request, kind, answered=bool(answers))
    return _joined(walk, answers, said) or walk.say(reactions().closing, "closing", kind)


def _relay(walk: Walk, decision: Decision) -> str:
    """A decision of the owner's, as it is told to the counterpart."""
    if decision.condition:
        return walk.say(reactions().wanted[decision.condition].relay, "wanted", more={"decision": bare(decision.text)})
    # The second decision is passed on in other words than the first.
    later = replace(walk, turn=walk.turn + (walk.so_far.others > len(BEATS)))
    return later.say(reactions().relay.of(decision.polarity), "relay", more={"decision": _quoted_in(walk)})


def _opening(walk: Walk, request: ReplyRequest) -> str:
    if walk.so_far.own:
        return ""
    opening = reactions().opening
    return walk.say_alike(opening.team, "opening") if request.tier == "team" else walk.say(opening.other, "opening")


def _settled(walk: Walk, request: ReplyRequest, kind: BeatKind) -> Said | None:
    """What Prime says to what the counterpart made of a decision."""
    decision = walk.so_far.decision
    if decision is None:
        return None
    if kind == "commit" and decision.condition:
        return reactions().wanted[decision.condition].settled
    if kind == "commit":
        team = request.tier == "team" and decision.polarity != "open"
        return reactions().settled.of("words" if team else decision.polarity)
    if kind == "deliver" and _is_unsettled(walk):
        return reactions().settled.open
    return reactions().settled.no if kind == "deliver" and _turned_down(walk) else None


def _turned_down(walk: Walk) -> bool:
    """Whether there is nothing to hand over, because the owner said no."""
    decision = walk.so_far.decision
    if decision is None or decision.polarity != "no":
        return False
    return walk.library.decided(walk.role, "deliver", agreed=False) is not None


def _in_general(walk: Walk, request: ReplyRequest, kind: BeatKind, *, answered: bool) -> str:
    """What Prime says where it has no answer to exactly that; what only the owner can know it does not make up."""
    if kind == "ask" and "ask" in walk.role.beats and not answered:
        unknown = reactions().unknown
        return walk.say(unknown.team if request.tier == "team" else unknown.other, "unknown")
    return walk.say_alike(walk.library.prime_says(walk.role, kind), "prime", kind)


def _paired(walk: Walk, kind: BeatKind) -> Said | None:
    """Prime's answer to exactly the sentence that was said, where the role, or the voice that it is like, has one for each."""
    own, voice = walk.role.beats.get(kind), walk.library.voices[walk.role.like]
    beat, prime = (own, own.prime) if own else (voice.beat(kind), voice.prime.get(kind) if kind == "ask" else None)
    if prime is None:
        return None
    asked, answers = beat.of(walk.language), prime.of(walk.language)
    at = next((n for n, template in enumerate(asked) if said_by(template, walk.so_far.last_other)), None)
    return Said(en=(answers[at],)) if at is not None and len(answers) == len(asked) else None


def _answers(walk: Walk, heard: Heard, kind: BeatKind) -> list[str]:
    """Answers to what was asked, from what the channel may know. At a decision Prime answers nothing by itself."""
    if kind not in {"open", "ask", "offer"}:
        return []
    known = [asked if walk.slots.get(asked) else f"unknown_{asked}" for asked in heard.asked]
    answers = reactions().answers
    return [text for name in known if (text := walk.say(answers[name], name))]


def _after_the_end(walk: Walk, heard: Heard, position: int) -> str:
    """A counterpart that goes on is answered when it asks; thanks are not returned for ever."""
    if not heard.question or position >= len(BEATS) + _STEPS_AFTER_THE_END:
        return ""
    return walk.say(reactions().closing, "closing", str(position))


def _joined(walk: Walk, *parts: str) -> str:
    return ("" if walk.language == "zh" else " ").join(part for part in parts if part)
