"""What a wish is about where none of the usual verbs names it: by another verb, by a word that points back, or as it is told."""

import re

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.sums import limits_in
from prime.mind.offline.things.naming import ANY_VERB, COPIES, NO_NAME, OWNED, STOP, WORD, is_name, without_article
from prime.mind.offline.things.undertakings import wished_for
from prime.mind.offline.words.phrases import alternatives

# “Which e-cargo bike is best” is a search for the best one.
_WHICH = re.compile(
    r"\b(?:which|what)\s+((?:[\w-]+\s+){0,3}?[\w-]+)\s+(?:is|are|would be)\s+(?:the\s+)?(best|cheapest|fastest|safest)\b",
    re.IGNORECASE,
)
# “To look after the goats 10-24 July”: when it is stands elsewhere.
_WITH_A_DAY = re.compile(r"\s+\d{1,2}(?:st|nd|rd|th)?(?:\s?[-–]\s?\d{1,2})?\s*(?:[A-Z][a-z]+)?$")
_SOMEBODY_TO = re.compile(
    rf"\b(?:someone|somebody|anyone)\s+(?:to|who can|who could)\s+([a-z]+\s+[\w’' -]{{3,50}}?)(?={STOP})",
    re.IGNORECASE,
)


def with_its_name(doing: str, text: str) -> str:
    """“Saving it” is saving the lime kiln, which was named before; what was named nowhere says nothing."""
    if not (spoken_of := _PRONOUN.search(doing)):
        return doing
    named = _named_before(text)
    if not named or (spoken_of[1].casefold() == "them") != named.endswith("s"):
        return ""
    return f"{doing[: spoken_of.start()]}the {named}{doing[spoken_of.end() :]}"


_PRONOUN = re.compile(r"\b(it|that|them|this)\b(?!\s+[a-z]+s?\b(?<!\bto)(?<!\bin)(?<!\bfor))", re.IGNORECASE)
_NAMED_FIRST = re.compile(
    r"\b(?:an?|the|our|my|this|his|her)\s+(?P<what>(?!(?:few|bit|lot)\b)[a-z][\w-]*(?:\s+(?!(?:is|are|was|were|has|have|had|and|or|that|who|which|for|by|can|needs?|will|keeps?|stands?)\b|[a-z]+ed\b)[a-z][\w-]*){0,2}?[’']?)"
    r"(?=\s*(?:[,;.(]|\s(?:in|on|at|of|across|from|behind|since|is|are|was|were|has|have|had|stands?|needs?|goes|keeps?|and|[a-z]+ed)\b|\s\d))",
    re.IGNORECASE,
)


def _whole_words(said: str, text: str) -> str:
    """What was cut off in the middle of a word, up to the word before; and without the last half of a clause."""
    if re.search(rf"{re.escape(said)}\w", text):
        said = said.rpartition(" ")[0]
    return re.sub(r"\s+(?:that|which|who|and|or|of|for|to|in|on|with|the|an?)$", "", said)


# “I want it waterproofed”, “negotiate it down”.
_WANTS_IT = re.compile(
    r"\b(?:want|like|need|have|get)\s+(?:it|that|this|them)\s+(?P<done>[a-z]+ed)\b|\b(?:negotiate|sort|fix)\s+(?:it|that|this)\b",
    re.IGNORECASE,
)
_TOWARDS = re.compile(
    r"(?<!leans )(?<!lean )(?<!leaning )(?<!turned )(?<!points )\btowards\s+"
    r"(?:an?|our|the)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*){0,2}?)(?=\s*[,;.]|\s+(?:in|at|for|on)\b|$)",
    re.IGNORECASE,
)
_IMPERATIVE_OWN = re.compile(
    rf"^(?P<verb>[a-z]{{3,}})\s+(?P<thing>[a-z]+[’']s\s+{WORD}(?:\s+{WORD}){{0,4}}?)(?={STOP})", re.IGNORECASE
)


def unnamed(text: str, goal: str) -> str:
    """What it is about where no verb names it: the best of its kind, somebody, a goal, what is told, or what one wants to do."""
    if best := _WHICH.search(text):
        return f"{best[2]} {best[1]}"
    if named := commanded(text):
        return named
    if somebody := _SOMEBODY_TO.search(text):
        work = re.sub(r"\b(?:my|our)\b", "the", _WITH_A_DAY.sub("", somebody[1])).strip()
        return f"somebody to {work}"
    return goal or _told_beside(text)


def commanded(text: str) -> str:
    """What a wish is about that begins with its verb, whichever it is."""
    if named := _commanded(text):
        return named
    led = _LED_BY.match(text)
    return without_article(led[1]) if led and is_name(led[1]) else ""


def _told_beside(text: str) -> str:
    """What is told of, asked about, or given for; else what one wants to do, or with whom there is trouble."""
    if told := OF_IT.search(text) or BROKEN.search(text) or _SOMETHING_ABOUT.search(text):
        return without_article(told[1])
    if asked := _FIND_OUT.search(text):
        return _whole_words(re.sub(r"\b(?:my|our)\b", "the", asked[1]).strip(), text)
    if (towards := _TOWARDS.search(text)) and is_name(towards[1]):
        return towards[1]
    if (wished := wished_for(text)) and not (amounts(wished) or limits_in(wished)):
        return wished
    return _quarrel(text)


