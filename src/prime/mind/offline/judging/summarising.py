"""A summary by extraction: decisions, figures and open questions as they were said, each beside its like."""

import re
from collections.abc import Sequence

from prime.mind.jobs.lines import Line
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.heard.transcript import decides, is_brief
from prime.mind.offline.judging.features import DECISION
from prime.mind.offline.judging.judging import is_good_news, with_what_it_means
from prime.mind.offline.words.language import Language, first_sentence, language_of, sentences, shortened

_MOST_POINTS = 12  # taken in at once under a heading
_MOST_KEPT = 30  # that stand under it, the latest
# Headings and dashes of another summary, which is a line here when the owner's room is summed up.
_MARKUP = re.compile(r"^(?:#{1,6} .*(?:\n|$)|[ \t]*[-*] )", re.MULTILINE)
HEADS: dict[Language, dict[str, str]] = {
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
    """Markdown with headings. Points that stand there already are not repeated, and what was decided is open no more."""
    said = [line for line in lines if line.text.strip()]
    language = language_of(" ".join(line.text[:200] for line in said[-20:]) or before)
    heads = {kind: f"## {head}" for kind, head in HEADS[language].items()}
    sections = _sections(before)
    kept = sections.get(heads["open"], [])
    points: dict[str, list[str]] = {kind: [] for kind in heads}
    briefed, asked = "", ""
    for line in said:
        kind, text = _point(line, briefed)
        if is_brief(line) and (briefed or before) and decides(line.text):
            text = _with_question(text, asked or next(iter(kept[-1:]), ""))
            # Whoever asks waits for the answer: what was asked before it is settled by it.
            kept, points["open"], asked = [], [], ""
        elif line.quoted:
            kept = [point for point in kept if not point.startswith(f"- {line.speaker}: ")]  # its room has gone on
        briefed += line.text if is_brief(line) else ""
        point = (
            f"- {shortened(' '.join(text.split()), 200)}"
            if is_brief(line)
            else f"- {line.speaker}: {shortened(text, 200)}"
        )
        if kind == "open":
            asked = point  # also one that stands there already, with its answer
        if point not in before and point not in points[kind]:
            points[kind].append(point)
    if heads["open"] in sections:
        sections[heads["open"]] = kept
    points["said"] = points["said"][-(3 if any(points[kind] for kind in points if kind != "said") else _MOST_POINTS) :]
    for kind, found in points.items():
        if found:
            sections.setdefault(heads[kind], []).extend(found[-_MOST_POINTS:])
    told = {head: lines for head, lines in sections.items() if lines}
    return "\n\n".join("\n".join([*([head] if head else []), *lines[-_MOST_KEPT:]]) for head, lines in told.items())


def _with_question(answer: str, asked: str) -> str:
    """“Yes” says something only beside what was asked."""
    if not asked or len(answer) > _SHORT_ANSWER:
        return answer
    return f"{asked.removeprefix('- ')} – {answer}"


_SHORT_ANSWER = 80


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


def _point(line: Line, briefed: str) -> tuple[str, str]:
    """The sentence that says most, and where it belongs. `briefed` is what the room was told: its figures are no news."""
    if is_brief(line):
        return "decided", line.text
    plain = _MARKUP.sub("", line.text)
    said = sentences(plain)
    of_others = not (line.own or line.speaker == _PRIME) or plain != line.text
    if done := next(filter(_is_done, said), ""):
        return "done", with_what_it_means(done, plain)
    # What Prime asks of others waits for nobody here.
    if asked := next(filter(_asks, said), "") if of_others else "":
        return "open", asked
    figures = next((each for each in said if _has_figures(each, briefed)), "")
    if figures and of_others:  # Prime only repeats them
        return "figures", figures
    return "said", first_sentence(plain, 200)


_PRIME = "Prime"
# What is to be signed and delivered is not done.
_NOT_YET = re.compile(
    r"\b(?:conditions?|if|unless|once|would|could|should|must|needs? to|has to|have to|will be)\b|条件|如果|需要|要求|必须",
    re.IGNORECASE,
)


def _is_done(sentence: str) -> bool:
    return is_good_news(sentence) and not _NOT_YET.search(sentence)


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "？")) and bool(DECISION.search(sentence))


def _has_figures(sentence: str, briefed: str) -> bool:
    """Figures of its own: “3 on-prem servers”, where that is what the project is called, are none."""
    found = [each.text for each in (*amounts(sentence), *dates(sentence))]
    return any(each not in briefed for each in found)
