"""Archetypes: kinds of projects as data files, with the roles in them and what each says beat by beat.

Prime's own files and the owner's have one form. A file that does not fit it is left out and told about, so that one
mistake never takes the others away.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from prime.core.errors import PrimeError
from prime.mind.offline.library.archetype_faults import read_as
from prime.mind.offline.library.roles import Beat, BeatKind, Key, Role, Said, Strict, Template, Text, Voice
from prime.mind.offline.library.trades import TRADE, Trade, as_role, parse_trades
from prime.mind.offline.library.wording import weighed
from prime.mind.offline.words.language import Language, language_of
from prime.mind.offline.words.likeness import Likeness

GENERAL = "general"
# What the key begins with of somebody who was asked for by name; behind it comes the general role that they are like.
ASKED = "asked-"


def _lines(written: object) -> object:
    """One example to a line, as a text below `examples: |`."""
    if written is not None and not isinstance(written, str):
        message = "write one example to a line, below “examples: |”"
        raise ValueError(message)
    return tuple(line.strip() for line in (written or "").splitlines() if line.strip())


_WORD = re.compile(r"[a-z]{4,}")
Examples = Annotated[tuple[Template, ...], BeforeValidator(_lines)]


class Scale(Strict):
    """What such a project costs when nobody says."""

    amount: Annotated[float, Field(gt=0)]
    # What it costs for each of those who are counted, where they are.
    each: Annotated[float, Field(gt=0)] | None = None
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "EUR"


_LOUD = 2.0


class Words(Strict):
    """Words that speak for an archetype, and how loudly. English ones match at the beginning of a word."""

    en: Mapping[str, float] = Field(default_factory=dict[str, float])
    zh: Mapping[str, float] = Field(default_factory=dict[str, float])

    def loud(self, language: Language) -> list[str]:
        return [word.strip() for word, weight in getattr(self, language).items() if weight >= _LOUD]


class Archetype(Strict):
    name: Key
    title: Text
    # What is said for the thing itself when the owner named none, and for all that is done about it.
    thing: Text
    project: Text
    # What it is called where the owner named no thing but wrote this word.
    called: Mapping[str, str] = Field(default_factory=dict[str, str])
    # Whether that stands before what was named: the cat that needs a surgery is looked after, and not the surgery.
    called_first: bool = False
    # What the owner is told first, where something comes before all rooms.
    first: Text | None = None
    # How one speaks of what the owner named: there is one of it, or any will do.
    article: Literal["the", "a"] = "the"
    # Whether the sum that the owner names is one to get, not one to spend.
    income: bool = False
    # Whether people tell what happened to them, and do not say that they want something done about it.
    trouble: bool = False
    # What the owner is told to be missing when it was not written.
    asks: tuple[Literal["budget", "deadline"], ...] = ("budget", "deadline")
    words: Words
    scale: Scale
    roles: Annotated[Mapping[Key, Role], Field(min_length=1, max_length=12)]
    # What of it must be asked for in an English wish of this kind, and what shows that it is another side of the same words.
    evidence: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    # Wishes for such a project, as people write them: by their likeness it is known.
    examples: Examples = ()

    def written_in(self, language: Language) -> tuple[str, ...]:
        """Its examples in one language."""
        return tuple(example for example in self.examples if language_of(example) == language)


class VoiceOf(BaseModel):
    """How a kind of counterpart speaks when its role has nothing of its own to say, and how Prime answers it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    open: Beat
    ask: Beat
    offer: Beat
    conflict: Beat
    commit: Beat
    deliver: Beat
    prime: Mapping[BeatKind, Said]

    def beat(self, kind: BeatKind) -> Beat:
        return {
            "open": self.open, "ask": self.ask, "offer": self.offer,
            "conflict": self.conflict, "commit": self.commit, "deliver": self.deliver,
        }[kind]  # fmt: skip


class _Voices(Strict):
    voices: Mapping[Voice, VoiceOf]


