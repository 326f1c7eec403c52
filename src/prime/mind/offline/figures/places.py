"""Where something is to happen, as people write it: behind a preposition, on a route, as a house, or between commas."""

import re

from prime.mind.offline.figures.dates import dates
from prime.mind.offline.words.language import Language
from prime.mind.offline.words.phrases import alternatives

CAP = r"[A-ZÄÖÜÉÅØ][\w’'&.-]*[\w]|[A-ZÄÖÜÉÅØ]"
NAME = rf"(?:{CAP})(?:\s+(?:{CAP})){{0,3}}"
NO_PLACE = {
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "English", "German",
    "French", "Chinese", "Spanish", "Italian", "Polish", "Russian", "Japanese", "Korean", "Portuguese", "Dutch",
    "Turkish", "Arabic", "Swedish", "Danish", "Greek", "Latin", "Hindi", "Ukrainian", "Python", "Rust", "Java", "Go",
    "TypeScript", "JavaScript", "React", "EUR", "USD", "GBP", "CHF", "CNY", "I", "Q1", "Q2", "Q3", "Q4", "Please", "We",
    "The", "Series", "Prime",
}  # fmt: skip
ROUTE = re.compile(rf"\bfrom\s+({NAME})\s+to\s+({NAME})")
ROUTE_ZH = re.compile(
    r"从([\u4e00-\u9fff]{2,4}?)(?:搬家?|搬迁)(?:到|去|往|至)([\u4e00-\u9fff]{2,4}?)(?=，|。|,|\s|$|的|住|工作)"
)
_PLACE = re.compile(
    rf"\b(?:in|at|near|around|across)\s+(?:the\s+)?({NAME}(?:(?:,|\s+and)\s+(?:{CAP}))?)"
    # “In the parish hall of Windleshaw”, “within an hour of Utrecht”.
    rf"|\b(?:in|at|from|to|for)\s+(?:the|our)\s+(?:[a-z]+\s+){{0,2}}?(?:{alternatives('places_sites')})\s+(?:of|in|at)\s+({NAME})"
    rf"|\bwithin\s+[\w’' -]{{1,30}}?\s(?:of|from)\s+(?:the\s+)?({NAME})"
    # Behind “to” stand people and companies as well: it is a place where somebody or something goes there.
    rf"|(?:{alternatives('places_going')})[^,.;!?]{{0,40}}?\bto\s+(?:the\s+)?((?!(?:Mr|Mrs|Ms|Dr|Prof)\b){NAME}(?:(?:,|\s+and)\s+(?:{CAP}))?)"
    rf"|\bto\s+(?:the\s+)?((?i:{alternatives('places_known')})\b)"
    # “On Kaiserstraße”, “on Mill Road”.
    r"|\bon\s+(?:the\s+)?([A-ZÄÖÜ][\w’-]+(?:straße|strasse|platz|gasse|weg)\b"
    r"|(?:[A-ZÄÖÜ][\w’-]+\s+){1,2}(?:Street|Road|Square|Lane|Avenue|Hill|Island|Lake))"
    # “(Colmar, any weekend)”.
    rf"|\(({NAME}),\s(?=any\b|next\b|this\b|\d|[A-Z][a-z]+ber\b|(?:January|February|March|April|May|June|July|August)\b)"
)
# Where goods and people come from is no company to deal with.
_ORIGIN = re.compile(
    rf"\b(?:import|export|fly|travel|drive|ship|come|coming|relocate)\b[^,.;!?]{{0,40}}?\bfrom\s+({CAP})"
)
# “Not in the US” is where it is not.
_RULED_OUT = re.compile(
    rf"\b(?:not|never|anywhere but|except(?: for)?|outside(?: of)?|instead of)\s+(?:in|to|at|near|around)?\s*(?:the\s+)?{NAME}"
)
_HOUSE = re.compile(rf"\b(?:our|my|the)\s+({CAP})\s+(?:office|shop|store|team|branch|site|plant|factory|warehouse)\b")
_HOUSE_ZH = re.compile(r"([\u4e00-\u9fff]{2,3})(?:办公(?!室)|分公司|门店)")
_SENT_TO = re.compile(
    rf"\b(?:deliver(?:ed|y)?|ship(?:ped|ping)?|sent|send|brought|bring|transport(?:ed)?)\s+(?:[a-z]+\s+){{0,2}}to\s+({NAME})"
)
_SENT_TO_ZH = re.compile(
    r"(?:送到|运到|寄到|发往|送货到|交货到|到货)(?![安装调验好]|时|后)([\u4e00-\u9fff]{2,4}?)(?=，|。|,|\s|$|的)"
)
_AT_ZH = re.compile(
    r"(?:(?<![都正还潜存])在|(?<!不)去(?!世)|(?<![换迁转级切改])到(?![货期岗位场时手底])|前往|位于)([\u4e00-\u9fff]{2,6}?)(?=的|住|发布|推出|举办|办|开|召开|找|招|工作|出差|旅行|旅游|玩|上线|做|买|租|建|拍|演|上|种|摆|观|钓|读|春游|秋游|家庭|看|滑|过(?=年|冬|节)|聚会|聚餐|参观|举行|度假|，|。|,|\s|$|附近|和|与)"
)
_AT_LATIN = re.compile(
    r"(?:去|到|在|飞|前往)\s*([A-Z][a-z]{2,}(?: [A-Z][a-z]+)*)(?![A-Za-z])"
    r"|([A-Z][a-z]{2,}(?: [A-Z][a-z]+)*)\s*(?:的\s*)?(?:trip|旅行|之旅|行程|出差|旅游)"
)
_NO_PLACE_ZH = re.compile(
    "^[一二三四五六七八九十百千万]+(?:[人个位家间]|$)|投诉|名下|^城$|小红书|抖音|公众号|朋友圈|网店|平台|装好|大会|会议|会上|^初[一二三四五六七八九十]|湿地|外地|外面|健身房|^(?:还|没|待|未|都|不|最好|随)|家里|家人|人手|云$|系统|平台|楼[上下]|哪|公司$|单位|学校$|^货|网|线|阳台|客厅|厨房|卧室|卫生间|家$|内|之|前|后|月|周|年|天|预算|时"
)
# “Summer party, 80 people, Lisbon”: a name alone between commas, in a note that is no sentence.
_KNOWN_ALONE = re.compile(rf"[,(]\s*((?i:{alternatives('places_known')})(?:[ -](?:{CAP}))?)\s*(?=[,)]|[.!]?\s*$)")
# “Hackathon 120 students 2 days Zurich sponsors needed”: a note without a comma.
_KNOWN_NOTED = re.compile(
    rf"(?<=[a-z\d] )({'|'.join(name.title() for name in alternatives('places_known').split('|'))})(?=\s+[a-z\d]|$)"
)
_ALONE = re.compile(rf",\s*({CAP})\s*(?=,|[.!]?\s*$)")
_SENTENCE = re.compile(r"\b(?:i|we|our|my|you|with|ask|invite|is|are|called)\b", re.IGNORECASE)
_CITIES_ZH = (
    "北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|无锡|宁波|成都|武汉|西安|长沙|郑州|青岛|济南|厦门|福州|合肥|大连|沈阳"
    "|哈尔滨|长春|昆明|贵阳|南宁|南昌|太原|兰州|海口|三亚|珠海|佛山|东莞|香港|澳门|台北|东京|大阪|首尔|新加坡|伦敦|巴黎|柏林|纽约"
)
_ALONE_ZH = re.compile(rf"(?:^|[，,、\s]|base\s*)({_CITIES_ZH})(?=[，,。、\s]|$)")
# A town is one wherever it stands, but for where something comes from, and what is called after it.
_CITY_ANYWHERE_ZH = re.compile(
    rf"(?<![从离])({_CITIES_ZH}|{alternatives('places_known_zh')})(?![人菜话产籍味]|口音|烤鸭|火锅|大学|银行|小吃|料理)"
)
_BEGINS_WITH_CITY_ZH = re.compile(
    rf"(?:{_CITIES_ZH}|{alternatives('places_known_zh')})(?:[\u4e00-\u9fff]{{1,2}}[市区县镇村]|海边|附近|郊区|老家)?"
)
# What is done there is no part of its name.
_DONE_THERE_ZH = re.compile(
    r"(?<=[\u4e00-\u9fff]{2})(?:养老|读书|打比?赛?|展出|住|工作|办公|看|过年|玩|学|做|找|吃|买|卖|拍|待|生活|开店).*$"
)


