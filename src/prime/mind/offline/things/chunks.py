"""The clauses of a wish: which of them ask, what only surrounds them, and what is to become of what they name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prime.mind.offline.things.undertakings import gerund, is_done
from prime.mind.offline.things.verbs import STATES, begins_a_wish, verb_of
from prime.mind.offline.words.phrases import alternatives

# Where a clause ends, and where one begins that only says when, why or under which condition.
_MARK = re.compile(
    r"[,;:!?()\n]+(?!\d)|\.+(?=\s|$)|\s[-–—]+\s"
    r"|\s(?:and|but|so|or)\s+(?=(?:i|we|he|she|they|it|you|nobody|somebody|my|our|his|her|their|the|there)(?:[’']\w+)?\s+(?!and\b)[\w’'-]+)"
    r"|\s(?=(?:because|since|although|though|while|until|till|unless|whereas|in case|so that|as soon as|as long as"
    r"|even though)\s)"
    r"|\s(?=(?:before|after|when|if|once)\s+(?:(?:the|my|our|his|her|their|an?)\s+)?(?:[\w’'-]+\s+){1,3}?(?:is|are|was|were|has|have|had|gets?|goes|go"
    r"|comes?|leaves?|starts?|begins?|opens?|closes?|ends?|arrives?|moves?|retires?|dies|died|runs?|turns?|becomes?|falls?|[a-z]+ed)\b)",
    re.IGNORECASE,
)
_SURROUNDS = re.compile(
    r"(?:because|since|although|though|while|until|till|unless|whereas|in case|so that|as soon as|as long as|even though"
    r"|before|after|when|if|once"
    r"|which|who|whose|where)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    rf"^\W*(?:(?:{alternatives('asked_leads')}|{alternatives('chunks_leads')})\b[\s,:]*)+", re.IGNORECASE
)
_WISHES = re.compile(
    r"^(?:(?!(?:not|never|don[’']?t|who|that|which)\b)[\w’'&-]+\s+){0,7}?"
    r"(?:needs?|wants?|lacks?|seeks?|would\s+(?:like|love)|\w+[’']d\s+(?:like|love)"
    r"|(?:am|are|is|[’']m|[’']re)\s+(?:looking|searching) for"
    r"|(?:hopes?|plans?|wish(?:es)?|has|have|hoping|planning|trying|going)\s+to"
    r"|(?:i[’']m|i am|we[’']re|we are)\s+[a-z-]+ing\s+(?:an?|the|our|my|\d+)"
    r"|looking for|wanted|wanna|must|should)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, where it stands, and whether something is asked for in it."""

    text: str
    start: int
    asks: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def clauses_of(text: str) -> Iterator[Clause]:
    at = 0
    for mark in [*_MARK.finditer(text), None]:
        end = mark.start() if mark else len(text)
        part = text[at:end]
        if said := part.strip():
            yield Clause(said, at + part.index(said), _asks(said))
        at = mark.end() if mark else end


def _asks(clause: str) -> bool:
    if _SURROUNDS.match(clause):
        return False
    head = _LEAD.sub("", clause)
    word, _, behind = head.partition(" ")
    return begins_a_wish(word, behind.lstrip()) or bool(_WISHES.match(clause))


def asking_part(text: str) -> str:
    """The clauses that ask, each as it was written, and blanks of the same length in place of the rest; "" where none asks."""
    kept = [clause for clause in clauses_of(text) if clause.asks]
    if not kept:
        return ""
    said, at = "", 0
    for clause in kept:
        gap = "" if not said else ", " if clause.start - at >= _LEAST_GAP else " "
        said, at = f"{said}{gap}{clause.text}", clause.end
    return said


_LEAST_GAP = 2


@dataclass(frozen=True, slots=True)
class Caused:
    """What is to become of something: the thing itself with what is done to it, or the whole as an undertaking."""

    thing: str
    doing: str = ""


