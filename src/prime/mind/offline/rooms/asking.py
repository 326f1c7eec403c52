"""What an English wish asks for, word by word: what is to be done, to what, where and with whom, apart from what is only told."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, cast

from prime.core.yaml_text import read_mapping
from prime.mind.offline.words.language import sentences
from prime.mind.offline.words.phrases import alternatives

# What a word is in a wish: what is done; what it is done to, and what describes that; what belongs to it; where; whom or what
# else it has to do with; or nothing that is asked for.
Place = Literal["verb", "head", "describes", "of", "place", "for", "to", "with", "from", "rest"]

_CLAUSE = re.compile(
    r"[,;:!?()\n]+|\.(?=\s|$)|\s[-–—]\s|\b(?:but|so|because|since|while|although)\b"
    r"|\band\s+(?=(?:i|we|he|she|they|it|there|nobody|somebody)\b)"
    r"|\band\s+(?=(?:the|my|our|his|her)\s+(?:\w+\s+){1,3}?(?:says?|does|did|looks?|wants?|is|are|was|has|had|will|won|refuses?|shrugs?)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w’'&/-]*(?:\.\d+)*|\d[\d.,]*")
_OWN = frozenset(
    "a an the my our his her their its your some any this these those all both every each another more several many new old two three"
    " four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty eighty hundred no first second".split()
)
_PARTICIPLES = frozenset({"made", "built", "held", "run", "called", "owned", "written", "taken"})
_OURS = frozenset({"my", "our", "his", "her", "their"})
_ARTICLES = frozenset({"a", "an", "the"})
_PRONOUNS = frozenset("it them this that these those one him her us me".split())
_IS = frozenset(
    "is are was were am be been being isn't aren't wasn't has have had hasn't haven't does do did doesn't don't didn't will won't can"
    " can't cannot could would should must may might".split()
)
_FINITE = _IS - {"have", "do", "be"}
_ASKING_WORDS = frozenset({"how", "whether", "what", "which", "who", "why", "where", "when", "if"})
_MOST_CLAUSES = 8
_FEW = 3
_SHORT = 4
_MOST_LISTED = 5


@dataclass(frozen=True, slots=True)
class Said:
    """One word, and what it is in the wish."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Asking:
    """One thing that is asked for, or a trouble that is told: its words, and what is done, as groups of doings."""

    words: tuple[Said, ...]
    doing: frozenset[str]

    @property
    def text(self) -> str:
        return " ".join(each.text for each in self.words)

    @property
    def has_object(self) -> bool:
        return any(each.place == "head" and each.text not in _PRONOUNS for each in self.words)

    @property
    def verb(self) -> str:
        """What is to be done, where that is said."""
        return next((each.text for each in self.words if each.place == "verb"), "")

    @property
    def seeks(self) -> bool:
        """Whether it is somebody or something that is to be found."""
        return any(each.place == "verb" and each.text in _table("seeking") for each in self.words)

    @property
    def is_counted(self) -> bool:
        """A heading that says how many: “300 chairs”."""
        return bool(self.words) and self.words[0].text[0].isdigit() and "trouble" not in self.doing

    @property
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


def asked_for(wish: str) -> tuple[Asking, ...]:
    """What is asked for in each clause that asks; where none asks, what the first one names or tells."""
    said = sentences(wish)[:_MOST_CLAUSES]
    clauses = [words for each in said for part in _CLAUSE.split(each) if (words := _words(part))][:_MOST_CLAUSES]
    asking = [found for n, words in enumerate(clauses) for found in _asked(_listed(clauses, n), first=n == 0)]
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
    named = first in _ARTICLES or (len(words) <= _MOST_LISTED and first not in verbs() | _table("askers") | _hanging().keys())
    return named and not first[0].isdigit() and first not in {"and", "two", "three"} and _FINITE.isdisjoint(words)


def _asked(words: list[str], *, first: bool) -> Iterator[Asking]:
    """What a clause asks for: by a wish, a command, or by a name alone where it comes first."""
    said = _without_leads(words)
    if not said:
        return
    passive = _to_be_done(said)
    if passive:
        yield passive
    elif (at := _wished_at(said)) is not None:
        yield from _from_verb(said, at)
    elif _commands(said, plain=len(said) < len(words)):
        yield from _from_verb(said, 0)
    elif first and _names(said):
        yield from _from_object(said, 0, "")