def _cut(place: str) -> str:
    """“珠海养老” is in 珠海, and “一次冰岛” in 冰岛."""
    bare = re.sub(r"^(?:一[次趟]|趟)", "", place)
    there = _DONE_THERE_ZH.sub("", bare)
    if there == bare and len(bare) <= _SHORT_NAME_ZH:
        return bare  # “贵州毕节”
    city = _BEGINS_WITH_CITY_ZH.match(bare)
    return city[0] if city else there


_SHORT_NAME_ZH = 4


_KNOWN_ZH = re.compile(
    rf"(?:^|[，,、。\s])((?:{alternatives('places_known_zh')})[省市]?[\u4e00-\u9fff]{{0,3}}?[市县区镇村]?)(?=[，,。、\s]|$)"
)
_OUTING_ZH = re.compile(rf"(?:{alternatives('things_outings_zh')}|上班|上学|看病|开会|面试|考试|领养|现场|现在)")
# “Cheap flight + hotel Lisbon 2 people”: a name that is a place's wherever it stands.
_KNOWN_ANYWHERE = re.compile(
    rf"(?<!from )\b(?:{'|'.join(name.title() for name in alternatives('places_known').split('|'))})\b(?![’']s|\s+[A-Z])"
)
# Somewhere between two towns is in none of them.
_NOT_THERE = re.compile(rf"\bbetween\s+{NAME}\s+and\s+{NAME}")
_NAMED_ZH = re.compile(r"地点(?:在|是|：|:)?\s*([\u4e00-\u9fff]{2,8}?)(?=[，,。；、\s]|$)")
# “near munich”, “trip to new york”, “, berlin neukölln”.
_SMALL = re.compile(
    rf"(?P<lead>\b(?:in|at|near|around|to|from|across|and|visit(?:ing)?)\s+(?:the\s+)?|,\s*|^)(?P<name>{alternatives('places_known')})"
    r"(?P<part>[ -][^\W\d_]*[äöüßé][^\W\d_]*)?\b",
)
# “to japan AND find somebody”: no part of a name.
_SHOUTED = re.compile(r"(?<=[a-z\d] )(?:AND|OR|PLUS|ALSO|THEN)(?= [a-z])")


