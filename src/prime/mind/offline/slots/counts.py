"""How many: the people who come, else the pieces of what is wanted."""

import re
from collections.abc import Mapping

from prime.mind.offline.figures.sums import sums_in
from prime.mind.offline.things.things import thing_in
from prime.mind.offline.words.clauses import marked_clause
from prime.mind.offline.words.language import Language
from prime.mind.offline.words.numbers import SPOKEN_NUMBER, number_at
from prime.mind.offline.words.phrases import alternatives, phrases

_COUNT = re.compile(
    rf"(?<![\d.,–-])\b((?:about|around|some|up to|roughly|circa|ca\.)?\s*"
    # “30 to 40”, “between 30 and 40”.
    rf"(?:\d{{1,5}}\s?(?:[-–]|to|or)\s?(?=\d)|(?<=between )\d{{1,5}} and (?=\d))?(?:{alternatives('slots_numbers')}))"
    rf"\s+((?:[a-z-]+\s+)?(?:{alternatives('slots_counted')}))\b",
    re.IGNORECASE,
)
# “A dinner for 8”.
_TABLE = re.compile(
    r"\b(?:dinner|lunch|brunch|breakfast|party|table|meal|bbq|barbecue|picnic|buffet|wedding|reception|funeral|celebration"
    r"|reunion|retreat|workshop|gala|feast|banquet|birthday|event|holiday|trip|room|venue)\s+for\s+(\d{1,4})\b(?!\s?(?:[-–]|to\b)\s?\d)"
    r"(?!\s*(?:days?|nights?|weeks?|hours?|EUR|USD|GBP|euros?|dollars?|k|each|people|guests|[a-z]+s)\b|[.,]\d|[\d/:])",
    re.IGNORECASE,
)
_COUNT_ZH = re.compile(
    r"(?:大约|约|近|最多)?(?<![周期一二两三四五六七八九十百千])((?:(?:\d{1,5}|[一二两三四五六七八九十百]{1,5})(?:到|至|[-~—])(?=[\d一二三四五六七八九]))?(?:\d[\d,]*|[一二两三四五六七八九十百千零]{1,7})\s*[多几]?)(位|名|人|口人|个人|位客人|件|台|桌|份|套|间|晚|本|户|双|张|棵|副|株|盆|幅|盏|册|枚|所|家(?=[\u4e00-\u9fff]{0,3}(?:店|馆|超市|餐厅|商铺|学校|企业|工厂|客栈|酒店|民宿|图书馆))|条(?!件)|辆|块(?!钱)|个用户|个客户|个工位|个(?!月|半月|小时|星期|礼拜|季度|学期)[\u4e00-\u9fff]{2,4}(?=[，。；、,;\d\s]|$)|个(?:小朋友|孩子|老人|学生|志愿者|员工|客人|居民|队员|病人)|个同学|个朋友|个(?![月小])|只(?![猫狗]))"
)
_PEOPLE_ZH = re.compile(r"(?:位|名|人|客|学生|同学|朋友|同事|员工|志愿者)$")
_GROUPS_ZH = re.compile(r"个(?:部门|家庭|小组|团队|班级?|公司|单位|学校|门店|年级)")


# “22 [twenty-two] people”.
_TWICE = re.compile(r"(?<=\d)\s?[(\[][a-z -]{2,24}[)\]]")


def count_in(text: str, language: Language) -> str:
    """As it was written; "" where nothing is counted that the wish is about."""
    text = _TWICE.sub("", text)
    return _count_zh(text) if language == "zh" else _count_en(text)


def _count_zh(text: str) -> str:
    counted = [
        match for match in _COUNT_ZH.finditer(text) if match[1].strip() not in {"一", "1"} and not _is_sum(match, text)
    ]
    # “三个部门80人”: heads say more than what they belong to.
    heads = [match for match in counted if _PEOPLE_ZH.search(match[2])]
    match = next(iter(heads if counted and _GROUPS_ZH.search(counted[0][2]) and heads else counted), None)
    return f"{match[1].strip()}{match[2]}" if match else ""


