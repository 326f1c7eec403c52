"""How the owner writes: a sheet of habits, counted from their own sent messages, that holds nothing of what they wrote.

Greetings and sign-offs are those of a fixed list, so that no name and no word of a conversation can get onto it.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import TypeAdapter, ValidationError

from prime.store.store import Store

KEY = "style_sheet"
# Enough to know a habit; older messages say less of how somebody writes now.
MOST_MESSAGES = 500
LEAST_MESSAGES = 3

GREETINGS = (
    "hi", "hello", "hey", "dear", "good morning", "good evening", "hallo", "moin", "servus", "salut", "bonjour", "hola", "ciao",
    "你好", "您好", "嗨", "早上好", "晚上好", "こんにちは", "안녕하세요",
)  # fmt: skip
SIGN_OFFS = (
    "best regards", "kind regards", "best wishes", "regards", "best", "cheers", "thanks", "thank you", "thx", "sincerely",
    "talk soon", "see you", "take care", "bye", "lg", "vg", "viele grüße", "liebe grüße", "merci", "saludos",
    "谢谢", "祝好", "再见", "此致", "辛苦了", "よろしくお願いします", "감사합니다",
)  # fmt: skip
_FORMAL = re.compile(
    r"\b(?:dear|sincerely|regards|kindly|would you|please find|sie|ihnen|vous)\b|您|敬|此致", re.IGNORECASE
)
_CASUAL = re.compile(r"\b(?:hey|yeah|yep|nope|lol|haha|thx|gonna|wanna|cool|btw|moin)\b|哈哈|嗯|啦|呀", re.IGNORECASE)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
_CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_SENTENCE = re.compile(r"[.!?。！？…]+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleSheet:
    """Habits, and from how many messages they are known."""

    messages: int = 0
    tone: str = "neutral"
    greetings: tuple[str, ...] = ()
    sign_offs: tuple[str, ...] = ()
    # Characters of a usual message, and sentences in it.
    length: int = 0
    sentences: int = 0
    emoji: bool = False
    exclaims: bool = False
    lower_case: bool = False
    one_line: bool = False
    language: str = "other"

    def text(self) -> str:
        """The sheet in words, as a mind is given it and the owner is shown it."""
        if self.messages < LEAST_MESSAGES:
            return "Not enough of your own messages are known yet; write plainly and briefly."
        lines = [
            f"Tone: {self.tone}.",
            f"Greeting: {_or(self.greetings, 'none')}.",
            f"Sign-off: {_or(self.sign_offs, 'none')}.",
            f"Length: about {self.length} characters in {self.sentences} sentence{'s' if self.sentences != 1 else ''}.",
            f"Emoji: {'yes' if self.emoji else 'no'}. Exclamation marks: {'often' if self.exclaims else 'rarely'}.",
        ]
        if self.lower_case:
            lines.append("Begins sentences with small letters.")
        if self.one_line:
            lines.append("Writes it all on one line.")
        return "\n".join(lines)


def distill(texts: Sequence[str]) -> StyleSheet:
    """The habits of somebody who wrote these."""
    said = [text.strip() for text in texts if text.strip()][-MOST_MESSAGES:]
    if not said:
        return StyleSheet()
    return StyleSheet(
        messages=len(said),
        tone=_tone(said),
        greetings=_habits([_opening(text) for text in said], len(said)),
        sign_offs=_habits([_closing(text) for text in said], len(said)),
        length=_rounded(median(len(text) for text in said)),
        sentences=max(1, round(median(len([s for s in _SENTENCE.split(t) if s.strip()]) for t in said))),
        emoji=_often(said, _EMOJI.search),
        exclaims=_often(said, lambda text: "!" in text or "！" in text),
        lower_case=_often(said, lambda text: text[:1].islower(), share=0.6),
        one_line=_often(said, lambda text: "\n" not in text, share=0.8),
        language="cjk" if _often(said, _CJK.search, share=0.5) else "other",
    )


_SHEETS = TypeAdapter(StyleSheet)


class Style:
    """The sheets that are kept, one for each connector."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, connector: str) -> StyleSheet:
        found = await self._store.live_settings.get(f"{KEY}:{connector}")
        try:
            return _SHEETS.validate_python(found or {})
        except ValidationError:  # kept by another version
            return StyleSheet()

    async def learn(self, connector: str, texts: Sequence[str]) -> StyleSheet:
        """Distil a sheet and keep it; the texts themselves are not kept."""
        sheet = distill(texts)
        await self._store.live_settings.put(f"{KEY}:{connector}", _SHEETS.dump_python(sheet, mode="json"))
        return sheet

    async def forget(self, connector: str) -> None:
        await self._store.live_settings.put(f"{KEY}:{connector}", None)


def _opening(text: str) -> str | None:
    low = text.lower()
    return next((g for g in _longest_first(GREETINGS) if _begins(low, g)), None)


def _closing(text: str) -> str | None:
    """A sign-off that stands on the last lines, or right before a name."""
    end = " ".join(text.lower().split()[-6:]) if not _CJK.search(text) else text[-12:]
    for sign_off in _longest_first(SIGN_OFFS):
        at = end.rfind(sign_off)
        before = end[at - 1 : at]
        if at >= 0 and (at == 0 or not before.isalnum() or _CJK.search(before)) and _ends(end, at + len(sign_off)):
            return sign_off
    return None


def _begins(low: str, greeting: str) -> bool:
    return low.startswith(greeting) and (
        not low[len(greeting) : len(greeting) + 1].isalpha() or bool(_CJK.search(greeting))
    )


def _ends(text: str, at: int) -> bool:
    """Nothing but a mark and at most two words (a name) may follow."""
    rest = text[at:]
    return (not rest[:1].isalnum()) and len(rest.split()) <= 2


def _longest_first(words: Sequence[str]) -> list[str]:
    return sorted(words, key=len, reverse=True)


def _habits(found: Sequence[str | None], of: int) -> tuple[str, ...]:
    counted = Counter(word for word in found if word)
    return tuple(word for word, times in counted.most_common(2) if times >= max(2, of * 0.15))


def _often(texts: Sequence[str], test: Callable[[str], object], share: float = 0.25) -> bool:
    return sum(1 for text in texts if test(text)) >= max(1, len(texts) * share)


def _tone(texts: Sequence[str]) -> str:
    formal = sum(1 for text in texts if _FORMAL.search(text))
    casual = sum(1 for text in texts if _CASUAL.search(text) or _EMOJI.search(text))
    if max(formal, casual) < len(texts) * 0.2:
        return "neutral"
    return "formal" if formal > casual else "casual"


def _rounded(length: float) -> int:
    return max(10, round(length / 10) * 10)


def _or(words: Sequence[str], otherwise: str) -> str:
    return " or ".join(f"“{word}”" for word in words) or otherwise