_LOUD = 12


def with_names(text: str) -> str:
    """The text with known places in capitals, as one writes names: many people write none."""
    loud = sum(c.isupper() for c in text)
    quiet = text.lower() if loud > _LOUD and not any(c.islower() for c in text) else text
    plain = _SHOUTED.sub(lambda m: m[0].lower(), quiet)
    return _SMALL.sub(lambda m: m["lead"] + f"{m['name']}{m['part'] or ''}".title(), plain)


_COUNTED = r"(?:\d{1,3}|an?|half an?|one|two|three|four|five|six|ten|twenty|thirty|forty)"
# “Within an hour of Utrecht”, “within 5 km of Aarhus”.
_DISTANCE = (
    rf"(?:easy )?(?:{_COUNTED}[ -]?)?"
    r"(?:hours?|minutes?|mins?|km|kilomet(?:re|er)s?|miles?|reach|walking distance|commuting distance)(?:[’']s?)?"
    r"(?: (?:drive|walk|ride|train ride|by (?:train|car|bus|bike)))?"
)


def place_in(text: str, language: Language) -> str:
    if language == "zh":
        if route := ROUTE_ZH.search(text):
            return route[2]
        found = [m[1] for m in _NAMED_ZH.finditer(text)]
        found += [m[1] for pattern in (_AT_ZH, _HOUSE_ZH) for m in pattern.finditer(_SENT_TO_ZH.sub("", text))]
        found += [m[1] or m[2] for m in _AT_LATIN.finditer(text)]
        found += [m[1] for m in _ALONE_ZH.finditer(text)]
        found += [m[1] for m in _KNOWN_ZH.finditer(text)]
        found += [m[1] for m in _CITY_ANYWHERE_ZH.finditer(text)]
        bare = (_cut(place).removesuffix("去").rstrip("了里上") for place in found)
        return next((p for p in bare if not _NO_PLACE_ZH.search(p) and not _OUTING_ZH.fullmatch(p)), "")
    known = _KNOWN_ANYWHERE.finditer(_NOT_THERE.sub(" ", _SENT_TO.sub(" ", _RULED_OUT.sub(" ", text))))
    found = next(iter(places_in(text) or [m[0] for m in known]), "")
    if found and (
        around := re.search(rf"\b(?:with)?in (?:{_DISTANCE}) (?:of|from) (?:the )?{re.escape(found)}\b", text)
    ):
        return around[0]
    # “Near Siena” is not in it.
    return f"near {found}" if found and re.search(rf"\bnear\s+(?:the\s+)?{re.escape(found)}\b", text) else found


