"""How many tokens a text is for a model: an estimate that needs no tokenizer, and what providers' own counts make of it.

The weights below were fitted to four real tokenizers (two of OpenAI's, one of Anthropic's, Qwen's) over English and
Chinese prose, chats, code, JSON, logs, identifiers, numbers and emoji, and rounded up a little: a context that is counted
too small is refused by the provider, one that is counted too large only forgets earlier. A Chinese character is nearly a
token; four English letters are one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Family = Literal["openai", "anthropic", "other"]

_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
# Role, separators: what a message costs beside its text.
MESSAGE_TOKENS = 4
CALL_TOKENS = 12


@dataclass(frozen=True, slots=True)
class _Weights:
    """Tokens per character of each class; the last three are characters of two, three and four bytes in UTF-8."""

    lower: float
    upper: float
    digit: float
    blank: float
    blank_pair: float
    line_end: float
    sign: float
    two: float
    three: float
    four: float


_WEIGHTS: dict[Family, _Weights] = {
    "openai": _Weights(0.25, 1.0, 0.72, 0.0, 0.36, 0.16, 0.34, 0.3, 0.8, 1.6),
    "anthropic": _Weights(0.27, 1.1, 0.75, 0.0, 0.2, 0.5, 0.47, 0.7, 1.0, 2.8),
    # Gemini, Qwen, Llama and their kin give every digit a token of its own.
    "other": _Weights(0.24, 1.0, 1.27, 0.13, 0.39, 0.15, 0.35, 0.45, 0.8, 1.6),
}


def family_of(model: str) -> Family:
    """The tokenizer family of `provider:model`."""
    name = model.casefold()
    if "claude" in name or name.startswith("anthropic"):
        return "anthropic"
    bare = name.rpartition(":")[2]
    return "openai" if bare.startswith(("gpt", "o1", "o3", "o4", "chatgpt", "codex")) else "other"


def estimate(text: str, family: Family = "openai") -> int:
    """About how many tokens the text is; at least one unless it is empty. Linear, a gigabyte in a few seconds."""
    if not text:
        return 0
    weights = _WEIGHTS[family]
    plain = text.encode("ascii", "ignore")
    lower, upper, digits = _count(plain, _LOWER), _count(plain, _UPPER), _count(plain, _DIGITS)
    blanks, pairs, lines = plain.count(b" "), plain.count(b"  "), plain.count(b"\n")
    signs = len(plain) - lower - upper - digits - blanks - lines
    total = (
        weights.lower * lower
        + weights.upper * upper
        + weights.digit * digits
        + weights.blank * max(blanks - 2 * pairs, 0)
        + weights.blank_pair * pairs
        + weights.line_end * lines
        + weights.sign * signs
    )
    if len(plain) < len(text):
        total += _beyond_ascii(text, len(plain), weights)
    return max(1, round(total))


def _count(plain: bytes, letters: bytes) -> int:
    return len(plain) - len(plain.translate(None, letters))


def _beyond_ascii(text: str, plain: int, weights: _Weights) -> float:
    """Characters by their length in UTF-8, from the lengths of whole encodings: no loop over characters."""
    four = len(text.encode("utf-16-le", "replace")) // 2 - len(text)
    rest = len(text) - plain - four
    three = len(text.encode("utf-8", "replace")) - plain - 4 * four - 2 * rest
    # A lone surrogate is replaced by one byte; it counts as nothing worse than nothing.
    three = max(three, 0)
    return weights.two * (rest - three) + weights.three * three + weights.four * four


@dataclass(frozen=True, slots=True)
class Counted:
    """One request as it was estimated, and as its provider counted it."""

    estimated: int
    counted: int


# A provider that counts very differently counts something else (cached parts, images): do not follow it over a cliff.
_LOWEST, _HIGHEST = 0.5, 3.0


def correction(requests: Iterable[Counted]) -> float:
    """The factor that makes estimates what the provider counted in these requests; 1 where none is known."""
    known = [each for each in requests if each.estimated > 0 and each.counted > 0]
    if not known:
        return 1.0
    factor = sum(each.counted for each in known) / sum(each.estimated for each in known)
    return min(max(factor, _LOWEST), _HIGHEST)
