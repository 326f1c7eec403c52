"""What a wish in Chinese is about, by its words: the object of the verb that asks; of a trouble, what it befell.

“公司年会定在1月16日” is about the 公司年会 and no 年会定, “手机屏摔碎了” about the 手机屏. Words are whole here, and
what stands behind an object (给孩子练, 送亲戚) is none of its name.
"""

import re
from collections.abc import Sequence

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.things.asked import Asked
from prime.mind.offline.words.han import Word, is_whole, words_in
from prime.mind.offline.words.phrases import alternatives

_CLAUSE = re.compile(r"[，。；！？,;!?\n：:…]+")
_MOST, _READ = 14, 300
_WISH = re.compile(rf"(?:{alternatives('object_han_wish')})")
_LEAD = re.compile(rf"^.{{0,10}}?(?:{alternatives('object_han_wish')})+")
_VERBS = frozenset(alternatives("object_han_verbs").split("|"))
_NOTHING = frozenset(alternatives("object_han_nothing").split("|"))
_PREPOSITIONS = frozenset("在从给为跟和与同向对用由帮替以按")
# What goes on behind an object is no part of its name.
_BEHIND = frozenset("给让送来去到用当作在并再然后要想能会得但可")
_SMALL = frozenset("了着过到出好掉完上下成起一")
_COUNT = re.compile(
    r"^(?:[一两几\d二三四五六七八九十百千万多.×]+|这|那|某|每)?(?:[个款场次套份名位家项台些部本趟只条辆间篇座栋张幅件箱首双块顿盏档批支颗棵把桌亩页组档]|公里|平米|平方|六寸)?的?$"
)
_STATE = re.compile(rf"(?:{alternatives('object_han_states')})")
_OWNED = re.compile(r"^(?:我们?|咱们?|自己|家里|家|老家|公司|单位|他|她|它|网上买|新买|刚买|租)(?:家|的|里)*(?=\w{2})")


def object_in(text: str) -> Asked | None:
    """The verb of what is asked and its object; None where neither is plain."""
    clauses = [clause.strip() for clause in _CLAUSE.split(text[:_READ]) if clause.strip()]
    asking = [clause for clause in clauses if _WISH.search(clause)]
    for clause in asking:
        if (found := _asked(clause)) and not (found.thing in _MIDDLEMEN and len(clauses) > 1):
            return found
    if done := next((found for clause in reversed(clauses) if (found := _DONE_WITH_IT.search(clause))), None):
        verb = done[1]
        topic = next((named for part in (done.string[: done.start()], *clauses) if (named := _topic(part))), "")
        if topic:
            topic = without_how_it_came(topic)
            return Asked(f"{topic}{verb}") if verb in _NAMED_WITH else Asked(topic, verb)
    if middleman := next((found.thing for clause in asking if (found := _asked(clause))), ""):
        others = (named for clause in clauses if (named := _object_or_topic(clause)) and named not in _MIDDLEMEN)
        return Asked(next(others, middleman))
    for clause in clauses:
        if (wanted := _WANTS_DONE.fullmatch(clause)) and _topic(clause) == wanted[1]:
            return Asked(without_how_it_came(clause))
        if (found := _failing(clause)) or (clause not in asking and (found := _asked(clause, led=False))):
            return found
    return None


_NAMED_WITH = frozenset({"过户", "落户", "续签"})


def _object_or_topic(clause: str) -> str:
    found = _asked(clause) if _WISH.search(clause) else None
    return found.thing if found else _topic(clause)


def is_unusual(verb: str) -> bool:
    """“减少食物浪费”: a verb that belongs to what a project is called."""
    return len(verb) > 1 and verb not in _VERBS


def failing_in(text: str) -> str:
    """What does not work, or got lost, or is not as it should be; "" where nothing is told to."""
    clauses = [clause.strip() for clause in _CLAUSE.split(text[:_READ])]
    return next((found.thing for clause in clauses if (found := _failing(clause))), "")