def known_places(text: str) -> set[str]:
    """Those that are places wherever they stand."""
    return {match[0] for match in _KNOWN_ANYWHERE.finditer(text)}


def places_in(text: str) -> list[str]:
    text = _SENT_TO.sub(" ", _RULED_OUT.sub(" ", text))
    routes = [name for m in ROUTE.finditer(text) for name in (m[2], m[1])]
    plain = [m[m.lastindex or 1].rstrip(".") for m in _PLACE.finditer(text)]
    plain = [_first_of(p) if _is_none(p.rpartition(" ")[2]) else p for p in plain]
    house = [m[1] for m in _HOUSE.finditer(text)]
    origin = [m[1] for m in _ORIGIN.finditer(text)]
    alone = [] if _SENTENCE.search(text) else [m[1] for m in _ALONE.finditer(text)]
    alone += [m[1] for m in _KNOWN_ALONE.finditer(text)]
    if not (alone or plain or _SENTENCE.search(text)):
        alone += [m[1] for m in _KNOWN_NOTED.finditer(text)]
    named = dict.fromkeys([*routes, *plain, *house, *alone, *origin])
    return [
        p
        for p in named
        if not _is_adjective(p, text)
        and p.split()[0].rstrip(",") not in NO_PLACE
        and not re.search(r"\d", p)
        and not dates(p)
        and not dates(f"by {p}")
    ]


def _is_none(word: str) -> bool:
    """“Mondays”, “I'd”: a capital that begins no place."""
    return word.rstrip("s") in NO_PLACE or word in NO_PLACE or re.split("[’']", word)[0] in NO_PLACE


def _first_of(places: str) -> str:
    return re.split(r",| and ", places, maxsplit=1)[0]


def _is_adjective(place: str, text: str) -> bool:
    """“In Belgian lace” is in no place."""
    behind = re.search(
        rf"{re.escape(place)}(?=\s+(?!(?:and|or|by|for|with|on|at|in|to|from|before|until|next|this|is|we|i)\b)[a-z])",
        text,
    )
    return bool(behind and _ADJECTIVE.fullmatch(place))


_ADJECTIVE = re.compile(
    r"(?!Dalian|Fujian)[A-Z][a-z]+(?:[bcdglnrstvu]ian|[lntdkrwi]ish|[nlmd]ese|ench|utch)|Greek|Czech|Swiss|Welsh|Thai"
)


def destination_in(text: str, language: Language) -> str:
    """Where something is to be brought, which is not where it is made."""
    sent = (_SENT_TO_ZH if language == "zh" else _SENT_TO).search(text)
    return sent[1].rstrip(".") if sent else ""
