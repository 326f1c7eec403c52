"""What goes with a result that is handed over: one page of what is known, and nothing that nobody has said.

The owner's words, days and sums as the room was told them, what was decided there, what it would cost by whom, and what is open.
"""

from collections.abc import Mapping, Sequence

from prime.mind.jobs.keeping import PictureRequest
from prime.mind.jobs.lines import Line
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.heard.transcript import BRIEF_SPEAKERS, is_brief
from prime.mind.offline.judging.summarising import HEADS, summary
from prime.mind.offline.words.language import Language, language_of, sentences, shortened

_LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "date": "When: {}",
        "place": "Where: {}",
        "count": "How many: {}",
        "budget": "Budget: {}",
        "constraints": "To be kept: {}",
        "decided": "Decided: {}",
        "sums": "Named by {}: {}",
        "open": "Open: {}",
        "asked_for": "Asked for: {}",
    },
    "zh": {
        "date": "时间：{}",
        "place": "地点：{}",
        "count": "数量：{}",
        "budget": "预算：{}",
        "constraints": "要求：{}",
        "decided": "已定：{}",
        "sums": "{}报：{}",
        "open": "待定：{}",
        "asked_for": "要做的：{}",
    },
}
_FACTS = ("date", "place", "count", "budget", "constraints")
_PRIME = "Prime"
_MOST, _LONGEST, _MOST_SUMS = 4, 200, 4


def points_of(request: PictureRequest) -> list[str]:
    """The page, point by point; what is not known has none."""
    said = [line for line in request.lines if line.text.strip()]
    language = language_of(" ".join(line.text for line in said[-5:]) or request.title)
    label = _LABELS[language]
    facts = {**request.facts}
    facts.setdefault("date", facts.get("deadline", ""))
    points = [label["asked_for"].format(asked)] if (asked := _asked_for(facts, said)) else []
    points += [label[name].format(facts[name]) for name in _FACTS if facts.get(name)]
    sections = _sections(summary(said, ""), language)
    points += [label["decided"].format(each) for each in sections["decided"][1:][-_MOST:]]
    points += [
        label["sums"].format(who, "、".join(sums) if language == "zh" else ", ".join(sums))
        for who, sums in sums_by(said).items()
    ]
    return points + [label["open"].format(each) for each in sections["open"][-_MOST:]]


def sums_by(lines: Sequence[Line]) -> dict[str, list[str]]:
    """By counterpart, the sums that each has named; Prime only says them after, and a brief says what we would pay."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.speaker != _PRIME and not is_brief(line) and line.speaker.casefold() not in BRIEF_SPEAKERS:
            known = found.setdefault(line.speaker, [])
            known += [each.text for each in amounts(line.text) if each.text not in known]
    return {who: sums[:_MOST_SUMS] for who, sums in found.items() if sums}


def _asked_for(facts: Mapping[str, str], lines: Sequence[Line]) -> str:
    """The owner's own words where the room was told them, else the first of what it was told."""
    brief = next((line.text for line in lines if is_brief(line)), "")
    return shortened(facts.get("report") or next(iter(sentences(brief)), ""), _LONGEST)


def _sections(text: str, language: Language) -> dict[str, list[str]]:
    heads = {f"## {head}": kind for kind, head in HEADS[language].items()}
    found: dict[str, list[str]] = {kind: [] for kind in heads.values()}
    kind = ""
    for line in text.splitlines():
        kind = heads.get(line, kind)
        if line.startswith("- ") and kind:
            found[kind].append(line.removeprefix("- "))
    return found