@dataclass(frozen=True)
class Library:
    """All archetypes that can be read, the owner's over Prime's; and what could not be read, for the owner to see."""

    folders: Sequence[Path] = ()
    problems: list[str] = field(default_factory=list[str])
    # What was learned from the examples, by their language: which kind, and whether anything is wanted at all.
    _likeness: dict[Language, Likeness] = field(default_factory=dict[Language, Likeness])
    openings: dict[Language, Likeness] = field(default_factory=dict[Language, Likeness])

    @cached_property
    def voices(self) -> Mapping[Voice, VoiceOf]:
        text = resources.files("prime.mind").joinpath("archetypes/common.yaml").read_text("utf-8")
        return read_as(text, "common.yaml", _Voices).voices

    @cached_property
    def archetypes(self) -> Mapping[str, Archetype]:
        own = [f for f in resources.files("prime.mind").joinpath("archetypes").iterdir() if f.name.endswith(".yaml")]
        files = [(f.name, f.read_text("utf-8")) for f in sorted(own, key=lambda f: f.name) if f.name != "common.yaml"]
        found = {archetype.name: archetype for archetype in (parse_archetype(text, name) for name, text in files)}
        for folder in self.folders:
            for path in sorted(folder.glob("*.y*ml")):
                self._add(path, found)
        return found

    @cached_property
    def trades(self) -> Mapping[str, Trade]:
        own = [f for f in resources.files("prime.mind").joinpath("trades").iterdir() if f.name.endswith(".yaml")]
        files = [(f.name, f.read_text("utf-8")) for f in sorted(own, key=lambda f: f.name) if f.name != "parts.yaml"]
        found: dict[str, Trade] = {}
        for name, text in files:
            found |= parse_trades(text, name)
        for folder in self.folders:
            for path in sorted((folder / "trades").glob("*.y*ml")):
                self._add_trades(path, found)
        return found

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """English words that the examples are written in: none of them is a slip of the pen."""
        written = (example for a in self.archetypes.values() for example in a.written_in("en"))
        return frozenset(word for example in written for word in _WORD.findall(example.casefold()))

    def trade_role(self, name: str) -> Role:
        """Somebody of a trade as a counterpart, with what all who play the same part say."""
        return as_role(self.trades[name])

    def likeness(self, language: Language) -> Likeness:
        """How much a wish is like the examples of each archetype. Their words are examples as well, if short ones."""
        if language not in self._likeness:
            self._likeness[language] = Likeness(
                {a.name: [*a.written_in(language), *a.words.loud(language)] for a in self.archetypes.values()},
                partial(weighed, language=language),
            )
        return self._likeness[language]

    def role(self, archetype: str, role: str) -> Role | None:
        if role.startswith(TRADE):
            name = role.removeprefix(TRADE).rpartition("-")[0]
            return self.trade_role(name) if name in self.trades else None
        found = self.archetypes.get(archetype)
        return found.roles.get(role) if found else None

    def beat(self, role: Role, kind: BeatKind) -> Beat:
        return role.beats.get(kind) or self.voices[role.like].beat(kind)

    def prime_says(self, role: Role, kind: BeatKind) -> Said:
        """Prime's answer to a beat: the beat's own, else the voice's."""
        own = role.beats.get(kind)
        return (own.prime if own else None) or self.voices[role.like].prime[kind]

    def decided(self, role: Role, kind: BeatKind, *, agreed: bool) -> Said | None:
        """What is said at a beat once the owner has decided, where that makes a difference."""
        for beat in (role.beats.get(kind), self.voices[role.like].beat(kind)):
            said = (beat.yes if agreed else beat.no) if beat else None
            if said:
                return said
        return None

    def _add(self, path: Path, found: dict[str, Archetype]) -> None:
        try:
            archetype = parse_archetype(path.read_text("utf-8"), str(path))
        except (PrimeError, OSError, UnicodeDecodeError) as error:
            self.problems.append(f"{path}: {error}")
            return
        found[archetype.name] = archetype

    def _add_trades(self, path: Path, found: dict[str, Trade]) -> None:
        try:
            found |= parse_trades(path.read_text("utf-8"), str(path))
        except (PrimeError, OSError, UnicodeDecodeError) as error:
            self.problems.append(f"{path}: {error}")


def parse_archetype(text: str, where: str) -> Archetype:
    """Read one file; an error names the place in it that does not fit."""
    return read_as(text, where, Archetype)
