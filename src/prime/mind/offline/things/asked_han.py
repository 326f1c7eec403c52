"""What a wish in Chinese asks for: the verb of the last clause that asks, with its object; else what the told trouble befell."""

import re

from prime.mind.offline.things.asked import Asked
from prime.mind.offline.things.things_han import without_days, without_sums
from prime.mind.offline.words.phrases import alternatives

_CLAUSE = re.compile(r"[，。；！？,;!?\n：:]+|…+")
# “做一本……不，做一部纪录片”: what was taken back was not meant.
_TAKEN_BACK = re.compile(r"^.*(?:…+|\.{3,}|，)不(?:对|是)?[，,]")
_OCCASION = re.compile(r"^为了?[^，。；,;]+?[，,]|^[^，。；,;]{2,8}?(?:以后|之后|以来)")
_WHO = r"(?:我们?|咱们?|大家|谁|哪家[\u4e00-\u9fff]{0,3}|有没有人|有人|有谁)"
_WISH = rf"(?:{alternatives('asked_han_wish')})"
_ASKS = re.compile(rf"^(?:{_WHO})?(?:(?:都|也|还|就)?{_WISH})+")
_HELPER = re.compile(
    rf"^(?:请|找|雇|让)(?:一?[个位名])?(?:{alternatives('asked_han_helpers')})(?:来|帮忙|帮我们?|给我们?)*"
)
_SOMEBODY = re.compile(
    r"^(?:再)?(?:请|找|招|缺|雇|求)(?:到|一下)?(?:[一两几二三四五六七八九十\d]*[个位名间家处])?(?P<who>[^，]{2,14})$"
)
_TAKEN = re.compile(
    r"把(?P<what>[^，]{2,16}?)(?<![幅张本首件个箱封把])(?P<verb>重新|都|全部|从|"
    + alternatives("asked_han_verbs")
    + r")(?P<rest>[^，]*)$"
)
_GIVEN = re.compile(rf"^给(?P<whom>[^，]{{2,10}}?)(?P<verb>{alternatives('asked_han_given')})(?P<what>[^，]{{0,12}})$")
_DONE = re.compile(
    rf"^(?:去|来|再)?(?P<verb>{alternatives('asked_han_verbs')})(?:一下|到|出|好|掉|完|上)?(?P<what>[^，]*)$"
)
_BECOMES = re.compile(r"^(?P<what>[^，想要]{2,12}?)(?:想|要|得|准备|打算)+(?P<turn>[改换]成[^，]{2,10})$")
_COUNT = re.compile(
    r"^(?:[一两几\d二三四五六七八九十百千多]+(?:[个款场次套份名位家项台些部本趟只条辆间篇座栋口面封张幅件箱首双块顿把盏对]|平米的?)|些|个|套|本)"
)
_OWNED = re.compile(
    rf"^(?:(?:我们?|咱们?)[家村校厂店]?的?|家里的?|自己的|老家的|(?:我们?的?)?(?:{alternatives('asked_han_kin')})的)"
)
_KIN = re.compile(rf"(?:{alternatives('asked_han_kin')}|员|老师|师傅|公司|人|们)$")
_BEFALLS = re.compile(alternatives("asked_han_befalls"))
_MADE = re.compile(r"[\u4e00-\u9fff](?:过|了)(?P<what>[^，了过]{2,14})$")
_TAIL = re.compile(r"(?:了|吗|呢|吧|的|一下|下来|起来|出来|回来|出去|过来|送到)+$")
_NO_THING = frozenset(alternatives("asked_han_nothing").split("|"))
_MOST = 14


def asked_in_chinese(text: str) -> Asked | None:
    said = _OCCASION.sub("", _as_meant(without_sums(text.strip())))
    clauses = [bare for part in _CLAUSE.split(said) if (bare := without_days(part.strip()))]
    for clause in reversed(clauses):
        if found := _asking(clause):
            return found
    verb = next((verb for clause in reversed(clauses) if (verb := _verb_alone(clause))), "")
    handled = (_named(_bare(m["what"])) for clause in clauses if (m := _HANDLED.search(clause)))
    told = (_told(clause) for clause in clauses)
    found = next((each for each in (*handled, *told) if each), None)
    return Asked(found.thing, verb) if found else None


def _as_meant(text: str) -> str:
    """Without what was taken back; “把家谱译成英文……不，译成法文” still is about the 家谱."""
    if not (back := _TAKEN_BACK.match(text)):
        return text
    left, kept = text[back.end() :], _KEPT.search(back[0])
    return f"{kept[0]}{left}" if kept and not left.startswith("把") else left


_KEPT = re.compile("把[^，。…]{1,10}?(?=(?:翻?译|改|换|做|写|画|印)成)")
_HANDLED = re.compile(
    r"把(?P<what>[^，]{2,16}?)(?:给|泡|弄|撞|压|拿|偷|占|打|砸|刮|吹|卖|拆|剪|砍|挖|烧|泼|丢|搞|扣)[^，]*$"
)


