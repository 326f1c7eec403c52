"""What Prime tells the owner about a plan."""

import re
from collections.abc import Mapping, Sequence

from prime.mind.jobs.planning import PlannedChannel
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.rooms.planning import Project
from prime.mind.offline.slots.budgets import hopes_for, may_cost
from prime.mind.offline.words.clauses import cues
from prime.mind.offline.words.language import Language, chosen, listed
from prime.rooms.tier import Tier

_TIERS: Mapping[Language, Mapping[Tier, str]] = {
    "en": {
        "team": "with the team",
        "business_relation": "with partners, who learn terms and dates only",
        "external": "outside, where only the value is told",
    },
    "zh": {"team": "团队内部", "business_relation": "合作方（只谈条件和时间）", "external": "外部（只谈价值）"},
}
_HEADS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "I have opened {n} rooms for {thing}.",
        "{n_cap} rooms are open for {thing}.",
        "{n_cap} conversations have begun for {thing}.",
    ),
    "zh": ("为{thing}开了{n}个频道。", "{thing}：{n}个频道已经开始。"),
}
_TAILS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "You hear from me when something is decided or needs you; everything else I settle and show in the feed.",
        "I ask only what nobody else can decide. What I settle myself stands in the feed, with the reason.",
    ),
    "zh": (
        "有结果或需要你时我会说，其余我自己处理，都在动态里。",
        "只有必须你决定的我才问，其余我来定，理由写在动态里。",
    ),
}
_HOW_SOON = frozenset({"as soon as possible", "soon", "尽快", "尽早", "越快越好", "尽可能快"})
_SPAN = re.compile(r"^(?:in|within) ((?:a|an|\d+|[a-z]+) (?:hour|day|week|fortnight|month|year)s?)$", re.IGNORECASE)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_KEPT: Mapping[Language, tuple[tuple[str, str], ...]] = {
    "en": (
        ("budget", "{} as the budget"),
        ("deadline", "{} as the date"),
        ("place", "{}"),
        ("count", "{}"),
        ("constraints", "“{}”"),
    ),
    "zh": (("budget", "预算{}"), ("deadline", "时间{}"), ("place", "地点{}"), ("count", "{}"), ("constraints", "“{}”")),
}


_HOPED: Mapping[Language, str] = {"en": "{} as what you hope for", "zh": "期望{}"}


def words_about(project: Project, about: str, channels: Sequence[PlannedChannel], problems: Sequence[str] = ()) -> str:
    language = project.language
    number = (
        str(len(channels)) if language == "zh" else _NUMBERS[len(channels)] if len(channels) < 9 else str(len(channels))
    )
    head = chosen(_HEADS[language], project.wish, "head").format(n=number, n_cap=number.capitalize(), thing=about)
    first = project.archetype.first.of(language) if project.archetype.first else ""
    parts = [first, head, *_by_tier(channels, language), _kept(project)]
    parts.append(_missing(project, channels))
    parts += [chosen(_TAILS[language], project.wish, "tail"), *_not_read(problems, language)]
    return ("" if language == "zh" else " ").join(part for part in parts if part)


def summary_of(project: Project, channels: Sequence[PlannedChannel]) -> str:
    names = listed(
        [f"{c.name} ({c.participants[0].name})" if c.participants else c.name for c in channels], project.language
    )
    return f"{project.title}：{names}。" if project.language == "zh" else f"{project.title}: {names}."


def _by_tier(channels: Sequence[PlannedChannel], language: Language) -> list[str]:
    tiers: list[Tier] = ["team", "business_relation", "external"]
    said: list[str] = []
    for tier in tiers:
        names = [c.name for c in channels if c.tier == tier]
        if names and language == "zh":
            said.append(f"{_TIERS[language][tier]}：{listed(names, language)}。")
        elif names:
            said.append(f"{listed(names, language)}: {_TIERS[language][tier]}.")
    return said


def named_aims(slots: Mapping[str, str], language: Language, *, income: bool = False) -> str:
    """What is wanted, one after the other, each by what it is."""
    forms = dict(_KEPT[language]) | ({"budget": _HOPED[language]} if income else {})
    if slots.get("deadline") in _HOW_SOON:
        forms["deadline"] = "“{}”"  # that is no date
    return listed([form.format(_as_noun(slots[name])) for name, form in forms.items() if slots.get(name)], language)


def _kept(project: Project) -> str:
    language = project.language
    kept = named_aims(project.slots, language, income=_is_hoped_for(project))
    if not kept:
        return ""
    return f"我记着：{kept}。" if language == "zh" else f"I keep to {kept}."


def _is_hoped_for(project: Project) -> bool:
    """Whether the sum is to come in: what somebody would pay at most is not hoped for, wherever it is written."""
    return hopes_for(project.wish) or (project.archetype.income and not may_cost(project.wish))


def _as_noun(value: str) -> str:
    """“in three months” is no date that one keeps to; “three months from today” is."""
    return _SPAN.sub(r"\1 from today", value)


def _missing(project: Project, channels: Sequence[PlannedChannel]) -> str:
    # Whatever the text has a word for was written, and only not understood.
    names = {"budget": ("a budget", "预算"), "deadline": ("a date", "日期")}
    wanted = [name for name in project.archetype.asks if not project.slots.get(name)]
    if all(channel.tier == "team" for channel in channels):
        wanted = [name for name in wanted if name != "budget"]  # nobody is paid among ourselves
    fixed = project.slots.get("constraints", "")
    if amounts(fixed) or re.search(r"\bno (?:budget|money)\b|没有?(?:预算|钱)", fixed, re.IGNORECASE):
        wanted = [
            name for name in wanted if name != "budget"
        ]  # what may be paid every month was written, or that it is nothing
    if dates(fixed):
        wanted = [name for name in wanted if name != "deadline"]  # “not before May” says when, too
    wanted = [name for name in wanted if not cues(_SAID, name).search(project.wish[:_MOST])]
    missing = [names[name][project.language == "zh"] for name in wanted]
    if not missing:
        return ""
    if project.language == "zh":
        return f"没看到{listed(missing, project.language)}，随时告诉我。"
    return f"I did not find {' or '.join(missing)}; write it whenever you know."


# Words for sums and for times, however little of them was understood.
_SAID = "days_and_sums.yaml"
_MOST = 4_000  # whoever writes more than that, said at its beginning what it may cost


def _not_read(problems: Sequence[str], language: Language) -> list[str]:
    lead = "有档案没读懂：" if language == "zh" else "An archetype of yours could not be read: "
    return [f"{lead}{problem}" for problem in problems[:1]]