def _without_leads(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at] in _table("leads") or (at and words[at] in _table("askers"))):
        at += 1
    return words[at:] if at < len(words) else []


def _wished_at(words: list[str]) -> int | None:
    """Where what is wanted begins: behind “we would like to”, “somebody should”, “looking for”."""
    for n, word in enumerate(words[:12]):
        before = words[n - 1] if n else ""
        behind = words[n + 1] if n + 1 < len(words) else ""
        if word == "to" and before in _table("wishing") - {"like"} and n > 1:
            return n + 1
        if word == "to" and before in {"like", "love"} and n > 1 and words[n - 2] in {"would", "i'd", "we'd", "they'd"}:
            return n + 1
        if word in {"should", "must", "can", "could"} and before in _table("askers") and behind:
            return n + 1
        if word in {"want", "need", "needs", "require", "wants"} and behind != "to" and before not in {"not", "don't"}:
            return n
        if word in {"like", "love"} and before in {"would", "i'd", "we'd", "they'd", "he'd", "she'd"} and behind != "to":
            return n
        if word in {"looking", "searching"} and behind in {"for", "after"}:
            return n
        if before in {"someone", "somebody", "anyone", "anybody"} and word == "to" and behind and n == 1:
            return n + 1
        if word in {"thinking", "dreaming"} and behind in {"about", "of"} and n + 2 < len(words) and n <= _FEW:
            return n + 2
        if before in {"i'm", "we're", "am", "are"} and word.endswith("ing") and _stem(word) in verbs() and n <= _FEW:
            return n
    return None


def _to_be_done(words: list[str]) -> Asking | None:
    """“Forty paintings need restoring”, “the roof has to be mended”."""
    for n in range(1, len(words) - 1):
        verb = words[n + 1]
        if words[n] in {"needs", "need"} and n and words[n - 1] not in _table("askers") and verb.endswith("ing"):
            return _passive(words[:n], verb, words[n + 2 :])
        if verb == "be" and n + 2 < len(words) and words[n] in {"to", "should", "must"} and words[n + 2].endswith("ed"):
            lead = n - 1 if words[n] == "to" else n
            return _passive(words[:lead], words[n + 2], words[n + 3 :])
    return None


def _passive(thing: list[str], verb: str, behind: list[str]) -> Asking | None:
    if not thing or thing[0] in _table("askers"):
        return None
    objects = list(_placed(thing))
    return Asking((Said(verb, "verb"), *objects, *_placed(behind, "rest")), _groups(verb, objects))


def _commands(words: list[str], *, plain: bool) -> bool:
    head, behind = words[0], words[1] if len(words) > 1 else ""
    if head in _OWN or head in _table("askers") or head in _PRONOUNS or head[0].isdigit() or head in _IS - {"have"}:
        return False
    if head.endswith("ing") and _stem(head) in verbs():
        return behind in _OWN or behind == "for" or not plain
    if head not in verbs():
        return behind in _OWN and head not in _hanging() and not head.endswith(("s", "ed")) and _FINITE.isdisjoint(words[:6])
    # “Record attempt in July” names one, “book club” another.
    named = head in _table("nouns") and behind not in _OWN | _ASKING_WORDS and not behind[:1].isdigit()
    return bool(behind) and not named


def _names(words: list[str]) -> bool:
    """A heading has no verb; “the choir sang” is none, and has none that is known, but is told as a sentence."""
    return _FINITE.isdisjoint(words) and words[0] not in _table("askers") and not any(
        word in {"want", "need", "wants", "needs"} for word in words
    )


def _told(words: list[str]) -> Asking:
    """A sentence that tells: whom or what it is said of, what happens, and to what."""
    pieces: list[list[str]] = [[]]
    for word in words:
        if word in _IS or word in _table("askers") or word in _table("tells"):
            pieces.append([])
        else:
            pieces[-1].append(word)
    objects = [
        Said(each.text, "verb" if _happened(each.text) and each.place != "place" else each.place)
        for piece in pieces
        for each in _placed(piece)
    ]
    return Asking(tuple(objects), frozenset({"trouble"}))


