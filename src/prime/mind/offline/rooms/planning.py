"""From what the owner wrote to a war room: which channels, who is in them, which tier, what they are told."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from prime.core.words import terms
from prime.mind.jobs.planning import COMPETES_FOR, KnownAgent, OpenChannel, PlannedChannel, PlannedParticipant
from prime.mind.offline.figures.amounts import budget_of, parsed_number, rounded, written
from prime.mind.offline.figures.dates import parsed_day
from prime.mind.offline.library.archetypes import GENERAL, Archetype
from prime.mind.offline.library.roles import TEAM_SLOTS, Role
from prime.mind.offline.rooms.asking import asked_for
from prime.mind.offline.rooms.evidence import is_of
from prime.mind.offline.rooms.names import companies, first_name, people
from prime.mind.offline.slots.slots import names_in, public_slots
from prime.mind.offline.things.chunks import is_undertaking
from prime.mind.offline.things.things import article_in, with_article, without_article
from prime.mind.offline.words.language import (
    Language,
    chosen,
    ended,
    first_sentence,
    in_order,
    is_written,
    number_for,
    shortened,
)
from prime.mind.offline.words.phrases import phrases
from prime.mind.offline.words.templates import filled
from prime.rooms.tier import Tier

MOST_CHANNELS = 6
_WEEKDAYS_ZH = "一二三四五六日"
_SPANS: Mapping[Language, tuple[str, ...]] = {
    "en": ("two weeks", "ten days", "three weeks", "eight days"),
    "zh": ("两周", "十天", "三周", "八天"),
}
# What one speaks of without an article, whatever was written before it.
_COUNTED = re.compile(
    r"^(?:\d(?!\d*(?:st|nd|rd|th)\b|\d*[- ](?:day|week|weekend|month|year|hour|night|course|part|page|city|stop)\b)"
    r"|(?:somebody|two|three|four|five|six|seven|eight|nine|ten|some|several|many|the|a|an|our|my|every|each|all|both|version"
    r"|more|fewer|less|another|new(?=(?: [a-z]+)* [a-z]+s$)"
    r"|learning|losing|quitting|running|who|what|how|where|when|whether|which|why)\b(?!-))"
)

_KIN = (
    "mum|mom|mother|dad|father|wife|husband|partner|daughter|son|sister|brother|grandma|grandmother|grandpa|grandfather|granny|aunt"
    "|uncle|parents|friend|boss"
)
_POSSESSED = re.compile(rf"^(?:[A-Z][\w-]*[’']s?|(?:my )?(?:{_KIN})(?:[’']s?|s))\s")
_MINE_IN_FAMILY = re.compile(rf"(?<=\s)(?:my|our)\s+(?:{_KIN})(?:[’']s?|s)\s", re.IGNORECASE)
_MINE = re.compile(r"(?<=\s)(?:my|our)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"^(?:my )?[a-z]+(?:[’']s?|(?<=[a-z])s)\s")
# What costs so many euros costs so many times more yuan, where work is cheaper.
_DEARER_IN_YUAN = 5
# What such a counterpart does not get up for, however small the project is.
_LEAST: Mapping[str, float] = {"teammate": 200, "expert": 800}


@dataclass(frozen=True, slots=True)
class Project:
    """A wish, read: its archetype, what was found in it, and the seed for everything that is made up."""

    archetype: Archetype
    slots: Mapping[str, str]
    language: Language
    wish: str
    today: str

    @property
    def bare_thing(self) -> str:
        return _of_nobody(self.slots.get("thing") or without_article(self.archetype.thing.of(self.language)))

    @property
    def thing(self) -> str:
        return _of_nobody(self._named())

    def _named(self) -> str:
        named = self.slots.get("thing")
        if not named:
            return self.archetype.thing.of(self.language)
        if self.language == "zh" or _POSSESSED.match(named):
            # Whose it is in the family is nobody's business.
            return _RELATIVE.sub("the ", named)
        written = article_in(self.wish, named)
        if is_undertaking(named, self.wish) or _COUNTED.match(named) or (named[0].isupper() and not written):
            return named
        if self.archetype.article == "a" or written == "a":
            return with_article(named)
        if written == "new":
            return f"new {named}"
        return f"the {named}"

    @property
    def name(self) -> str:
        """All that is done about the thing, as one says it in a sentence."""
        return (
            filled(self.archetype.project.of(self.language), {**self.slots, "thing": self.thing}, capital=False)
            or self.thing
        )

    @property
    def title(self) -> str:
        slots = {**self.slots, "thing": self.bare_thing, "project": self.name}
        title = filled(self.archetype.title.of(self.language), slots)
        return shortened(title or self.bare_thing, 60)


def _of_nobody(thing: str) -> str:
    """As others say it: “the cookbook of my grandmother's recipes” is one of family recipes."""
    return _MINE.sub("the", _MINE_IN_FAMILY.sub("family ", thing))


