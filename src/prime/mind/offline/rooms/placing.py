"""What each word behind a verb is: the head of what it is done to, what describes that, where it is, whom it goes to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from prime.mind.offline.rooms.doings import hanging, kin, named_doings, table, verbs

# What a word is in a wish: what is done; what it is done to, and what describes that; what belongs to it; where; whom or what
# else it has to do with; or nothing that is asked for.
Place = Literal["verb", "head", "describes", "of", "place", "for", "to", "with", "from", "rest"]

_PARTICIPLES = frozenset({"made", "built", "held", "run", "called", "owned", "written", "taken"})
ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class Said:
    """One word, and what it is in the wish."""

    text: str
    place: Place


def result(objects: list[Said]) -> list[Said]:
    """What something is turned into is what is asked for."""
    into = next((n for n, each in enumerate(objects) if each.text == "into"), None)
    if into is None:
        return objects
    own = [Said(each.text, "of" if each.place == "head" else each.place) for each in objects[:into]]
    return [*own, Said("into", "rest"), *placed([each.text for each in objects[into + 1 :]])]


def placed(words: Sequence[str], begins: Place = "head") -> Iterator[Said]:
    """Each word with its place: nouns up to what hangs on them, the last of each being the head."""
    group: list[str] = []
    place: Place = begins
    for n, word in enumerate([*words, "\0"]):
        if word[0].isdigit() and group and group[-1] not in table("own") and place == "head":
            yield from _group(group, place)  # “a hackathon 120 students”
            group, place = [], "rest"
        turn = _turn(words, n, place) if word != "\0" else "rest"
        if word != "\0" and turn is None and word not in {"and", "or", "plus", "&"}:
            group.append(word)
            continue
        yield from _group(group, place)
        turn = (
            "of" if turn == "for" and group and group[-1] in table("plans") else turn
        )  # a plan for a marathon is of it
        of_group = bool(group) and turn == "of" and group[-1] in table("groups")
        group = []
        if word == "\0":
            return
        if turn is not None:
            yield Said(word, "rest")
            place = turn if turn != "of" else place if of_group or place != "head" else "of"
        elif word in {"and", "or", "plus", "&"} and place == "of":
            place = "head" if begins == "head" and n + 1 < len(words) and words[n + 1] in table("own") else place


def _turn(words: Sequence[str], at: int, place: Place) -> Place | None:
    word = words[at]
    behind = words[at + 1] if at + 1 < len(words) else ""
    if word in table("askers") or word in _PARTICIPLES or (word.endswith("ed") and at and behind in hanging()):
        return "rest"  # “a mosaic made by all children”
    found = hanging().get(word)
    if found == "to" and at + 1 < len(words) and words[at + 1] in verbs() and words[at + 1] not in table("own"):
        return "rest"  # what it is for is no place that it goes to
    if place == "rest" and found not in {None, "place"}:
        return "rest"
    return cast("Place | None", found)


def _group(group: Sequence[str], place: Place) -> Iterator[Said]:
    """The words of one noun: its head is the last that says no time or sum. Before an article in it stands who is to have it."""
    inner = next((n for n in range(1, len(group)) if group[n] in ARTICLES and _may_head(group[n - 1])), 0)
    if inner and place == "head":
        yield from (Said(word, "rest") for word in group[:inner])
        group = group[inner:]
    if place == "for" and group and group[-1] in table("sites"):
        place = "place"
    last = next((n for n in range(len(group) - 1, -1, -1) if _may_head(group[n])), None)
    if place != "head":
        yield from (Said(word, "rest" if _is_of_family(word) else place) for word in group)
        return
    # Where nothing but a time or a number is said, that is it: “five days in Iceland”.
    head = len(group) - 1 if last is None else last
    for n, word in enumerate(group):
        # Of a “bat census” and a “drone licence” it is bats and drones that are asked about; whose it is in the family is not.
        both = last is not None and group[last] in named_doings()
        if n == head or (n < head and both):
            yield Said(word, "head")
        else:
            yield Said(word, "rest" if n > head or _is_of_family(word) or last is None else "describes")


def _is_of_family(word: str) -> bool:
    return word.endswith("'s") and word.removesuffix("'s") in kin()


def _may_head(word: str) -> bool:
    return (
        word not in table("no_head") and not word[0].isdigit() and word not in table("own") and not word.endswith("ly")
    )


def heads_of(objects: Sequence[Said]) -> frozenset[str]:
    return frozenset(each.text for each in objects if each.place == "head")
