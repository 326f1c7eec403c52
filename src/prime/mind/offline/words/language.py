"""Which language a text is in, its sentences, and a choice that is always the same for the same seed."""

import re
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Literal, TypeAlias, TypeVar

from prime.core.excerpts import beginning

Language: TypeAlias = Literal["en", "zh"]

_HAN = re.compile("[\u4e00-\u9fff]")
_KANA = re.compile("[\u3041-\u30fa]")
_LATIN_WORD = re.compile("[A-Za-z]{2,}")
# A full stop between two digits or letters (3.5, example.com) ends no sentence.
_END = re.compile(r"(?<=[!?。！？])[\"'”’）)]*\s*|(?<=\.)[\"'”’)]*\s+|\n+")
# A question whose mark was left out, as it often is where one types quickly.
_ASKS = re.compile(
    r"\W*(?:and |so |but |again,? )?(?:(?:what|who|where|when|why|which \w+)(?:['’]s| is| are| was| were| did| do| does| will)\b"
    r"|how (?:much|many|long|old|far|often|big|is|are|was|were|did|do|does)\b|(?:remind|tell|show) (?:me|us)\b"
    r"|did (?:i|we|you|they|he|she|it)\b)",
    re.IGNORECASE,
)
_ASKS_HAN = re.compile(
    r"多少|什么|怎么|怎样|为何|何时|几时|是否|能否|是不是|有没有|哪[里儿个些天家位种年月]|谁|几[点号个天月年人]|[吗呢]\W*$"
)
EXCERPT = 80
# A message of a megabyte is read at its beginning only.
MOST = 20_000

T = TypeVar("T")


def language_of(text: str) -> Language:
    """Chinese where it holds Chinese and not mostly English words or, as Japanese does, kana."""
    head = text[:MOST]
    if head.isascii():
        return "en"
    han = len(_HAN.findall(head))
    return "zh" if han > 2 * len(_LATIN_WORD.findall(head)) and han > 4 * len(_KANA.findall(head)) else "en"


def sentences(text: str) -> list[str]:
    return [part.strip() for part in _END.split(text[:MOST]) if part and part.strip()]


def asks(sentence: str) -> bool:
    """Whether a sentence asks: it is no answer, and says nothing of how things are."""
    return sentence.rstrip().endswith(("?", "？")) or bool(_ASKS.match(sentence) or _ASKS_HAN.search(sentence))


def first_sentence(text: str, most: int = EXCERPT) -> str:
    return shortened(next(iter(sentences(text)), ""), most)


def shortened(text: str, most: int = EXCERPT) -> str:
    return beginning(text, most)


def number_for(*seeds: object) -> int:
    """A number that looks like chance and never changes."""
    return zlib.crc32("\x1f".join(map(str, seeds)).encode("utf-8", "replace"))


def chosen(options: Sequence[T], *seeds: object) -> T:
    return options[number_for(*seeds) % len(options)]


def in_order(options: Sequence[T], *seeds: object) -> list[T]:
    """All of them, in an order of the seed's own."""
    return sorted(options, key=lambda option: number_for(*seeds, option))


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def listed(items: Sequence[str], language: Language) -> str:
    if language == "zh":
        return "、".join(items)
    return ", ".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} and {items[-1]}"


def ended(text: str, language: Language) -> str:
    """With a mark at its end."""
    return text if not text or text[-1] in ".!?…。！？" else text + ("。" if language == "zh" else ".")


_SHORT_WORD = 3


def is_written(word: str, text: str) -> bool:
    """Whether a text (in small letters) has a word, where one begins; a very short one as it is, or with an s.

    What is approved is no app, and who does not know where to start brings no art.
    """
    # Most words are in no text at all, which is seen at once.
    return word.casefold() in text and _word(word).search(text) is not None


@cache  # more words than the library of expressions keeps by itself
def _word(word: str) -> re.Pattern[str]:
    whole = r"s?\b" if len(word) <= _SHORT_WORD else ""
    # The 500 of 14,500 is none.
    return re.compile(rf"(?<!\d[.,])\b{re.escape(word.casefold())}{whole}")
