"""What is to be done, where no thing alone says it: “getting rid of the wasps”, “teaching the parents to use their phones”."""

import re

from prime.mind.offline.words.phrases import alternatives, phrases
from prime.mind.offline.words.several import wishes_in

# Behind what is to be done come when, where and how; what belongs to it goes on.
_ENDS = (
    r"(?=\s*[,;:!?()\n]|\.(?!\d)|\s+(?:before|by|until|till|from|in|at|this|next|because|so|but|within|during|and|maybe|asap|please)\b"
    r"|\s+on\s+(?:the\s+)?(?:\d|[A-Z])|\s+for\s+(?:(?:less|no more) than|under|up to|about|max)\b|$)"
)
_OWN = r"(?:an?|the|our|my|some|his|her|their)"
_LEAD = rf"^\W*(?:(?:{alternatives('things_please')})[\s,:]+)*"
# Somebody or something is to be brought somewhere, to do something, or into some state.
_BROUGHT = re.compile(
    rf"{_LEAD}(?P<verb>get|teach|help|convince|persuade|train|bring|take|turn|put|talk|make|keep|show|switch|convert|transform|win|change)\s+"
    rf"(?P<rest>(?:{_OWN}|\d[\d,]*)\s+(?:[\w’'-]+\s+){{1,6}}?(?:into|to|back|ready|fit|promoted|published|elected|running|going|working"
    rf"|out of|onto|through|off|safe|clean)\b.{{0,60}}?){_ENDS}",
    re.IGNORECASE,
)
# “The collection (4,000 discs)”.
_BESIDE = re.compile(r"\s*\([^()]{1,24}\)")
_KIN = (
    "daughter|son|kids?|child|children|wife|husband|partner|mum|mom|mother|dad|father|sister|brother|parents"
    "|grandma|grandpa|nephew|niece|friend"
)
# “Prepare my kids for a year at sea”; a speech is prepared for somebody.
_PREPARED = re.compile(
    rf"{_LEAD}prepare\s+(?P<rest>(?:my|our|the|his|her)\s+(?:\d+\s+)?(?:{_KIN}|team|class|dogs?|cats?|horses?|students|staff)\s+for\b.{{0,60}}?){_ENDS}",
    re.IGNORECASE,
)
# “My daughter wants to busk in Edinburgh” is no trouble with her.
_WANTS_TO = re.compile(
    rf"^\W*(?:my|our)\s+(?:[a-z]+\s+)?(?:{_KIN})\s+wants?\s+to\s+(?P<verb>[a-z]+)(?P<rest>[^,;:!?\n]{{0,60}}?){_ENDS}",
    re.IGNORECASE,
)
# “Start delivering by bike”: what is begun has no object, and is the thing itself.
_BEGUN = re.compile(
    rf"\b(?:start|begin|try)\s+(?P<doing>[a-z]+ing)(?P<rest>\s+(?:by|to|with|on|via|across|after|beyond|online|abroad|outside|round|around)\b[^,;:!?\n]{{0,60}}?){_ENDS}",
    re.IGNORECASE,
)
# “Stop the council from cutting down the trees”.
_STOPPED = re.compile(
    rf"{_LEAD}(?P<verb>stop|prevent|keep|save)\s+(?P<rest>{_OWN}\s+[^,;.!?\n]{{2,40}}?\s+from\s+[a-z]+ing\b.{{0,60}}?){_ENDS}",
    re.IGNORECASE,
)
_WAY = re.compile(
    rf"\b(?:an?|the|some)\s+(?:\w+\s+)?ways?\s+(?:to\s+(?P<verb>[a-z]+)|of\s+(?P<gerund>[a-z]+ing))\b(?P<rest>.{{0,60}}?){_ENDS}",
    re.IGNORECASE,
)
# What is the owner's own, or counted, may find a buyer; the rest is only to be gone.
_RID = re.compile(
    rf"\bget(?:ting)?\s+rid\s+of\s+(?P<rest>(?!(?:my|our|\d+)\b)(?:[\w’'-]+\s*){{1,6}}?){_ENDS}", re.IGNORECASE
)
_WISHED = re.compile(
    r"(?<!n't )(?<!n’t )(?<!not )\b(?:want|would like|[’']d (?:like|love)|like|plan|hope|decided|going) to "
    r"(?!(?:pay|spend|be|know|say|ask|have)\b)"
    rf"(?P<verb>[a-z]+)(?P<rest>[^,;:!?\n]{{0,60}}?){_ENDS}",
    re.IGNORECASE,
)
_OURS_WANT = phrases("undertakings_ours_want")
_OURS_WANT_ZH = phrases("undertakings_ours_want_zh")
_TO_DO = re.compile(rf"(?P<verb>[a-z]+)(?P<rest>[^,;:!?\n]{{0,60}}?){_ENDS}", re.IGNORECASE)
_MINE = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
# Verbs of more than one syllable that double their last letter.
_DOUBLED = frozenset({"begin", "forget", "permit", "admit", "refer"})