def _count_en(text: str) -> str:
    if table := _TABLE.search(text):
        return f"{table[1]} people"
    for match in _COUNT.finditer(text):
        if not (_is_beside(match, text) or _ASKED.search(match[2]) or _is_rate(match, text)):
            number = _SPAN.sub("–", match[1].strip())
            return re.sub(r"\s+", " ", f"{number} {_HEADS.sub('people', match[2])}")
    thing = thing_in(text, "en").partition(" with a ")[0]
    thing = thing.partition(" and ")[0]
    if re.match(
        r"\d[\d,]*\s+(?!(?:kg|g|kilos?|grams?|tonnes?|tons?|lit(?:re|er)s?|met(?:re|er)s?|page|day|week|month|year|hour|night|part)\b)[a-z]",
        thing,
    ):
        return thing
    pieces = next((said for match in _SEVERAL.finditer(text) if (said := _pieces(match, text))), "")
    heads = _OF_HEADS.search(text) if not pieces else None
    return pieces or (f"{heads[1] or heads[2]} {'people' if heads[1] else 'pieces'}" if heads else "")


# “A crew of 14”, “robes, 35 of them”.
_OF_HEADS = re.compile(
    r"\b(?:crew|team|group|class|party|band|choir|orchestra|circle|delegation) of (?:about |around |some )?(\d{1,4})"
    r"(?![\d.,]\d|\s+[a-z]+s\b)"
    r"|(?<![\d.,])(\d{1,6}) of (?:them|these|those)\b",
    re.IGNORECASE,
)


def _is_rate(match: re.Match[str], text: str) -> bool:
    """“20 books a year” are no order, and neither is “our 1911 organs”."""
    if _OFTEN.match(text, match.end()):
        return True
    return bool(
        _YEAR.fullmatch(match[1].strip()) and _OURS.search(text[max(0, match.start(1) - _NEAR) : match.start(1)])
    )


_OFTEN = re.compile(
    r"\s*(?:(?:an?|per|each|every)\s+(?:year|month|week|day|hour|night|season|minute)|/\s?(?:year|month|week|day|h)|(?:year|month|week|dai)ly|annually)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[5-9]\d[1-9]|1[5-9][1-9]0|20[0-3]\d")
_OURS = re.compile(r"\b(?:an?|the|my|our|his|her|their|in|from|of|since|old)\s+$", re.IGNORECASE)
_NEAR = 12


_SPAN = re.compile(r"(?<=\d)\s?(?:[-–]|to|or|and)\s?(?=\d)")


def _pieces(match: re.Match[str], text: str) -> str:
    """“600 glass jars”, where they are what is wanted; a few of something may be anything."""
    if _is_rate(match, text) or _UNITS.search(match[2]) or _is_sum(match, text) or _is_beside(match, text):
        return ""
    wanted = number_at(match[1]) >= _MANY or _WANTED.search(text[: match.start()])
    return f"{match[1]} {match[2]}" if wanted else ""


def _is_sum(match: re.Match[str], text: str) -> bool:
    return any(each.money.start <= match.start(1) < each.money.end for each in sums_in(text))


def _is_beside(match: re.Match[str], text: str) -> bool:
    start = match.end() - len(match[0].lstrip())
    return bool(_BESIDE_IT.search(marked_clause(text, start, match.end())))


_MANY = 5
_SEVERAL = re.compile(
    rf"(?<![\w.,:/$€£-])(\d{{1,3}}(?:,\d{{3}})+|\d+|{SPOKEN_NUMBER})\s+((?:[a-z][a-z-]+\s+){{0,2}}?[a-z][a-z-]+(?<!s)s)\b(?!\s+(?:old|ago|later|long|wide|high)\b)",
    re.IGNORECASE,
)
# “Quotes” are asked for, and are not what it is about; “it needs to carry two kids” says what it must be able to do.
_ASKED = phrases("counts_asked")
_UNITS = phrases("counts_units")
_BESIDE_IT = phrases("counts_beside")
_WANTED = phrases("counts_wanted")


# As one says it to others.
_HEADS = re.compile(r"^(?:of us|ppl|pax)$", re.IGNORECASE)
_GOODS = re.compile(
    r"\d[\d,]*\s(?:bottles|boxes|copies|chairs|lamps|shirts|parts|tonnes|kilos|units|pieces|pcs)$", re.IGNORECASE
)


def goods_of(slots: Mapping[str, str]) -> str:
    """What is counted, where it is goods and nothing else was named; "" for people."""
    return slots.get("count", "") if _GOODS.match(slots.get("count", "")) else ""
