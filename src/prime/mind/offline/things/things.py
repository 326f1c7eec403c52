"""What a wish is about, in the owner's own words: found behind a verb, in a heading, or as the first clause says it."""

import re

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.places import CAP, NO_PLACE, ROUTE, places_in
from prime.mind.offline.figures.sums import limits_in
from prime.mind.offline.things.asked import is_cut, object_of
from prime.mind.offline.things.chunks import asking_part, bare, caused_in, clauses_of
from prime.mind.offline.things.naming import (
    ANY_VERB,
    COPIES,
    NO_NAME,
    OWNED,
    PLEASE,
    STOP,
    WORD,
    is_name,
    without_article,
)
from prime.mind.offline.things.things_han import chinese_thing, without_days, without_sums
from prime.mind.offline.things.undertakings import brought_about, gerund, ours_want, without_who_wants
from prime.mind.offline.things.unnamed import BROKEN, NEEDS_DOING, unnamed, with_its_name
from prime.mind.offline.words.language import Language, first_sentence, shortened
from prime.mind.offline.words.phrases import alternatives

MOVES = re.compile(r"\bmov(?:e|es|ed|ing)\b", re.IGNORECASE)
_MOVE_AWAY = re.compile(rf"\b[Mm]ov(?:e|ing)\s+(?:abroad|overseas)(?:\s+to\s+({CAP}))?")
# Words that say how something was put, not what it is.
MIDDLEMAN = re.compile(
    r"\b(?:suppliers?|manufacturers?|vendors?|factory|producers?|source|users|customers|testers|subscribers|readers"
    r"|quotes?|offers?|estimates?|bids?|(?<!business )plan|buyers?"
    r"|lawyer|notary|accountant|plumber|electrician|translator|photographer|caterer|dj|band)$",
    re.IGNORECASE,
)
_VERB = alternatives("slots_verbs")
# “A market study on …”, “the rent is …”, “start in May”: behind a verb that is a noun, or that has no object, stands none.
_NO_OBJECT = (
    "to|out|and|or|which|what|how|whether|why|who|if|in|on|at|by|of|from|until|before|after|than"
    "|is|are|was|were|has|had|will|should|must"
)
_THING = re.compile(
    rf"\b(?:{_VERB})\s+(?!(?:{_NO_OBJECT})\b)((?:(?:{OWNED})\s+)*{WORD}(?:\s+{WORD}){{0,6}}?)(?={STOP})",
    re.IGNORECASE,
)
# “Our new oat milk, Hafergold, …”: what it is, and what it is called.
_CALLED = re.compile(rf",\s+(?:called\s+)?[“\"]?({CAP})[”\"]?(?=[,.;:]|\s+(?:in|on|at|by|with|for)\b|$)")
_MARKED = re.compile(r"\s+with\s+(?:our|my|the|an?|your)\s+(logo|name|label|print|motif)\b", re.IGNORECASE)
_ABOUT = re.compile(
    rf"\s+(?:on|about)\s+((?!(?:the\s+)?\d)[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,4}}?)(?={STOP})", re.IGNORECASE
)
_TEXTS = re.compile(
    r"\b(?:thesis|dissertation|paper|essay|article|book|report|talk|lecture|study|newsletter|podcast|presentation|speech|blog)$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"^[a-z]+\s+(?=[A-Z][\w-]*[’']s\s)")
_GOALS = {"learn": "learning", "lose": "losing", "quit": "quitting", "run": "running"}
_GOAL = re.compile(
    r"(?<!not to )(?<!not want to )(?<!n't want to )(?<!n’t want to )\b(learn|lose|quit|run(?=\s+an?\s+(?:half[ -])?marathon))\s+"
    rf"((?:to\s+)?[\w’'-]+(?:\s+[\w’'-]+){{0,4}}?)(?={STOP})",
    re.IGNORECASE,
)
_ITEM = r"[a-z][\w-]*(?:\s+[a-z][\w-]*){0,2}?"
_OTHERS = re.compile(
    rf"\s+and\s+(?:an?|the|our|my|some|\d+)\s+{_ITEM}(?={STOP})"
    rf"|(?:,\s*(?:an?|the|our|my|some)\s+{_ITEM}(?=,|\s+and\b))+,?\s+and\s+(?:(?:an?|the|our|my|some|\d+)\s+)?{_ITEM}(?={STOP})"
)
_FOR_WHAT = re.compile(
    rf"\s+(?:for|of)\s+(?:(?:our|the|my|an?)\s+)?((?:\d[\d,]*\s+)?[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={STOP})",
    re.IGNORECASE,
)
_EMPTY = frozenset(alternatives("things_empty").split("|"))
_PLEASE_ZH = re.compile(rf"^\W*(?:{alternatives('things_please_zh')})+")
# What everybody is told names no sums and nothing that is the owner's own business.
_INNER = re.compile(
    rf"(?<!\d)(?!20[2-3]\d(?!\d))\d{{3}}|[$€£¥￥]|[万亿]|{alternatives('answers_private')}", re.IGNORECASE
)
_HEADING = re.compile(rf"^({WORD}(?:\s+{WORD}){{0,5}}?)(?={STOP})")
_NO_HEADING = re.compile(
    r"(?:looking|searching|because|after|before|since|when|thanks|thank|pay|spend|i|we|it|he|she|they|you|this|that|there|if|when|my|our|the|an?|to)\b",
    re.IGNORECASE,
)
_SEEKS = r"need|want|like|love|find|finding|look(?:ing)? for|search(?:ing)? for|hire|get|buy|adopt|rent"


def thing_in(text: str, language: Language) -> str:
    """What is named; "" where nothing is."""
    return chinese_thing(without_who_wants(text)) if language == "zh" else _english(text)


def without_please(text: str) -> str:
    return PLEASE.sub("", text)


def first_words(text: str, language: Language) -> str:
    """What a wish is about that names no thing by a verb one knows: what it begins with, without the please."""
    if language == "zh":
        said = without_sums(_PLEASE_ZH.sub("", without_who_wants(text.strip())))
        clause = next(iter(re.split(r"[，。；！？,;!?\n]", said.lstrip(" ，,；;"), maxsplit=1)))
        clause = without_days(clause.replace("一下", "")).strip()
        return shortened(clause, 20) if len(clause) >= 2 and not _INNER.search(clause) else ""
    head = re.sub(r"^\W+", "", PLEASE.sub("", first_sentence(text, 400)))
    named = ANY_VERB.match(head)
    if named and is_name(named["thing"]) and not named["verb"].casefold().endswith("ing"):
        return named["thing"]
    found = _HEADING.match(head)
    if not found or _NO_HEADING.match(head) or _INNER.search(found[1]) or not is_name(found[1]):
        return ""
    if quietly := re.fullmatch(r"([a-z]+)( [a-z]+ly)", found[1], re.IGNORECASE):
        return f"{gerund(quietly[1].casefold())}{quietly[2]}"  # “Marry quietly in Edinburgh”
    word = _described(found[1], head)
    # A capital that only begins the line is none of the word's own.
    return word if word[1:2].isupper() or re.search(r"\s[A-Z]", word) else word[0].lower() + word[1:]


def article_in(text: str, thing: str) -> str:
    """The article that a thing is spoken of with: “a” where any will do, “the” where it was written as a certain one, else ""."""
    named = re.escape(thing)
    if re.search(rf"\b(?:{_SEEKS})\s+(?:me\s+|us\s+)?an?\s+{named}", text, re.IGNORECASE):
        return "a"
    if re.search(rf"\b(?:{_SEEKS})\s+(?:some\s+)?new\s+{named}", text, re.IGNORECASE):
        return "new"
    return "the" if re.search(rf"\b(?:an?|the|our|my|his|her|their)\s+(?:new\s+)?{named}", text, re.IGNORECASE) else ""


def with_article(thing: str) -> str:
    head = re.split(r"\s(?:for|of|with|to|who|in|on)\s", thing, maxsplit=1)[0]
    if re.search(r"(?<![siu])s$", head) and not re.search(r"\b(?:lens|gas|canvas|atlas)$", head, re.IGNORECASE):
        return thing  # several of them
    return f"{'an' if re.match(_AN, thing, re.IGNORECASE) else 'a'} {thing}"


# “A used van”, “an hour”, “an umbrella”.
_AN = r"(?!eu|u[snrtb][aei]|one\b|once\b)[aeiou]|hour|honest"


def _moved(text: str) -> str:
    if MOVES.search(text) and (route := ROUTE.search(text)):
        return f"move from {route[1]} to {route[2]}"
    away = _MOVE_AWAY.search(text)
    return "" if not away else f"move to {away[1]}" if away[1] else "move abroad"


# “My uncle’s Spanish driving… sorry, his house”: what was taken back was not meant.
_TAKEN_BACK = re.compile(
    r"\b(?:my|our|the|an?)\s+[^.,;!?…]{1,50}?(?:\.\.\.|…|,|\s[-–])"
    r"\s*(?:no,? (?:wait|actually|sorry)|sorry|i mean|scratch that|no),?\s+(?:actually,?\s+)?(?=(?:my|our|the|an?|his|her)\b)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"\b(Mr|Mrs|Ms|Dr|Prof|St)\.(?=\s[A-Z])")
# “My mother (82)”.
_BESIDE = re.compile(r"\s*\([^()]{1,24}\)")


def _english(text: str) -> str:
    if moved := _moved(text):
        return moved
    text = _TITLE.sub(r"\1", _TAKEN_BACK.sub("", _BESIDE.sub("", text)))
    if done := brought_about(text) or _defended(text):
        return done
    if caused := caused_in(text):
        return caused.thing
    asking = _VERBS_TWO.sub(r"\1 ", asking_part(text))
    named = (_named_in(asking, text) or _unnamed_in(asking, text) or _object_in(asking)) if asking else ""
    if named and not _POINTS_BACK.search(named):
        return "" if _ONE.match(named) else named.strip("'‘’“”\"") if named[0] in "'‘“\"" else named
    return _named_in(text, text) or _unnamed_in(text, text)


def _unnamed_in(text: str, whole: str) -> str:
    if ours_want(whole) and text != whole:
        return ""
    return with_its_name(unnamed(text, _goal(text)), whole)


# “Repaint and re-rig the boat” is about the boat.
_VERBS_TWO = re.compile(r"^([a-z]+) and [a-z-]+ (?=(?:an?|the|my|our|his|her|their|\d+|['‘“])\b)", re.IGNORECASE)


def _object_in(asking: str) -> str:
    """What is done by whatever verb, where a clause that asks names it."""
    for clause in () if ours_want(asking) or _MIXED.search(asking) else clauses_of(asking):
        found = None if _IS_A_RULE.search(clause.text) else object_of(clause.text) or object_of(bare(clause.text))
        if found and is_name(found.thing) and not _ONE.match(found.thing) and not is_cut(found.thing, asking):
            return found.thing
    return ""


_MIXED = re.compile("[\u4e00-\u9fff]")
# “Bringing it down” is about what the rest of the wish names.
_POINTS_BACK = re.compile(r"\b(?:it|them)\b")
# “Need a new one” is about what was named before.
_ONE = re.compile(r"(?:new\s+)?(?:ones?|another|others?)\b", re.IGNORECASE)
# “The pupils should follow it” says how, and not what.
_IS_A_RULE = re.compile(r"\b(?:must|should|shall)\b", re.IGNORECASE)


def _named_in(text: str, whole: str) -> str:
    """What the usual verbs name in a text, which is the whole of the wish or what asks in it."""
    if done := brought_about(text) or _told_of(text):
        return done
    if (raised := _RAISED_FOR.search(text)) and _is_raised(raised[0]) and is_name(raised[1]):
        return without_article(raised[1])
    goal, first = _GOAL.search(text), _THING.search(text)
    if goal and first and goal.start() < first.start():
        return _goal(text)
    broken = BROKEN.search(whole)
    for match in _THING.finditer(text):
        bare = _RELATIVE.sub("", without_article(match[1]))
        bare = _AS_IT_IS_TO_BE.sub("", COPIES.sub("", _SOLD_BY.sub("", bare)))
        bare = _described(_behind_middleman(bare, text[match.end() :]), whole)
        if broken and MIDDLEMAN.search(bare):
            return broken[1]  # the plumber is wanted for the heating
        if broken and bare.casefold() in {"replacement", "new one", "another one"}:
            return f"replacement for the {broken[1]}"
        if bare and re.match(r"mov", match[0], re.IGNORECASE):
            bare = f"move of {bare}" if bare[0].isdigit() else f"{bare} move"
        if bare.casefold() == "help" and (with_what := _HELP_WITH.match(text[match.end() :])):
            return f"help with the {with_what[1]}"
        if bare and bare.casefold() not in _EMPTY | _ANOTHER and not NO_NAME.match(bare) and is_name(bare):
            return _with_the_others(bare, whole[whole.find(match[0]) + len(match[0]) :] if match[0] in whole else "")
    return ""


_ANOTHER = frozenset({"new one", "another one", "new ones", "one", "replacement"})
_HELP_WITH = re.compile(
    r"\s+(?:for\s+[\w’' ]{2,24}?\s+)?(?:with|in|around)\s+(?:the|my|our|his|her|their)\s+"
    rf"([a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,2}}?)(?={STOP})",
    re.IGNORECASE,
)


def _goal(text: str) -> str:
    found = _GOAL.search(text)
    return f"{_GOALS[found[1].casefold()]} {found[2].strip()}" if found else ""


def _told_of(text: str) -> str:
    """What is told of as something to be done, without a wish: “40 paintings need restoring”."""
    if needing := NEEDS_DOING.search(text):
        return without_article(needing[1])
    return _defended(text)


def _defended(text: str) -> str:
    if not (defended := _DEFENDED.search(text)):
        return ""
    written = defended[1].casefold()
    return f"{_AS_ONE_WRITES.get(written, written)} defence"


# “I defend my PhD on 14 January”.
_DEFENDED = re.compile(
    r"\b(?:defend(?:s|ing)?)\s+(?:my|his|her|the)\s+(phd|doctorate|dissertation|(?:(?:master|bachelor)[’']?s )?thesis)\b",
    re.IGNORECASE,
)
_AS_ONE_WRITES = {"phd": "doctoral", "doctorate": "doctoral", "dissertation": "doctoral"}
# “Get a stairlift installed”, “an apprentice starting in May”: what is to become of it is no part of its name.
_AS_IT_IS_TO_BE = re.compile(
    r"(?<=[a-z])\s+(?:starting|beginning|coming|(?:re)?(?:built|written|painted|sewn)"
    r"|(?:install|repair|fix|translat|print|deliver|clean|scann?|renovat|replac|organi[sz]|plann?|rebuil|remov|restor|register|design)ed)$",
    re.IGNORECASE,
)
# “Our coffee supplier” is about coffee.
_SOLD_BY = re.compile(
    r"(?<=[a-z])(?<!new)(?<!good)(?<!cheap)(?<!better)(?<!cheaper)(?<!local)(?<!second)(?<!another)(?<!reliable)(?<!right)(?<!main)"
    r"\s+(?:suppliers?|manufacturers?|vendors?|producers?|wholesalers?)$",
    re.IGNORECASE,
)
# “Raise 750k for Tidemark”: what the money is for.
_RAISED_FOR = re.compile(
    rf"\brais(?:e|ing)\s+[^,.;!?]{{0,40}}?\bfor\s+((?:(?:{OWNED})\s+)*{WORD}(?:\s+{WORD}){{0,4}}?)(?={STOP})",
    re.IGNORECASE,
)


def _is_raised(words: str) -> bool:
    return bool(amounts(words) or limits_in(words) or re.search(r"\b(?:awareness|money|funds)\b", words, re.IGNORECASE))


def _with_the_others(bare: str, behind: str) -> str:
    """“A logo, a website and business cards” is all three; people who are listed get rooms of their own."""
    others = _OTHERS.match(behind)
    if not others:
        return bare
    items = [without_article(item.strip()) for item in re.split(r",|\band\b", others[0]) if item.strip()]
    if len(items) == 1:  # “2 nurses and a receptionist”
        items = [others[0].strip().removeprefix("and ")]
    if any(MIDDLEMAN.search(item) or re.search(r"\b(?:some|any)(?:body|one)\b", item) for item in items):
        return bare
    return f"{', '.join([bare, *items[:-1]])} and {items[-1]}"


def _described(bare: str, text: str) -> str:
    """With what was written right behind it and belongs to it: its name, its subject, its mark."""
    _, found, rest = text.partition(bare)
    if not bare or not found:
        return bare
    if called := _CALLED.match(rest):
        name = called[1].rstrip(".")
        return bare if name in NO_PLACE or dates(name) or name in places_in(text) else f"{bare} {name}"
    if _TEXTS.search(bare) and (about := _ABOUT.match(rest)):
        return f"{bare} on {about[1]}"
    if marked := _MARKED.match(rest):
        return f"{bare} with a {marked[1]}"
    if _VAGUE.fullmatch(bare) and (ours := _FOR_OURS.match(rest)):
        return f"{bare} for {ours[1]}"
    purpose = _FOR_WHOM.match(rest) if re.fullmatch(r"[a-z-]+", bare) and not MIDDLEMAN.search(bare) else None
    return f"{bare} for {purpose[1]}" if purpose and not dates(purpose[1]) else bare


# “A home for our instruments”: a place alone says nothing.
_VAGUE = re.compile(r"home|place|room|space|spot|solution|gift|present|replacement", re.IGNORECASE)
_FOR_OURS = re.compile(rf"\s+for\s+((?:my|our)\s+[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={STOP})", re.IGNORECASE)
# “A home for 3 kittens”, “a patent for a folding helmet”: one word says too little alone.
_FOR_WHOM = re.compile(
    rf"\s+for\s+((?:an?\s+|\d{{1,2}}\s+)?(?!(?:in|on|at|by|near|from|my|our|the|his|her|their|me|us|less|under|about|up|free|sale|now|today|\d)\b)"
    rf"[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={STOP})"
)


def _behind_middleman(bare: str, rest: str) -> str:
    """“A supplier for glass bottles” is about glass bottles; “the market for e-bikes” stays a market."""
    behind = _FOR_WHAT.match(rest)
    if not behind:
        return bare
    if MIDDLEMAN.search(bare):
        return behind[1]
    return f"{bare} for {behind[1]}" if bare.casefold().endswith(("market", "demand", "permission")) else bare
