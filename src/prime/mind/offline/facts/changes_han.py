"""Changes as people tell them in Chinese, taken apart into plain sentences."""

import re
from collections.abc import Iterator

from prime.mind.offline.facts.change_telling import Plain, Telling
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.words.phrases import alternatives

_ITEMS = re.compile(r"[、，,]|和|以及|与|及")
_US = r"(?:我们|咱们|公司)(?:已经?|刚刚?|现在)?"
_WHO = r"(?P<subject>[^，。；？！\s]{1,30}?)"
_EACH = r"(?P<each>每[月年天次周人])?"
_SUM = r"(?P<object>约?\s?[\d一二两三四五六七八九十百千万][^，。；？！]{0,20})"
_S = r"(?P<subject>[^，。；？！、\s]{1,16}?)"
_O = r"(?P<object>[^，。；？！]{1,30}?)"


_OURS = re.compile(r"^(?:我们|咱们|公司)的?")


def _no_more(match: re.Match[str]) -> Iterator[Plain]:
    role = match["object"]
    yield Plain(f"{match['subject']}是{role}", is_over=True)
    if other := match["other"] or match["next"]:
        yield Plain(f"{other}是{role}")
        yield Plain(f"{_OURS.sub('', role)}是{other}")


def _not_there(match: re.Match[str]) -> Iterator[Plain]:
    work = match["work"] or ""
    yield Plain(f"{match['subject']}{'在' if work else '住在'}{match['object']}{work}", is_over=True)


def _formerly(match: re.Match[str]) -> Iterator[Plain]:
    yield Plain(f"{match['subject']}{match['then']}", is_over=True)
    if now := match["now"]:
        yield Plain(f"{match['subject']}{now}")


def _risen(match: re.Match[str]) -> Iterator[Plain]:
    yield Plain(f"{_from(match['when'])}{match['subject']}是{match['object'].removesuffix('了')}")


def _moved(match: re.Match[str]) -> Iterator[Plain]:
    if not dates(match["object"]):
        yield Plain(f"{_from(match['when'])}{match['subject']}住在{match['object']}")


def _from(when: str | None) -> str:
    return f"从{when}起" if when else ""


def _before(match: re.Match[str]) -> Iterator[Plain]:
    yield Plain(f"{match['subject']}是{match['object']}", is_over=True)


def _exchanged(match: re.Match[str]) -> Iterator[Plain]:
    yield Plain(f"{match['subject']}是{match['object']}")


def _ends(match: re.Match[str]) -> Iterator[Plain]:
    if dates(match["object"]):
        yield Plain(f"{match['subject']}到期日是{match['object']}")


def _since(match: re.Match[str]) -> Iterator[Plain]:
    yield Plain(f"从{match['when']}起{match['subject']}{match['rest']}")


def _several(match: re.Match[str]) -> Iterator[Plain]:
    items = [item.strip() for item in _ITEMS.split(match["items"]) if item.strip()]
    if len(items) > 1:
        yield from (Plain(f"{match['things']}是{item}", many=True) for item in items)


_TIME = r"(?P<when>去年|今年|上个月|上周|昨天|(?:去年)?(?:\d{1,2}|十[一二]?|[一二三四五六七八九])月(?:份)?)"
_WHEN = f"{_TIME}?"


def _taken_on(match: re.Match[str]) -> Iterator[Plain]:
    """“我们新增甲公司作为供应商”: one more beside those that there are."""
    role = _OURS.sub("", match["object"])
    for who in _ITEMS.split(match["subject"]):
        yield Plain(f"{who}是{role}", many=True)
        yield Plain(f"{role}是{who}", many=True)


def _let_go(match: re.Match[str]) -> Iterator[Plain]:
    role = _OURS.sub("", match["object"])
    for who in _ITEMS.split(match["subject"]):
        yield Plain(f"{who}是{role}", is_over=True)
        yield Plain(f"{role}是{who}", is_over=True)


def _charged(match: re.Match[str]) -> Iterator[Plain]:
    """“甲公司每月收40元”, “我们每月付给甲公司40元”."""
    yield Plain(f"{match['subject']}收费{match['each'] or ''}{match['object'].strip()}")


