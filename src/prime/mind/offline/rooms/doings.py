"""The words of an English wish that say what is done, and by what they are grouped: `asking.yaml`, read."""

from collections.abc import Set as AbstractSet
from functools import cache
from importlib import resources
from typing import cast

from prime.core.yaml_text import read_mapping
from prime.mind.offline.words.phrases import alternatives


def groups(verb: str, heads: AbstractSet[str]) -> frozenset[str]:
    """Of which groups of doings it is: by the verb, and by a noun that says what is done."""
    if verb in {"rent out", "give away", "get rid", "find home"}:
        return frozenset({"sell"})
    if verb in {"take over", "take on", "set up", "start up"}:
        return frozenset()
    if verb == "put on":
        return frozenset({"hold"})
    first = verb.partition(" ")[0]
    by_noun = {group for group, nouns in _doings("done").items() if heads & nouns}
    by_verb = {group for group, verbs in _doings("doing").items() if stem(first) in verbs or first in verbs}
    return frozenset(by_noun | by_verb)


def stem(word: str) -> str:
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
def finite() -> frozenset[str]:
    """Verbs of a sentence that tells."""
    return table("is") - {"have", "do", "be"}


@cache
def kin() -> frozenset[str]:
    return frozenset(alternatives("asked_people").split("|"))


@cache
def verbs() -> frozenset[str]:
    """All verbs that are known, as they are called."""
    return table("beginning") | frozenset(verb for verbs in _doings("doing").values() for verb in verbs)


@cache
def named_doings() -> frozenset[str]:
    """Nouns that say what is done, where it is done to something and not merely held."""
    return frozenset(noun for group, nouns in _doings("done").items() if group != "hold" for noun in nouns)


@cache
def hanging() -> dict[str, str]:
    found = cast("dict[str, str]", _file()["hangs"])
    return {word: place for place, words in found.items() for word in words.split()}


@cache
def _doings(name: str) -> dict[str, frozenset[str]]:
    return {group: frozenset(words.split()) for group, words in cast("dict[str, str]", _file()[name]).items()}


@cache
def table(name: str) -> frozenset[str]:
    return frozenset(cast("str", _file()[name]).split())


@cache
def _file() -> dict[str, object]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/asking.yaml").read_text("utf-8")
    return dict(read_mapping(text, path="asking.yaml").data)