def roles_for(project: Project) -> list[tuple[str, Role]]:
    """Roles that the words call for, then those that are always there."""
    text = project.wish.casefold()
    # In what is of no kind of its own a word calls nobody from wherever it stands.
    asked = asked_for(project.wish) if project.archetype.name == GENERAL and project.language == "en" else ()
    called = {
        key: role
        for key, role in project.archetype.roles.items()
        if (not role.when or (is_of(role.when, asked) if asked else _is_written(role.when, text)))
        and not _is_refused(role, text)
        and not _stays(role, project)
    }
    roles = [(key, role) for key, role in called.items() if role.instead_of not in called]
    while len(roles) > MOST_CHANNELS:
        roles.remove(next((r for r in reversed(roles) if not r[1].when), roles[-1]))
    return roles


def _stays(role: Role, project: Project) -> bool:
    """Whether a role is for going abroad and the owner does not: nobody needs a visa for a town of their own country."""
    return role.abroad and project.language == "zh" and not _ABROAD_ZH.search(project.wish)


_ABROAD_ZH = phrases("planning_abroad_zh")


def _is_written(words: Sequence[str], text: str) -> bool:
    return any(is_written(word, text) if word.isascii() else word in text for word in words)


_WITHOUT = (
    r"\b(?:without|no|not (?:use|using|via|through)|don[’']t (?:want|use|need)|avoid(?:ing)?|instead of)\s+"
    r"(?:an?\s+|any\s+|the\s+)?(?:[a-z]+\s+)?"
)
_WITHOUT_ZH = "(?:不走|不要|不用|不找|不想找|不请|不通过|不经过|别找|别请|无需|没有)(?:任何)?"


def _is_refused(role: Role, text: str) -> bool:
    """Whom the owner does without gets no room."""
    ways = [rf"{_WITHOUT if word.isascii() else _WITHOUT_ZH}{re.escape(word)}" for word in role.refused]
    return any(re.search(way, text) for way in ways)


@dataclass(frozen=True, slots=True)
class Part:
    """One role of a war room, and the project that it belongs to: a wish may hold several."""

    project: Project
    key: str
    role: Role


def parts_of(project: Project, roles: Sequence[tuple[str, Role]]) -> list[Part]:
    return [Part(project, key, role) for key, role in roles]


def channels_for(
    parts: Sequence[Part], agents: Sequence[KnownAgent], there: Sequence[OpenChannel]
) -> tuple[PlannedChannel, ...]:
    taken, names = {channel.key for channel in there}, {channel.name for channel in there}
    language, wish = parts[0].project.language, parts[0].project.wish
    faces = iter(people(language, len(parts), wish))
    firms = iter(companies(language, len(parts), wish))
    named = iter(names_in(wish))
    free = list(agents)
    planned: list[PlannedChannel] = []
    for part in parts:
        project, key, role = part.project, part.key, part.role
        agent = _agent_for(part, free)
        if agent:
            free.remove(agent)
        face, firm = next(faces), next(firms)
        known = next(named, None) if role.tier == "business_relation" and not agent else None
        channel_key = _free_key(f"{project.archetype.name}-{key}", taken)
        taken.add(channel_key)
        channel = _channel(project, channel_key, key, role, agent or known or face, firm)
        if channel.name in names:  # two projects may each have a venue
            channel = replace(channel, name=shortened(f"{channel.name} ({project.bare_thing})", 60))
        names.add(channel.name)
        planned.append(channel)
    return tuple(planned)


