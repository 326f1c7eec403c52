"""What is to be done about the thing of a wish, as one says it in front of it: “renovating”, “装修”."""

import re

from prime.mind.offline.things.chunks import caused_in
from prime.mind.offline.things.naming import OWNED, without_article
from prime.mind.offline.things.things import MIDDLEMAN
from prime.mind.offline.things.things_han import doing_in_chinese
from prime.mind.offline.things.undertakings import gerund
from prime.mind.offline.things.unnamed import NEEDS_DOING, OF_IT
from prime.mind.offline.things.verbs import is_verb
from prime.mind.offline.words.language import Language
from prime.mind.offline.words.phrases import alternatives

_USUAL = re.compile(rf"(?:{alternatives('slots_verbs')})\b", re.IGNORECASE)
_SEEKS = frozenset({"need", "needs", "want", "wants", "look", "looking", "search", "searching", "for", "lack", "seek"})
_LIKES = frozenset({"like", "love"})
_SAYS_NOTHING = frozenset(alternatives("things_says_nothing").split("|"))
_NO_VERB = re.compile(rf"{OWNED}|to|of|in|on|by|about|against|with|and|or|into|from")
_DONE_TO_IT = re.compile(r"\bto\s+([a-z]+)\s+(?:it|them)(?:\s+(down|up|back|off|out|over))?\b", re.IGNORECASE)
# “You are liable for the tree” does nothing to it, and “do not cut down the trees” cuts down none.
_IS_SO = re.compile(r"\b(?:is|are|was|were|be|am|been)\s+$", re.IGNORECASE)
_REFUSED = re.compile(r"\b(?:not|never|\w+n[’']t)\s+(?:to\s+)?$", re.IGNORECASE)
_PUT_AS_VERB = re.compile(r"(?:^\W*|\b(?:to|please|and|or|you|[’']s)\s+|[,;.:!?]\s*)$", re.IGNORECASE)


def doing_in(text: str, thing: str, language: Language) -> str:
    """ "" where the thing says it all."""
    if not thing:
        return ""
    if language == "zh":
        return doing_in_chinese(text, thing)
    if (caused := caused_in(text)) and caused.thing == thing:
        return caused.doing
    if re.search(rf"{re.escape(thing)}\s+(?:wanted|needed|sought)\b", text, re.IGNORECASE):
        return "finding"
    if (needing := NEEDS_DOING.search(text)) and without_article(needing[1]) == thing and needing["doing"]:
        return needing["doing"].casefold()
    verb = _verb_before(thing, text)
    if verb is None:
        return ""
    return _said(verb, thing) if verb and not _NO_VERB.fullmatch(verb) else _done_to_it(thing, text)


def _verb_before(thing: str, text: str) -> str | None:
    """What stands before the thing, where it is a verb; None where just that is refused."""
    found = re.search(
        r"\b([a-z]+(?: over| for| up| down| out| off| back| with)?)\s+"
        rf"(?:(?:{OWNED})\s+)*(?:[\w-]+[’']s\s+)?{re.escape(thing)}(?!\w)",
        text,
        re.IGNORECASE,
    )
    before = text[: found.start()] if found else ""
    if not found or _IS_SO.search(before):
        return ""
    if _REFUSED.search(before):
        return None
    return found[1].casefold() if _is_verb(found[1].partition(" ")[0].casefold(), before, text[found.start() :]) else ""


def _is_verb(word: str, before: str, behind: str) -> bool:
    """Not “the freezer with the venison” or “it leans towards the road”: a verb is known, or stands where a wish puts one."""
    known = is_verb(word) or word in _SEEKS | _LIKES
    return known or bool(_USUAL.match(behind) or _PUT_AS_VERB.search(before))


def _done_to_it(thing: str, text: str) -> str:
    done = _DONE_TO_IT.search(text) if OF_IT.search(text) and not thing.startswith("somebody ") else None
    return f"{gerund(done[1])} {done[2] or ''}".strip() if done else ""


def _said(verb: str, thing: str) -> str:
    if verb in _LIKES:
        return "getting"
    if verb.partition(" ")[0] in _SEEKS:
        return "getting" if verb[:4] in {"need", "want"} and not MIDDLEMAN.search(thing) else "finding"
    return "" if verb in _SAYS_NOTHING or verb.endswith("ing") else gerund(verb)
