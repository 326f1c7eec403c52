"""A reply as the owner would write it: their greeting, their length, their sign-off, and no promise that they did not make."""

import re
from dataclasses import dataclass

from prime.mind.jobs.keeping import DraftRequest
from prime.mind.jobs.lines import Line
from prime.mind.offline.heard.decisions import polarity_of
from prime.mind.offline.heard.intents import intent_of
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.talk.talk import mentions
from prime.mind.offline.words.language import Language, chosen, language_of, shortened

_GREETING = re.compile(
    r"(?:greeting|greets?(?: with)?|opens with|begins with|问候|称呼|开头)\W*[:：]?\s*[\"“']?([^\"”'\n;.。；]{1,40})",
    re.IGNORECASE,
)
_SIGN_OFF = re.compile(
    r"(?:sign-?off|signs?(?: off)?(?: with)?|closes with|ends with|落款|署名|结尾)\W*[:：]?\s*[\"“']?([^\"”'\n;.。；]{1,60})",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b(?:short|brief|terse|one sentence|few words)\b|简短|简洁|短", re.IGNORECASE)
_LENGTH = re.compile(r"\babout (\d+) characters\b", re.IGNORECASE)
_LINE = re.compile(r"\bon one line\b|一行", re.IGNORECASE)
_EXCLAIMS = re.compile(r"exclamation marks: often", re.IGNORECASE)
# A message that is no longer is a short one.
_SHORT_MESSAGE = 90
_FORMAL = re.compile(r"\bformal\b|\bpolite\b|正式|礼貌", re.IGNORECASE)
_NONE = re.compile(r"^(?:none|no|without|无|没有)\b", re.IGNORECASE)
_BARE = re.compile(r"hi|hello|hey|dear|good (?:morning|day|evening)", re.IGNORECASE)
_I = re.compile(r"I\b|[A-Z]{2}")
_ASKS = re.compile(r"[?？]")


@dataclass(frozen=True, slots=True)
class Style:
    greeting: str
    sign_off: str
    short: bool
    formal: bool
    one_line: bool
    exclaims: bool


def style_of(sheet: str, person: str, language: Language) -> Style:
    return Style(
        _part(_GREETING, sheet, person, language),
        _part(_SIGN_OFF, sheet, person, language),
        bool(_SHORT.search(sheet) or ((usual := _LENGTH.search(sheet)) and int(usual[1]) <= _SHORT_MESSAGE)),
        bool(_FORMAL.search(sheet)),
        bool(_LINE.search(sheet)),
        bool(_EXCLAIMS.search(sheet)),
    )


def drafted(request: DraftRequest) -> str:
    """Answers from what the owner said in this conversation; what is not known there is deferred, not made up."""
    last = next((line for line in reversed(request.lines) if not line.own), None)
    if last is None:
        return ""
    language = language_of(last.text)
    style = style_of(request.style, request.person, language)
    body = _body(last, request, style, language)
    parts = [part for part in (style.greeting, body, style.sign_off) if part]
    if not style.one_line:
        return "\n\n".join(parts)
    if style.greeting.endswith(",") and not _I.match(body):
        parts[1] = body[:1].lower() + body[1:]
    return ("" if language == "zh" else " ").join(parts)


def _part(pattern: re.Pattern[str], sheet: str, person: str, language: Language) -> str:
    found = pattern.search(sheet)
    text = found[1].strip(" ,，:：") if found else ""
    # A habit of the other language says nothing about this one.
    if not text or _NONE.match(text) or text.isascii() == (language == "zh"):
        return ""
    text = text[0].upper() + text[1:]
    first = person.split(maxsplit=1)[0] if person.strip() else ""
    text = re.sub(
        r"[\[<{(]?\b(?:first ?name|name)\b[\]>})]?|[\[<{]名字[\]>}]", first, text, flags=re.IGNORECASE
    ).strip()
    if pattern is not _GREETING or text.endswith(("!", "！", ",")):
        return text
    if language == "zh":
        return f"{text}，"
    return f"{text} {first}," if first and _BARE.fullmatch(text) else f"{text},"


def _body(last: Line, request: DraftRequest, style: Style, language: Language) -> str:
    if not _ASKS.search(last.text):
        return _thanks(last, style, language)
    known = _known(last, request, language)
    seed = last.message_id + last.text
    if known:
        return known
    about = mentions(last.text)
    if language == "zh":
        told = f"关于{about[0]}，" if about else ""
        return f"{told}{chosen(('我确认一下再回复你。', '我核实后尽快答复。', '容我看一下，稍后回你。'), seed)}"
    told = f" about {about[0]}" if about else ""
    if style.short:
        thanks = "Thanks for asking! " if style.exclaims else ""
        return thanks + chosen(
            (f"Let me check{told} and get back to you.", f"I will find out{told} and tell you."), seed
        )
    return chosen(
        (
            f"Thank you for asking{told}. I want to give you a proper answer, so let me check and come back to you.",
            f"Good question{told}. I do not know for certain yet; I will find out and write again.",
        ),
        seed,
    )


def _known(last: Line, request: DraftRequest, language: Language) -> str:
    """What the owner has said here before and what was asked for now: a date, a place, a number."""
    own = " ".join(line.text for line in request.lines if line.own)
    if not own or polarity_of(last.text) == "no":
        return ""
    slots = slots_in(own)
    asked = {
        "date": r"\bwhen\b|什么时候|哪天",
        "place": r"\bwhere\b|哪里|什么地方",
        "budget": r"\bhow much\b|多少钱",
        "count": r"\bhow many\b|多少人|几个人",
    }
    for name, pattern in asked.items():
        value = slots.get(name)
        if value and re.search(pattern, last.text, re.IGNORECASE):
            return f"如我之前所说：{value}。" if language == "zh" else f"As I wrote: {value}."
    return ""


def _thanks(last: Line, style: Style, language: Language) -> str:
    if intent_of(last.text, rooms=False) in {"greeting", "thanks"}:
        return "谢谢！" if language == "zh" else "Thank you!"
    about = mentions(last.text)
    if language == "zh":
        return f"收到，{shortened(about[0], 40)}我记下了，看过后回复你。" if about else "谢谢，我看过后回复你。"
    noted = f"Thank you, I have noted {about[0]}." if about else "Thank you for letting me know."
    return noted if style.short else f"{noted} I will look at it and come back to you."