# “核桃今年丰收，……怎么卖出去”: what was named before is to be sold.
_DONE_WITH_IT = re.compile(
    r"(?:怎么|如何|想|要|得|赶紧|该怎么)[^，]{0,4}?(卖|修|处理|办|装修|翻新|重新装修|换|搬|治|救|出租|转让|送人|出手|过户|落户|续签)(?:到[^，]{1,6}|出去|掉|好|一下|得好|理|了|新的|成新的)?$"
)


_HAVE = re.compile(r"^(?:我们?|家里|我们?家|老家)?(?:还|都)?有(?=[一两三几\d]*[套个台辆间只条批亩])")


def _topic(clause: str) -> str:
    """What a clause is about: the first that it names, up to what is said of it."""
    clause = _HAVE.sub("", clause)
    words = words_in(clause)
    end = next(
        (
            n
            for n, word in enumerate(words)
            if n
            and word.kind in {"v", "t", "d", "a", "ad", "p", "ul"}
            and not (n + 1 < len(words) and words[n + 1].text == "的")
        ),
        len(words),
    )
    return _named(words[:end])


def _asked(clause: str, *, led: bool = True) -> Asked | None:
    if (taken := _TAKEN.search(clause)) and (named := _named(list(words_in(taken["what"])))):
        return Asked(named, _verb_of(taken["rest"]))
    rest = _LEAD.sub("", clause) if led else clause
    words = _without_circumstances(list(words_in(rest)), whose=not led)
    verb = ""
    if words and _is_verb(words[0]):
        verb = words.pop(0).text
        if words and words[0].text in _VERBS and len(words) > 1:
            verb = words.pop(0).text  # “合买一台”, “转行做电工”
        while words and (words[0].text in _SMALL or words[0].text == "一下"):
            words.pop(0)
        if words and words[0].text in {"人", "师傅", "帮忙"} and len(words) > 1:
            words.pop(0)
            return _asked("".join(word.text for word in words), led=False)
    elif not led:
        return None
    named = _named(words)
    return Asked(named, verb) if named else None


_TAKEN = re.compile(
    r"把(?P<what>[^，]{2,20}?)(?P<rest>(?:从|都|全部|重新|给|卖|修|装|翻|改|换|迁|搬|送|做|办|弄|整理|处理|退|洗|写|印|挂|租)[^，]*)$"
)


def _verb_of(rest: str) -> str:
    first = next(iter(words_in(rest)), None)
    return (
        "" if first is None or first.text in {"从", "都", "全部", "重新", "给"} else first.text[:2].rstrip("了掉好出成")
    )


def _is_verb(word: Word) -> bool:
    return word.text in _VERBS or (word.kind in {"v", "vg"} and word.text not in _NOTHING)


def _without_circumstances(words: list[Word], *, whose: bool) -> list[Word]:
    """Without where, when, for whom, with what and by whom it is done, as far as that stands before the verb."""
    if whose or (words and words[0].kind in {"n", "s", "r"} and "的" not in {word.text for word in words[:2]}):
        words = words[
            next((n for n, word in enumerate(words) if word.text in _VERBS or word.text in _PREPOSITIONS), 0) :
        ]
    while words:
        first = words[0]
        if first.text in _PREPOSITIONS and len(words) > 1:
            verb = next((n for n, word in enumerate(words[1:], 1) if _is_verb(word) and n > 1), 0)
            if not verb:
                return words
            words = words[verb:]
        elif first.kind in {"t", "d", "r", "f", "ad", "c"} and first.text not in _VERBS and len(words) > 1:
            words = words[1:]
        else:
            return words
    return words


def _named(words: Sequence[Word]) -> str:
    """What the words name, without how many there are of it and what is done with it."""
    kept = _till_its_end(_without_count(list(words)))
    name = "".join(word.text for word in kept).strip("的了地着 ")
    name = _OWNED.sub("", name) if len(name) > len(kept[-1].text if kept else "") else name
    if "的" in name and (len(name) > _MOST or dates(name) or re.search("[点号日]的", name)):
        name = name.rpartition("的")[2]
    nouns = [
        word
        for word in kept
        if word.kind[:1] in "njlixze" or word.kind in {"vn", "an", "eng", "s"} or len(word.text) > 1
    ]
    good = (
        1 < len(name) <= _MOST
        and nouns
        and name not in _NOTHING
        and not _NO_NAME.search(name)
        and not amounts(name)
        and not dates(name)
    )
    return name if good else ""