def _happened(word: str) -> bool:
    return word.endswith("ed") or word in _table("happened")


def _from_verb(words: list[str], at: int) -> Iterator[Asking]:
    """The verb there and what belongs to it; what is joined to it by “and” with a verb of its own is another."""
    verb = words[at] if at < len(words) else ""
    if not verb:
        return
    if verb in {"looking", "searching", "look", "search"} and words[at + 1 : at + 2] in (["for"], ["after"]):
        verb, at = ("look" if words[at + 1] == "after" else "find"), at + 1
    if verb in {"set", "put", "take", "sort", "turn", "get", "give", "find", "rent", "let", "clean", "tear"} and (
        words[at + 1 : at + 2] and words[at + 1] in {"up", "on", "down", "out", "back", "over", "away", "off", "rid"}
    ):
        verb, at = f"{verb} {words[at + 1]}", at + 1
        if words[at + 1 : at + 2] == ["of"]:
            at += 1
    yield from _from_object(words, at + 1, verb)


def _from_object(words: list[str], at: int, verb: str) -> Iterator[Asking]:
    rest = words[at:]
    while rest and rest[0] in {"me", "us", "him", "her", "them"} and len(rest) > 1 and rest[1] in _OWN:
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
    if own and own[0] in _ASKING_WORDS and (verb == "find out" or _groups(verb, ()) & {"know", "learn"}):
        own = own[1:]
        verb = first = "investigate"
    done = _caused(own) if first in _table("causing") else None
    objects = list(_placed(own[: done[0]] if done else own)) + ([*_placed(own[done[0] + 1 :], "rest")] if done else [])
    if first in {"turn", "convert", "transform", "make"}:
        objects = _result(objects)
    verbs = ([Said(first, "verb")] if first else []) + ([Said(particle, "verb")] if particle else [])
    effective = done[1] if done else "recover" if first == "get" and "back" in own else verb
    if done:
        verbs.append(Said(done[1], "verb"))
    if verbs or objects:
        yield Asking((*verbs, *objects), _groups(effective, objects) or frozenset({"mend"} if done else ()))
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
    return verb in verbs() and (behind in _OWN or behind in _PRONOUNS or behind == "")


def _caused(words: list[str]) -> tuple[int, str] | None:
    """“… the piano tuned”, “… the chairs in the hall reupholstered”: where the word is that says what is done, and which."""
    hangs = False
    for n in range(1, len(words)):
        word = words[n]
        if word in _hanging():
            hangs = True
            continue
        known = _stem(word) in verbs() or word in {"made", "built", "cut", "done", "shorn", "written", "taken", "bound", "sewn"}
        if word.endswith("ed") and len(word) > _SHORT and (
            (known and not hangs) or n == len(words) - 1 or words[n + 1] in _hanging()
        ):
            return n, word
        if known and word in {"made", "built", "cut", "done", "shorn", "written", "taken", "bound", "sewn"}:
            return n, word
    return None


def _result(objects: list[Said]) -> list[Said]:
    """What something is turned into is what is asked for."""
    into = next((n for n, each in enumerate(objects) if each.text == "into"), None)
    if into is None:
        return objects
    own = [Said(each.text, "of" if each.place == "head" else each.place) for each in objects[:into]]
    return [*own, Said("into", "rest"), *_placed([each.text for each in objects[into + 1 :]])]


def _placed(words: Sequence[str], begins: Place = "head") -> Iterator[Said]:
    """Each word with its place: nouns up to what hangs on them, the last of each being the head."""
    group: list[str] = []
    place: Place = begins
    for n, word in enumerate([*words, "\0"]):
        turn = _turn(words, n, place) if word != "\0" else "rest"
        if word != "\0" and turn is None and word not in {"and", "or", "plus", "&"}:
            group.append(word)
            continue
        yield from _group(group, place)
        of_group = bool(group) and turn == "of" and group[-1] in _table("groups")
        group = []
        if word == "\0":
            return
        if turn is not None:
            yield Said(word, "rest")
            if turn == "of":
                place = place if of_group or place != "head" else "of"
            else:
                place = turn
        elif word in {"and", "or", "plus", "&"} and place == "of":
            place = "head" if begins == "head" and n + 1 < len(words) and words[n + 1] in _OWN else place


