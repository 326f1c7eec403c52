"""What no slot has taken goes into the briefs all the same: to the team as written, to partners what describes the thing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prime.mind.jobs.planning import PlannedChannel
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.sums import limits_in
from prime.mind.offline.words.clauses import cues
from prime.mind.offline.words.language import Language, ended, language_of
from prime.mind.offline.words.phrases import alternatives

# Whoever writes more than that has said the gist; the rest of the message is in the owner's own dialog.
_READ = 2_000
_MOST = 480
_ENDS = re.compile(r"[;!?()\n，。；！？（）]+|,(?!\d)|:(?!\d)|\.+(?=\s|$)|\s[-–—]+\s")
_TABLE = "describing.yaml"


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a message and where it stands there."""

    text: str
    start: int
    end: int


def carrying(channels: Sequence[PlannedChannel], wish: str) -> tuple[PlannedChannel, ...]:
    """The channels with the rest of the wish in their briefs, as far as each tier may know it."""
    text = wish.strip()[:_READ]
    language, clauses = language_of(text), _clauses(text)
    wanted = [each.text for each in clauses[1:] if _describes(each.text)] if language == "en" else []
    return tuple(_carrying(channel, text, clauses, wanted, language) for channel in channels)


def _carrying(
    channel: PlannedChannel, text: str, clauses: Sequence[_Clause], wanted: Sequence[str], language: Language
) -> PlannedChannel:
    known = _Told.of(channel.brief, language)
    if channel.tier == "team":
        left = _quoted(text, [each for each in clauses if not known.says(each.text)], language)
        lead = _LEAD[language] if _LEAD[language] not in channel.brief else _FURTHER[language]
        told = f"{lead}{ended(left, language)}" if left else ""
    elif channel.tier == "business_relation":
        new = [each for each in wanted if not known.says(each)]
        told = f"Wanted: {', '.join(new)}." if new else ""
    else:
        told = ""
    if not told:
        return channel
    return replace(channel, brief=f"{channel.brief}{'' if language == 'zh' else ' '}{told}")


_LEAD: dict[Language, str] = {"en": "As it was written: ", "zh": "原话："}
_FURTHER: dict[Language, str] = {"en": "Further: ", "zh": "还有："}


def _clauses(text: str) -> list[_Clause]:
    found: list[_Clause] = []
    at = 0
    for match in [*_ENDS.finditer(text), None]:
        end = match.start() if match else len(text)
        if bare := text[at:end].strip():
            start = at + text[at:end].index(bare)
            found.append(_Clause(bare, start, start + len(bare)))
        at = match.end() if match else end
    return found


def _quoted(text: str, left: Sequence[_Clause], language: Language) -> str:
    """What is left, with the marks that stood between its clauses; where something was taken out between them, a semicolon."""
    said, last = "", 0
    for clause in left:
        between = text[last : clause.start] if said else ""
        joint = between if not re.search(r"\w", between) else "；" if language == "zh" else "; "
        if len(said) + len(joint) + len(clause.text) > _MOST:
            return f"{said}…" if said else f"{clause.text[:_MOST].rsplit(' ', 1)[0]}…"
        said, last = f"{said}{joint}{clause.text}", clause.end
    return said + (text[last] if said and text[last : last + 1] in tuple(".!?。！？)") else "")


@dataclass(frozen=True, slots=True)
class _Told:
    """The words of a brief, by which one sees what it says already."""

    words: frozenset[str]
    language: Language

    @classmethod
    def of(cls, brief: str, language: Language) -> "_Told":
        return cls(frozenset(_stems(brief, language)), language)

    def says(self, clause: str) -> bool:
        said = _stems(clause, self.language)
        new = len(said - self.words)
        # Signs that only stand side by side, where two words meet, are none of the owner's.
        return new * _SHARE_ZH <= len(said) if self.language == "zh" else not new


def _stems(text: str, language: Language) -> set[str]:
    """What a text speaks of: its words without their endings, and its numbers; in Chinese every two signs together."""
    if language == "zh":
        plain = re.sub(r"\W", "", text)
        return {plain[n : n + 2] for n in range(len(plain) - 1)} if len(plain) > 1 else {plain}
    found = re.findall(r"\d[\d,.]*k?|[^\W\d_]+", text.casefold().replace("’", "'"))
    return {_stem(word) for word in found if word not in _PLAIN}


_PLAIN = frozenset(alternatives("wording_plain").split("|")) | frozenset(alternatives("wording_asking").split("|"))
_STEM = 5
_SHARE_ZH = 2.5


def _stem(word: str) -> str:
    if word[0].isdigit():
        number = word.rstrip(".,").replace(",", "")
        return f"{float(number[:-1]) * 1000:g}" if re.fullmatch(r"\d+(?:\.\d+)?k", number) else number
    return word[:_STEM] if len(word) > _STEM else word.removesuffix("s")


def _describes(clause: str) -> bool:
    """“Hand-drawn”, “two colours”, “62 sqm”: what the thing is to be like, which says nothing of whoever wants it."""
    words = clause.split()
    if len(words) > _FEW or amounts(clause) or limits_in(clause) or dates(clause):
        return False
    if cues(_TABLE, "inner").search(clause) or any(word[:1].isupper() for word in words[1:]):
        return False
    return bool(cues(_TABLE, "describes").search(clause))


_FEW = 7