_NO_NAME = re.compile(
    r"^(?:这|那)[件个]?(?:事|个|件)|^[一两几各][个场次份趟件]$|^[一两三几\d]+[年月天周]$|[\d%]$|^[一二两三四五六七八九十几百千万\d]+[个只条件套台张头棵]$"
)


def _without_count(words: list[Word]) -> list[Word]:
    while len(words) > 1 and (
        (words[0].kind in {"m", "q", "mq"} and not words[0].text.startswith("二手"))
        or words[0].text in {"个", "些", "点", "的", "款", "件", "只", "首", "张"}
        or _COUNT.match(words[0].text)
    ):
        words = words[1:]
    return words


def _till_its_end(words: list[Word]) -> list[Word]:
    """Up to where something else is said; what describes it (会做菜的厨师) stands before the last 的."""
    last = max((n for n, word in enumerate(words) if word.text == "的" and n < len(words) - 1), default=-1)
    for n, word in enumerate(words):
        if n > max(last + 1, 0) and (
            word.text in _BEHIND
            or (word.kind in {"v", "p", "c", "y", "d"} and n < len(words) - 1 and word.text not in _MAKES)
        ):
            return words[:n]
    return words


# Verbs that are as often the middle of a name: 家政服务公司, 旧书交换.
_MAKES = frozenset(
    {
        "交换",
        "维修",
        "租赁",
        "培训",
        "设计",
        "服务",
        "管理",
        "调研",
        "学习",
        "供应",
        "收购",
        "搬家",
        "考试",
        "写作",
        "合作",
        "分析",
        "申请",
    }
)


def _failing(clause: str) -> Asked | None:
    """What a trouble befell: what stands before how it is now."""
    if not (state := _STATE.search(clause, 1)):
        return None
    before = [word for word in words_in(clause[: state.start()]) if word.kind not in {"d", "t", "r", "ul", "m"}]
    cut = max((n for n, word in enumerate(before) if word.text in {"把", "被", "给"}), default=-1)
    name = _OWNED.sub("", "".join(word.text for word in before[cut + 1 :]).strip("的了"))
    if not 0 < len(name) <= _MOST or name in _NOTHING or not any(word.kind[:1] in "njlxze" for word in before):
        return None
    return Asked(name, "修" if state["broken"] else "找" if state["lost"] else "")


def is_cut_from_words(thing: str, text: str) -> bool:
    """Whether it begins or ends within a word of the text, or with what belongs to a verb."""
    clauses = [clause.strip() for clause in _CLAUSE.split(text[:_READ])]
    if thing in clauses and not any(
        _WISH.search(clause) or _DONE_WITH_IT.search(clause) for clause in clauses if clause != thing
    ):
        return _wants(thing, text)  # all that was said
    if thing.startswith(_QUESTIONS):
        return False
    if "把" in thing[1:] or _DONE_TO.match(thing) or _NO_NAME.search(thing) or _HAS_A_VERB.search(thing):
        return True
    if _is_told(thing, text) or _wants(thing, text) or re.search(rf"[卖送运寄发销]到(?:了)?{re.escape(thing)}", text):
        return True
    said = next((thing[n:] for n in range(len(thing)) if thing[n:] in text), "")  # “学桌” was put together
    at = text.find(said)
    if said and not is_whole(text, at, at + len(said)) and not _behind_its_verb(said, text):
        return True
    return said == thing and _has_remains(thing, text)


def is_wanted(thing: str, text: str) -> bool:
    """Whether it is whole, and neither somebody who only helps to it nor what is to be left alone."""
    refused = re.search(rf"不(?:想|要|用|能|需要)[^，。]{{0,3}}{re.escape(thing)}", text)
    return thing not in _MIDDLEMEN and not refused and not is_cut_from_words(thing, text)


def _behind_its_verb(thing: str, text: str) -> bool:
    """“注册商标” is one word, and 商标 what is registered."""
    around = next((word for word in words_in(text) if word.text.endswith(thing) and word.text != thing), None)
    return around is not None and len(verb := around.text.removesuffix(thing)) > 1 and verb in _VERBS


