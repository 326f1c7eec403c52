"""What a project is called: the object of what is asked with what distinguishes it, short, and never half of something."""

import re

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.sums import limits_in
from prime.mind.offline.library.archetypes import GENERAL
from prime.mind.offline.rooms.planning import Project
from prime.mind.offline.things.chunks import caused_in, clauses_of, is_undertaking
from prime.mind.offline.things.things import MIDDLEMAN, without_please
from prime.mind.offline.things.undertakings import gerund
from prime.mind.offline.words.clauses import cues
from prime.mind.offline.words.language import capitalised, shortened

MOST = 60
_TABLE = "adjuncts.yaml"
_WORD = r"[\w’'&/+-]+"
# A preposition and the noun that it leads: “on soil health”, “for my children's book”.
_BEHIND = re.compile(
    rf"\s+(?P<link>of|about|on|for|to|with|between|against|above|under|behind|into|in|along|across|over)\s+"
    rf"(?P<own>(?:(?:an?|the|my|our|his|her|their|its|some|all)\s+)*)(?P<noun>{_WORD}(?:\s+{_WORD}){{0,4}}?)"
    rf"(?=\s*(?:[,;:.!?()\n](?!\d)|$)|\s+(?:of|about|on|for|to|with|between|against|above|under|behind|into|in|along|across|over|from|by|at|before|after|until|till"
    rf"|during|and|or|but|so|that|which|who|where|when|if|because|while|as|near|within|without|is|are|was|were|has|have|had|needs?|wants?|must|will|can|should"
    rf"|this|next|every|each|please|asap|now|today|tomorrow|[a-z]+ly)\b)",
    re.IGNORECASE,
)
# “Somebody to tune and regulate the piano”.
_SOMEBODY_TO = re.compile(r"somebody to (?P<verb>[a-z]+)(?: and (?P<second>[a-z]+))?(?P<rest> .+)")
_MINE = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
# What a title cannot end with: it has lost its noun.
_LOST = re.compile(
    r"(?:\s+(?:of|about|on|for|to|with|between|against|into|in|at|by|from|and|or|but|so|the|an?|my|our|his|her|their|new|that|which|who|is|are|very))+$",
    re.IGNORECASE,
)


def title_of(project: Project) -> str:
    title = project.title
    thing = project.slots.get("thing", "")
    if project.language != "en":
        return title
    if not thing and project.archetype.name == GENERAL:
        return _first_clause(project.wish) or title
    if not thing:
        return title
    if is_undertaking(thing, project.wish) and not project.slots.get("doing"):
        title = capitalised(project.bare_thing)
    caused = caused_in(project.wish)
    if caused and caused.thing == thing and caused.doing and title.casefold() == project.bare_thing.casefold():
        title = capitalised(f"{caused.doing} {project.thing}")  # “have my novel edited”
    if re.search(rf"\bsu(?:e|ing)\s+(?:the|my|our|an?)\s+{re.escape(thing)}", project.wish, re.IGNORECASE):
        title = f"Suing {project.thing}"
    if to_do := _SOMEBODY_TO.match(thing):
        second = f" and {gerund(to_do['second'])}" if to_do["second"] else ""
        return _whole(capitalised(f"{gerund(to_do['verb'])}{second}{to_do['rest']}"))
    if who := _sought_for(project, thing):
        return _whole(who)
    if title.casefold().endswith(project.bare_thing.casefold()):
        title = f"{title} {_more_of(thing, project.wish, MOST - len(title) - 1)}".strip()
    return _whole(title)


def _sought_for(project: Project, thing: str) -> str:
    """“Band for the harvest festival”, where the room is about the festival and the wish about whoever plays there."""
    if project.archetype.name in _ABOUT_WHAT_IS_SOUGHT:
        return ""
    found = re.search(
        rf"{_SEEKS}\s+(?:an?|some)\s+([a-z-]+(?: [a-z-]+)?)\s+for\s+(?:the|my|our|an?)\s+{re.escape(thing)}\b",
        project.wish,
        re.IGNORECASE,
    )
    return f"{capitalised(found[1])} for the {project.bare_thing}" if found and MIDDLEMAN.search(found[1]) else ""


_SEEKS = r"\b(?:set up|make|write|draw up|prepare|create|needs?|wants?|find|hire|book|get|looking for|look for)"
_ABOUT_WHAT_IS_SOUGHT = frozenset({"supplier_search", "home", "repair", "private_sale", "property", "translation"})


def _whole(title: str) -> str:
    """At most so many signs, up to a word that one may end with."""
    if len(title) <= MOST and not title.endswith("…"):
        return title
    cut = shortened(title.rstrip("…").rstrip(), MOST).rstrip("…")
    return _LOST.sub("", cut)


def _first_clause(wish: str) -> str:
    clause = re.split(r"[,;:!?()\n]|\.(?=\s|$)", without_please(wish).strip(), maxsplit=1)[0].strip()
    return capitalised(_whole(clause)) if clause else ""


def _more_of(thing: str, wish: str, room: int) -> str:
    """What was written right behind the thing and belongs to it, as far as a title has room for it."""
    bare = re.escape(thing) + (rf"|\b{re.escape(thing[:-3])}\b" if re.fullmatch(r"[a-z]+ing", thing) else "")
    at = _where_it_asks(bare, wish)
    named = re.compile(bare).search(wish, at) if at >= 0 else None
    if named is None:
        return ""
    at, said = named.end(), ""
    while found := _BEHIND.match(wish, at):
        if not _belongs(found, thing):
            if not _IN_A_TOWN.match(found[0]):
                break
            at = found.end()  # “a talk in Zagreb about otters”
            continue
        piece = _MINE.sub("the", f"{found['link']} {found['own']}{found['noun']}")
        if len(said) + len(piece) + 1 > room:
            break
        said, at = f"{said} {piece}".strip(), found.end()
    return said


_IN_A_TOWN = re.compile(r"\s+in\s+[A-Z]")


def _where_it_asks(bare: str, wish: str) -> int:
    """What is told beside the wish says where something was, and not which one is meant."""
    clauses = list(clauses_of(wish))
    if clauses and re.match(rf"an?\s+(?:{bare})", clauses[0].text, re.IGNORECASE):
        return clauses[0].start  # “A podcast about forgotten crafts”
    asking = (clause for clause in clauses if clause.asks)
    return next((clause.start for clause in asking if re.search(bare, clause.text)), -1)


def _belongs(found: re.Match[str], thing: str) -> bool:
    said = f"{found['link']} {found['own']}{found['noun']}"
    if dates(said) or amounts(said) or limits_in(said) or re.search(r"\d{3}", said):
        return False
    if cues(_TABLE, "surrounds").search(said):
        return False
    # Where it is belongs to a house, and to somebody who sings: it is said of what is done there, or beside the place.
    own = found["own"].strip().casefold()
    name = found["noun"][:1].isupper()
    return found["link"].casefold() != "in" or (name and thing.endswith("ing")) or own in {"the", "my", "our"}