def _channel(
    project: Project, channel_key: str, key: str, role: Role, who: KnownAgent | str, house: str
) -> PlannedChannel:
    language = project.language
    remote = who if isinstance(who, KnownAgent) else None
    # A stranger's agent is told what a stranger is told, whatever the role is.
    tier: Tier = "external" if remote else role.tier
    name = remote.name if remote else str(who)
    firm = "" if tier == "team" or remote or not role.firm else house
    slots = _slots_for(project, role, tier) | {"me": name, "first": first_name(name, language), "company": firm}
    brief_slots = {n: v for n, v in slots.items() if tier == "team" or n not in TEAM_SLOTS}
    if brief_slots.get("count", "") in project.thing:
        brief_slots.pop("count", None)  # “500 mugs, 500 mugs”
    brief = filled(role.brief.of(language), brief_slots) or project.thing
    shown = f"{name} ({firm})" if firm and language == "en" else f"{firm}{name}" if firm else name
    participant = PlannedParticipant(
        name=shown,
        role=role.role.of(language),
        connector="prime_message" if remote else "llm_generic",
        agent_id=remote.id if remote else None,
    )
    facts = {"archetype": project.archetype.name, "role": key, "language": language, **slots}
    if role.competes_for:
        facts[COMPETES_FOR] = role.competes_for
    return PlannedChannel(
        key=channel_key,
        name=_named(role, project),
        tier=tier,
        participants=(participant,),
        brief=brief,
        facts={name: value for name, value in facts.items() if value},
    )


_LONGEST_ROOM = 44
_DETERMINED = r"(?:\b(?:an?|the|my|our|his|her|their|some|two|three|four|five|six|ten)|\d)\s+(?:[\w’'-]+\s+){{0,3}}{}\b"


def _named(role: Role, project: Project) -> str:
    """A room of no trade is called by what it is about, where that is short: “Specialist for the hearing aids”."""
    name = role.channel.of(project.language)
    if "{" not in name:
        return name
    told = {"thing": project.thing} if "thing" in project.slots and _is_asked_for(project) else {}
    full = filled(name, told) or ""
    return full if 0 < len(full) <= _LONGEST_ROOM else filled(name, {}) or role.role.of(project.language)


def _is_asked_for(project: Project) -> bool:
    """Whether the thing is what the words ask for: a piece of a sentence names no room."""
    if project.language == "zh":
        return False
    last = project.bare_thing.casefold().rpartition(" ")[2]
    asked = any(
        each.text == last for asking in asked_for(project.wish) for each in asking.words if each.place == "head"
    )
    return asked and bool(re.search(_DETERMINED.format(re.escape(last)), project.wish, re.IGNORECASE))


def _slots_for(project: Project, role: Role, tier: Tier) -> dict[str, str]:
    """What this counterpart may know, and the sums and days that it names itself."""
    told = dict(project.slots) if tier == "team" else public_slots(project.slots)
    told.pop("names", None)
    told["thing"] = project.thing
    if told.get("place", "") in project.thing:
        told.pop("place", None)  # “the move to Lyon in Lyon”
    if tier == "team":
        # In Chinese all of it: the file of a matter holds what was said behind the first full stop, too.
        report = shortened(project.wish, 240) if project.language == "zh" else first_sentence(project.wish, 240)
        told["report"] = ended(report, project.language)
    told["project"] = project.name
    told["item"] = role.item.of(project.language)
    named = role.role.of(project.language)
    told["trade"] = (
        named if project.language == "zh" else f"the {named}" if role.article == "the" else with_article(named)
    )
    return told | _sums(project, role) | _times(project, role)


