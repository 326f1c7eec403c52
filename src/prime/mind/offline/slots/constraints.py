"""What is fixed from the beginning: what must be, what must not, who needs what; as the owner said it."""

import re

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.days import loose_times
from prime.mind.offline.figures.sums import limits_in
from prime.mind.offline.slots.budgets import parts_limits
from prime.mind.offline.slots.counts import count_in
from prime.mind.offline.words.language import Language, sentences
from prime.mind.offline.words.phrases import alternatives, phrases

_CONSTRAINT = re.compile(
    rf"(?:^|[,;.]\s*|\s+(?:and|but|with)\s+|\s)((?:{alternatives('slots_constraints')})[^,.;!?]{{0,50}})", re.IGNORECASE
)
_CONSTRAINT_ZH = re.compile(
    r"([^，。；！？,;]{1,8}之?前不[^，。；！？,;]{1,12}|(?:(?:^|(?<=[，。；、,;]))(?:会(?=[说讲开做用写唱画弹])|不?住家|全职|兼职|没有?(?:钱|预算|资金)|零预算|不(?=加盟|买|坐|住|吃|喝|抽|贷款|借|打广告|上门|拍|卖|收|接受|含|带|办|请|搞))[^，。；！？,;]{0,16})"
    r"|(?:^|(?<=[，。；、,;]))[^，。；！？,;]{1,4}(?:不能|不得|不可以)[^，。；！？,;]{1,24}"
    r"|(?:必须|(?<!要)不要|不能|不得|只要|(?<!现在)(?<!目前)只能|至少|最好|要求|不用|不走|不通过|不经过|需要会|要会|账期|别用|不想要)[^，。；！？,;]{1,24}"
    r"|(?:老人|老人家|孩子|父母|爸妈|妈妈|爸爸|奶奶|爷爷|外婆|外公|有[一两三几]?[个位]?[人客同]?[人事]?)[^，。；！？,;]{0,6}(?:不好|不便|过敏|晕车|怀孕|吃素|轮椅|糖尿病)(?=[，。；,;！\s]|$))"
)


def constraints_in(text: str, language: Language) -> list[str]:
    """What is fixed, in the owner’s own words."""
    pattern = _CONSTRAINT_ZH if language == "zh" else _CONSTRAINT
    found = [
        _with_subject(m, sentence)
        for sentence in sentences(text)
        for m in pattern.finditer(sentence)
        if not _IS_THE_WISH.match(m[1])
    ]
    found += [said for clause in _clauses(text) if (said := _rule(clause, language))]
    least = 2 if language == "zh" else 3
    found += [*_qualities(text, language), *loose_times(text, language)]
    fixed = [c for c in dict.fromkeys(found) if len(c) >= least and not amounts(c) and not limits_in(c)]
    fixed = [one for one in fixed if not any(one != other and one in other for other in fixed)]
    return [*fixed, *parts_limits(text, language, count_in(text, language))][:4]


def _qualities(text: str, language: Language) -> list[str]:
    """What it is to be like, in a clause or a word of its own: “undyed”, “24/7”, “by talking”, “会手语的”."""
    pattern = _QUALITY_ZH if language == "zh" else _QUALITY
    return [next(part for part in match.groups() if part) for match in pattern.finditer(text)]


_QUALITY = phrases("constraints_qualities")
_QUALITY_ZH = phrases("constraints_qualities_zh")
# “Must be found” is what is wished, and nothing that limits it.
_IS_THE_WISH = phrases("constraints_wished")
_PLEASE = re.compile(r"[\s,]+(?:please|pls|thanks|thx|ok)\W*$", re.IGNORECASE)


def _with_subject(found: re.Match[str], sentence: str) -> str:
    """“Stripe integration must work”: what must is a part of it, where it is said in a word or three."""
    said = _PLEASE.sub("", found[1].strip())
    before = re.split(r"[,;.:!?](?!\d)|\b(?:and|but|with)\b", sentence[: found.start(1)])[-1].strip()
    if re.search(r"\b(?:i|we)$", before, re.IGNORECASE) and said.casefold().startswith("must"):
        return ""  # “we must replace it” is the wish itself
    subject = re.sub(r"^(?:it|they|that|which|who|everything|all)\b", "", before, flags=re.IGNORECASE).strip()
    short = subject and len(subject.split()) <= 3 and not re.search(r"\b(?:need|want|i|we)\b", subject, re.IGNORECASE)
    return f"{subject} {said}" if said.casefold().startswith("must") and short else said


def _clauses(text: str) -> list[str]:
    return [part.strip() for part in _CLAUSE_ENDS.split(text) if part.strip()]


def _rule(clause: str, language: Language) -> str:
    """A clause that sets a condition as a whole, as it stands; of whoever is sought, what he has to be able to do."""
    said = _PLEASE.sub("", _JOINED.sub("", clause))
    found = (_RULE_ZH if language == "zh" else _RULE).search(said)
    if found and found[0].startswith("who "):
        said = found[0]
    return said if found and not dates(said) else ""


# “And it must be …”: what it is said of has been named.
_JOINED = re.compile(
    r"^(?:and|but|also|但是?|而且|并且)\s*|^(?:it|they)\s+(?=(?:must|should|needs? to|has to|have to)\b)", re.IGNORECASE
)
_CLAUSE_ENDS = re.compile(
    r"[,;!?()\n，。；！？（）](?!\d)|\.(?=\s|$)|\s[-–—]\s|\s+(?:and|but)\s+(?=(?:the|it|everyone|nobody|all)\b)"
)
_RULE = phrases("constraints_rules")
_RULE_ZH = phrases("constraints_rules_zh")
