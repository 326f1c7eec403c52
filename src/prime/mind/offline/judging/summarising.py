"""A summary by extraction: decisions, figures and open questions as they were said, each beside its like."""

import re
from collections.abc import Sequence

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.heard.transcript import is_brief
from prime.mind.offline.judging.features import DECISION
from prime.mind.offline.judging.judging import is_good_news, with_what_it_means
from prime.mind.offline.words.language import Language, first_sentence, language_of, sentences, shortened
from prime.mind.protocol import Line

_MOST_POINTS = 12  # taken in at once under a heading
_MOST_KEPT = 30  # that stand under it, the latest
# Headings and dashes of another summary, which is a line here when the owner's room is summed up.
_MARKUP = re.compile(r"^(?:#{1,6} .*(?:\n|$)|[ \t]*[-*] )", re.MULTILINE)
_HEADS: dict[Language, dict[str, str]] = {
    "en": {
        "decided": "Decided",
        "done": "Done",
        "figures": "Figures and dates",
        "open": "Open questions",
        "said": "Also said",
    },
    "zh": {"decided": "已决定", "done": "已完成", "figures": "数字与日期", "open": "待定问题", "said": "其他"},
}


def summary(lines: Sequence[Line], before: str) -> str:
    """Markdown with headings. Points that stand there already are not repeated."""
    said = [line for line in lines if line.text.strip()]
    language = language_of(" ".join(line.text[:200] for line in said[-20:]) or before)
    points: dict[str, list[str]] = {kind: [] for kind in _HEADS[language]}
    for line in said:
        kind, text = _point(line)
        point = (
            f"- {shortened(' '.join(text.split()), 200)}"
            if is_brief(line)
            else f"- {line.speaker}: {shortened(text, 200)}"
        )
        if point not in before and point not in points[kind]:
            points[kind].append(point)
    if not any(points[kind] for kind in points if kind != "said"):
        points["said"] = points["said"][-_MOST_POINTS:]
    else:
        points["said"] = points["said"][-3:]
    sections = _sections(before)
    for kind, found in points.items():
        if found:
            sections.setdefault(f"## {_HEADS[language][kind]}", []).extend(found[-_MOST_POINTS:])
    return "\n\n".join("\n".join([*([head] if head else []), *lines[-_MOST_KEPT:]]) for head, lines in sections.items())


def _sections(text: str) -> dict[str, list[str]]:
    """The lines under each heading, in order; under none what stands before the first."""
    sections: dict[str, list[str]] = {}
    head = ""
    for line in text.splitlines():
        if line.startswith("## "):
            head = line.rstrip()
            sections.setdefault(head, [])
        elif line.strip():
            sections.setdefault(head, []).append(line)
    return sections


def _point(line: Line) -> tuple[str, str]:
    """The sentence that says most, and where it belongs."""
    if is_brief(line):
        return "decided", line.text
    plain = _MARKUP.sub("", line.text)
    said = sentences(plain)
    for kind, fits in (("done", is_good_news), ("open", _asks), ("figures", _has_figures)):
        found = next((sentence for sentence in said if fits(sentence)), None)
        if found:
            return kind, with_what_it_means(found, plain) if kind == "done" else found
    return "said", first_sentence(plain, 200)


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "？")) and bool(DECISION.search(sentence))


def _has_figures(sentence: str) -> bool:
    return bool(amounts(sentence) or dates(sentence))
