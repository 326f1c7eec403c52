"""What an English wish asks for, word by word: what is to be done, to what, where and with whom, apart from what is only told."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from prime.mind.offline.rooms.doings import finite, groups, hanging, stem, table, verbs
from prime.mind.offline.rooms.placing import ARTICLES, Place, Said, heads_of, placed, result
from prime.mind.offline.words.language import sentences

_CLAUSE = re.compile(
    r"[,;:!?()\n]+|\.(?=\s|$)|\s[-–—]\s|\b(?:but|so|because|since|while|although)\b"
    r"|\band\s+(?=(?:i|we|he|she|they|it|there|nobody)\b)"
    r"|\band\s+(?=(?:the|my|our|his|her)\s+(?:\w+\s+){1,3}?(?:says?|does|did|looks?|wants?|is|are|was|has|had|will|won|refuses?|shrugs?)\b)",
    re.IGNORECASE,
)
# Two words that are read as one.
_HAVE_TO = re.compile(r"\b(?:have|has|[’']ve got|got) to\b", re.IGNORECASE)
_BROKE_DOWN = re.compile(r"\b(?:broke|breaks|has broken|have broken) down\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w’'&/-]*(?:\.\d+)*|\d[\d.,]*")
_OURS = frozenset({"my", "our", "his", "her", "their"})
_ASKING_WORDS = frozenset({"how", "whether", "what", "which", "who", "why", "where", "when", "if"})
# A plan reads its wish several times; further on a message says more about the same thing.
_REMEMBERED, _READ = 32, 2_000
_MOST_CLAUSES = 8
_FEW = 3
_SHORT = 4
_MOST_LISTED = 5
# Within so many words it is said whether a clause wishes.
_BEGINNING = 12
_WOULD = frozenset({"would", "i'd", "we'd", "they'd", "he'd", "she'd"})
_SOMEBODY = frozenset({"someone", "somebody", "anyone", "anybody"})


@dataclass(frozen=True)
class Asking:
    """One thing that is asked for, or a trouble that is told: its words, and what is done, as groups of doings."""

    words: tuple[Said, ...]
    doing: frozenset[str]

    @cached_property
    def text(self) -> str:
        return " ".join(each.text for each in self.words)

    @cached_property
    def has_object(self) -> bool:
        return any(each.place == "head" and each.text not in table("pronouns") for each in self.words)

    @cached_property
    def verb(self) -> str:
        """What is to be done, where that is said."""
        return next((each.text for each in self.words if each.place == "verb"), "")

    @cached_property
    def seeks(self) -> bool:
        """Whether it is somebody or something that is to be found."""
        return any(each.place == "verb" and each.text in table("seeking") for each in self.words)

    @property
    def is_counted(self) -> bool:
        """A heading that says how many: “300 chairs”."""
        return bool(self.words) and self.words[0].text[0].isdigit() and "trouble" not in self.doing

    @cached_property
    def owned(self) -> frozenset[str]:
        """The nouns that are the owner's already: “our van”."""
        found: set[str] = set()
        ours = False
        for each in self.words:
            if each.place == "describes":
                ours = ours or each.text in _OURS
            elif each.place == "head" and ours:
                found.add(each.text)
            if each.place != "describes":
                ours = False
        return frozenset(found)

    def place_at(self, start: int, end: int) -> Place:
        """Which place the last word of a piece of the text has."""
        at = 0
        for each in self.words:
            at += len(each.text)
            if at >= end:
                return each.place
            at += 1
        return "rest"


@lru_cache(_REMEMBERED)
def asked_for(wish: str) -> tuple[Asking, ...]:
    """What is asked for in each clause that asks; where none asks, what the first one names or tells."""
    said = sentences(_BROKE_DOWN.sub("is broken", _HAVE_TO.sub("must", wish[:_READ])))[:_MOST_CLAUSES]
    clauses = [words for each in said for part in _CLAUSE.split(each) if (words := _words(part))][:_MOST_CLAUSES]
    asking: list[Asking] = []
    for n, words in enumerate(clauses):
        found = list(_asked(_listed(clauses, n), first=n == 0))
        if not found and asking and words[0] in ARTICLES and finite().isdisjoint(words):
            # “… need a gown, a party for 40”: the same is to be done.
            found = [Asking(each.words, asking[-1].doing) for each in _from_object(words, 0, "")]
        asking += found
    told = [_told(words) for words in clauses]
    if not asking:
        return tuple(each for each in told[:2] if each.words)
    if any(each.has_object for each in asking):
        return tuple(asking)
    # “It broke; fix it”: what it goes back to was told.
    doing = frozenset(group for each in asking for group in each.doing)
    back = [Asking(each.words, doing or each.doing) for each in told[:1]]
    return (*asking, *back)


def _words(part: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(part)]


def _listed(clauses: Sequence[list[str]], at: int) -> list[str]:
    """A clause with what goes on behind its commas: “book a marquee, a band and somebody to roast a pig”."""
    words, further = list(clauses[at]), clauses[at + 1 :]
    ends = next((n for n, each in enumerate(further[:_FEW]) if "and" in each), None)
    if ends is None or not all(map(_may_be_listed, further[: ends + 1])):
        return words
    for each in further[: ends + 1]:
        words += ["and", *each]
    return words


