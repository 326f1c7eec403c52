"""What there is to say of an attachment beside what is certain: figures, names and dates in it, and how it begins."""

import re

from prime.mind.jobs.keeping import DescribeRequest
from prime.mind.offline.talk.talk import mentions
from prime.mind.offline.words.language import MOST, first_sentence, language_of, listed

_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-ZÄÖÜ][a-zäöüß]+(?:[ \t]+(?:&[ \t]+)?[A-ZÄÖÜ][\w.]+){1,3}\b")
# Begun only where a word begins, and bounded: else a long word costs its length squared.
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,200}\w|https?://[^\s)>\"]{1,2000}")
_STOPS = ".,;:!?'。，；：！？"  # behind an address, they end a sentence
_MOST_NAMED = 8


def description(request: DescribeRequest) -> str:
    """Nothing is guessed: a picture without readable text is said to be one. Nothing is said that the facts say."""
    text = request.text[:MOST]
    if request.mime_type.startswith("image/") and not _is_read(text):
        text = ""  # single letters and signs that nobody wrote
    chinese = language_of(text) == "zh" if text.strip() else False
    parts: list[str] = []
    language = "zh" if chinese else "en"
    for label, found in _found(text, "\n".join(request.facts), chinese=chinese):
        parts.append(f"{label}：{listed(found, language)}。" if chinese else f"{label} {listed(found, language)}.")
    if text.strip():
        parts.append(f"开头：{first_sentence(text, 160)}" if chinese else f"It begins: {first_sentence(text, 160)}")
    else:
        parts.append("No text could be read in it.")
    return " ".join(parts)


# Letters of a picture are read one by one, and of a script that the reader does not know only a few, as others.
_WORD_READ = re.compile(
    r"(?<![\w{}])[A-Za-zÀ-ÿ][a-zà-ÿ]{2,}(?![\w{}])|[A-Z]{4,}(?=\s+[A-Za-z]{3,})|[\u4e00-\u9fff]{2,}|\d{2,}[.,]?\d*"
)
_LEAST_READ = 2


def _is_read(text: str) -> bool:
    """Whether what was read in a picture has words in it."""
    return len(_WORD_READ.findall(text)) >= _LEAST_READ


def _found(text: str, known: str, *, chinese: bool) -> list[tuple[str, list[str]]]:
    names = [name for name in dict.fromkeys(_NAME.findall(text)) if not mentions(name)]
    rows = [
        ("提到" if chinese else "It mentions", mentions(text)),
        ("人名或机构" if chinese else "Names:", names),
        (
            "联系方式" if chinese else "Addresses:",
            list(dict.fromkeys(a.rstrip(_STOPS) for a in _ADDRESS.findall(text))),
        ),
    ]
    new = ((label, [each for each in found if each not in known]) for label, found in rows)
    return [(label, found[:_MOST_NAMED]) for label, found in new if found]
