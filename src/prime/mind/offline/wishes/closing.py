"""A message of the owner's that ends rooms, or all of them."""

import re
from collections.abc import Mapping, Sequence

from prime.core.words import terms
from prime.mind.jobs.planning import OpenChannel, Plan
from prime.mind.offline.words.language import Language, first_sentence, listed
from prime.rooms.tier import Tier

_EVERYTHING = re.compile(
    r"\b(?:everything|all|the (?:whole )?(?:project|room|war room|thing)|call (?:it|this|that) off)\b"
    r"|全部|所有|整个|项目|算了|[做办搞]了|到此为止|都",
    re.IGNORECASE,
)
# As Prime itself says: “stop” ends everything at once.
_BARE_STOP = re.compile(
    r"\W*(?:please |just |now )*(?:stop|end|cancel|quit)(?: (?:now|it|this|please))*\W*"
    r"|\W*(?:请)?(?:停|停止|停下|取消|结束)(?:吧|了|来)*\W*",
    re.IGNORECASE,
)
_STOP_ALL = re.compile(
    r"\W*(?:please |just )*(?:stop|end|cancel|close|drop) (?:everything|it all|all(?: of (?:it|this))?)\W*"
    r"|\W*(?:请)?(?:全部|都|所有(?:的)?)?(?:停止|取消|结束|停)(?:全部|所有(?:的)?|一切)?(?:吧|了)*\W*",
    re.IGNORECASE,
)
_NOTHING_RUNS: Mapping[Language, str] = {
    "en": (
        "Nothing is running, so there is nothing to stop. Write in one sentence what you want to get done, "
        "and I open the rooms for it."
    ),
    "zh": "现在没有在进行的事，不用停。想做成什么事，写一句话，我就开频道。",
}
_TIER_NAMED: Mapping[Tier, re.Pattern[str]] = {
    "team": re.compile(r"\bteam\b|团队", re.IGNORECASE),
    "business_relation": re.compile(r"\b(?:partners?|suppliers?|vendors?)\b|合作方?|供应商|商家", re.IGNORECASE),
    "external": re.compile(r"\b(?:outside|outsiders?|external|strangers)\b|外部|外人", re.IGNORECASE),
}


def closed(wish: str, there: Sequence[OpenChannel], language: Language) -> Plan:
    """The rooms that are named end; which, is asked where none is."""
    wanted = set(terms(wish))
    tiers = [tier for tier, pattern in _TIER_NAMED.items() if pattern.search(wish)]
    named = [c for c in there if wanted & set(terms(f"{c.name} {c.key.partition('-')[2]}")) or c.name in wish]
    closing = (
        named
        or [c for c in there if c.tier in tiers]
        or (list(there) if _EVERYTHING.search(wish) or _BARE_STOP.fullmatch(wish) else [])
    )
    names = listed([channel.name for channel in closing], language)
    if not closing:
        there_names = listed([channel.name for channel in there], language)
        words = f"要关哪个？现在有：{there_names}。" if language == "zh" else f"Which one? There are {there_names}."
        return Plan(title=first_sentence(wish), summary=wish, words=words)
    words = f"已关闭：{names}。" if language == "zh" else f"Closed: {names}. What was said there stays findable."
    return Plan(title=first_sentence(wish), summary=wish, words=words, closing=tuple(c.id for c in closing))


def ends_all(wish: str) -> bool:
    """“Stop”, “取消全部”: nothing else is said."""
    return bool(_BARE_STOP.fullmatch(wish) or _STOP_ALL.fullmatch(wish))


def nothing_runs(wish: str, language: Language) -> Plan:
    return Plan(title=first_sentence(wish), summary=wish, words=_NOTHING_RUNS[language])
