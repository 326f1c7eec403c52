"""What has the form of a fact and says nothing: courtesies, idioms, what a brief or a plan says of itself, and echoes."""

import re

from prime.mind.offline.words.phrases import phrases

_SAYS_LITTLE = phrases("facts_says_little")
_NO_SUBJECT = phrases("facts_no_subject")
_HEARD = phrases("facts_heard")
# Behind a colon that only acknowledges; “Noted: 44 EUR” is read elsewhere.
_STATES = re.compile(r"\s(?:is|are|was|will be)\s|是|为")


def is_chatter(subject: str, what: str) -> bool:
    """A fact is of somebody or something that has a name, and tells what it is; a figure always tells something."""
    return bool(_NO_SUBJECT.search(subject) or (_SAYS_LITTLE.match(what) and not re.search(r"\d", what)))


def only_acknowledges(sentence: str) -> bool:
    """Who says what was heard repeats it: “Understood: the date is now 5 May”, “知道了：时间改为…”."""
    return bool(_HEARD.match(sentence) and _STATES.search(sentence))
