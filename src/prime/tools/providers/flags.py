"""Safety in words: the flag block at the end of a description, and text that cannot forge one (D-ATIP-4, D-ATIP-5)."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from prime.tools.atip.effect import Effects, Resources

OPENAI_LIMIT: Final = 1024
_MAX_RESOURCES: Final = 6
_MAX_EXAMPLES: Final = 2

# What a forged flag looks like, once brackets and letters of other kinds are folded into the plain ones.
_WORDS: Final = (
    r"READ.{0,3}ONLY|DESTRUCTIVE|NO[TN].{0,3}(?:REVERSIBLE|IDEMPOTENT)|DELETES.{0,3}FILES|BILLABLE"
    r"|(?:CREATES|MODIFIES|DELETES)\s*:"
)
_FLAG_WORDS = re.compile(_WORDS, re.IGNORECASE)
# Plain text in capitals needs no second look at each letter; and without one of these pieces there is nothing to find.
_FLAG_CAPITALS = re.compile(_WORDS)
_PIECES: Final = ("ONLY", "STRUCTIVE", "VERSIBLE", "POTENT", "LETES", "BILLABLE", "CREATES", "MODIFIES")
_BLOCK = re.compile(r"\[\s*([^\[\]]{3})")
_FLAG_SIGNS = frozenset("⚠️💰💲🔒🔐🔏🔓🛡✅")


def safety_flags(effects: Effects) -> str:
    """`[⚠️ DESTRUCTIVE | CREATES: repo]`, or nothing where nothing is to be said."""
    shown = list(_flags(effects))
    return f"[{' | '.join(shown)}]" if shown else ""


def _flags(effects: Effects) -> Iterator[str]:
    if effects.destructive:
        yield "⚠️ DESTRUCTIVE"
    if effects.reversible is False:
        yield "⚠️ NOT REVERSIBLE"
    if effects.idempotent is False:
        yield "⚠️ NOT IDEMPOTENT"
    if effects.filesystem.delete:
        yield "⚠️ DELETES FILES"
    if effects.cost.billable:
        yield "💰 BILLABLE"
    if effects.read_only:
        yield "🔒 READ-ONLY"
    if effects.creates:
        yield f"CREATES: {_resources(effects.creates)}"
    if effects.modifies:
        yield f"MODIFIES: {_resources(effects.modifies)}"
    if effects.deletes:
        yield f"DELETES: {_resources(effects.deletes)}"


def _resources(names: Resources) -> str:
    shown = [_word(name) for name in names[:_MAX_RESOURCES]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _word(name: str) -> str:
    """A resource's name without what could end the block or begin another flag."""
    return "".join(c if c.isalnum() or c in "_-.:/" else "_" for c in name.strip()[:40]) or "_"


def neutral(text: str) -> str:
    """The text as it is, or, if it could be taken for a flag block, without brackets and signs."""
    if text.isascii():
        if "[" not in text:
            return text
        return _round(text) if _forged(text) else text
    visible = "".join(_plain_bracket(c) for c in text if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFKC", visible)
    signs = not _FLAG_SIGNS.isdisjoint(visible)
    if signs or ("[" in folded and _forged(folded)):
        bare = "".join(c for c in visible if c not in _FLAG_SIGNS)
        return " ".join(_round(bare).split())
    return text


def _round(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _forged(text: str) -> bool:
    """Flag words, or a block in capitals of whatever alphabet."""
    if _flag_words(text):
        return True
    return any(begin.isupper() for begin in _BLOCK.findall(text))


def _without_end(text: str) -> str:
    """At the end stand flags: a block there is read as one in every language, and words of all of them nobody lists."""
    for char in reversed(text):
        if _plain_bracket(char) == "]":
            return _round("".join(map(_plain_bracket, text)))
        if char.isalnum():
            break
    return text


def _flag_words(text: str) -> bool:
    if not text.isascii():
        return _FLAG_WORDS.search(text) is not None
    capitals = text.upper()
    return any(map(capitals.__contains__, _PIECES)) and _FLAG_CAPITALS.search(capitals) is not None


def _plain_bracket(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Ps" and char not in "({":
        return "["
    return "]" if kind == "Pe" and char not in ")}" else char


def described(text: str, flags: str, examples: tuple[str, ...] = (), limit: int | None = None) -> str:
    """`{description} {examples} {flags}`; over the limit the description is shortened, never the flags."""
    body = _without_end(neutral(text).strip())
    if flags and body and body[-1] not in ".!?…":
        body += "."
    tail = f" {flags}" if flags else ""
    room = (limit or OPENAI_LIMIT) - _tail_units(flags)
    if limit is not None and units(body) > room:
        body = shortened(body, room)
    for example in examples[:_MAX_EXAMPLES]:
        addition = f" Example: {' '.join(neutral(example).split())}"
        if units(body) + units(addition) <= room:
            body += addition
    return (body + tail).strip()


@lru_cache(maxsize=256)
def _tail_units(flags: str) -> int:
    """Flags are few and on every tool."""
    return units(flags) + 1 if flags else 0


def units(text: str) -> int:
    """The length by the strictest way to count, UTF-16."""
    return len(text) if text.isascii() else len(text) + sum(c > "\uffff" for c in text)


def shortened(text: str, room: int) -> str:
    """At most `room` units with an ellipsis at the end, cut between whole characters."""
    if units(text) <= room:
        return text
    kept = text[: max(room - 1, 0)]
    while kept and (units(kept) >= room or _splits(kept, text)):
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def _splits(kept: str, text: str) -> bool:
    """Whether what follows belongs to the last character: accents, joiners, skin tones, half a flag."""
    following = text[len(kept)]
    joined = following in "\u200d\ufe0e\ufe0f" or unicodedata.category(following) in {"Mn", "Mc", "Me"}
    toned = "\U0001f3fb" <= following <= "\U0001f3ff"
    half = _regional(following) and len(kept) - len(kept.rstrip(_REGIONAL)) & 1 == 1
    return joined or toned or half or kept[-1] == "\u200d"


_REGIONAL = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def _regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