def brought_about(text: str) -> str:
    """What is to be done to somebody or something, as one speaks of it; "" where the wish is no such one."""
    text = _BESIDE.sub("", text)
    if found := _PREPARED.search(text):
        return _said("preparing", found["rest"])
    if found := _WANTS_TO.search(text):
        return _said(gerund(found["verb"].casefold()), found["rest"])
    if found := _BEGUN.search(text):
        return _said(found["doing"].casefold(), found["rest"])
    if found := _STOPPED.search(text) or _BROUGHT.search(text):
        return _said(gerund(found["verb"].casefold()), found["rest"])
    if found := _WAY.search(text):
        return _said(found["gerund"] or gerund(found["verb"].casefold()), found["rest"])
    if found := _RID.search(text):
        return _said("getting rid of", found["rest"])
    return ""


def wished_for(text: str) -> str:
    """What somebody wants to do, where nothing is named that it is done to."""
    ours = _OURS_WANT.search(text)
    found = _TO_DO.match(text, ours.end()) if ours else _WISHED.search(text)
    if not found:
        return ""
    if found["verb"].casefold() == "go" and (outing := re.match(r"\s+(\w+ing)\b", found["rest"])):
        return f"{outing[1]} trip"
    return _said(gerund(found["verb"].casefold()), found["rest"])


def ours_want(text: str) -> bool:
    """“Our bakery wants to …”: it is put as a wish, whoever is named as having it."""
    return bool(_OURS_WANT.search(text) or _OURS_WANT_ZH.search(text))


def without_who_wants(text: str) -> str:
    """What is wanted, and not who wants it: “our translation agency wants to move” translates nothing."""
    if found := _OURS_WANT.search(text):
        return f"to {text[found.end() :]}"
    return _OURS_WANT_ZH.sub("", text)


def is_done(thing: str, text: str) -> bool:
    """Whether what a text is about is something to do, which one speaks of without an article."""
    if not thing or thing.endswith(" trip"):
        return False
    if _DOING.match(thing):
        return True
    said = (text, *wishes_in(text))
    return any(f"{done} ".startswith(f"{thing} ") for one in said for done in (brought_about(one), wished_for(one)))


_DOING = re.compile(r"[a-z]{2,}ing (?:the|an?|out|up|off|across|rid|to|[a-z]+ly)\b")


def gerund(verb: str) -> str:
    """“renovating”, “setting up”."""
    head, _, tail = verb.partition(" ")
    if head.endswith("ie"):
        head = f"{head[:-2]}y"
    elif head.endswith("e") and not head.endswith(("ee", "oe", "ye")):
        head = head[:-1]
    elif head in _DOUBLED or re.fullmatch(r"[^aeiou]*(?:qu)?[aeiou][bdglmnprt]", head):
        head += head[-1]
    return f"{head}ing {tail}".strip()


def _said(doing: str, rest: str) -> str:
    rest = re.split(r"\s(?:who|which)\b", rest)[0]
    return re.sub(r"\s+", " ", f"{doing} {_MINE.sub('the', rest).strip()}").strip()