def _sums(project: Project, role: Role) -> dict[str, str]:
    """Sums of the counterpart's own. They follow the order of magnitude of the project, never its budget."""
    base, currency = _scale(project)
    share = base * role.share
    if role.costs and budget_of(project.slots) is None:
        # What a locksmith asks for says more than a share of what nobody named.
        share = role.costs * (_DEARER_IN_YUAN if currency == "CNY" else 1)
    share *= 0.85 + number_for(project.wish, role.channel.en) % 40 / 100
    least = _LEAST.get(role.like, 0) * (8 if project.language == "zh" else 1)
    whole = rounded(max(share, min(least, base * 0.4) if not role.costs else 0))
    sums = {
        "quote": whole,
        "low": rounded(whole * 0.85),
        "deposit": rounded(whole * 0.3),
        "extra": rounded(whole * 0.25),
        "little": rounded(whole * 0.05),
    }
    return {name: written(value, currency, project.language) for name, value in sums.items()}


def _scale(project: Project) -> tuple[float, str]:
    budget = budget_of(project.slots)
    plain = {"zh": "CNY", "en": project.archetype.scale.currency}[project.language]
    if budget is None or budget.value < 100:
        usual = _usual(project) * (8 if project.language == "zh" else 1)
        return usual, (budget.currency if budget and budget.currency else plain)
    power = 10 ** (len(str(int(budget.value))) - 1)
    # Who sells hears offers near what was hoped for; who buys, of its order of magnitude only.
    steps = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8) if project.archetype.income else (1, 2, 5)
    step = max(step for step in steps if step * power <= budget.value)
    return float(step * power), budget.currency or plain


def _usual(project: Project) -> float:
    scale, counted = project.archetype.scale, re.search(r"\d[\d,]*", project.slots.get("count", ""))
    number = parsed_number(counted[0]) if counted else None
    return number * scale.each if number and scale.each else scale.amount


def _times(project: Project, role: Role) -> dict[str, str]:
    ahead = 3 + number_for(project.wish, role.channel.en, "soon") % 4
    today = parsed_day(project.today)
    day = (today.weekday() if today else 0) + ahead
    if day % 7 > 4:
        day += 2
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Monday", "Monday")
    soon = f"周{_WEEKDAYS_ZH[day % 7]}" if project.language == "zh" else names[day % 7]
    return {"soon": soon, "days": chosen(_SPANS[project.language], project.wish, role.channel.en, "days")}


def _agent_for(part: Part, agents: Sequence[KnownAgent]) -> KnownAgent | None:
    # Who can do “catering” is found for the room of that name, whatever else is listed.
    role = part.role
    wanted = {_as_words(name) for name in (*role.capabilities, role.channel.en, role.role.en)}
    fitting = [agent for agent in agents if wanted & {_as_words(c) for c in agent.capabilities}]
    if not fitting and role.tier != "team":
        # Else by the words that a room was named with, and those of the thing where the role is to do just that.
        about = set(terms(f"{role.channel.en} {part.project.thing if _THE_THING in role.capabilities else ''}"))
        fitting = [agent for agent in agents if any(_is_said(c, about) for c in agent.capabilities)]
    return in_order(fitting, role.channel.en)[0] if fitting else None


_THE_THING = "{thing}"


def _is_said(capability: str, words: set[str]) -> bool:
    named = set(terms(_as_words(capability)))
    return bool(named) and named <= words


def _as_words(capability: str) -> str:
    return " ".join(re.split(r"[\s_-]+", capability.casefold()))


def _free_key(key: str, taken: set[str]) -> str:
    number, free = 1, key
    while free in taken:
        number += 1
        free = f"{key}-{number}"
    return free