def _may_be_listed(words: Sequence[str]) -> bool:
    """“Flyers and a hostess” goes on with what is asked for; “two kids”, “and she sings” and “sell it and go” do not."""
    first = words[0]
    named = first in ARTICLES or (
        len(words) <= _MOST_LISTED and first not in verbs() | table("askers") | hanging().keys()
    )
    return named and not first[0].isdigit() and first not in {"and", "two", "three"} and finite().isdisjoint(words)


def _asked(words: list[str], *, first: bool) -> Iterator[Asking]:
    """What a clause asks for: by a wish, a command, or by a name alone where it comes first."""
    said = _without_leads(words)
    if not said:
        return
    passive = _to_be_done(said)
    undertaken = first and len(said) > _FEW - 1 and said[0] in {"i", "we"} and said[1] in verbs()
    if passive:
        yield passive
    elif undertaken:  # “we launch a lamp in March”
        yield from _from_verb(said, 1)
    elif (at := _wished_at(said)) is not None:
        yield from _from_verb(said, at)
    elif undertaken:  # “we launch a lamp in March”
        yield from _from_verb(said, 1)
    elif _commands(said, plain=len(said) < len(words)):
        yield from _from_verb(said, 0)
    elif first and _names(said):
        yield from _from_object(said, 0, "")


def _without_leads(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at] in table("leads") or (at and words[at] in table("askers"))):
        at += 1
    return words[at:] if at < len(words) else []


def _wished_at(words: list[str]) -> int | None:
    """Where what is wanted begins: behind “we would like to”, “somebody should”, “looking for”."""
    found = (at for n in range(min(len(words), _BEGINNING)) if (at := _wish_at(words, n)) is not None)
    return next(found, None)


def _wish_at(words: list[str], n: int) -> int | None:
    word, before = words[n], words[n - 1] if n else ""
    behind = words[n + 1] if n + 1 < len(words) else ""
    would = n > 1 and words[n - 2] in _WOULD
    if word == "to" and n and behind:
        wished = n > 1 and (before in table("wishing") - {"like"} or (before in {"like", "love"} and would))
        return n + 1 if wished or (n == 1 and before in _SOMEBODY) else None
    if word in {"should", "must", "can", "could"} and before in table("askers") and behind:
        return n + 1
    if word in {"thinking", "dreaming"} and behind in {"about", "of"} and n + 2 < len(words) and n <= _FEW:
        return n + 2
    wants = word in {"want", "need", "needs", "require", "wants"} and before not in {"not", "don't"}
    likes = word in {"like", "love"} and before in _WOULD
    looks = word in {"looking", "searching"} and behind in {"for", "after"}
    does = before in {"i'm", "we're", "am", "are"} and word.endswith("ing") and stem(word) in verbs() and n <= _FEW
    return n if ((wants or likes) and behind != "to") or looks or does else None


def _to_be_done(words: list[str]) -> Asking | None:
    """“Forty paintings need restoring”, “the roof has to be mended”."""
    for n in range(1, len(words) - 1):
        verb = words[n + 1]
        if words[n] in {"needs", "need"} and n and words[n - 1] not in table("askers") and verb.endswith("ing"):
            return _passive(words[:n], verb, words[n + 2 :])
        if verb == "be" and n + 2 < len(words) and words[n] in {"to", "should", "must"} and words[n + 2].endswith("ed"):
            lead = n - 1 if words[n] == "to" else n
            return _passive(words[:lead], words[n + 2], words[n + 3 :])
    return None


def _passive(thing: list[str], verb: str, behind: list[str]) -> Asking | None:
    if not thing or thing[0] in table("askers"):
        return None
    objects = list(placed(thing))
    return Asking((Said(verb, "verb"), *objects, *placed(behind, "rest")), groups(verb, heads_of(objects)))


def _commands(words: list[str], *, plain: bool) -> bool:
    head, behind = words[0], words[1] if len(words) > 1 else ""
    if (
        head in table("own")
        or head in table("askers")
        or head in table("pronouns")
        or head[0].isdigit()
        or head in table("is") - {"have"}
    ):
        return False
    if head.endswith("ing") and stem(head) in verbs():
        return behind in table("own") or behind == "for" or not plain
    if head not in verbs():
        return (
            behind in table("own")
            and head not in hanging()
            and not head.endswith(("s", "ed", "ly"))
            and finite().isdisjoint(words[:6])
        )
    # “Record attempt in July” names one, “book club” another.
    named = head in table("nouns") and behind not in table("own") | _ASKING_WORDS and not behind[:1].isdigit()
    return bool(behind) and not named


def _names(words: list[str]) -> bool:
    """A heading has no verb; “the choir sang” is none, and has none that is known, but is told as a sentence."""
    return (
        finite().isdisjoint(words)
        and words[0] not in table("askers")
        and not any(word in {"want", "need", "wants", "needs"} for word in words)
    )