# The first that fits counts.
TELLINGS_HAN: tuple[Telling, ...] = (
    (
        re.compile(
            rf"^{_S}(?:已经?|早就?)?(?:不再是|不是){_O}了?(?:[，,](?:现在|如今)?(?:换成了?|改由|是)(?P<other>[^，。；是]{{1,20}}?)"
            r"|[，,](?:现在)?(?P<next>[^，。；是]{1,20}?)(?:才是|是))$"
        ),
        lambda match: _no_more(match) if re.search(r"不再是|了[，,]", match[0]) else iter(()),
    ),
    (
        re.compile(
            rf"^{_S}(?:已经?|早就?)?(?:不再是{_O}了?|不是(?P<other>)(?P<next>){_O.replace('object', 'late')}了)$"
        ),
        lambda match: iter([Plain(f"{match['subject']}是{match['object'] or match['late']}", is_over=True)]),
    ),
    (re.compile(rf"^{_S}(?:已经?|早就?)?不再?(?:住)?在{_O}(?P<work>工作|上班)?了?$"), _not_there),
    (re.compile(rf"^{_S}(?:直到)?{_TIME}(?:之前|以前)(?:都|一直)?[是为]{_O}$"), _before),
    (
        re.compile(
            rf"^{_S}(?:以前|之前|原来|曾经|过去)(?:都|一直)?(?P<then>(?:是|住在|在|喜欢|叫)[^，。；]{{1,40}}?)"
            r"(?:[，,](?:但|而)?(?:现在|如今|目前)(?P<now>\S[^，。；]{1,40}))?$"
        ),
        _formerly,
    ),
    (
        re.compile(
            rf"^{_S}{_WHEN}(?:已经?)?(?:从[^，。；]{{1,20}}?)?(?:上涨|上调|下调|下降|降低|减少|涨|降|升|跌|减|调|改|变|提高|推迟|提前)(?:到|至|为|成)了?"
            rf"{_O}$"
        ),
        _risen,
    ),
    (re.compile(rf"^{_S}{_WHEN}(?:已经?)?(?:搬|搬家|迁)(?:到|去|至)了?{_O}了?$"), _moved),
    (
        re.compile(rf"^(?:我们|公司)?(?:已经?)?把{_S}(?:从[^，。；]{{1,20}}?)?(?:换|改|变)(?:成|为)了?{_O}了?$"),
        _exchanged,
    ),
    (
        re.compile(rf"^{_S}(?:从|自){_TIME}(?:起|开始|以来)(?P<rest>(?:就|都)?[是为].{{1,40}})$"),
        _since,
    ),
    (
        re.compile(
            r"^(?:我们|公司)?的?(?P<things>供应商|客户|股东|合伙人|成员|办公室|竞争对手)(?:们)?(?:是|有)(?P<items>[^。；：:]{3,80})$"
        ),
        _several,
    ),
    (re.compile(rf"^{_S}(?:在|于|将于)?(?P<object>(?:\d{{4}}年)?\d{{1,2}}月\d{{1,2}}[日号])到期$"), _ends),
    (
        re.compile(
            r"^(?:我们|公司)?有[一二两三四五六七八九十\d]{1,3}(?:家|个|位|种|名)(?P<things>[^，。：:；]{1,12})[：:](?P<items>[^。；：:]{3,80})$"
        ),
        _several,
    ),
    (
        re.compile(rf"^{_US}(?:{alternatives('changes_taken_on_zh')})了?{_WHO}(?:作为|成为|为|做|当){_O}了?$"),
        _taken_on,
    ),
    (
        re.compile(rf"^{_US}(?:{alternatives('changes_let_go_zh')})了?{_WHO}(?:作为|作|做|当|为){_O}了?$"),
        _let_go,
    ),
    (re.compile(rf"^{_S}{_EACH}(?:收费|收取|收|要价)(?:是|为)?{_SUM}$"), _charged),
    (re.compile(rf"^(?:我们|公司){_EACH}(?:支?付给?|给){_S}\s*{_SUM}$"), _charged),
)