def _verb_alone(clause: str) -> str:
    """“想录下来”, “请木匠来修好它”: what is to be done with what was named before."""
    led = _ASKS.sub("", clause)
    done = _DONE.match(re.sub("^重新", "", _HELPER.sub("", led)))
    if led == clause or not done or done["verb"] not in _ALONE:
        return ""
    return done["verb"] if len(_bare(done["what"])) < 2 or _bare(done["what"]) in _NO_THING else ""


_ALONE = frozenset({"修", "录", "做", "设计", "补", "找", "画", "洗", "搬", "卖", "买", "拆", "救", "整理", "翻译"})


def _asking(clause: str) -> Asked | None:
    if turned := _BECOMES.match(clause):
        return _named(f"{_OWNED.sub('', turned['what'])}{_become(turned['turn'])}")
    if lacking := _LACKS.match(clause):
        return _named(_bare(lacking["what"]), "找")
    if ours := _OURS.search(clause):
        return _named(ours["what"])
    led = _ASKS.sub("", clause)
    led = _WISHES.sub("", clause) if led == clause else led
    helped = _HELPER.sub("", led)
    asks = led != clause or helped != led
    if taken := _TAKEN.search(helped):
        return _taken(taken)
    if given := _GIVEN.match(helped):
        return _given(given)
    if helped == led and (somebody := _SOMEBODY.match(led)):
        return _named(re.sub("^(?:会|能|可以)", "", _bare(somebody["who"])), "找")
    done = _DONE.match(re.sub("^重新", "", helped))
    if done and not re.match("[了过着]", done["what"]) and (asks or done["what"]):
        return _named(_bare(done["what"]), done["verb"])
    return None


_LACKS = re.compile(r"^[^，]{2,8}?[缺差]一?[个名位](?P<what>[^，]{2,10})$")
# “帮我们的凉茶进驻写字楼”.
_OURS = re.compile(r"^[帮让](?:我们?|咱们?)的?(?P<what>[^，把给]{2,8}?)(?:进驻?|上架|上市|走进|卖[进到])")
# A wish in the middle of a clause: “学校还差十一万才能装上电梯”, “外婆说想去看看编钟”.
_WISHES = re.compile(r"^[^，]{1,12}?(?:才能|想要?|打算|希望|愿不愿意|准备)(?:去|来|在[^，]{2,6}?(?=找|租|开|办|建))?")


def _become(turn: str) -> str:
    """“改成一间琴房” is 改成琴房."""
    return re.sub("成一?[间个座本家所]", "成", _TAIL.sub("", turn))


def _taken(taken: re.Match[str]) -> Asked | None:
    """“把旧教室改成陶艺室” says both; else the verb goes before what is taken."""
    what, verb, rest = _OWNED.sub("", taken["what"]), taken["verb"], taken["rest"]
    if re.match("[改换变]", verb) and rest.startswith(("成", "为", "造成")):
        return _named(f"{what}{verb}{_become(rest)}")
    return _named(_bare(what), "" if verb in {"重新", "都", "全部", "从"} or rest[:1] in "成走" else verb)


def _given(given: re.Match[str]) -> Asked | None:
    what = _bare(given["what"])
    if re.match("[我他她它你]", given["whom"]):
        return _named(what, given["verb"])
    return Asked(f"给{given['whom']}{given['verb']}{what}") if len(what) + len(given["whom"]) <= _MOST else None


def _told(clause: str) -> Asked | None:
    """“村口的老槐树快倒了” is about the tree; where somebody did something, about what it was done to."""
    if taken := _TAKEN.search(clause):
        return _named(_bare(taken["what"]))
    begun = _OWNED.sub("", clause)
    befallen = _BEFALLS.search(begun, 2)
    subject = _OWNED.sub("", begun[: befallen.start()]) if befallen else ""
    if subject and not _KIN.search(subject):
        return _named(subject)
    made = _MADE.search(clause)
    return _named(made["what"]) if made else None


def _bare(what: str) -> str:
    what = _OWNED.sub("", _TAIL.sub("", what.strip()))
    what = re.sub("(?:到|在|给|去)[^，的]*$", "", what) or what
    bare = _COUNT.sub("", what)
    return bare if len(bare) > 1 else what


def _named(thing: str, doing: str = "") -> Asked | None:
    thing = thing.strip(" 的了")
    good = 1 < len(thing) <= _MOST and thing not in _NO_THING and not _CLAUSE_MARKS.search(thing)
    return Asked(thing, doing) if good else None


_CLAUSE_MARKS = re.compile(alternatives("asked_han_cut"))


def is_to_be_done(heading: str) -> bool:
    """“修水管”, “把合同发给王总”: a verb and what it is done to, said shortly, is a name as it stands."""
    led = bool(_DONE.match(heading) or heading.startswith(("把", "骑")))
    return led and not is_cut_in_chinese(heading, heading)


def is_cut_in_chinese(thing: str, text: str) -> bool:
    """Whether it is a piece of a clause: what is taken back, an occasion, a verb's tail, a whole sentence."""
    if thing in _NO_THING or _CLAUSE_MARKS.search(thing):
        return True
    # “会做饭的护工” is no 饭的护工.
    return "的" in thing and bool(re.search(f"[会能懂][\u4e00-\u9fff]{re.escape(thing)}", text))