def _has_remains(thing: str, text: str) -> bool:
    words, behind = words_in(thing), text.partition(thing)[2]
    return len(words) > 1 and (
        (words[0].text in _FIRST_REMAINS and not (words[0].text == "给" and "的" in thing))
        or words[-1].text in _LAST_REMAINS
        or (
            words[-1].kind in {"a", "d"} and len(words[-1].text) == 1 and "的" not in thing and bool(_HAN.match(behind))
        )
    )


_HAN = re.compile("[\u4e00-\u9fff]")
_QUESTIONS = ("要不要", "是否", "该不该", "值不值", "能不能", "怎么", "如何")


def _is_told(thing: str, text: str) -> bool:
    """“老家的核桃今年丰收” is a sentence, and no name."""
    words = words_in(thing)
    kinds = [word.kind for word in words]
    behind = text.partition(thing)[2]
    if (
        len(kinds) > 1
        and kinds[0] in {"n", "r"}
        and kinds[-1] == "v"
        and len(words[-1].text) == 1
        and re.match("[\u4e00-\u9fff]", behind)
    ):
        return True  # “猫走”丢了
    return len(kinds) > 2 and kinds[-1] in {"v", "a"} and bool({"t", "d"} & set(kinds[1:-1]))


def _wants(thing: str, text: str) -> bool:
    """“小区要加装电梯”: it is who wants it, unless nothing else is named."""
    found = re.search(
        rf"(?:^|[，。；,])(?:我们?)?{re.escape(thing)}里?(?:想要?|要|准备|打算|计划|需要)(?!从|重新|换|迁|升级|改|翻新|装修|修|扩)(?=(?P<rest>[\u4e00-\u9fff]{{2,}}))",
        text,
    )
    return bool(found) and _asked(found["rest"], led=False) is not None


# “翻译成英文给国外的孙子看”: what is done to it, and not what it is.
_DONE_TO = re.compile("(?:翻译|译|改|换|做|写|编|整理|剪|拼)成|.{2,8}(?:送给|寄给|给国)|户到")
# “社区搞一次旧衣回收” still has its verb.
_HAS_A_VERB = re.compile(
    r"^有[一两三几\d]*[套个台辆间只条批亩]|[\u4e00-\u9fff](?:搞|办|做|开|弄|组织)一?[次场个届期家间]"
)
_MIDDLEMEN = frozenset(alternatives("object_han_middlemen").split("|"))
_FIRST_REMAINS = frozenset("了着过到掉完出好个款件套想要给被是")
_LAST_REMAINS = frozenset("上里中时要想定把给得被让就能会可是在和与去来从想要需要")


# “报的英语班” is the 英语班.
_CAME = re.compile(
    r"^(?:我们?|刚|新|网上|去年|今年|自家|自己)*(?:养|种|酿|腌|报|买|订|租|办|借|交|领|收到)(?:了|到)?的(?=\w{2})"
)


_GOES_ON = re.compile(r"(?<=[\u4e00-\u9fff]{2})(?:发|送|寄|运|传|卖|放|挂|投)(?:到|给|往|上).*$")


def without_how_it_came(thing: str) -> str:
    """Without how one got it and where it goes: “短视频发到小红书” is about the 短视频."""
    if thing.startswith("把"):
        return thing
    bare = _GOES_ON.sub("", _LEFT_BY.sub("", _CAME.sub("", _OURS.sub("", thing))))
    if (wanted := _WANTS_DONE.fullmatch(bare)) and words_in(wanted[2])[0].kind in {"v", "vn"}:
        return f"{wanted[1]}{wanted[2]}"  # “羊圈要扩建”
    return bare


_OURS = re.compile(r"^(?:我们?)?(?:公司|单位|店里|学校|村里)的(?=\w{3})")
# “我爸留下的那套老房子” is the 老房子.
_LEFT_BY = re.compile(
    r"^我?(?:爸|妈|爸妈|爷爷|奶奶|外公|外婆|父亲|母亲|老人)?(?:留下|留给我们?)的(?:[那这])?(?:一?[套个台间幅])?(?=\w{2})"
)
_WANTS_DONE = re.compile(r"(\w{1,5})(?:要|得|需要)(\w{2})")
