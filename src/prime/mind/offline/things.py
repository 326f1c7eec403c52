"""What a wish is about, in the owner's own words: found behind a verb, in a heading, or as the first clause says it."""

import re

from prime.mind.offline.amounts import amounts
from prime.mind.offline.dates import dates
from prime.mind.offline.language import Language, first_sentence, shortened
from prime.mind.offline.phrases import alternatives
from prime.mind.offline.places import CAP, NO_PLACE, ROUTE, places_in
from prime.mind.offline.sums import limits_in
from prime.mind.offline.things_han import chinese_thing, doing_in_chinese, without_days, without_sums
from prime.mind.offline.undertakings import brought_about, gerund, wished_for, without_who_wants

MOVES = re.compile(r"\bmov(?:e|es|ed|ing)\b", re.IGNORECASE)
_MOVE_AWAY = re.compile(rf"\b[Mm]ov(?:e|ing)\s+(?:abroad|overseas)(?:\s+to\s+({CAP}))?")
# Words that say how something was put, not what it is.
MIDDLEMAN = re.compile(
    r"\b(?:suppliers?|manufacturers?|vendors?|factory|producers?|source|users|customers|testers|subscribers|readers"
    r"|quotes?|offers?|estimates?|bids?|(?<!business )plan"
    r"|lawyer|notary|accountant|plumber|electrician|translator|photographer|caterer|dj|band)$",
    re.IGNORECASE,
)
_VERB = alternatives("slots_verbs")
_STOP = rf"{alternatives('slots_ends')}|\s+\d[\d,]*\s+(?:{alternatives('slots_counted')}|days|weeks|hours)\b"
_OWNED = r"an?|the|our|my|some|us|me|a new|new|his|her|their|two|three|four|five|\d+"
_WORD = r"(?:\d{1,3}(?:,\d{3})+|[\w’'&/+-]+(?:\.\d+)*)"
# “A market study on …”, “the rent is …”, “start in May”: behind a verb that is a noun, or that has no object, stands none.
_NO_OBJECT = (
    "to|out|and|or|which|what|how|whether|why|who|if|in|on|at|by|of|from|until|before|after|than"
    "|is|are|was|were|has|had|will|should|must"
)
_THING = re.compile(
    rf"\b(?:{_VERB})\s+(?!(?:{_NO_OBJECT})\b)((?:(?:{_OWNED})\s+)*{_WORD}(?:\s+{_WORD}){{0,6}}?)(?={_STOP})",
    re.IGNORECASE,
)
# “Our new oat milk, Hafergold, …”: what it is, and what it is called.
_CALLED = re.compile(rf",\s+(?:called\s+)?[“\"]?({CAP})[”\"]?(?=[,.;:]|\s+(?:in|on|at|by|with|for)\b|$)")
_MARKED = re.compile(r"\s+with\s+(?:our|my|the|an?|your)\s+(logo|name|label|print|motif)\b", re.IGNORECASE)
_ABOUT = re.compile(
    rf"\s+(?:on|about)\s+((?!(?:the\s+)?\d)[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,4}}?)(?={_STOP})", re.IGNORECASE
)
_TEXTS = re.compile(
    r"\b(?:thesis|dissertation|paper|essay|article|book|report|talk|lecture|study|newsletter|podcast|presentation|speech|blog)$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"^[a-z]+\s+(?=[A-Z][\w-]*[’']s\s)")
# “Which e-cargo bike is best” is a search for the best one.
_WHICH = re.compile(
    r"\b(?:which|what)\s+((?:[\w-]+\s+){0,3}?[\w-]+)\s+(?:is|are|would be)\s+(?:the\s+)?(best|cheapest|fastest|safest)\b",
    re.IGNORECASE,
)
# “To look after the goats 10-24 July”: when it is stands elsewhere.
_WITH_A_DAY = re.compile(r"\s+\d{1,2}(?:st|nd|rd|th)?(?:\s?[-–]\s?\d{1,2})?\s*(?:[A-Z][a-z]+)?$")
_SOMEBODY_TO = re.compile(
    rf"\b(?:someone|somebody|anyone)\s+(?:to|who can|who could)\s+([a-z]+\s+[\w’' -]{{3,50}}?)(?={_STOP})",
    re.IGNORECASE,
)
_GOALS = {"learn": "learning", "lose": "losing", "quit": "quitting", "run": "running"}
_GOAL = re.compile(
    rf"\b(learn|lose|quit|run(?=\s+an?\s+(?:half[ -])?marathon))\s+((?:to\s+)?[\w’'-]+(?:\s+[\w’'-]+){{0,4}}?)(?={_STOP})",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:(?:an?|the|our|my|some|us|me|new|his|her|their|someone|somebody)\s+)+", re.IGNORECASE)
_ITEM = r"[a-z][\w-]*(?:\s+[a-z][\w-]*){0,2}?"
_OTHERS = re.compile(
    rf"\s+and\s+(?:an?|our|my|some|\d+)\s+{_ITEM}(?={_STOP})"
    rf"|(?:,\s*(?:an?|the|our|my|some)\s+{_ITEM}(?=,|\s+and\b))+,?\s+and\s+(?:(?:an?|the|our|my|some|\d+)\s+)?{_ITEM}(?={_STOP})"
)
_FOR_WHAT = re.compile(
    rf"\s+(?:for|of)\s+(?:(?:our|the|my|an?)\s+)?((?:\d[\d,]*\s+)?[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={_STOP})",
    re.IGNORECASE,
)
_EMPTY = frozenset(alternatives("things_empty").split("|"))
_PLEASE = re.compile(rf"^\W*(?:(?:{alternatives('things_please')})[\s,:]+)+", re.IGNORECASE)
_PLEASE_ZH = re.compile(rf"^\W*(?:{alternatives('things_please_zh')})+")
_ANY_VERB = re.compile(
    rf"^(?P<verb>[a-z]{{3,}})\s+(?:{_OWNED})\s+(?!(?:for|of|to|from|in|on|per)\b)"
    rf"(?P<thing>{_WORD}(?:\s+{_WORD}){{0,5}}?)(?={_STOP})",
    re.IGNORECASE,
)
# What everybody is told names no sums and nothing that is the owner's own business.
_INNER = re.compile(
    rf"(?<!\d)(?!20[2-3]\d(?!\d))\d{{3}}|[$€£¥￥]|[万亿]|{alternatives('answers_private')}", re.IGNORECASE
)
_HEADING = re.compile(rf"^({_WORD}(?:\s+{_WORD}){{0,5}}?)(?={_STOP})")
_NO_HEADING = re.compile(
    r"(?:looking|searching|pay|spend|i|we|it|he|she|they|you|this|that|there|if|when|my|our|the|an?|to)\b",
    re.IGNORECASE,
)
_SEEKS = r"need|want|find|finding|look(?:ing)? for|search(?:ing)? for|hire|get|buy|adopt|rent"


def thing_in(text: str, language: Language) -> str:
    """What is named; "" where nothing is."""
    return chinese_thing(without_who_wants(text)) if language == "zh" else _english(text)


def first_words(text: str, language: Language) -> str:
    """What a wish is about that names no thing by a verb one knows: what it begins with, without the please."""
    if language == "zh":
        said = without_sums(_PLEASE_ZH.sub("", without_who_wants(text.strip())))
        clause = next(iter(re.split(r"[，。；！？,;!?\n]", said.lstrip(" ，,；;"), maxsplit=1)))
        clause = without_days(clause.replace("一下", "")).strip()
        return shortened(clause, 20) if len(clause) >= 2 and not _INNER.search(clause) else ""
    head = re.sub(r"^\W+", "", _PLEASE.sub("", first_sentence(text, 400)))
    named = _ANY_VERB.match(head)
    if named and is_name(named["thing"]) and not named["verb"].casefold().endswith("ing"):
        return named["thing"]
    found = _HEADING.match(head)
    if not found or _NO_HEADING.match(head) or _INNER.search(found[1]) or not is_name(found[1]):
        return ""
    word = _described(found[1], head)
    # A capital that only begins the line is none of the word's own.
    return word if word[1:2].isupper() or re.search(r"\s[A-Z]", word) else word[0].lower() + word[1:]


def doing_in(text: str, thing: str, language: Language) -> str:
    """What is to be done about the thing, as one says it in front of it: “renovating”, “装修”; "" where the thing says it all."""
    if not thing:
        return ""
    if language == "zh":
        return doing_in_chinese(text, thing)
    found = re.search(
        rf"\b([a-z]+(?: for| up| down| out| off| back| with)?)\s+(?:(?:{_OWNED})\s+)*{re.escape(thing)}(?!\w)",
        text,
        re.IGNORECASE,
    )
    verb = found[1].casefold() if found else ""
    if (needing := _NEEDS_DOING.search(text)) and without_article(needing[1]) == thing and needing["doing"]:
        return needing["doing"].casefold()
    if not found or re.fullmatch(rf"{_OWNED}|to|of|in|on|by|about|against|with|and|or|into|from", verb):
        done = _DONE_TO_IT.search(text) if _OF_IT.search(text) else None
        return f"{gerund(done[1])} {done[2] or ''}".strip() if done else ""
    if verb in {"need", "want", "needs", "wants", "looking for", "look for", "search for", "searching for", "for"}:
        return "finding" if MIDDLEMAN.search(thing) else "getting" if verb[:4] in {"need", "want"} else "finding"
    return "" if not verb or verb in _SAYS_NOTHING or verb.endswith("ing") else gerund(verb)


_DONE_TO_IT = re.compile(r"\bto\s+([a-z]+)\s+(?:it|them)(?:\s+(down|up|back|off|out|over))?\b", re.IGNORECASE)
_SAYS_NOTHING = frozenset(alternatives("things_says_nothing").split("|"))


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


def without_article(thing: str) -> str:
    return _LEAD.sub("", thing).strip()


def _moved(text: str) -> str:
    if MOVES.search(text) and (route := ROUTE.search(text)):
        return f"move from {route[1]} to {route[2]}"
    away = _MOVE_AWAY.search(text)
    return "" if not away else f"move to {away[1]}" if away[1] else "move abroad"


# “My mother (82)”.
_BESIDE = re.compile(r"\s*\([^()]{1,24}\)")


def _english(text: str) -> str:
    if moved := _moved(text):
        return moved
    text = _BESIDE.sub("", text)
    if done := brought_about(text) or _told_of(text):
        return done
    if (raised := _RAISED_FOR.search(text)) and _is_raised(raised[0]) and is_name(raised[1]):
        return without_article(raised[1])
    goal, first = _GOAL.search(text), _THING.search(text)
    if goal and first and goal.start() < first.start():
        return f"{_GOALS[goal[1].casefold()]} {goal[2].strip()}"
    for match in _THING.finditer(text):
        bare = _RELATIVE.sub("", without_article(match[1]))
        bare = _SOLD_BY.sub("", bare)
        bare = _described(_behind_middleman(bare, text[match.end() :]), text)
        broken = _BROKEN.search(text)
        if broken and MIDDLEMAN.search(bare):
            return broken[1]  # the plumber is wanted for the heating
        if broken and bare.casefold() in {"replacement", "new one", "another one"}:
            return f"replacement for the {broken[1]}"
        if bare and re.match(r"mov", match[0], re.IGNORECASE):
            bare = f"move of {bare}" if bare[0].isdigit() else f"{bare} move"
        if bare and bare.casefold() not in _EMPTY and not _NO_NAME.match(bare) and is_name(bare):
            return _with_the_others(bare, text[match.end() :])
    return _unnamed(text, f"{_GOALS[goal[1].casefold()]} {goal[2].strip()}" if goal else "")


def _told_of(text: str) -> str:
    """What is told of as something to be done, without a wish: “40 paintings need restoring”."""
    if needing := _NEEDS_DOING.search(text):
        return without_article(needing[1])
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
# “Our coffee supplier” is about coffee.
_SOLD_BY = re.compile(
    r"(?<=[a-z])(?<!new)(?<!good)(?<!cheap)(?<!better)(?<!cheaper)(?<!local)(?<!second)(?<!another)(?<!reliable)(?<!right)(?<!main)"
    r"\s+(?:suppliers?|manufacturers?|vendors?|producers?|wholesalers?)$",
    re.IGNORECASE,
)
# “Raise 750k for Tidemark”: what the money is for.
_RAISED_FOR = re.compile(
    rf"\brais(?:e|ing)\s+[^,.;!?]{{0,40}}?\bfor\s+((?:(?:{_OWNED})\s+)*{_WORD}(?:\s+{_WORD}){{0,4}}?)(?={_STOP})",
    re.IGNORECASE,
)


def _is_raised(words: str) -> bool:
    return bool(amounts(words) or limits_in(words) or re.search(r"\b(?:awareness|money|funds)\b", words, re.IGNORECASE))


def _unnamed(text: str, goal: str) -> str:
    """What it is about where no verb names it: the best of its kind, somebody, a goal, what is told, or what one wants to do."""
    if best := _WHICH.search(text):
        return f"{best[2]} {best[1]}"
    if (led := _LED_BY.match(text)) and is_name(led[1]):
        return without_article(led[1])
    if somebody := _SOMEBODY_TO.search(text):
        work = re.sub(r"\b(?:my|our)\b", "the", _WITH_A_DAY.sub("", somebody[1])).strip()
        return f"somebody to {work}"
    if goal:
        return goal
    if told := _OF_IT.search(text) or _BROKEN.search(text) or _SOMETHING_ABOUT.search(text):
        return without_article(told[1])
    if asked := _FIND_OUT.search(text):
        return re.sub(r"\b(?:my|our)\b", "the", asked[1]).strip()
    if (wished := wished_for(text)) and not (amounts(wished) or limits_in(wished)):
        return wished
    return _quarrel(text)


def _quarrel(text: str) -> str:
    """What is wrong, or with whom."""
    if hit := _HIT.search(text):
        return f"damage to the {hit[1]}"
    if owed := _OWED.search(text):
        return f"debt of the {owed[1]}"
    return f"trouble with the {trouble[1]}" if (trouble := _TROUBLE.search(text)) else ""


# “Clean up my inbox”, “reduce food waste”: verbs that say what is wanted where they lead, and elsewhere may be anything.
_SO_MUCH = (
    r"(?:(?:about|at least|up to)\s+)?(?:\d[\d.,]*\s?%|[$€£]?\d[\d.,]*k?(?:\s[A-Z]{3})?|half|a (?:third|quarter))"
)
_LED_BY = re.compile(
    r"^\W*(?:(?:please|hi|hello|hey|prime|(?:can|could) you|help (?:me|us)(?: to)?|(?:i|we) (?:need|have) to|let[’']?s)[\s,]+)*"
    rf"(?:{alternatives('things_leading_verbs')})(?:\s+(?:up|down|out|off|back))?\s+"
    rf"(?:{_SO_MUCH}\s+(?:of|off|from)\s+)?"
    rf"((?:(?:{_OWNED})\s+)*{_WORD}(?:\s+{_WORD}){{0,5}}?)(?={_STOP})",
    re.IGNORECASE,
)
# “40 paintings need restoring”.
_NEEDS_DOING = re.compile(
    rf"(?:^|[,.;]\s*|\band\s+)((?!(?:i|we|you|they|he|she|it)\b)(?:(?:{_OWNED})\s+)*[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,4}}?)\s+"
    r"(?:needs?\s+(?P<doing>[a-z]+ing)|(?:needs? to|has to|have to) be\s+[a-z]+)\b",
    re.IGNORECASE,
)
_SOMETHING_ABOUT = re.compile(
    rf"\bdo something (?:about|against|with)\s+((?:(?:{_OWNED})\s+)*{_WORD}(?:\s+{_WORD}){{0,3}}?)(?={_STOP})",
    re.IGNORECASE,
)
_FIND_OUT = re.compile(
    r"\b(?:find out|figure out|understand)\s+"
    r"((?:who|what|how|where|when|whether|which|why)\s+(?!(?:i|we|you)\b)[^,.;:!?\n]{3,60})",
    re.IGNORECASE,
)
# “A tree fell on our garage”.
_HIT = re.compile(
    r"\b(?:fell|crashed|drove|ran|backed|came down) (?:on|onto|into|through)\s+(?:my|our|the)\s+([a-z][\w-]*)",
    re.IGNORECASE,
)
_OWED = re.compile(r"\b(?:my|our|the)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+owes\s+(?:me|us)\b", re.IGNORECASE)
# “My landlord wants to throw me out”: the matter is with him.
_TROUBLE = re.compile(
    r"^\W*(?:my|our)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+(?:wants?|won[’']?t|will not|refuses?|keeps?|threatens?|stopped"
    r"|(?:does|do|did)(?:n[’']?t| not))\b",
    re.IGNORECASE,
)


_BROKEN = re.compile(
    r"\b(?:the|my|our)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+"
    r"(?:in (?:the )?(?:[\w]+ ){0,2})?(?:(?:is|are|was|were|got|has been|have been)\s+(?:so |very |really |too |completely )?"
    r"(?:out|down|off(?! to)|broken|leaking|stuck|blocked|flooded|not working|slow|a mess|dead|cracked|smashed)"
    r"|died|broke(?: down)?|gave up|fell apart|stopped working|won[’']?t start|leaks)\b",
    re.IGNORECASE,
)
# “The rent is 1,200 EUR, I want to bring it down”: it is the rent.
_OF_IT = re.compile(
    r"\b(?:the|my|our)\s+([a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+(?:is|are|was|were|costs?)\b.{0,80}?\b(?:it|them)\b",
    re.IGNORECASE | re.DOTALL,
)


def is_name(words: str) -> bool:
    """Whether words can be what something is called: no sum, no day, and no sentence."""
    return not (_SENTENCE.search(words) or amounts(words) or dates(words))


_SENTENCE = re.compile(
    r"^(?:to|be|for|of|in|on|at|by|from|find|the|is|are)\b"
    r"|\b(?:i|we|you|they|he|she|should|would|could|will|must|whether|why|if|wants?|turns|gets?|got|needs|is|are|was|were|has|have|died)\b"
    r"|\d{1,2}k\b|^\d+(?:st|nd|rd|th)$",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:to|for|that|it|this|them|these|those)\b|(?:\d+|an?|two|three|four|five|ten) (?:days?|weeks?|nights?|months?)$"
    r"|[\d.,]+$|\d+(?:st|nd|rd|th)$|[\d.,]+\s?(?:k|m|mio|million|thousand)\b",
    re.IGNORECASE,
)


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
_FOR_OURS = re.compile(rf"\s+for\s+((?:my|our)\s+[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={_STOP})", re.IGNORECASE)
# “A home for 3 kittens”, “a patent for a folding helmet”: one word says too little alone.
_FOR_WHOM = re.compile(
    rf"\s+for\s+((?:an?\s+|\d{{1,2}}\s+)?(?!(?:in|on|at|by|near|from|my|our|the|his|her|their|me|us|less|under|about|up|free|sale|now|today|\d)\b)"
    rf"[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={_STOP})"
)


def _behind_middleman(bare: str, rest: str) -> str:
    """“A supplier for glass bottles” is about glass bottles; “the market for e-bikes” stays a market."""
    behind = _FOR_WHAT.match(rest)
    if not behind:
        return bare
    if MIDDLEMAN.search(bare):
        return behind[1]
    return f"{bare} for {behind[1]}" if bare.casefold().endswith(("market", "demand", "permission")) else bare