def _commanded(text: str) -> str:
    """“Commission a brass quintet”: any verb will do where the wish begins with it; “I want it repaired” means what was named."""
    head = _POLITE.sub("", text)
    for told in filter(None, (ANY_VERB.match(head), _IMPERATIVE_OWN.match(head))):
        number = re.search(r"\d[\d,]*$", head[: told.start("thing")].rstrip())
        thing = f"{number[0]} {told['thing']}" if number else told["thing"]
        is_verb = not told["verb"].endswith("ing") and not _NO_VERB.fullmatch(told["verb"])
        if is_verb and is_name(thing) and not NO_NAME.match(thing):
            return without_article(COPIES.sub("", thing))
    wanted, named = _WANTS_IT.search(text), _named_before(text)
    if not wanted or not named:
        return ""
    return f"{wanted['done'][:-2]}ing the {named}" if wanted["done"] else named


def _named_before(text: str) -> str:
    """What was named first, to which “it” goes back."""
    first = _DETERMINER.search(text)
    named = _NAMED_FIRST.match(text, first.start()) if first else None
    return named["what"].rstrip("’'") if named else ""


_DETERMINER = re.compile(r"\b(?:an?|the|our|my|this|his|her)\s(?!few\b|bit\b|lot\b)", re.IGNORECASE)
_POLITE = re.compile(r"^\W*(?:(?:please|hi|hello|hey|prime|(?:can|could) you)[\s,!]+)*", re.IGNORECASE)
_NO_VERB = re.compile(
    r"help|for|with|because|after|before|from|and|but|our|the|this|that|there|during|about|have|has|had|gave|lost|are|was|were|you|she"
    r"|they|over|under|what|who|how|did|does|not|lives|met|got|saw|quote",
    re.IGNORECASE,
)


def _quarrel(text: str) -> str:
    """What is wrong, or with whom."""
    if hit := _HIT.search(text):
        return f"damage to the {hit[1]}"
    if owed := _OWED.search(text):
        return f"debt of the {owed[1]}"
    return f"trouble with the {trouble[1]}" if (trouble := _TROUBLE.search(text)) else ""


# “Clean up my inbox”, “reduce food waste”: verbs that say what is wanted where they lead, and elsewhere may be anything.
_SO_MUCH = (
    r"(?:(?:about|at least|up to)\s+)?(?:\d[\d.,]*\s?%|[$€£]?\d[\d.,]*k?(?:\s[A-Z]{3})?|half|a (?:third|quarter))"
)
_LED_BY = re.compile(
    r"^\W*(?:(?:please|hi|hello|hey|prime|(?:can|could) you|help (?:me|us)(?: to)?|(?:i|we) (?:need|have) to|let[’']?s)[\s,]+)*"
    rf"(?:{alternatives('things_leading_verbs')})(?:\s+(?:up|down|out|off|back))?\s+"
    rf"(?:{_SO_MUCH}\s+(?:of|off|from)\s+)?"
    rf"((?:(?:{OWNED})\s+)*{WORD}(?:\s+{WORD}){{0,5}}?)(?={STOP})",
    re.IGNORECASE,
)
# “40 paintings need restoring”.
NEEDS_DOING = re.compile(
    rf"(?:^|[,.;]\s*|\band\s+)((?!(?:i|we|you|they|he|she|it)\b)(?:(?:{OWNED})\s+)*[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,4}}?)\s+"
    r"(?:needs?\s+(?P<doing>[a-z]+ing)|(?:needs? to|has to|have to) be\s+[a-z]+)\b",
    re.IGNORECASE,
)
_SOMETHING_ABOUT = re.compile(
    rf"\bdo something (?:about|against|with)\s+((?:(?:{OWNED})\s+)*{WORD}(?:\s+{WORD}){{0,3}}?)(?={STOP})",
    re.IGNORECASE,
)
_FIND_OUT = re.compile(
    r"\b(?:find out|figure out|understand|(?:want|like|need) to know)\s+"
    r"((?:who|what|how|where|when|whether|which|why)\s+(?!(?:i|we|you)\b)[^,.;:!?\n]{3,60})",
    re.IGNORECASE,
)
# “A tree fell on our garage”.
_HIT = re.compile(
    r"\b(?:fell|crashed|drove|ran|backed|came down) (?:on|onto|into|through)\s+(?:my|our|the)\s+([a-z][\w-]*)",
    re.IGNORECASE,
)
_OWED = re.compile(r"\b(?:my|our|the)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+owes\s+(?:me|us)\b", re.IGNORECASE)
# “My landlord wants to throw me out”: the matter is with him.
_TROUBLE = re.compile(
    r"^\W*(?:my|our)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+(?:wants?|won[’']?t|will not|refuses?|keeps?|threatens?|stopped"
    r"|(?:does|do|did)(?:n[’']?t| not))\b",
    re.IGNORECASE,
)


# “The oak between us and the neighbours is dying” is about the oak.
_NOT_BEHIND = r"(?<!\bus and )(?<!\bof )(?<!\bwith )(?<!\bbetween )(?<!\bbehind )(?<!\bin )(?<!\bon )(?<!\bfrom )"
BROKEN = re.compile(
    rf"{_NOT_BEHIND}\b(?:the|my|our)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+"
    r"(?:in (?:the )?(?:[\w]+ ){0,2})?(?:(?:is|are|was|were|got|has been|have been)\s+(?:so |very |really |too |completely )?"
    r"(?:out|down|off(?! to)|broken|leaking|stuck|blocked|flooded|not working|slow|a mess|dead|cracked|smashed)"
    r"|died|broke(?: down)?|gave up|fell apart|stopped working|won[’']?t start|leaks)\b",
    re.IGNORECASE,
)
# “The rent is 1,200 EUR, I want to bring it down”: it is the rent.
OF_IT = re.compile(
    rf"{_NOT_BEHIND}\b(?:the|my|our)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+(?:is|are|was|were|costs?)\b.{{0,80}}?\b(?:it|them)\b",
    re.IGNORECASE | re.DOTALL,
)
