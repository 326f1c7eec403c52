"""Plain talk: greetings, what Prime is, questions about what was said, and statements that are only to be kept."""

import re
from collections.abc import Callable, Mapping, Sequence

from prime.core.words import terms
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel
from prime.mind.offline.figures.amounts import MONEY, amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.places import place_in
from prime.mind.offline.figures.sums import budget_in
from prime.mind.offline.heard.intents import Intent, intent_of
from prime.mind.offline.talk.times import told_of_time
from prime.mind.offline.words.language import Language, asks, chosen, language_of, sentences, shortened
from prime.mind.offline.words.phrases import phrases

_BARE = re.compile(r"\bbudget\s*(?:is|of|:)?\s*(\d[\d,.]*\d)|预算\s*(?:是|为|：)?\s*(\d[\d,.]*\d)", re.IGNORECASE)
_GREETING: dict[Language, tuple[str, ...]] = {
    "en": (
        "Hello. What do you want to get done? Write one sentence, with date and budget if you have them; I open the rooms.",
        "Good to see you. What should happen? One sentence is enough, and I put the right people to work on it.",
    ),
    "zh": (
        "你好。用一句话告诉我想做成什么事，有日期和预算就写上，我来开需要的频道。",
        "你好，想做什么？一句话就够，我来安排合适的人手。",
    ),
}
_ABOUT: dict[Language, str] = {
    "en": (
        "You talk to me; I talk to everybody else. Write one wish, for example “Launch our lamp in Berlin in March, budget "
        "20,000 EUR”: I open a room for each side (your team, suppliers, partners, people outside), run them at the same "
        "time, and tell each only what it may know. You see what matters in the feed, and I ask you only what nobody else "
        "can decide; your answers become rules, so I ask less and less. Right now I work by rules on this machine, without "
        "a language model, which costs nothing; you can connect one in the settings."
    ),
    "zh": (
        "你只和我说话，其他人由我去谈。写一句愿望，比如“三月在上海发布台灯，预算5万”：我会为每一方（团队、供应商、合作方、外部）"
        "开一个频道，同时推进，各方只知道该知道的。重要的进展你在动态里看到，只有必须你决定的我才问；"
        "你的回答会变成规则，我会问得越来越少。目前我在本机按规则工作，没有连接语言模型，不花钱；可以在设置里连接。"
    ),
}
_THANKS: dict[Language, tuple[str, ...]] = {
    "en": (
        "Gladly. I go on with it and write when something needs you.",
        "You are welcome. I am here.",
        "Good. I keep an eye on it.",
    ),
    "zh": ("不客气，我继续推进，需要你时会说。", "应该的，我在。", "好，我盯着。"),
}
_UPSET: dict[Language, str] = {
    "en": (
        "I am sorry, that was no help. Tell me in one sentence what should be different, or what you want to get done; "
        "“stop” or the pause button ends everything at once."
    ),
    "zh": "抱歉，没帮上忙。用一句话告诉我哪里不对，或者想做成什么事；按暂停就会全部停下。",
}
_LINK: dict[Language, str] = {
    "en": "I have kept the link, but I do not open links by myself. Attach the file, or say in one sentence what it is about.",
    "zh": "链接记下了，不过我不会自己打开链接。请把文件发来，或者用一句话说明是什么事。",
}
_ONLY_LINK = re.compile(r"\s*(?:https?://|www\.)\S+\s*")
_PROCEED: dict[Language, tuple[str, ...]] = {
    "en": (
        "It goes on, in every room. You hear from me when something is decided or needs you.",
        "On it: the rooms work on. What only you can decide comes to you.",
    ),
    "zh": (
        "继续推进，各频道都在进行。有了结果或需要你决定时，我会告诉你。",
        "好，各频道接着做。只有你能定的事才会来问你。",
    ),
}
_BY_RULES: dict[Language, str] = {
    "en": " I work by rules here, without a language model: what you write is kept and can be found again.",
    "zh": "这里没有连接语言模型，我按规则工作：你写的内容会保存下来，随时可以找回。",
}
_UNKNOWN: dict[Language, str] = {
    "en": (
        "That I do not know: nothing said here answers it, and I work by rules, without a language model. "
        "Try the search with other words, or tell me and I keep it."
    ),
    "zh": (
        "这个我不知道：在这里说过的话里没有答案，而我按规则工作、没有连接语言模型。"
        "换个词在搜索里找找，或者告诉我，我会记住。"
    ),
}


def plain_reply(lines: Sequence[Line]) -> str:
    """An answer to the last words of somebody else; "" where nobody said anything."""
    last = next((line for line in reversed(lines) if not line.own), None)
    if last is None:
        return ""
    return answer_plainly(last.text, lines, outside=last.quoted)


def answer_plainly(text: str, lines: Sequence[Line], *, outside: bool = False) -> str:
    language = language_of(text)
    if outside:
        return _noted(text, language)
    return words_for(intent_of(text, rooms=False), text, lines, language) or _noted(text, language)


def words_for(intent: Intent, text: str, lines: Sequence[Line], language: Language) -> str:
    """What Prime says where there is nothing to open; "" where the intent wants more than words."""
    if intent == "greeting":
        return chosen(_GREETING[language], text, len(lines))
    if intent == "about":
        return _ABOUT[language]
    if intent == "thanks":
        return chosen(_THANKS[language], text, len(lines))
    if intent == "upset":
        return _UPSET[language]
    if intent == "statement" and _ONLY_LINK.fullmatch(text):
        return _LINK[language]
    if intent == "proceed":
        return chosen(_PROCEED[language], text, len(lines))
    return _recalled(text, lines, language) if intent == "question" else ""


