"""What something may be called, and the words that stand before its name."""

import re

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import Day, dates
from prime.mind.offline.words.phrases import alternatives

STOP = rf"{alternatives('slots_ends')}|\s+\d[\d,]*\s+(?:{alternatives('slots_counted')}|days|weeks|hours)\b"
OWNED = r"an?|the|our|my|some|us|me|a new|new|extra|additional|his|her|their|two|three|four|five|\d+"
WORD = r"(?:\d{1,3}(?:,\d{3})+|[\w’'&/+-]+(?:\.\d+)*)"
PLEASE = re.compile(rf"^\W*(?:(?:{alternatives('things_please')})[\s,:]+)+", re.IGNORECASE)
# “500 copies of a cookbook” are about the cookbook.
COPIES = re.compile(r"^\d[\d,]*\s+(?:copies|pieces|units|prints)\s+of\s+(?:an?|the|our|my)\s+", re.IGNORECASE)
ANY_VERB = re.compile(
    rf"^(?P<verb>[a-z]{{3,}})\s+(?:{OWNED})\s+(?!(?:for|of|to|from|in|on|per|with|about|by|at|and|out|up|down)\b)"
    rf"(?P<thing>{WORD}(?:\s+{WORD}){{0,5}}?)(?={STOP})",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:an?|the|our|my|some|us|me|new|extra|additional|his|her|their|someone|somebody)\s+)+", re.IGNORECASE
)


def without_article(thing: str) -> str:
    return _LEAD.sub("", thing).strip()


def is_name(words: str) -> bool:
    """Whether words can be what something is called: no sum, no day, and no sentence."""
    return not (_SENTENCE.search(words) or amounts(words) or any(not _names(day, words) for day in dates(words)))


def _names(day: Day, words: str) -> bool:
    """“Saturday school” is what it is called, “school on Saturday” is not."""
    return day.start == 0 and day.text.endswith("day") and bool(re.match(r"\s+[a-z]", words[day.end :]))


_SENTENCE = re.compile(
    r"^(?:to|be|for|of|in|on|at|by|from|find|the|is|are)\b"
    r"|\b(?:i|we|you|they|he|she|should|would|could|will|must|whether|why|if|wants?|turns|gets?|got|needs|is|are|was|were|has|have|died)\b"
    r"|\b(?:i|you|he|she|it|we|they|let|that|what|who|there|here|where|how)[’'](?:s|re|ve|ll|d|m)\b|\d{1,2}k\b|^\d+(?:st|nd|rd|th)$",
    re.IGNORECASE,
)
NO_NAME = re.compile(
    r"(?:to|for|that|it|this|them|these|those)\b|ones?(?=\s|$)"
    r"|(?:\d+|an?|two|three|four|five|ten) (?:days?|weeks?|nights?|months?)$"
    r"|[\d.,]+$|\d+(?:st|nd|rd|th)$|[\d.,]+\s?(?:k|m|mio|million|thousand)\b",
    re.IGNORECASE,
)
