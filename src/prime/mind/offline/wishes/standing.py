"""Where everything stands, in Prime's words: which rooms are open, what waits for the owner, what was told last."""

from collections.abc import Sequence

from prime.mind.jobs.judging import KnownQuestion
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, PlanRequest
from prime.mind.offline.words.language import Language, listed, shortened

_SHOWN = 3
_NEWS = ("What is new:", "新情况：")


def standing(request: PlanRequest, language: Language, *, whole: bool) -> str:
    """All of it, or only what waits for the owner."""
    parts = [_waiting(request.pending, language)]
    if whole:
        parts.insert(0, _rooms(request.channels, language))
        parts.append(_last_news(request.lines, language))
    return "\n\n".join(part for part in parts if part)


def _rooms(channels: Sequence[OpenChannel], language: Language) -> str:
    """Who is at it, and whose part is done: a room where nobody has anything to add is at work no more."""
    at_work = listed([channel.name for channel in channels if channel.at_work], language)
    done = listed([channel.name for channel in channels if not channel.at_work], language)
    if language == "zh":
        return "".join([f"进行中的频道：{at_work}。" if at_work else "", f"已谈完的频道：{done}。" if done else ""])
    return " ".join([*([f"At work: {at_work}."] if at_work else []), *([f"Done for now: {done}."] if done else [])])


def _waiting(pending: Sequence[KnownQuestion], language: Language) -> str:
    if not pending:
        return "没有人在等你的决定。" if language == "zh" else "Nobody is waiting for you."
    asked = [f"- {shortened(question.text, 160)}" for question in pending[:_SHOWN]]
    more = len(pending) - len(asked)
    if language == "zh":
        lead = f"等你决定的有{len(pending)}件："
        return "\n".join([lead, *asked, *([f"还有{more}件。"] if more else [])])
    lead = "One question waits for you:" if len(pending) == 1 else f"{len(pending)} questions wait for you:"
    return "\n".join([lead, *asked, *([f"And {more} more."] if more else [])])


def _last_news(lines: Sequence[Line], language: Language) -> str:
    """The last update, as it was told."""
    told = next((line.text for line in reversed(lines) if line.own and line.text.startswith(_NEWS)), "")
    news = [line[2:].strip() for line in told.splitlines() if line.startswith("- ")]
    if not news:
        return "还没有新消息。" if language == "zh" else "There is no news yet."
    return "\n".join(["最近：" if language == "zh" else "Last news:", *(f"- {each}" for each in news)])
