"""What the clause that asks is about: its verb and the whole of its object; else what the told trouble befell."""

import re
from dataclasses import dataclass
from itertools import chain

from prime.mind.offline.figures.dates import dates
from prime.mind.offline.things.naming import is_name
from prime.mind.offline.things.undertakings import gerund
from prime.mind.offline.things.verbs import is_verb
from prime.mind.offline.words.phrases import alternatives

_CLAUSE = re.compile(r"[,;:!?()\n]+|\.(?=\s|$)|\s[-–—]\s|\b(?:but|so|because|since)\b", re.IGNORECASE)
_BESIDE = re.compile(r"\s*\([^()]{1,24}\)")
_WORD = re.compile(r"[\w’'&/+-]+(?:\.\d+)*")


def _table(name: str) -> frozenset[str]:
    return frozenset(alternatives(name).split("|"))


_OWN = _table("asked_own")
_PRONOUNS = _table("asked_pronouns")
_PEOPLE = _table("asked_people")
_GENERAL = _table("asked_general")
_STATES = _table("asked_states")
_LINKS = _table("asked_links") | _STATES
_VERBS = _table("asked_verbs")
_WISHES = _table("asked_wishes")
_MUST = _table("asked_must")
_LEADS = _table("asked_leads")
_BELONGS = frozenset({"of", "for", "in", "on", "at", "by", "with"})
_PARTICLES = frozenset({"up", "down", "out", "off", "back", "away", "together"})
_LEADING_ON = frozenset({"with", "for", "into", "to", "about", "through"})
_NOTHING_SAID = frozenset({"have", "let", "do", "be", "make", "give"})
_SEEKS = frozenset({"look", "looking", "search", "searching", "wish", "hoping"})
_WANTED = frozenset({"wanted", "needed", "sought"})
_MOST_WORDS = 5
_WHEN = frozenset({"after", "since", "during", "before", "until"})
# What somebody wants to be is nothing that is done to it.
_BECOMES = frozenset({"be", "become"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for, and what is to be done about it; the second is empty where the first says it all."""

    thing: str
    doing: str = ""


@dataclass(frozen=True, slots=True)
class _Noun:
    """A noun with what describes it and belongs to it, from one word of a clause up to another."""

    words: tuple[str, ...]
    belongs: tuple[str, ...]
    end: int

    @property
    def text(self) -> str:
        return " ".join((*self.words, *self.belongs))

    @property
    def says_something(self) -> bool:
        if (
            not self.words
            or not is_name(self.text)
            or self.words[0][0].isdigit()
            or _small(self.words[-1]) in _PRONOUNS
        ):
            return False
        if not self.belongs and _small(self.words[-1]) in _PEOPLE:
            return False
        return not all(_small(word) in _GENERAL | _OWN for word in self.words)


def asked_in(text: str) -> Asked | None:
    """The object of the last clause that asks; else what a clause that tells is about; None where neither names anything."""
    said = _CLAUSE.split(_BESIDE.sub("", text))
    clauses = [words for part in said if (words := _WORD.findall(part))]
    asking = (_asked_or_refused(clause) for clause in reversed(clauses))
    clauses = [words for clause in clauses if (words := _without_lead(clause))]
    first = (_heading(clause) for clause in clauses[:1])
    lacking = (_lacking(clause) for clause in clauses)
    another = (found for found in [_another(text)] if found)
    told = (_told(clause) for clause in clauses)
    further = (_heading(clause) for clause in clauses[1:])
    return next((found for found in chain(asking, another, first, lacking, told, further) if found), None)


def object_of(clause: str) -> Asked | None:
    """What one clause that asks is about."""
    words = _WORD.findall(clause)
    return _asked_or_refused(words) or _heading(words) if words else None


def _without_lead(words: list[str]) -> list[str]:
    """Without “please”, “could you” and “and” before what is said."""
    while words and _small(words[0]) in _LEADS:
        words = words[1:]
    return words


def _small(word: str) -> str:
    return word.casefold().replace("’", "'")


def _asked_or_refused(words: list[str]) -> Asked | None:
    """“Do not cut down the trees” is about the trees, and cuts down none."""
    said = _without_lead(words)
    found = _asking(said) if said else None
    refused = {"not", "don't", "never"} & {_small(word) for word in words[: len(words) - len(said)]}
    return Asked(found.thing) if found and refused else found


def _asking(words: list[str]) -> Asked | None:
    """“We want the mill to run again”, “somebody should read them”, “find us a hall”, “helpers wanted”."""
    for n, word in enumerate(words):
        if _small(word) in _WISHES and n + 1 < len(words) and _may_wish(words[:n]):
            return _wished(words, n + 1)
        if n and _small(word) in _WANTED and _small(words[n - 1]) != "not":
            return Asked(f"{words[0][0].lower()}{words[0][1:]} {' '.join(words[1:n])}".strip(), "finding")
        if _small(word) == "for" and n and n + 1 < len(words) and _small(words[n - 1]) in _SEEKS:
            return _named(_noun(words, n + 1), "finding")
        if n and _small(word) in _MUST:
            return _due(words, n)
    return _commanded(words)


def _may_wish(before: list[str]) -> bool:
    """“I would like” wishes; “something like” and “we need” in a negation do not."""
    return not {"like", "not"} & {_small(each) for each in before[-1:]}


def _wished(words: list[str], at: int) -> Asked | None:
    if _small(words[at]) == "to":
        return _done(words, at + 1)
    wanted = _noun(words, at)
    if not wanted.says_something:
        return _with_help(words, wanted.end)
    follows = words[wanted.end : wanted.end + 2]
    if len(follows) == 2 and (_small(follows[0]) == "to" or follows[1].endswith("ing")):
        asked = _done(words, wanted.end + 1)
        if asked and _is_certain(words[at]):
            return asked
    return _named(wanted, "getting")


def _with_help(words: list[str], at: int) -> Asked | None:
    """“A bit of help and patience to sort the letters”, “a hand with moving the piano”: what the help is for."""
    for n in range(at, len(words) - 1):
        if _small(words[n]) == "to" or (_small(words[n]) in {"with", "in", "on"} and words[n + 1].endswith("ing")):
            return _done(words, n + 1)
    return None


def _is_certain(word: str) -> bool:
    """“The council” is to do something; “a hall” is wanted for something."""
    return _small(word) in {"the", "our", "my", "his", "her", "their"}


def _due(words: list[str], at: int) -> Asked | None:
    """“Thirty chairs should go to the field” is about the chairs, “somebody should mend them” about what is mended."""
    who = _noun(words, 0, subject=True)
    if who.end <= at and who.says_something:
        return _named(who)
    start = at + 1 + (words[at + 1 : at + 2] == ["to"])
    return _done(words, start) if who.end <= at else None


def _commanded(words: list[str]) -> Asked | None:
    head = _small(words[0])
    no_verb = _OWN | _PRONOUNS | _LINKS | _PEOPLE | _VERBS - {"let", "make", "get", "keep", "have"}
    if len(words) < 2 or head in no_verb or head.endswith(("ing", "'s")) or head[0].isdigit():
        return None
    second = _small(words[1])
    led = second in _OWN or second in _PRONOUNS or second.endswith("'s") or second in _PARTICLES
    led = led or (second in _LEADING_ON and is_verb(head))
    return _done(words, 0) if led else None


def _done(words: list[str], at: int) -> Asked | None:
    """A verb and what it is done to; whoever it is done for is left out."""
    verb, at = _small(words[at]) if at < len(words) else "", at + 1
    if not verb.replace(" ", "").isalpha() or verb in _OWN | _PRONOUNS | _BECOMES:
        return None
    if at < len(words) and _small(words[at]) in _PARTICLES:
        verb, at = f"{verb} {_small(words[at])}", at + 1
    if at + 1 < len(words) and _small(words[at]) in _LEADING_ON:
        verb, at = f"{verb} {_small(words[at])}", at + 1
    if at + 1 < len(words) and _small(words[at]) in _PRONOUNS | {"her"} and _small(words[at + 1]) in _OWN:
        at += 1
    found = _noun(words, at)
    behind = _small(words[found.end]) if found.end < len(words) else ""
    if not found.says_something and behind in _OWN:  # “find my sister a room”
        found = _noun(words, found.end)
    elif verb == "make" and behind in _VERBS:  # “make the brewery pay for the fence”
        return _done(words, found.end)
    doing = verb if verb.partition(" ")[0].endswith("ing") else gerund(verb)
    return _named(found, "" if verb in _NOTHING_SAID or behind in _PARTICLES else doing)


def _heading(words: list[str]) -> Asked | None:
    """“A seat on a fishing boat”, “more readers for the library”: only named, with no verb."""
    found = _noun(words, 0, subject=True)
    begins = _small(words[0])
    named = (begins in _OWN and begins not in {"my", "our", "the", "his", "her", "their"}) or begins[0].isdigit()
    if not named or any(_small(word) in _VERBS for word in words[found.end :]) or _verb_behind(words, found.end):
        return None
    return _named(found)


_NEW_ONE = re.compile(
    r"\b(?:need|want|get|find|buy|order|like)s?\s+(?:me\s+|us\s+)?(?:an?\s+)?(?:new ones?|another(?: one)?|replacement)"
    r"(?=\s*$|\s*[,.;:!?]|\s+(?:by|before|for|in|on|at|asap|until|this|next|as|and)\b)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"\b(?:my|our)\s+(?P<what>[^,.;:!?]+)", re.IGNORECASE)


def _another(text: str) -> Asked | None:
    """“The dog ate my retainer, I need a new one”: a new retainer."""
    asked = _NEW_ONE.search(text)
    owned = list(_OWNED.finditer(text, 0, asked.start())) if asked else []
    if not owned:
        return None
    found = _noun(_WORD.findall(owned[-1]["what"]), 0, subject=True)
    return Asked(f"new {' '.join(found.words)}", "getting") if found.says_something else None


def _lacking(words: list[str]) -> Asked | None:
    """“We have no place in the after-school club yet”."""
    at = next(
        (n for n in range(len(words) - 2) if _small(words[n]) in {"have", "has"} and _small(words[n + 1]) == "no"), None
    )
    if at is None or _small(words[-1]) not in {"yet", "left", "anymore", "longer"}:
        return None
    return _named(_noun(words, at + 2), "finding")


def _told(words: list[str]) -> Asked | None:
    """“Our pipe organ wheezes” is about the organ; “somebody stole the hives” about the hives."""
    who = _noun(words, 0, subject=True)
    if who.says_something and (_small(words[0]) in _OWN or words[0].endswith(("’s", "'s"))):
        return _named(who)
    if who.says_something:
        return None
    at = max(who.end, 1)
    # “After the flood our cellar is full of mud” is about the cellar.
    while at < len(words) and (_small(words[at]) not in _OWN or _small(words[at - 1]) in _WHEN):
        at += 1
    if at == len(words) or _small(words[at - 1]) in _BECOMES:
        return None
    return _named(_noun(words, at))


def _named(found: _Noun, doing: str = "") -> Asked | None:
    return Asked(_as_said(found.text), doing) if found.says_something else None


def _as_said(name: str) -> str:
    """A capital that only begins the line is none of the word's own."""
    owner, _, rest = name.partition(" ")
    if rest and _small(owner).removesuffix("'s") in _PEOPLE and _small(owner).endswith("'s"):
        return rest  # whose it is in the family is nobody's business
    return f"{name[0].lower()}{name[1:]}" if _small(owner) in _OWN else name


def _noun(words: list[str], at: int, *, subject: bool = False) -> _Noun:
    """The noun that begins there; one word alone takes along what belongs to it."""
    words_of, end = _core(words, at, subject=subject)
    plain = [each for each in words_of if _small(each) not in {"more", "fewer", "less"}]
    link = _small(words[end]) if end < len(words) else ""
    belongs: tuple[str, ...] = ()
    if words_of and (
        link == "of" or (link in _BELONGS and len(plain) == 1 and _small(plain[0]) not in _PEOPLE | _GENERAL)
    ):
        further, behind = _core(words, end + 1, subject=subject)
        if further and further[0][0].islower() and not dates(f"on {' '.join(words[end + 1 : behind])}"):
            own = [word for word in words[end + 1 : behind][: -len(further)] if _small(word) not in {"some", "any"}]
            belongs = (link, *("the" if _small(word) in {"my", "our"} else word for word in own), *further)
            end = behind
    return _Noun(tuple(words_of), belongs, end)


def _core(words: list[str], at: int, *, subject: bool) -> tuple[list[str], int]:
    while at < len(words) and _small(words[at]) in _OWN and _small(words[at]) not in {"more", "fewer", "less"}:
        at += 1
    if at + 1 < len(words) and re.fullmatch(r"1[5-9]\d\d|20\d\d", words[at]):
        at += 1  # the year it is from
    start = at
    while at < len(words) and at - start < _MOST_WORDS and not _ends_noun(words, start, at, subject=subject):
        at += 1
    return words[start:at], at


def _ends_noun(words: list[str], start: int, at: int, *, subject: bool) -> bool:
    word = _small(words[at])
    if (
        word in (_LINKS - _STATES if at == start else _LINKS)
        or word in _PRONOUNS
        or word in _MUST
        or word in _WANTED
        or word.endswith("ly")
    ):
        return True
    if subject and at == start + 1 and _small(words[start]) in _PEOPLE and word.endswith(("s", "ed")):
        return True  # “my son starts school”
    if at == start:
        return word in _VERBS - _GENERAL
    return word in _OWN - {"more", "new"} or word in _VERBS or (subject and _verb_behind(words, at))


def _verb_behind(words: list[str], at: int) -> bool:
    """Whether the word behind a noun is its verb by its ending: “folders smell of”, “the organ wheezes”."""
    if not 0 < at < len(words):
        return False
    word, before = _small(words[at]), _small(words[at - 1])
    follows = _small(words[at + 1]) if at + 1 < len(words) else ""
    ends = not follows or follows in _LINKS or follows in _OWN or follows in _PRONOUNS or follows.endswith("ly")
    if not word.isalpha() or before in _OWN or before.endswith("'s"):
        return False
    if word.endswith("ed"):
        return ends
    several = before.endswith("s") and not before.endswith(("ss", "us", "is", "ports", "ews"))
    if several:
        return ends and not word.endswith("s") and bool(follows)
    return ends and word.endswith("s") and not word.endswith(("ss", "us", "is")) and not _is_several(words, at)


def _is_several(words: list[str], at: int) -> bool:
    """“The fishing boats are old”, “two rocking chairs”: it is the noun, and its verb or its number stands elsewhere."""
    counted = any(_small(each)[0].isdigit() or _small(each) in _table("asked_numbers") for each in words[:at])
    return counted or any(_small(each) in _VERBS | _MUST | _WISHES | _WANTED for each in words[:at] + words[at + 1 :])


_CUT = re.compile(
    r"\b(?:wanted|somewhere|it)$|\b(?:him|us|me|her|them) (?:an?|the)\b"
    r"|^(?:somebody|something|nobody|everybody|someone)\b(?! to\b)"
    r"|\bless than\b|\b(?:all|both)(?: \d+)?$|\b(?:it|them) again$|^somebody to \w+ (?:it|them)\b",
    re.IGNORECASE,
)
# A noun behind “our” that may be read as a verb begins no wish: “our stage scenery”.
_BEFORE_A_NOUN = r"\b(?:my|our|his|her|their)\s+(?:stage|book|plan|film|print|design|shoot)\s+"


def is_cut(thing: str, text: str) -> bool:
    """Whether what was taken for the thing is only a piece: whoever is to do something, a pronoun, a general word, a clause."""
    words = thing.split()
    if _CUT.search(thing) or all(_small(word) in _GENERAL | _OWN | _LINKS for word in words):
        return True
    if len(words) > 1 and (
        _small(words[-1]) in {"pay", "die"} or (_small(words[0]) in _PEOPLE and words[1] in {"a", "an"})
    ):
        return True
    named = re.escape(thing)
    if re.search(rf"\b(?:want|like|love|ask|asking)\s+(?:the|our|my)\s+{named}\s+to\s", text, re.IGNORECASE):
        return True
    return bool(re.search(f"{_BEFORE_A_NOUN}{named}", text, re.IGNORECASE)) or _has_verb(words, thing, text)


def _has_verb(words: list[str], thing: str, text: str) -> bool:
    """“The clock stopped”: a clause with its verb, and no name."""
    found = re.search(rf"{re.escape(thing)}(?:\s+[\w’']+)?", text)
    if not found or words[0].endswith("ing"):
        return False
    read = found[0].split()
    return any(_small(words[n]).endswith("ed") and _verb_behind(read, n) for n in range(1, len(words)))
