"""What some kinds of project are called after in Chinese: a journey, a move, a home, a talk, a feast."""

import re

from prime.mind.offline.words.han import words_in
from prime.mind.offline.words.phrases import alternatives

_READ = 300
_MOVES = re.compile(
    r"(办公室|公司|仓库|店铺?|工厂|厂|图书馆|宿舍|工作室|诊所|实验室|家)(?:想|要|准备|打算|得)*(?:从[^，]{1,8}?)?(?:搬|迁)"
)
_HOMES = re.compile(r"[一二两三四]室(?:[一二两]厅)?(?:[一二]卫)?|[一二两三四]居室?|单间|单身公寓|公寓|套房|小院")
_SUBJECT = re.compile(r"(?:题目|主题)(?:就?[是为叫]|：|:)?[《“「]?([^，。；！《》“”「」]{2,12})")
_OCCASION = re.compile(rf"(?:{alternatives('object_han_occasions')})")


def named_for(kind: str, text: str, place: str) -> str:
    """What a project of some kinds is called after: where one goes, what moves, which home or feast; "" where nothing tells."""
    if kind == "talk" and (subject := _SUBJECT.search(text)):
        return f"{subject[1]}的演讲"
    if kind == "travel" and place:
        return f"{place}之行"
    if kind == "moving" and (moves := _MOVES.search(text)):
        return "搬家" if moves[1] == "家" else f"{moves[1]}搬迁"
    if kind == "renting" and (home := _HOMES.search(text)):
        return home[0]
    return occasion_in(text) if kind == "event" else ""


def occasion_in(text: str) -> str:
    """The feast that a text speaks of, with what says which: “元旦晚会”, “八十大寿”."""
    words = words_in(text[:_READ])
    for n, word in enumerate(words):
        if not _OCCASION.search(word.text):
            continue
        before = words[n - 1] if n else None
        told = before and (
            before.kind in {"t", "nz", "vn"}
            or before.text in _WHICH
            or re.fullmatch("[一二三四五六七八九十百]{1,3}", before.text)
        )
        return f"{before.text}{word.text}" if before and told else word.text
    return ""


_WHICH = frozenset(alternatives("object_han_which").split("|"))