def _told(words: list[str]) -> Asking:
    """A sentence that tells: whom or what it is said of, what happens, and to what."""
    pieces: list[list[str]] = [[]]
    for word in words:
        if word in table("is") or word in table("askers") or word in table("tells"):
            pieces.append([])
        else:
            pieces[-1].append(word)
    objects = [
        Said(each.text, "verb" if _happened(each.text) and each.place != "place" else each.place)
        for piece in pieces
        for each in placed(piece)
    ]
    return Asking(tuple(objects), frozenset({"trouble"}))


def _happened(word: str) -> bool:
    return word.endswith("ed") or word in table("happened")


def _from_verb(words: list[str], at: int) -> Iterator[Asking]:
    """The verb there and what belongs to it; what is joined to it by “and” with a verb of its own is another."""
    verb = words[at] if at < len(words) else ""
    if not verb:
        return
    if verb in {"looking", "searching", "look", "search"} and words[at + 1 : at + 2] in (["for"], ["after"]):
        verb, at = ("look" if words[at + 1] == "after" else "find"), at + 1
    elif verb in table("for_what") and words[at + 1 : at + 2] == ["for"]:
        at += 1
    if verb in {"set", "put", "take", "sort", "turn", "get", "give", "find", "rent", "let", "clean", "tear"} and (
        words[at + 1 : at + 2] and words[at + 1] in {"up", "on", "down", "out", "back", "over", "away", "off", "rid"}
    ):
        verb, at = f"{verb} {words[at + 1]}", at + 1
        if words[at + 1 : at + 2] == ["of"]:
            at += 1
    yield from _from_object(words, at + 1, verb)


def _from_object(words: list[str], at: int, verb: str) -> Iterator[Asking]:
    rest = words[at:]
    while rest and rest[0] in {"me", "us", "him", "her", "them"} and len(rest) > 1 and rest[1] in table("own"):
        rest = rest[1:]
    joined = next((n for n in range(1, len(rest) - 1) if _begins_another(rest, n)), len(rest))
    own, others = rest[:joined], rest[joined + 1 :]
    if (named := _priced(own)) is not None:
        yield from _from_verb(own, named)
        own = []
    somebody = next((n for n, word in enumerate(own) if word in {"somebody", "someone", "anybody"}), None)
    if somebody is not None and own[somebody + 1 : somebody + 2] and own[somebody + 1] in {"to", "who", "that"}:
        skip = somebody + 2 + (own[somebody + 2 : somebody + 3] in (["can"], ["could"], ["will"]))
        others, own = [*own[skip:], *(["and", *others] if others else [])], own[:somebody]
    first, _, particle = verb.partition(" ")
    if own and own[0] in _ASKING_WORDS and (verb == "find out" or groups(verb, frozenset()) & {"know", "learn"}):
        own = own[1:]
        verb = first = "investigate"
    done = _caused(own) if first in table("causing") else None
    objects = list(placed(own[: done[0]] if done else own)) + ([*placed(own[done[0] + 1 :], "rest")] if done else [])
    if first in {"turn", "convert", "transform", "make"}:
        objects = result(objects)
    verbs = ([Said(first, "verb")] if first else []) + ([Said(particle, "verb")] if particle else [])
    effective = done[1] if done else "recover" if first == "get" and "back" in own else verb
    if done:
        verbs.append(Said(done[1], "verb"))
    if verbs or objects:
        yield Asking((*verbs, *objects), groups(effective, heads_of(objects)) or frozenset({"mend"} if done else ()))
    if others:
        yield from _from_verb(_without_leads(others), 0)


def _priced(words: Sequence[str]) -> int | None:
    """Behind “three quotes for”: where what they are for begins."""
    for n, word in enumerate(words[:-1]):
        if word == "for" and n and words[n - 1] in {"quote", "quotes", "offer", "offers", "estimate", "estimates"}:
            return n + 1 if words[n + 1].endswith("ing") else n
    return None


def _begins_another(words: list[str], at: int) -> bool:
    """“… and sell the surplus”, “… and have it certified”."""
    if words[at] not in {"and", "then", "plus"}:
        return False
    verb, behind = words[at + 1], words[at + 2] if at + 2 < len(words) else ""
    return verb in verbs() and (behind in table("own") or behind in table("pronouns") or behind == "")


def _caused(words: list[str]) -> tuple[int, str] | None:
    """“… the piano tuned”, “… the chairs in the hall reupholstered”: where the word is that says what is done, and which."""
    hangs = False
    for n in range(1, len(words)):
        word = words[n]
        if word in hanging():
            hangs = True
            continue
        known = stem(word) in verbs() or word in {
            "made",
            "built",
            "cut",
            "done",
            "shorn",
            "written",
            "taken",
            "bound",
            "sewn",
        }
        if (
            word.endswith("ed")
            and len(word) > _SHORT
            and ((known and not hangs) or n == len(words) - 1 or words[n + 1] in hanging())
        ):
            return n, word
        if known and word in {"made", "built", "cut", "done", "shorn", "written", "taken", "bound", "sewn"}:
            return n, word
    return None