_NOUN = r"(?:(?!(?:to|and|in|on|at|by|for|with|from|into|that|which|who|is|are|was|were|be)\b)[\w’'&/+-]+\s+){1,6}?"
_OWN = r"(?:(?:an?|the|my|our|his|her|their|all|some|this|these|those)\s+)*"
# “Get 14 alpacas sheared”, “have my novel edited”, “I want the chairs mended”.
_DONE = re.compile(rf"(?:(?:i|we|and)\s+)?(?:get|have|need|want|like|getting|having)\s+{_OWN}", re.IGNORECASE)
_BEHIND_DONE = re.compile(
    r"(?:$|[^\w\s]|(?:by|before|in|on|at|for|and|with|until|till|from|into|to|so|but|as|again|back|up|out|off|asap|soon|please|properly|well|this|next|today|tomorrow)\b)",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"(?:been|being|be|was|is|are|it|them|this|that|something|nobody|everything|everyone|to|and|or|which|who|by|with|for|from|not)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 7
_SURELY = re.compile(r"\b(?:make|making) (?:sure|certain) (?:that )?(?P<what>.+)$", re.IGNORECASE)
# “Make the office quieter”, “keep the fox out of the coop”, “put solar on the roof”.
_INTO_A_STATE = re.compile(
    rf"(?P<verb>make|get|keep|turn)\s+(?P<rest>{_OWN}{_NOUN}(?P<state>\S+)"
    r"(?:\s+for\s+(?!(?:under|less|about|max|the \d)\b)[a-z][\w’' -]{2,30})?)"
    r"(?=\s*$|\s+(?:by|before|until|and|so|but|this|next|in|at)\b)",
    re.IGNORECASE,
)
_PUT = re.compile(
    rf"(?P<verb>put)\s+(?!(?:up|together|out|off|on|in|down)\b)"
    rf"(?P<rest>{_OWN}(?:[\w’'-]+\s+){{1,4}}?(?:on|onto|into|in|under|over|around|behind)\s+{_OWN}[\w’'-]+(?:\s+[\w’'-]+){{0,3}}?)(?=\s*$|\s+(?:by|before|in|on|for|this|next)\b)",
    re.IGNORECASE,
)
# “Thinking about keeping goats”, “we dream of opening a café”.
_THOUGHT_OF = re.compile(
    r"\b(?:think(?:ing)? (?:about|of)|dream(?:ing)? (?:about|of)|idea of|toying with|consider(?:ing)?|interested in)\s+"
    r"(?P<doing>[a-z]+ing)\s+(?P<rest>[^,.;!?]{2,50}?)(?=\s*$|\s+(?:by|before|in|on|this|next|but|and)\b)",
    re.IGNORECASE,
)
# “Teach our volunteers first aid”: whom and what belong together.
_TAUGHT = re.compile(
    rf"(?:(?:someone|somebody) (?:has |needs )?to )?teach\s+"
    rf"(?P<rest>(?:my|our|the|his|her|their|\d+)\s+{_NOUN}[\w’'-]+(?: (?:for|about|of|on) [\w’'-]+)?)"
    r"(?=\s*$|\s+(?:by|before|in|on|at|so|until|this|next)\b)",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    rf"(?:(?:i|we)\s+)?(?:want|need|get|would like|have to get|must get)\s+"
    rf"(?P<rest>out of\s+{_OWN}[\w’'-]+(?:\s+(?!(?:by|before|in|because|so|but|and)\b)[\w’'-]+){{0,3}})",
    re.IGNORECASE,
)
# “Get it back” is about what was named before.
_POINTS_BACK = re.compile(
    r"^(?:\w+\s+){0,4}?(?:get|make|keep|have|put|turn|want|need)\s+(?:it|this|that|them|him|her|me|us)\s", re.IGNORECASE
)
_MINE = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)


def caused_in(text: str) -> Caused | None:
    """What a clause wants to become of something; None where it only names what is wanted."""
    for clause in clauses_of(text):
        if _POINTS_BACK.search(clause.text):
            continue
        if found := _thought_of(clause.text):
            return found
        if clause.asks:
            return _caused(bare(clause.text)) or _caused(clause.text)
    return None


def is_undertaking(thing: str, text: str) -> bool:
    """Whether what a text is about is something to do, which one speaks of without an article."""
    return is_done(thing, text) or bool((caused := caused_in(text)) and caused.thing == thing and not caused.doing)


def _thought_of(clause: str) -> Caused | None:
    if not (thought := _THOUGHT_OF.search(clause)):
        return None
    return Caused(_said(thought["doing"].casefold(), thought["rest"]))


def bare(clause: str) -> str:
    """A clause without the please and the wish before what is wanted."""
    return _LEAD.sub("", clause)


def _caused(clause: str) -> Caused | None:
    if done := _done(clause):
        return done
    if (taught := _TAUGHT.match(clause)) and not re.search(r"\bhow$", taught["rest"]):
        return Caused(_said("teaching", taught["rest"]))
    if rid := _OUT_OF.match(clause):
        return Caused(_said("getting", rid["rest"]))
    if sure := _SURELY.match(clause):
        return Caused(_said("making sure", sure["what"]))
    if put := _PUT.match(clause):
        return Caused(_said(gerund("put"), put["rest"]))
    state = _INTO_A_STATE.match(clause)
    if state and STATES.fullmatch(state["state"]):
        return Caused(_said(gerund(state["verb"].casefold()), state["rest"]))
    return None


def _done(clause: str) -> Caused | None:
    """What has a participle behind it, with nothing of the thing's own behind that: no “fully furnished flat”."""
    asked = _DONE.match(clause)
    words = list(re.finditer(r"[\w’'&/+.,-]*[\w’']", clause[asked.end() :]))[: _MOST_WORDS + 1] if asked else []
    for n, word in enumerate(words):
        if asked is None or _NO_THING.match(word[0]):
            break
        verb = verb_of(word[0]) if n else ""
        if verb not in _SAYS_NOTHING and _BEHIND_DONE.match(clause[asked.end() + word.end() :].lstrip()):
            what = clause[asked.end() : asked.end() + word.start()].strip()
            return Caused(re.split(r"\s(?:in|on|at)\s", what)[0], gerund(verb))
    return None


_SAYS_NOTHING = frozenset({"", "do", "have", "get", "make", "keep", "let"})


def _said(doing: str, rest: str) -> str:
    return re.sub(r"\s+", " ", f"{doing} {_MINE.sub('the', rest)}").strip()
