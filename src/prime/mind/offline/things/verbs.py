"""Verbs that wishes are made of, from `verbs.yaml`: whether a word begins a wish, and which verb a participle comes from."""

import re
from functools import cache
from importlib import resources
from typing import cast

from prime.core.yaml_text import read_mapping

# Behind a verb that is a noun as well, these tell that something is to be done.
_OBJECT = re.compile(
    r"(?:an?|the|my|our|his|her|their|this|these|those|some|all|every|another|me|us|him|them|it"
    r"|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|up|down|out|off|and [a-z-]+|[\w’']+[’']s)\b|[“\"'‘\d]",
    re.IGNORECASE,
)


@cache
def _table(name: str) -> tuple[str, ...]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/verbs.yaml").read_text("utf-8")
    return tuple(cast("dict[str, list[str]]", read_mapping(text, path="verbs.yaml").data)[name])


@cache
def _verbs() -> frozenset[str]:
    return frozenset(entry.split()[0] for entry in _entries()) | _nouns_too()


def _entries() -> list[str]:
    return [entry for line in _table("verbs") for entry in line.split(", ")]


@cache
def _nouns_too() -> frozenset[str]:
    return frozenset(word for line in _table("nouns_too") for word in line.split(", "))


@cache
def _irregular() -> dict[str, str]:
    """Participles that are not made by -ed, each with its verb."""
    forms = (entry.split() for entry in _entries())
    return {participle: verb for verb, *participles in forms for participle in participles}


STATES = re.compile(rf"(?:{'|'.join(_table('states'))})\b", re.IGNORECASE)


def begins_a_wish(word: str, behind: str) -> bool:
    """Whether a word at the head of a clause asks for something to be done."""
    verb = word.casefold()
    if verb not in _verbs():
        return False
    return bool(behind) and (verb not in _nouns_too() or bool(_OBJECT.match(behind)))


def is_verb(word: str) -> bool:
    return word.casefold() in _verbs()


def verb_of(participle: str) -> str:
    """“Sheared” comes of “shear”; "" for what is no participle that one knows."""
    word = participle.casefold()
    if found := _irregular().get(word):
        return found
    if not word.endswith("ed"):
        return ""
    stems = (
        word[:-2],
        word[:-1],
        f"{word[:-3]}y" if word.endswith("ied") else "",
        word[:-3] if word[-3:-2] == word[-4:-3] else "",
    )
    return next((stem for stem in stems if stem in _verbs()), "")
