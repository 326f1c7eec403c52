"""What a message of the owner's wants: a project, more of one, less of one, an answer, or nothing but a word or a nod."""

import re
from typing import Literal

from prime.mind.offline.things.undertakings import ours_want
from prime.mind.offline.words.language import MOST, language_of, sentences
from prime.mind.offline.words.phrases import phrases
from prime.mind.offline.words.telling import only_tells

Intent = Literal[
    "nothing",
    "greeting",
    "thanks",
    "upset",
    "proceed",
    "about",
    "status",
    "waiting",
    "question",
    "statement",
    "close",
    "extend",
    "project",
]

_GREETING = phrases("intents_greeting")
_THANKS = phrases("intents_thanks")
_UPSET = phrases("intents_upset")
_PROCEED = phrases("intents_proceed")
_STATUS = phrases("intents_status")
_WAITING = phrases("intents_waiting")
_CHANGE = phrases("intents_change")
_ABOUT = phrases("intents_about")
_KEEPING = phrases("intents_keeping")
_CLOSE = phrases("intents_close")
_EXTEND = phrases("intents_extend")
_REQUEST = phrases("intents_request")
_IMPERATIVE = phrases("intents_imperative")
_ASKING = phrases("intents_asking")
_FACT = phrases("intents_fact")
_NEEDS = phrases("intents_needs")


_SHORT = 120


def intent_of(wish: str, *, rooms: bool) -> Intent:
    """`rooms` says whether a war room is there already."""
    text = wish.strip()[:MOST]
    if not text:
        return "nothing"
    small = _small_talk(text)
    if small:
        return small
    text = without_greeting(text)
    if _PROCEED.search(text):
        return "proceed" if rooms else "statement"
    if rooms and (about := _about_the_rooms(text)):
        return about
    wants = _wants(text)
    if _ASKING.search(text) and not _polite_request(text) and not _tells_a_trouble(text):
        return "question"
    if wants:
        return "extend" if rooms and _EXTEND.search(text) else "project"
    if rooms:
        return "extend" if _EXTEND.search(text) and not _FACT.search(text) else "statement"
    return "project" if _looks_like_a_project(text) else "statement"


_HELLO = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good (?:morning|evening|afternoon|day)|dear|moin)(?: (?:there|prime|all|everyone))?|prime)"
    r"(?:\s*[,.!:;–-]+\s*|\s+)(?=\w)"
    r"|^\W*(?:你好|您好|大家好|早上好|晚上好|嗨)(?:[呀啊]|Prime)?[，,。！!\s]+(?=\w)",
    re.IGNORECASE,
)


def without_greeting(text: str) -> str:
    """What follows a greeting: “hi can you help me …” is a request."""
    return _HELLO.sub("", text, count=1)


_KEYS = ("qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm")
_LEAST_UNSPEAKABLE = 5  # “html” and “gdpr” are words


def _is_typed_blindly(text: str) -> bool:
    """“asdf qwer”: rows of keys, and nothing that could be spoken."""
    words = re.findall(r"[a-z]{3,}", text.casefold())
    rows = [*_KEYS, *(row[::-1] for row in _KEYS)]

    def is_none(word: str) -> bool:
        return any(word in row for row in rows) or (len(word) >= _LEAST_UNSPEAKABLE and not re.search("[aeiouy]", word))

    return bool(words) and text.isascii() and all(map(is_none, words))


def says_go_on(text: str) -> bool:
    """“Go on”, “继续”: nothing else is said than that work shall proceed."""
    return len(text) < _SHORT and bool(_PROCEED.search(text.strip()))


def is_kept(text: str) -> bool:
    """“Remind me to call Tom”, “go on”: nobody has to be found for it."""
    return len(text) < _SHORT and bool(_KEEPING.search(text) or _PROCEED.search(text))


def _wants(text: str) -> bool:
    """Whether it is put as a wish: from its beginning on, or by a sentence behind what it tells (“… is slow. Fix it”)."""
    said = sentences(text) if len(text) <= _TOLD_FIRST else []
    return ours_want(text) or any(_REQUEST.search(each) or _IMPERATIVE.search(each) for each in (text, *said[:4]))


_TOLD_FIRST = 400


def asks_for_something(text: str) -> bool:
    """Whether it is put as a wish, or as what somebody needs, and not only told."""
    return _wants(text) or bool(_NEEDS.search(text)) or _polite_request(without_greeting(text))


def _about_the_rooms(text: str) -> Intent | None:
    """What can only be meant where a war room is there: how it goes, who waits, another budget, an end."""
    if len(text) < _SHORT and _WAITING.search(text):
        return "waiting"
    if len(text) < _SHORT and _STATUS.search(text):
        return "status"
    if _CHANGE.search(text):
        return "statement"
    return "close" if _CLOSE.search(text) else None


def _small_talk(text: str) -> Intent | None:
    if _GREETING.search(text):
        return "greeting"
    if _THANKS.search(text):
        return "thanks"
    if len(text) >= _SHORT:  # first: what is long is never that, and costs these patterns the square of its length
        return None
    if _is_typed_blindly(text):
        return "about"
    if _UPSET.search(text):
        return "upset"
    if _KEEPING.search(text):
        return "statement"
    return "about" if _ABOUT.search(text) else None


def _tells_a_trouble(text: str) -> bool:
    """“The screen is broken, can it be mended today?” asks for the mending, whatever its end is put as."""
    told, _, asked = text.rpartition(next((mark for mark in ("，", ",", ". ", "。", "; ") if mark in text), "\0"))
    if not asked or not told:
        return bool(_AT_A_LOSS.search(text)) and len(text) > _LEAST_TOLD
    return bool(_NEEDS.search(told) or _AT_A_LOSS.search(asked)) and not _ASKING.search(told)


# Who does not know what to do wants something to be done.
_AT_A_LOSS = re.compile(
    r"怎么办|该怎么(?:做|处理|准备)|怎么准备|\bwhat (?:now|(?:should|shall|can|do) (?:i|we) do)\b|\bany (?:ideas|advice|help)\b",
    re.IGNORECASE,
)
_LEAST_TOLD = 8


def _polite_request(text: str) -> bool:
    head = re.match(
        r"^\W*(?:can|could|would|will) (?:you|we|somebody|someone|anybody|anyone)(?: please)?\s+"
        r"(?!tell|say|explain|remember|know|see|show)\w+"
        r"|^\W*do (?:something|my|our|the|an?)\s+\w+(?!.*\?)"
        r"|^\W*have (?:my|our|the|an?|\d+|two|three|four|five|ten|twenty|thirty|forty|fifty)\s"
        r"[^?]*?\w(?:ed|built|made|done|bound)\b(?!.*\?)",
        text,
        re.IGNORECASE,
    )
    chinese = re.match(r"^\W*(?:请|帮我|帮忙|能不能帮|可以帮|能帮)", text)
    return bool(head or chinese)


def _looks_like_a_project(text: str) -> bool:
    """A heading such as `Summer party, 80 people, Lisbon` is one, and what somebody needs; a plain statement is not."""
    if _NEEDS.search(text):
        return True
    long_enough = len(text) >= 6 if language_of(text) == "zh" else len(text.split()) >= 3
    return long_enough and not only_tells(text)
