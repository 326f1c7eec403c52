"""Names for the counterparts that the offline engine plays: real enough to talk to, the same for the same wish."""

import re
from collections.abc import Sequence

from prime.mind.offline.words.language import Language, in_order

_FIRST = (
    "Marta", "Jonas", "Aylin", "Pierre", "Ines", "Tomasz", "Freya", "Mateo", "Leila", "Henrik", "Nadia", "Oskar", "Priya", "Luca",
    "Sofia", "Emeka", "Hanna", "Diego", "Yuki", "Clara", "Samir", "Greta", "Pavel", "Amara", "Felix", "Noor", "Iris", "Kofi",
    "Elena", "Bram", "Zofia", "Ravi", "Maud", "Teo", "Carmen", "Niall",
)  # fmt: skip
_LAST = (
    "Keller", "Moreau", "Lindqvist", "Okafor", "Marino", "Novak", "Haddad", "Brandt", "Silva", "Petersen", "Kowalski", "Rao",
    "Dubois", "Tanaka", "Vega", "Bauer", "Costa", "Larsen", "Meyer", "Osei", "Fischer", "Romano", "Jansen", "Demir", "Walsh",
    "Ortiz",
)  # fmt: skip
_HEAD = (
    "Nordlicht", "Blue Harbour", "Atelier Sieben", "Kestrel", "Linden", "Paper Crane", "Juniper", "Copperfield", "Morgen",
    "Halcyon", "Tramontana", "Saltwood", "Ember", "Quill", "Fernweh", "Ostend", "Larch", "Meridian", "Willow Yard", "Brightside",
)  # fmt: skip
_TAIL = ("Studio", "& Co.", "Works", "House", "Partners", "Collective", "Group", "Brothers", "Lab", "Company")
_TITLED = re.compile(r"(?:Prof|Dr|Mr|Ms|Mrs)\b\.?")
_SURNAME_ZH = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
_GIVEN_ZH = (
    "思远",
    "雨桐",
    "子涵",
    "嘉怡",
    "浩然",
    "静怡",
    "文博",
    "晓彤",
    "一鸣",
    "若曦",
    "志强",
    "婉清",
    "俊杰",
    "梦琪",
    "泽宇",
    "雅雯",
    "明哲",
    "诗涵",
)
_HEAD_ZH = (
    "青禾",
    "远山",
    "拾光",
    "云栖",
    "木槿",
    "南风",
    "星野",
    "知行",
    "澄海",
    "一粟",
    "晨曦",
    "松涛",
    "蓝图",
    "合一",
)
# What any trade may be called: nobody has a nurse sent by an advertising house.
_TAIL_ZH = ("工作室", "服务部", "公司", "商行", "服务社", "经营部", "团队", "商社")


def companies(language: Language, count: int, seed: str) -> list[str]:
    """So many houses with different names."""
    heads, tails, joint = (_HEAD_ZH, _TAIL_ZH, "") if language == "zh" else (_HEAD, _TAIL, " ")
    return _paired(in_order(heads, f"h{seed}"), in_order(tails, f"t{seed}"), count, joint)


def people(language: Language, count: int, seed: str) -> list[str]:
    """So many people with different names, of whom no two seem to be related as long as there are names."""
    firsts, lasts, joint = (tuple(_SURNAME_ZH), _GIVEN_ZH, "") if language == "zh" else (_FIRST, _LAST, " ")
    return _paired(in_order(firsts, f"f{seed}"), in_order(lasts, f"l{seed}"), count, joint)


def _paired(firsts: Sequence[str], lasts: Sequence[str], count: int, joint: str) -> list[str]:
    return [f"{firsts[n % len(firsts)]}{joint}{lasts[n % len(lasts)]}" for n in range(count)]


def first_name(name: str, language: Language) -> str:
    return name if language == "zh" or _TITLED.match(name) else name.split(maxsplit=1)[0]
