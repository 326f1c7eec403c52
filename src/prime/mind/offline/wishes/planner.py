"""A message of the owner's becomes a plan: a war room, more of it, less of it, or only words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from prime.mind.jobs.planning import OpenChannel, OpenProject, Plan, PlanRequest
from prime.mind.offline.figures.amounts import MONEY
from prime.mind.offline.figures.income import INCOME, cost_in
from prime.mind.offline.figures.places import known_places, with_names
from prime.mind.offline.heard.intents import asks_for_something
from prime.mind.offline.library.archetypes import GENERAL, Archetype, Library
from prime.mind.offline.library.roles import Role
from prime.mind.offline.rooms.calling import trade_named
from prime.mind.offline.rooms.kinds import (
    UNDERTAKES,
    beneath,
    best_archetype,
    called_by,
    clearness,
    named_by,
    names_role,
)
from prime.mind.offline.rooms.planning import MOST_CHANNELS, Part, Project, channels_for, parts_of, roles_for
from prime.mind.offline.rooms.requested import asked_for, requested, whoever, with_needs, with_requested
from prime.mind.offline.rooms.rooms_words import summary_of, words_about
from prime.mind.offline.rooms.trading import with_trades
from prime.mind.offline.slots.budgets import hopes_for
from prime.mind.offline.slots.counts import goods_of
from prime.mind.offline.slots.needs import is_step
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.talk.talk import noted, quoting, told_by, words_for
from prime.mind.offline.things.asked import asked_in, is_cut
from prime.mind.offline.things.asked_han import is_cut_in_chinese, is_to_be_done
from prime.mind.offline.things.doing import doing_in
from prime.mind.offline.things.things import first_words, without_article
from prime.mind.offline.wishes.altering import change_of
from prime.mind.offline.wishes.carrying import carrying
from prime.mind.offline.wishes.closing import closed, ends_all, nothing_runs
from prime.mind.offline.wishes.ending import call_off, ended, reopened, until_when
from prime.mind.offline.wishes.meaning import what_is_meant
from prime.mind.offline.wishes.named_han import asked_anyhow, named_in_words
from prime.mind.offline.wishes.openings import tells_a_price
from prime.mind.offline.wishes.passing import passed_on
from prime.mind.offline.wishes.rearranging import Rearranged, rearranged
from prime.mind.offline.wishes.spoken_of import spoken_of
from prime.mind.offline.wishes.standing import standing
from prime.mind.offline.wishes.titles import title_of
from prime.mind.offline.words.glossary import in_english
from prime.mind.offline.words.han import in_simplified
from prime.mind.offline.words.language import MOST, Language, first_sentence, language_of, listed
from prime.mind.offline.words.phrases import phrases
from prime.mind.offline.words.several import wishes_in
from prime.mind.offline.words.shorthand import written_out
from prime.mind.offline.words.telling import only_tells
from prime.mind.offline.words.typos import mended

_READ_AS = "Without a language model I speak English and Chinese. I read your words as: “{}”."
_MORE = phrases("planner_more")
# Words of wishes that no archetype has, and that people mistype.
_OFTEN = (
    "organize",
    "organise",
    "people",
    "guests",
    "small",
    "euros",
    "dollars",
    "birthday",
    "meeting",
    "budget",
    "month",
)


def plan(request: PlanRequest, library: Library) -> Plan:
    wish = request.wish.strip()[:MOST]
    language = language_of(wish)
    wish = written_out(wish) if language == "en" else in_simplified(wish)
    if again := reopened(wish, request, language):
        return again
    if off := ended(wish, request):
        return _ended(wish, off, request, language)
    if request.channels and (both := rearranged(wish)):
        return _rearranging(both, request, library, language)
    return _plan(wish, request, library, language)


def _ended(wish: str, project: OpenProject, request: PlanRequest, language: Language) -> Plan:
    """What is called off for now and wanted at another time is moved, and its rooms go on."""
    request = replace(request, aims=project.aims)
    if (later := until_when(wish, request)) and (changed := change_of(later, project, request, language)):
        return changed
    return call_off(wish, project, request, language)


def _plan(wish: str, request: PlanRequest, library: Library, language: Language) -> Plan:
    intent, wish = what_is_meant(wish, request, library, language)
    project = spoken_of(wish, request)
    if project:
        request = replace(request, aims=project.aims)
    if intent == "close":
        return closed(wish, request.channels, language)
    if intent == "extend":
        return _extension(wish, request, library, language)
    if intent == "project":
        english = in_english(wish) if language == "en" else ""
        meant = _as_meant(with_names(english or wish), library)
        made = _war_room(_projects(meant, request, library, language), request, library)
        return replace(made, words=f"{_READ_AS.format(english)} {made.words}") if english else made
    quoted: tuple[str, ...] = ()
    if not request.channels and ends_all(wish):
        return nothing_runs(wish, language)
    if intent in {"status", "waiting"}:
        words = standing(request, language, whole=intent == "status")
    else:
        told = told_by(wish, request.channels) if intent == "question" else {}
        quoted = tuple(line.message_id for line in told.values())
        words = (
            quoting(told, language)
            or words_for(intent, wish, request.lines, language)
            or _kept(wish, language, rooms=bool(request.channels))
        )
    if intent == "statement" and project and not words_for(intent, wish, request.lines, language):
        changes = not tells_a_price(wish, request.today)
        told = (change_of(wish, project, request, language) if changes else None) or passed_on(wish, request, language)
        if told:
            return told
    return Plan(title=first_sentence(wish), summary=wish, words=words, quoted=quoted)


def _as_meant(wish: str, library: Library) -> str:
    """With slips of the pen put right, where that tells what kind of project it is."""
    known = [word for archetype in library.archetypes.values() for word in archetype.words.en]
    meant = mended(wish, [*known, *_OFTEN], library.vocabulary)
    clearer = meant != wish and clearness(meant, library) > clearness(wish, library)
    return meant if clearer and best_archetype(meant, library).name != GENERAL else wish


def _project(
    wish: str, request: PlanRequest, library: Library, language: Language, archetype: Archetype | None = None
) -> Project:
    archetype = archetype or best_archetype(wish, library)
    slots = slots_in(wish, request.today)
    if slots.get("thing", "").startswith("somebody ") and archetype.name != "hiring":
        archetype = library.archetypes[GENERAL]
    slots = with_needs(slots, wish, archetype, language)
    if slots.get("thing") in requested(wish) and archetype.name not in _SEEKING:
        del slots["thing"]  # a nurse is wanted for the patient, and a hall for the wedding
    if language == "en" and re.search("[\u4e00-\u9fff]", slots.get("thing", "")):
        del slots["thing"]  # half a sentence in another language is no name
    if archetype.income and (cost := cost_in(wish)):
        # “Not more than 3k for a lawyer” is nothing that one hopes to get.
        fixed = [slots.get("constraints", ""), cost]
        slots = {n: v for n, v in slots.items() if n != "budget"} | {
            "constraints": listed(list(filter(None, fixed)), language)
        }
    if archetype.called_first and (patient := called_by(archetype, wish, language)):
        slots["thing"] = patient
    if "thing" in slots or archetype.name == GENERAL:
        slots = _with_what_is_asked(slots, wish, archetype, language)
    if "thing" not in slots and (named := named_by(archetype, wish, language) or goods_of(slots)):
        slots["thing"] = named
    slots = _with_what_is_asked(slots, wish, archetype, language)
    if "thing" in slots and (bare := beneath(archetype, slots["thing"], wish)) != slots["thing"]:
        slots = {name: value for name, value in slots.items() if name != "thing"} | ({"thing": bare} if bare else {})
    if archetype.name == "system_change" and language == "en" and slots.get("place") not in known_places(wish):
        slots.pop("place", None)  # “from Heroku to Kubernetes” is no journey
    if archetype.name == GENERAL:
        slots.setdefault("doing", doing_in(wish, slots.get("thing", ""), language))
    return Project(archetype, slots, language, wish, request.today)


def _with_what_is_asked(
    slots: Mapping[str, str], wish: str, archetype: Archetype, language: Language
) -> dict[str, str]:
    """With the object of what asks, where nothing was named by a usual verb, or only a piece of a sentence was."""
    thing = slots.get("thing", "")
    if language == "zh" and (named := named_in_words(slots, wish, archetype)) is not None:
        return named
    cut = bool(thing) and (is_cut_in_chinese(thing, wish) if language == "zh" else is_cut(thing, wish))
    named = archetype.name in _NAMED_AS_ASKED or (archetype.name == "repair" and language == "en")
    if not cut and (not named or (thing and thing not in _SAYS_LITTLE)):
        return dict(slots)
    if language == "zh" and not thing and is_to_be_done(first_words(wish, language)):
        return dict(slots)
    rest = {name: value for name, value in slots.items() if name not in {"thing", "doing"}}
    asked = asked_anyhow(wish) if language == "zh" else asked_in(wish)
    if thing in _SAYS_LITTLE and not (asked and asked.thing.startswith(f"{thing} ")):
        return dict(slots)
    if not asked or (language == "en" and goods_of(slots) and not cut):
        return rest
    return {**rest, "thing": asked.thing, "doing": asked.doing}


# Kinds of project that have no better word of their own for what they are about.
_NAMED_AS_ASKED = frozenset({GENERAL, "home", "translation"})
# What says something only with where it is: “a seat in the choir”.
_SAYS_LITTLE = frozenset({"seat", "place", "room", "table", "spot", "stall", "berth"})
# Kinds of project that are about whom one looks for.
_SEEKING = frozenset({GENERAL, "hiring", "supplier_search"})


def _projects(wish: str, request: PlanRequest, library: Library, language: Language) -> list[Project]:
    """What the message asks for: one project, and others that are another kind of work or about something else."""
    whole = _project(wish, request, library, language)
    # What is only told beside a wish is none of its own: “our oven died; we need a new one”.
    pieces = [
        each for each in wishes_in(wish) if asks_for_something(each) or UNDERTAKES.search(each) or not only_tells(each)
    ]
    if not pieces or not slots_in(pieces[0], request.today).get("thing"):
        return [whole]  # “write and publish a book” is one wish
    parts = [_project(part, request, library, language) for part in pieces]
    if "thing" not in parts[0].slots:
        return [whole]
    first = replace(parts[0], wish=". ".join(pieces), slots={**whole.slots, "thing": _fuller(parts[0], whole)})
    shared = {name: whole.slots[name] for name in ("date", "deadline") if name in whole.slots}
    others = [replace(p, wish=wish, slots={**shared, **p.slots}) for p in parts[1:] if _is_another(p, parts[0])]
    if parts[0].archetype.name == GENERAL and whole.archetype in [each.archetype for each in others]:
        return [whole]  # “i defend my thesis, need a gown, a party for 40” is one day
    if others:
        return [first, *others]
    # Whoever is to be found besides makes no other kind of project of it: “launch the lamp, find a supplier for the shades”.
    return [whole] if parts[0].archetype.name == GENERAL else [first]


def _fuller(part: Project, whole: Project) -> str:
    """What the part is about, as the whole message calls it where that says more: “a replacement for the oven”."""
    named, everything = part.slots["thing"], whole.slots.get("thing", "")
    return everything if everything.startswith(f"{named} for ") else named


def _is_another(part: Project, first: Project) -> bool:
    """Whether a part of a wish is a project of its own, and not somebody or something that the first one needs."""
    thing = part.slots.get("thing", "")
    named = first.slots["thing"]
    if not thing or is_step(thing) or requested(part.wish) or thing in named or named in thing:
        return False
    if any(names_role(thing, role) for role in first.archetype.roles.values()):
        return False
    return part.archetype.name == GENERAL or part.archetype.name != first.archetype.name


def _war_room(projects: Sequence[Project], request: PlanRequest, library: Library) -> Plan:
    project = projects[0]
    others = [part for other in projects[1:] for part in _main_parts(other, library)]
    roles = with_requested(project, roles_for(project), library)
    roles = with_trades(project, roles, library)[: MOST_CHANNELS - len(others)]
    channels = channels_for([*parts_of(project, roles), *others], request.agents, request.channels)
    channels = carrying(channels, request.wish)
    about = listed([each.name for each in projects], project.language)
    return Plan(
        title=title_of(project),
        summary=summary_of(project, channels),
        words=words_about(project, about, channels, library.problems),
        channels=channels,
        project="",
        aims=_aims(project.slots)
        | {
            "thing": project.thing,
            "archetype": project.archetype.name,
            # Whether the sum is one to get. Said either way: what held for a project before does not hold for this one.
            INCOME: "yes" if project.archetype.income or hopes_for(project.wish) else "",
        },
    )


def _main_parts(project: Project, library: Library) -> list[Part]:
    """Whom a further project needs first: one of the team and one from outside it, or somebody for exactly that."""
    roles = roles_for(project)
    if project.archetype.name == GENERAL:
        key, model = whoever(trade_named(project.bare_thing, library.trades), library, MOST_CHANNELS)
        return [Part(project, key, asked_for(model, project.bare_thing))]
    team = [each for each in roles if each[1].tier == "team"][:1]
    return parts_of(project, [*team, *(each for each in roles if each[1].tier != "team")][:2])


def _extension(wish: str, request: PlanRequest, library: Library, language: Language) -> Plan:
    """One more channel: a role that the words name, or somebody for exactly what was asked for."""
    key, role, archetype = _asked_role(wish, request.channels, library)
    project = _project(wish, request, library, language, archetype)
    item = _wanted(wish, project, language)
    if request.aims.get("thing"):
        # Whoever comes now comes for what is already under way.
        running = {name: request.aims[name] for name in ("place", "date", "thing") if request.aims.get(name)}
        # It is of the size of the whole, unless it has a limit of its own.
        whole = {"budget": request.aims["budget"]} if request.aims.get("budget") else {}
        project = replace(project, slots={**whole, **project.slots, **running, "doing": ""})
    if item and not names_role(wish, role):
        if trade := trade_named(item, library.trades):
            key, role = whoever(trade, library, len(request.channels) + 1)
        role = asked_for(role, item)
    channels = channels_for([Part(project, key, role)], request.agents, request.channels)
    opened = channels[0]
    # What one more room may cost is its own limit; what the whole may cost stays as it was.
    known = {"thing", *(name for name, value in request.aims.items() if value)}
    aims = {name: value for name, value in _aims(project.slots).items() if name not in known}
    who = opened.participants[0].name
    words = (
        f"好，“{opened.name}”频道开了，由{who}负责。"
        if language == "zh"
        else f"Done: {opened.name} is open, with {who}. I keep it in step with the others."
    )
    about = spoken_of(wish, request)
    return Plan(
        title=opened.name,
        summary=wish,
        words=words,
        channels=channels,
        aims=aims,
        project=(about.id or None) if about else None,
    )


def _rearranging(both: Rearranged, request: PlanRequest, library: Library, language: Language) -> Plan:
    """Some rooms end and others begin, in one plan."""
    plans = [closed(clause, request.channels, language) for clause in both.closing]
    there = list(request.channels)
    for name in both.opening:
        plans.append(_extension(f"{_ADD[language]}{name}", replace(request, channels=there), library, language))
        there += [OpenChannel(id="", key=c.key, name=c.name, tier=c.tier) for c in plans[-1].channels]
    if both.rest:
        plans.append(plan(replace(request, wish=both.rest), library))
    return Plan(
        title=plans[-1].title,
        summary=" ".join(each.summary for each in plans),
        words=("" if language == "zh" else " ").join(each.words for each in plans),
        channels=tuple(channel for each in plans for channel in each.channels),
        closing=(closing := tuple(dict.fromkeys(channel_id for each in plans for channel_id in each.closing))),
        telling=tuple(told for each in plans for told in each.telling if told.channel_id not in closing),
        aims={name: value for each in plans for name, value in each.aims.items()},
        project=next((each.project for each in reversed(plans) if each.project is not None), None),
    )


_ADD: Mapping[Language, str] = {"en": "add a ", "zh": "再找一位"}


def _asked_role(wish: str, there: Sequence[OpenChannel], library: Library) -> tuple[str, Role, Archetype]:
    running = [name for c in there if (name := c.key.partition("-")[0]) in library.archetypes]
    # Somebody of another kind of project would speak of that project, at its prices.
    for name in dict.fromkeys([*running, GENERAL]):
        archetype = library.archetypes[name]
        for key, role in archetype.roles.items():
            if names_role(wish, role):
                return key, role, archetype
    general = library.archetypes[GENERAL]
    key = "supplier" if "supplier" in general.roles else next(iter(general.roles))
    return key, general.roles[key], general


def _wanted(wish: str, project: Project, language: Language) -> str:
    if project.slots.get("thing"):
        return project.slots["thing"]
    if language == "zh":
        return ""
    left = re.sub(r"\s+", " ", _MORE.sub(" ", MONEY.sub(" ", wish))).strip()
    return without_article(left)[:40]


def _aims(slots: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in slots.items() if name not in {"names", "doing"}}


_ONLY_A_SUM = re.compile(r"[$€£¥]?\s?\d[\d.,]*\s?(?:[A-Za-z]{1,7}|[$€£]|[万亿千]?元?)?")


def _kept(wish: str, language: Language, *, rooms: bool) -> str:
    if not wish:
        return ""
    if not rooms and _ONLY_A_SUM.fullmatch(wish):
        return (
            f"{wish}是预算吗？用一句话写下要做什么，我就开频道。"
            if language == "zh"
            else f"Is {wish} a budget? Write in one sentence what it is for, and I open the rooms."
        )
    if rooms:
        tail = "我会带进各频道的判断里。" if language == "zh" else "I judge what comes in by it from now on."
    else:
        tail = (
            "想做成什么事，写一句话，我就开频道。"
            if language == "zh"
            else "Write in one sentence what you want to get done, and I open the rooms for it."
        )
    return f"{noted(wish, language)}{'' if language == 'zh' else ' '}{tail}"
