"""What people leave out when they type in a hurry (“pls find sb 4 sat nite”), written out."""

import re
from functools import cache
from importlib import resources

from prime.core.yaml_text import read_mapping

_DAYS = {
    "mon": "Monday", "tue": "Tuesday", "tues": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "thurs": "Thursday",
    "fri": "Friday", "sat": "Saturday", "sun": "Sunday",
}  # fmt: skip
# “sat” and “sun” are words of their own, unless a time of the day follows or a preposition leads.
_DAY = re.compile(
    rf"\b({'|'.join(_DAYS)})\b\.?(?=\s+(?:night|morning|evening|afternoon|noon)\b)"
    rf"|(?<=\b(?:on|by) )({'|'.join(_DAYS)})\b(?=\s*(?:$|[,.;!?]))",
    re.IGNORECASE,
)
# Only who writes “u” and “pls” writes “4” for “for”.
_FOR = re.compile(r"(?<=[a-z] )4(?= (?:\d|two|three|four|five|six|me|us|my|our|the|an?)\b)")
_TO = re.compile(r"(?<=[a-z] )2(?= [A-Z][a-z])")


@cache
def _words() -> tuple[dict[str, str], re.Pattern[str]]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/shorthand.yaml").read_text("utf-8")
    known = {short: str(full) for short, full in read_mapping(text, path="shorthand.yaml").data.items()}
    longest = sorted(known, key=len, reverse=True)
    return known, re.compile(rf"(?<![\w’'.@/-])(?:{'|'.join(map(re.escape, longest))})(?![\w’'@-]|\.\w)", re.IGNORECASE)


def written_out(text: str) -> str:
    """The text with its abbreviations and commonest slips as one would write them with time; names in capitals stay."""
    known, pattern = _words()

    def full(found: re.Match[str]) -> str:
        return found[0] if len(found[0]) > 1 and found[0].isupper() else known[found[0].casefold()]

    put = pattern.sub(full, text)
    if put != text:
        put = _TO.sub("to", _FOR.sub("for", put))
    return _DAY.sub(lambda found: _DAYS[found[0].casefold().rstrip(".")], put)