def _turn(words: Sequence[str], at: int, place: Place) -> Place | None:
    word = words[at]
    behind = words[at + 1] if at + 1 < len(words) else ""
    if word in _table("askers") or word in _PARTICIPLES or (word.endswith("ed") and at and behind in _hanging()):
        return "rest"  # “a mosaic made by all children”
    found = _hanging().get(word)
    if found == "to" and at + 1 < len(words) and words[at + 1] in verbs() and words[at + 1] not in _OWN:
        return "rest"  # what it is for is no place that it goes to
    if place == "rest" and found not in {None, "place"}:
        return "rest"
    return cast("Place | None", found)


def _group(group: Sequence[str], place: Place) -> Iterator[Said]:
    """The words of one noun: its head is the last that says no time or sum. Before an article in it stands who is to have it."""
    inner = next((n for n in range(1, len(group)) if group[n] in _ARTICLES and _may_head(group[n - 1])), 0)
    if inner and place == "head":
        yield from (Said(word, "rest") for word in group[:inner])
        group = group[inner:]
    if place == "for" and group and group[-1] in _table("sites"):
        place = "place"
    last = next((n for n in range(len(group) - 1, -1, -1) if _may_head(group[n])), None)
    for n, word in enumerate(group):
        if place == "head":
            # Of a “bat census” and a “drone licence” it is bats and drones that are asked about.
            both = last is not None and group[last] in _named_doings()
            # Whose it is in the family is nothing that it is about.
            apart = last is None or n > last or (n < last and word.removesuffix("'s") in _kin() and word.endswith("'s"))
            yield Said(word, "rest" if apart else "head" if n == last or both else "describes")
        else:
            yield Said(word, place)


def _may_head(word: str) -> bool:
    return word not in _table("no_head") and not word[0].isdigit() and word not in _OWN and not word.endswith("ly")


def _groups(verb: str, objects: Sequence[Said]) -> frozenset[str]:
    """Of which groups of doings it is: by the verb, else by a noun that says what is done."""
    if verb in {"rent out", "give away", "get rid", "find home"}:
        return frozenset({"sell"})
    if verb in {"take over", "take on", "set up", "start up"}:
        return frozenset()
    if verb == "put on":
        return frozenset({"hold"})
    first = verb.partition(" ")[0]
    heads = {each.text for each in objects if each.place == "head"}
    by_noun = {group for group, nouns in _doings("done").items() if heads & nouns}
    by_verb = {group for group, verbs in _doings("doing").items() if _stem(first) in verbs or first in verbs}
    return frozenset(by_noun | by_verb)


def _stem(word: str) -> str:
    """The verb of a form of it, where that is known: “tuned” and “tuning” are of “tune”."""
    if word in verbs():
        return word
    for ending in ("ing", "ed", "es", "s", "d"):
        bare = word.removesuffix(ending)
        if bare != word:
            forms = (bare, f"{bare}e", f"{bare[:-1]}y" if bare.endswith("i") else bare, bare[:-1])
            found = next((form for form in forms if form in verbs()), None)
            if found:
                return found
    return word


@cache
def _kin() -> frozenset[str]:
    return frozenset(alternatives("asked_people").split("|"))


@cache
def verbs() -> frozenset[str]:
    """All verbs that are known, as they are called."""
    return _table("beginning") | frozenset(verb for verbs in _doings("doing").values() for verb in verbs)


@cache
def _named_doings() -> frozenset[str]:
    """Nouns that say what is done, where it is done to something and not merely held."""
    return frozenset(noun for group, nouns in _doings("done").items() if group != "hold" for noun in nouns)


@cache
def _hanging() -> dict[str, str]:
    found = cast("dict[str, str]", _file()["hangs"])
    return {word: place for place, words in found.items() for word in words.split()}


@cache
def _doings(name: str) -> dict[str, frozenset[str]]:
    return {group: frozenset(words.split()) for group, words in cast("dict[str, str]", _file()[name]).items()}


@cache
def _table(name: str) -> frozenset[str]:
    return frozenset(cast("str", _file()[name]).split())


@cache
def _file() -> dict[str, object]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/asking.yaml").read_text("utf-8")
    return dict(read_mapping(text, path="asking.yaml").data)
