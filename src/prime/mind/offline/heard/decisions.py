"""What an answer of the owner's means: yes, no, words to be followed, or nothing decided yet."""

import re
from dataclasses import dataclass
from typing import Literal

from prime.mind.offline.figures.amounts import Money, amounts
from prime.mind.offline.heard.conditions import Condition, condition_in, is_put_off
from prime.mind.offline.words.language import MOST
from prime.mind.offline.words.phrases import phrases

# “open” is an answer that decides nothing: it asks back, or puts it off.
Polarity = Literal["yes", "no", "words", "open"]

_NO = phrases("decisions_no")
_YES = phrases("decisions_yes")
_LEAVES_OPEN = phrases("decisions_open")
_HANDED_OVER = phrases("decisions_handed_over")
_NO_ZH = re.compile(r"^\W*(?:不|别|拒绝|取消|算了|先不|没必要|否)|不要|不行|不同意|不接受|不签|不付|拒绝")
_YES_ZH = re.compile(r"^\W*(?:是|好|行|可以|同意|接受|没问题|就这样|付|签|确认|批准|要|嗯|成交)|同意|接受|批准|可以")
_ABOUT = re.compile(r"^(?:About|关于)\s*“.*”\s*[:：]\s*(?=\S)", re.DOTALL)
_QUOTED = re.compile(r"^.*[?？]\s*[”\"’」]?\s*[:：–—-]?\s*(?=\S)", re.DOTALL)
_LABEL = re.compile(
    r"^\W*(?:the )?(?:owner(?:'s)?|decision|answer|decided|resolved|ruling|负责人|决定|答复|回答)[^:：]{0,60}[:：]\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """`text` is the answer alone, without the question that it answers."""

    polarity: Polarity
    text: str
    money: Money | None
    # What is wanted first, where it is a yes only then.
    condition: Condition | None = None


def decision_in(text: str) -> Decision:
    """Read a brief that carries a decision, with or without the question in front of it."""
    answer = text.strip()[:MOST]
    answer = _LABEL.sub("", _QUOTED.sub("", _ABOUT.sub("", answer))).strip(" \"'“”‘’「」")
    answer = _LABEL.sub("", answer).strip() or text.strip()[:MOST]
    polarity = polarity_of(answer)
    condition = condition_in(answer) if polarity == "words" else None
    return Decision(polarity, answer, next(iter(amounts(answer)), None), condition)


def polarity_of(answer: str) -> Polarity:
    if _LEAVES_OPEN.search(answer) or hands_over(answer):
        return "open"
    if is_put_off(answer):
        return "words"
    if _NO.search(answer) or _NO_ZH.search(answer):
        return "no"
    if condition_in(answer):
        return "words"
    if _YES.search(answer) or _YES_ZH.search(answer):
        return "yes"
    return "words"


def hands_over(answer: str) -> bool:
    """“You decide”, “你定吧”: whoever asked is to answer it."""
    return bool(_HANDED_OVER.search(answer))
