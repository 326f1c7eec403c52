"""Whether a first message wants something done: by how much it is like wishes, and like what people write without one.

Whoever tells something, asks something or only greets writes other turns than whoever wants something. Here the small words
count, how a message begins and ends, and how long it is.
"""

import re
from collections.abc import Mapping
from functools import cache, partial
from importlib import resources
from typing import cast

from prime.core.yaml_text import read_mapping
from prime.mind.jobs.lines import Line
from prime.mind.offline.facts.extracting import statements_in
from prime.mind.offline.heard.intents import Intent, asks_for_something, without_greeting
from prime.mind.offline.library.archetypes import GENERAL, Library
from prime.mind.offline.rooms.kinds import best_archetype, says_anything
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.words.glossary import in_english
from prime.mind.offline.words.language import Language, language_of
from prime.mind.offline.words.likeness import Likeness
from prime.mind.offline.words.telling import is_finished, is_over, only_tells

_READ = 600
_TOKEN = re.compile(r"[a-zà-ÿ']+|\d[\d.,]*|[?!.,;:]")
_MARKS = frozenset("?!.,;:")
_ENDINGS = ("ed", "ing", "s")
_NUMBER_HAN = re.compile(r"[\d一二三四五六七八九十百千万两几]+")
_END_HAN = re.compile(r"[。.!！\s]+$")
# How many words, and how many signs, make a message of one size.
_SIZES: dict[Language, tuple[int, ...]] = {"en": (3, 6, 12), "zh": (4, 7, 13)}

MAY_OPEN = frozenset({"project", "statement", "question"})
# How much like a wish a first message must be: one with a sentence that tells or asks, and one that only names something, which
# is what a wish most often does. An undertaking that opens nothing is worse than rooms that nobody needs.
_TOLD_AT_LEAST: Mapping[Language, float] = {"en": 0.0, "zh": 0.0}
_NAMED_AT_LEAST: Mapping[Language, float] = {"en": -1.0, "zh": 0.2}
# What is named and clearly of one kind needs less of it, and so does a trouble: who tells of one wants it to end.
_OF_A_KIND, _OF_TROUBLE = 0.7, 2.0
_PRICE = re.compile(r"\b(?:prices?|costs?|fees?|rent|salary|wages?|rate)\b|价格|单价|租金|工资|费用", re.IGNORECASE)


def first_intent(intent: Intent, wish: str, today: str, library: Library) -> Intent:
    """Whether a first message opens rooms, where grammar alone does not say so."""
    if is_finished(wish) or is_over(wish):
        return "statement"
    if intent == "project" and asks_for_something(wish):
        return intent
    if tells_a_price(wish, today):
        return "statement"
    read = in_english(wish) or without_greeting(wish)
    archetype = best_archetype(read, library)
    known, told = archetype.name != GENERAL, intent == "question" or only_tells(wish)
    least = (_TOLD_AT_LEAST if told else _NAMED_AT_LEAST)[language_of(read)]
    eased = _OF_TROUBLE if archetype.trouble else _OF_A_KIND if known and not told else 0.0
    wanted = wants_something(read, library) >= least - eased
    if says_anything(read, library) and (wanted or (known and _is_told_for_a_reason(wish, today))):
        return "project"
    return "question" if intent == "question" else "statement"


def _is_told_for_a_reason(wish: str, today: str) -> bool:
    """“My sister gets married in May, around 70 guests, can't go over 35k”: who names all that has a project in mind, and so
    has who names what may be spent."""
    known = slots_in(wish, today).keys() & {"budget", "date", "count", "place", "constraints"}
    return len(known) >= _ENOUGH_TOLD or ("budget" in known and not only_tells(wish))


_ENOUGH_TOLD = 3


def tells_a_price(wish: str, today: str) -> bool:
    """“The price of the oven is 4,000 EUR since March” is a fact about the oven: what may be spent is as it was."""
    told = statements_in([Line(message_id="", speaker="Owner", text=wish)], today)
    return any(_PRICE.search(f"{each.subject} {each.predicate}") for each in told)


def wants_something(wish: str, library: Library) -> float:
    """Above nothing for what is more like a wish, below for what is more like the rest."""
    language = language_of(wish)
    if language not in library.openings:
        wishes = [text for archetype in library.archetypes.values() for text in archetype.written_in(language)]
        others = [text for text in without_a_wish() if language_of(text) == language]
        taught = {"wish": wishes, "other": others}
        library.openings[language] = Likeness(taught, partial(turns, language=language))
    scores = library.openings[language].scores(wish)
    return scores["wish"] - scores["other"]


@cache
def without_a_wish() -> list[str]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/openings.yaml").read_text("utf-8")
    written = cast("dict[str, str]", read_mapping(text, path="openings.yaml").data)
    return [line.strip() for line in written["without_a_wish"].splitlines() if line.strip()]


def turns(text: str, *, language: Language) -> dict[str, float]:
    small = text[:_READ].casefold().replace("’", "'")
    return _turns_han(small) if language == "zh" else _turns_of_words(small)


def _turns_of_words(text: str) -> dict[str, float]:
    tokens = ["#" if token[0].isdigit() else token for token in _TOKEN.findall(text)]
    words = [token for token in tokens if token not in _MARKS]
    found = dict.fromkeys(words, 1.0)
    found.update(
        dict.fromkeys((f"{one} {after}" for one, after in zip(["^", *tokens], [*tokens, "$"], strict=True)), 1.0)
    )
    found[f"^{' '.join(words[:1])}"] = 1.0
    found[f"^{' '.join(words[:2])}"] = 0.7
    for ending in _ENDINGS:
        if any(word.endswith(ending) and len(word) > len(ending) + 2 for word in words):
            found[f"-{ending}"] = 0.5
    found[_size(len(words), "en")] = 1.0
    return found


def _turns_han(text: str) -> dict[str, float]:
    bare = _NUMBER_HAN.sub("#", _END_HAN.sub("", text))
    found = dict.fromkeys(bare, 0.6)
    marked = f"^{bare}$"
    for size, loud in ((2, 1.0), (3, 0.6)):
        found.update(dict.fromkeys((marked[n : n + size] for n in range(len(marked) - size + 1)), loud))
    found[_size(len(bare), "zh")] = 1.0
    return found


def _size(many: int, language: Language) -> str:
    return f"<{next((most for most in _SIZES[language] if many < most), 'long')}"
