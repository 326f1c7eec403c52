"""The words of a message, each as loud as the place where it stands: what is asked for before what is only told, the head of a
clause before what hangs on it, the last of several nouns before those that describe it.

English words are taken by their stems and in pairs, Chinese ones by their signs, two and three at a time.
"""

import re

from prime.mind.offline.words.language import Language
from prime.mind.offline.words.phrases import alternatives

# Further on a message says more about the same thing.
_READ = 2_000
_TOKEN = re.compile(r"[a-zà-ÿ]+(?:'[a-z]+)?|\d[\d.,]*|[,.;:!?()\n–—]+(?=\s|$)")
_MARKS = frozenset(",.;:!?()\n–—")
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ions", "ion", "ies", "ed", "es", "er", "ment", "s")
_SHORTEST_STEM = 4
_PLAIN = frozenset(alternatives("wording_plain").split("|"))
# Words that put a clause as something to be done.
_ASKING = frozenset(alternatives("wording_asking").split("|"))
# What a clause goes on with behind one of these only hangs on it.
_HANGING = {
    **dict.fromkeys(("before", "after", "because", "since", "while", "when", "until", "till", "during", "near"), 0.4),
    **dict.fromkeys(("for", "by", "as"), 0.5),
    **dict.fromkeys(("with", "without", "in", "at", "on", "from", "about", "who", "which", "that"), 0.6),
}
_NUMBER = "#"
_TOLD, _FURTHER, _DESCRIBING, _PAIR = 0.6, 0.8, 0.7, 0.5
_CLAUSE_HAN = re.compile(r"[，。；：！？、,;:!?\s（）()]+")
_RUN_HAN = re.compile("[\u4e00-\u9fff]+|[a-z]+")
_ASKING_HAN = re.compile("[想要找帮请需求得修办做]|打算|准备|计划|希望|怎么|组织")
_PLAIN_HAN = frozenset("的了我们你他她它这那和与在是有个要想把被给从到也都就很不")
_TOLD_HAN, _DESCRIBING_HAN, _ONE_HAN, _THREE_HAN = 0.7, 0.7, 0.3, 0.5


def weighed(text: str, language: Language) -> dict[str, float]:
    """Every word and turn of the text with how loud it is, 1 at most."""
    small = text[:_READ].casefold().replace("’", "'")
    return _weighed_han(small) if language == "zh" else _weighed(small)


def _weighed(text: str) -> dict[str, float]:
    clauses: list[list[str]] = [[]]
    for token in _TOKEN.findall(text):
        if token[0] not in _MARKS:
            clauses[-1].append(token)
        elif clauses[-1]:
            clauses.append([])
    asks = [not _ASKING.isdisjoint(clause) for clause in clauses]
    found: dict[str, float] = {}
    for n, clause in enumerate(clauses):
        if asks[n] or (n == 0 and True not in asks):
            _weigh(clause, 1.0, found)
        else:
            _weigh(clause, _TOLD if True in asks else _FURTHER, found)
    return found


def _weigh(clause: list[str], loud: float, found: dict[str, float]) -> None:
    here, before, last = loud, "", len(clause) - 1
    for n, word in enumerate(clause):
        here = loud * _HANGING.get(word, here / loud)
        stem = _stem(word)
        if word not in _PLAIN and len(word) > 1 and stem != _NUMBER:
            describes = 0 < n < last and clause[n + 1] not in _PLAIN and clause[n + 1][0].isalpha()
            found[stem] = max(found.get(stem, 0.0), here * _DESCRIBING if describes else here)
        if before:
            pair = f"{before} {stem}"
            found[pair] = max(found.get(pair, 0.0), here * _PAIR)
        before = stem


def _stem(word: str) -> str:
    if word[0].isdigit():
        return _NUMBER
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    return word.rstrip("e") if len(word) > _SHORTEST_STEM else word


def _weighed_han(text: str) -> dict[str, float]:
    clauses = [clause for clause in _CLAUSE_HAN.split(text) if clause]
    asks = [bool(_ASKING_HAN.search(clause)) for clause in clauses]
    found: dict[str, float] = {}
    for n, clause in enumerate(clauses):
        loud = 1.0 if asks[n] or (n == 0 and True not in asks) else _TOLD_HAN
        for run in _RUN_HAN.findall(clause):
            if run[0].isascii():
                found[run] = max(found.get(run, 0.0), loud)
            else:
                _weigh_han(run, loud, found)
    return found


def _weigh_han(run: str, loud: float, found: dict[str, float]) -> None:
    described = run.rfind("的")
    for n, sign in enumerate(run):
        here = loud * _DESCRIBING_HAN if n < described else loud
        if sign not in _PLAIN_HAN:
            found[sign] = max(found.get(sign, 0.0), here * _ONE_HAN)
        for size, share in ((2, 1.0), (3, _THREE_HAN)):
            if n + size <= len(run):
                turn = run[n : n + size]
                found[turn] = max(found.get(turn, 0.0), here * share)