def told_by(question: str, rooms: Sequence[OpenChannel]) -> dict[str, Line]:
    """By room, what somebody in those that the question names said last, or last about money where it is about that."""
    if not _SAYING.search(question):
        return {}
    found: dict[str, Line] = {}
    for room in rooms:
        priced = [line for line in room.heard if amounts(line.text)] if _PRICE.search(question) else []
        if line := next(reversed(priced or list(room.heard)), None):
            found[room.name] = line
    return found


def quoting(told: Mapping[str, Line], language: Language) -> str:
    form = "{who}（{room}）说：“{said}”" if language == "zh" else "{who} in {room}: “{said}”"
    return "\n".join(form.format(who=o.speaker, room=room, said=shortened(o.text, 300)) for room, o in told.items())


_SAYING = re.compile(
    r"\b(?:say|said|says|tell|told|answer(?:ed)?|repl(?:y|ied)|offer(?:ed|s)?"
    r"|wants?|write|wrote|think|asks?(?:ed)?|price|costs?|pay|charge|how much)\b"
    r"|说|答复|回复|报价|价|多少|意见|要求|怎么看",
    re.IGNORECASE,
)
_PRICE = re.compile(r"\b(?:offer(?:ed|s)?|price|costs?|pay|charge|how much)\b|报价|价|多少|费用", re.IGNORECASE)


def mentions(text: str) -> list[str]:
    """Amounts and dates, in the order of their appearance, each once."""
    spans = [(money.start, money.text) for money in amounts(text)] + [(day.start, day.text) for day in dates(text)]
    spans += [
        (m.start(), next(group for group in m.groups() if group))
        for m in _BARE.finditer(text)
        if not MONEY.search(m[0])
    ]
    found = dict.fromkeys(text for _, text in sorted(spans))
    return [one for one in found if not any(one != other and one in other for other in found)]


def noted(text: str, language: Language) -> str:
    """That it was heard, with what was heard in it."""
    found = mentions(text)
    if language == "zh":
        return f"已记下：{'、'.join(found)}。" if found else "已记下。"
    return f"Noted: {', '.join(found)}." if found else "Noted."


def _noted(text: str, language: Language) -> str:
    return noted(text, language) + _BY_RULES[language]


def _recalled(question: str, lines: Sequence[Line], language: Language) -> str:
    """The sentence said before that shares most with the question, or an honest word that there is none.

    Among equals what others said last: Prime's own words may only repeat what held when it was asked before.
    """
    of_time = told_of_time(question, lines)
    if told := of_time.answer:
        return _quoted(told.line, told.sentence, language)
    # A month that both name makes no answer of it.
    wanted = set(terms(of_time.asked))
    said = [
        (line, s)
        for line in lines
        for s in sentences(line.text)
        if s.strip() != question.strip()
        and not asks(s)
        and (line.message_id, s) not in of_time.elsewhen
        and not (line.own and (of_time.repeats(s) or "“" in s))
    ]
    if _FOR_MONEY.search(question):
        # That both speak of what something costs makes no answer of it.
        wanted = set(terms(_named_in(of_time.asked))) or wanted
    scored = [(len(wanted & set(terms(s))), not line.own, n) for n, (line, s) in enumerate(said)]
    shared, _, number = max(scored, default=(0, False, 0))
    if shared:
        return _quoted(*said[number], language)
    own = [(o, s) for o in lines if not o.own for s in sentences(o.text) if (o.message_id, s) not in of_time.elsewhen]
    return _about_what_was_wanted(question, own, language) or _UNKNOWN[language]


def _quoted(line: Line, sentence: str, language: Language) -> str:
    who = ("我说过" if line.own else "你写过") if language == "zh" else ("I said" if line.own else "You wrote")
    quoted = shortened(sentence, 160)
    return f"{who}：“{quoted}”" if language == "zh" else f"{who}: “{quoted}”"


def _about_what_was_wanted(question: str, own: Sequence[tuple[Line, str]], language: Language) -> str:
    """“When do we fly?” shares no word with “in April”, and is answered by it: the last sum, day or place the owner wrote."""
    said = [each for each in reversed(own) if each[1].strip() != question.strip() and not asks(each[1])]
    for pattern, holds in _ASKED_FOR:
        if pattern is _FOR_MONEY and _names_something(question):
            continue  # what the lantern costs is not answered by what the journey may cost
        if pattern.search(question) and (found := next((o for o in said if holds(o[1], language)), None)):
            return _quoted(*found, language)
    return ""


_FOR_MONEY = re.compile(r"\bbudget\b|\bhow much\b|预算|多少钱", re.IGNORECASE)
_ABOUT_MONEY = phrases("talk_about_money")


def _names_something(question: str) -> bool:
    """Whether a question for a sum says of what it is asked: nothing of what all such questions have is left then."""
    return bool(re.search(r"[^\W\d_]", _named_in(question)))


def _named_in(question: str) -> str:
    """What a question for a sum names beside the sum and the day."""
    for day in dates(question):
        question = question.replace(day.text, " ")
    return _ABOUT_MONEY.sub(" ", question)


_ASKED_FOR: tuple[tuple[re.Pattern[str], Callable[[str, Language], bool]], ...] = (
    (phrases("answers_date"), lambda text, _: bool(dates(text))),
    (_FOR_MONEY, lambda text, _: budget_in(text) is not None),
    (phrases("answers_place"), lambda text, language: bool(place_in(text, language))),
)
