"""Facts from plain statements, in English and Chinese: who or what, which relation, what, and since when it holds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from prime.core.clock import iso
from prime.mind.jobs.keeping import Statement
from prime.mind.jobs.lines import Line
from prime.mind.offline.facts.changes import plainly
from prime.mind.offline.facts.chatter import is_chatter, only_acknowledges
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.periods import period_of, stretch_of
from prime.mind.offline.words.language import asks, sentences

_SUBJECT = (
    r"(?P<subject>(?:(?:the|our|my|your|his|her|their|a|an)\s+)?[^\s,;:?!\"“”，；：。、][^,;:?!\"“”，；：。、]{1,58}?)"
)
_OBJECT = r"(?P<object>[^;?!；]{1,120}?)"
# Behind “has” it tells what was done, and no more of what somebody has: “word has come”.
_DONE = (
    r"\w{2,}ed|come|gone|got|gotten|sent|made|done|taken|given|found|said|told|written|read|seen|heard|begun|started|"
    r"brought|bought|sold|paid|put|set|cut|let|left|lost|won|met|kept|held|felt|become|grown|fallen|risen|known|shown|"
    r"spoken|thought|understood|chosen|broken|built|run|spent|just|already|also|now|yet|since|never|always|only|all|both"
)
_NO_SUBJECT = re.compile(
    r"^(?:it|this|that|there|these|those|here|he|she|they|we|i|you|what|who|which|if|when|where|how|why|let|please|everything|"
    r"nothing|something|one|and|but|so|or|because|then)\b|^[他她它我你您这那咱]",
    re.IGNORECASE,
)
# Courtesies and turns of speech that look like a subject: “glad to have you”, “somebody else is asking”.
_NO_NAME = re.compile(
    r"^(?:glad|happy|pleased|good|great|nice|sorry|thanks?|welcome|delighted|looking|sounds?|some(?:body|one)|any(?:body|one)|"
    r"every(?:body|one)|nobody|no|none|all|both|each|most|many|without|with|for|from|in|on|at|by|as|after|before|until|while|"
    r"since|once|unless|whether|though|instead|only|not|just|also|still|yes|ok(?:ay)?|well)\b|"
    r"\b(?:to|it|you|me|us|them|him|i|we|they|he|she|that|which|who|what|of|by|for|there|the|an?|and|or|but)$|"
    # Of the talk or of a file itself, and of nothing that anybody would ask for.
    r"^(?:what|who)ever\b|^(?:(?:the|our|my|your|their|this)\s+)?(?:matter|point|thing|idea|problem|side|rest|figures|dates|names|file|pdf|"
    r"picture|mail|table|workbook|archive|xml|sound)$",
    re.IGNORECASE,
)
# A second sentence behind the comma, or behind “and”, says something else.
_SECOND = re.compile(
    r"(?:,\s+(?=[^,]*\b(?:is|are|was|were|will|has|have|had|can|i|we|you|he|she|they|it)\b)"
    r"|\s+(?:and|but|while)\s+(?=[^,]*\b(?:is|are|was|were|will|has)\b)).*$",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|might|could|would|should|i think|probably|if)\b|也许|可能|大概|如果|应该|吗|呢", re.IGNORECASE
)
_END = re.compile(r"[\s.!。！]+$")
_LONGEST = 240


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    predicate: str
    many: bool = False


def _english(verb: str, predicate: str, *, many: bool = False) -> _Form:
    return _Form(re.compile(rf"^{_SUBJECT}\s+(?:{verb})\s+{_OBJECT}$", re.IGNORECASE), predicate, many)


def _chinese(verb: str, predicate: str, *, many: bool = False) -> _Form:
    return _Form(
        re.compile(rf"^(?P<subject>[^，。；？！、\s]{{1,16}}?)(?:{verb})(?P<object>[^，。；？！]{{1,60}})$"),
        predicate,
        many,
    )


# The first form that fits counts, so that what says more stands first.
_FORMS = (
    _english(
        r"(?:has been |have been |has |have |was |were |is |are )?(?:moved|changed|postponed|pushed|raised|lowered|cut|set) to",
        "is",
    ),
    _english(r"(?:now )?costs?", "costs"),
    _english(r"(?:now )?charges?(?: us| me| you)?(?=\s+\D{0,12}\d)", "charges"),
    _english(r"(?:lives?|live) (?:in|at)", "lives in"),
    _english(r"works? (?:at|for|with)", "works at"),
    _english(r"(?:is|are) (?:based|located|situated) in", "is in"),
    _english(r"(?:was|were) born (?:on|in)", "birthday"),
    _english(r"(?:is|are) (?:a )?(?:member|part)s? of", "member of", many=True),
    _english(r"(?:is|are) called", "is called"),
    _english(r"(?:likes?|loves?|prefers?)", "likes", many=True),
    _english(rf"(?:owns?|has|have)(?! (?:to|been|not|{_DONE})\b)", "has", many=True),
    _english(r"speaks?", "speaks", many=True),
    _english(r"uses", "uses", many=True),
    _english(r"(?:is|are) replaced by", "is replaced by"),
    _english(r"replaces", "replaces", many=True),
    _english(r"weighs?", "weighs"),
    _english(r"(?:runs? (?:until|till|through)|(?:ends?|expires?)(?: on| in)?)", "ends"),
    _english(r"(?:is|are|will be)(?! (?:not|there|going|being)\b)", "is"),
    _chinese(r"(?:已经?)?(?:改为|改到|改成|推迟到|调整为|变成|定在|定为)", "是"),
    _chinese(r"(?:住在|家住)", "住在"),
    _chinese(r"在(?=\S{2,20}(?:工作|上班))", "工作于"),
    _chinese(r"(?:的)?(?:价格|售价)(?:是|为)", "价格"),
    _chinese(r"收费(?=\D{0,5}[\d一二两三四五六七八九十百千万])", "收费"),
    _chinese(r"(?:喜欢|偏好)", "喜欢", many=True),
    _chinese(r"(?:拥有|有)(?!没有|人说)", "有", many=True),
    _chinese(r"(?:叫做|名叫)", "名叫"),
    _chinese(r"(?<!不)(?<!不再)(?:是|为)", "是"),
)
# Said of a time that is named, and else no fact: what was so is not said to be so.
_PAST_FORMS = (
    _english(r"(?:was|were)(?! (?:not|there|going|being|born)\b)", "is"),
    _english(r"cost", "costs"),
    _english(r"charged(?: us| me| you)?(?=\s+\D{0,12}\d)", "charges"),
)
# What a correction begins with, and what it puts away again.
_CORRECTION = re.compile(
    r"^(?:(?:no|nope|sorry|oops|wait|correction|update|(?:that|this|it)(?:'s| is| was) (?:wrong|not right)|my mistake|"
    r"i was wrong|to correct (?:that|myself)|hi(?: all)?|hello)\s*[,:;.!–—-]+\s*|"
    r"(?:actually|in fact|i meant?(?: that)?)[,:]?\s+)+"
    r"|^(?:(?:更正|纠正|修正|不对|不是|错了|搞错了|说错了|我说错了|抱歉|对不起|不好意思)(?:一下)?[，,：:。！!\s]+|其实|实际上|应该说)+",
    re.IGNORECASE,
)
_PUT_AWAY = re.compile(
    r",\s+(?:and |but )?not (?:on |in |at )?[^,;]{1,60}$|[，,](?:而)?不是[^，。；]{1,40}$", re.IGNORECASE
)
_INSTEAD = re.compile(
    rf"^{_SUBJECT}\s+(?P<be>is|are|was|were)(?:n['’]t| not)\s+[^,;]{{1,60}}[,;]\s*"
    rf"(?:but|rather|it['’]s|it is|it was|they['’]re|they are)\s+(?P<object>.+)$",
    re.IGNORECASE,
)
_INSTEAD_HAN = re.compile(
    r"^(?P<subject>[^，。；？！、\s]{1,16}?)不是[^，。；]{1,40}[，,](?:而是?|是|应该是)(?P<object>[^，。；？！]{1,60})$"
)
_NOW_HAN = re.compile(r"(?:现在|目前|如今)(?=是|为|改)|^(?:现在|目前|如今)的?(?=\S+[是为])")
_SINCE = re.compile(r"\s+(?:since|from|as of|starting)\s+(?P<when>[^,]{3,30})$", re.IGNORECASE)
_UNTIL = re.compile(r"\s+(?:until|till|through)\s+(?P<when>[^,]{3,30})$", re.IGNORECASE)
_NOW = re.compile(r"\s+(?:(?:right |as of )?now|currently|at the moment|at present|these days)$", re.IGNORECASE)
_AT_WORK = re.compile(r"(?:工作|上班)$")
_WILL_BE = re.compile(r"\bwill be\b|将", re.IGNORECASE)
_YEARLY = re.compile(r"\b(?:birthday|anniversary)\b|生日|纪念日", re.IGNORECASE)


# “Nina is.” says of what only together with the sentence before it.
_GOES_ON = re.compile(r"[^\W\d_][^\s,;:?!]*(?: [^\s,;:?!]+){0,3} (?:is|are)[.!]|[^\W\d_]{2,8}才?是[。！]")


def statements_in(lines: Sequence[Line], today: str) -> tuple[Statement, ...]:
    """Questions, wishes and what is only possible are no facts."""
    return tuple(
        found for line in lines for sentence in _whole(line.text) for found in _statements(sentence, line, today)
    )


def _whole(text: str) -> list[str]:
    """The sentences of a text, each with the one behind it that goes on from it."""
    whole: list[str] = []
    for sentence in sentences(text):
        if whole and _GOES_ON.fullmatch(sentence) and whole[-1].endswith((".", "。")):
            whole[-1] = f"{whole[-1][:-1]}, {sentence}" if sentence.isascii() else f"{whole[-1][:-1]}，{sentence}"
        else:
            whole.append(sentence)
    return whole


def _statements(sentence: str, line: Line, today: str) -> Iterator[Statement]:
    whole = _END.sub("", sentence.strip())[: _LONGEST + 1]
    if asks(sentence) or len(whole) > _LONGEST or only_acknowledges(whole):
        return
    for plain in plainly(_CORRECTION.sub("", whole)):
        found = _statement(_plain(plain.text), line.message_id, today)
        if found is None or (plain.is_over and found.valid_to is not None):
            continue
        # What is no more so ends now: to the moment where that is known, so that what follows it on the same day holds.
        ended = (iso(line.ts) if line.ts else today) if plain.is_over else found.valid_to
        yield replace(found, valid_to=ended, many=found.many or plain.many)


def _statement(plain: str, source: str, today: str) -> Statement | None:
    rest, since, until = period_of(plain, today)
    if _NO_SUBJECT.match(rest) or _UNSURE.search(rest):
        return None
    for form in (*_FORMS, *_PAST_FORMS):
        match = form.pattern.match(rest)
        subject = match["subject"].strip() if match else ""
        if match and not _NO_NAME.search(subject) and not is_chatter(subject, match["object"].strip()):
            made = _made(form, match, source, today)
            # The past alone says nothing of since when, nor of now.
            dated = _within(made, since, until)
            return dated if form not in _PAST_FORMS or dated.valid_from or dated.valid_to else None
    return None


def _plain(plain: str) -> str:
    """What is so, without the words that say that something else was wrong."""
    if instead := _INSTEAD.match(plain):
        return f"{instead['subject']} {instead['be']} {instead['object']}"
    if instead := _INSTEAD_HAN.match(plain):
        return f"{instead['subject']}是{instead['object']}"
    return _NOW_HAN.sub("", _PUT_AWAY.sub("", plain))


def _within(made: Statement, since: str | None, until: str | None) -> Statement:
    return replace(made, valid_from=made.valid_from or since, valid_to=made.valid_to or until)


def _made(form: _Form, match: re.Match[str], source: str, today: str) -> Statement:
    will_be = bool(_WILL_BE.search(match[0]))
    text, since = _cut(_NOW.sub("", _SECOND.sub("", match["object"]).strip()), _SINCE, today, is_past=not will_be)
    text, until = _cut(text, _UNTIL, today, is_past=False)
    text = _AT_WORK.sub("", text) if form.predicate == "工作于" else text
    return Statement(
        subject=match["subject"].strip(),
        predicate=form.predicate,
        # A birthday is on the same day every year.
        object=text if _YEARLY.search(match["subject"]) else _dated(text, today),
        source=source,
        valid_from=since,
        valid_to=until,
        many=form.many,
    )


def _cut(text: str, pattern: re.Pattern[str], today: str, *, is_past: bool) -> tuple[str, str | None]:
    """Take a date that says since or until when off the end of an object."""
    match = pattern.search(text)
    if match is None:
        return text, None
    found = dates(match["when"], today)
    if found and found[0].day and found[0].text == match["when"].strip() and re.search(r"\d", match["when"]):
        return text[: match.start()].strip(), found[0].day.isoformat()
    stretch = stretch_of(match["when"], today, is_past=is_past)
    if stretch is None:
        return text, None
    return text[: match.start()].strip(), stretch[0 if pattern is _SINCE else 1].isoformat()


def _dated(text: str, today: str) -> str:
    """A date in words is written down as the day that it meant."""
    found = dates(text, today)
    if (
        len(found) == 1
        and found[0].text == text
        and found[0].day
        and today
        and re.search(r"\d|day|tomorrow|天|周|星期", text)
    ):
        return found[0].day.isoformat()
    return text
