"""Secrets out of text before it is shown, logged or sent on.

Known key shapes go, and so does every value that Prime itself holds, also in the dress of base64, URLs and JSON. All
patterns run in linear time: a match begins at a fixed word and never looks again at what it has passed.
"""

import base64
import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from urllib.parse import quote, quote_plus

from prime.core.key_shapes import MARK, redact_keys
from prime.core.pair_shapes import redact_pairs

_SHORTEST_SECRET = 4  # shorter values would tear holes into ordinary text
_SHORTEST_ENCODED = 8
_LONG_LINE = 16
_PASSES = 4
# A word that is no path, no option and no variable, and that ends no other.
_INERT = re.compile(r"(?!.*(?:\.\.|//))[A-Za-z0-9_][A-Za-z0-9_+/=.:@%^!-]*")
_KEY_LINE = re.compile(r"^[A-Za-z0-9+][A-Za-z0-9+/]{39,}={0,2}$", re.MULTILINE)


class Redactor:
    """Redacts key shapes and the exact values it was given.

    `values` are asked for at every call when it is a function, so that a secret set a moment ago is covered.
    """

    def __init__(self, values: Iterable[str] | Callable[[], Iterable[str]] = ()) -> None:
        self._values = values if callable(values) else tuple(values)
        # Values and their forms, in one: threads that ask together see both or neither.
        self._known: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def redact(self, text: str) -> str:
        """`text` with every secret replaced by `[redacted]`; redacting again changes nothing."""
        for _ in range(_PASSES):
            done = redact_keys(redact_pairs(self._exact(text)))
            if done == text:
                return done
            text = done
        return text

    def redact_then_cut(self, text: str, limit: int) -> str:
        """At most `limit` bytes of UTF-8, redacted first, with a last line that says how much was left out."""
        return cut(self.redact(text), limit)

    def _exact(self, text: str) -> str:
        present = [form for form in self._all_forms() if form in text]
        if not present:
            return text
        present.sort(key=len, reverse=True)
        # The mark comes first so that a secret like "redacted" cannot nest marks in marks.
        pattern = "|".join(re.escape(form) for form in (MARK, *present))
        return re.sub(pattern, lambda _: MARK, text)

    def _all_forms(self) -> tuple[str, ...]:
        values = tuple(self._values() if callable(self._values) else self._values)
        known = self._known
        if values != known[0]:
            known = values, tuple(dict.fromkeys(form for value in values for form in _forms(value)))
            self._known = known
        return known[1]


_PLAIN = Redactor()


def redact(text: str) -> str:
    """`text` without known key shapes. Where Prime's own secrets are at hand use a `Redactor` with them."""
    return _PLAIN.redact(text)


def redact_for_yes(text: str, hide: Callable[[str], str] = redact) -> str:
    """The same for somebody who says yes to the text: what they do not see can be nothing but a secret.

    Whoever wrote the text chose what looks like one: `token="`rm -rf ~`"` is a command. So only a word goes that no shell
    heeds, and a key of many lines by those of its lines that are such words.
    """
    first, *others = hide(text).split(MARK)
    shown, done = [first], len(first)
    for number, piece in enumerate(others, start=1):
        begin = len(text) - len(piece) if number == len(others) else text.find(piece, done)
        if begin < done or text[begin : begin + len(piece)] != piece:
            return text
        shown += [_hidden_if_inert(text[done:begin]), piece]
        done = begin + len(piece)
    return "".join(shown)


def _hidden_if_inert(secret: str) -> str:
    if _INERT.fullmatch(secret):
        return MARK
    lines = secret.splitlines(keepends=True)
    return _KEY_LINE.sub(MARK, secret) if len(lines) > 1 and lines[0].startswith("-----BEGIN") else secret


def redact_then_cut(text: str, limit: int) -> str:
    """Redacted first, then cut to `limit` bytes: a secret at the cut cannot leave its beginning behind."""
    return _PLAIN.redact_then_cut(text, limit)


def cut(text: str, limit: int) -> str:
    """At most `limit` bytes of UTF-8, ending on a whole character, with a mark that says how many are missing."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    room = limit - len(_cut_mark(len(data)).encode())
    kept = _whole(data, max(room, 0))
    mark = _cut_mark(len(data) - len(kept.encode()))
    return kept + mark if room >= 0 else _whole(mark.strip().encode(), max(limit, 0))


def _cut_mark(missing: int) -> str:
    return f"\n[… {missing} bytes cut]"


def _whole(data: bytes, room: int) -> str:
    """The longest beginning that fits and does not part a letter from its accents or an emoji from its parts."""
    kept = data[:room].decode("utf-8", "ignore")
    following = data[len(kept.encode()) : len(kept.encode()) + 4].decode("utf-8", "ignore")[:1]
    shortest = max(0, len(kept) - 32)
    while len(kept) > shortest and following and (_clings(following) or kept[-1] == "\u200d"):
        following, kept = kept[-1], kept[:-1]
    return kept


def _clings(char: str) -> bool:
    return char == "\u200d" or "\U0001f3fb" <= char <= "\U0001f3ff" or unicodedata.category(char) in ("Mn", "Me", "Mc")


def _forms(value: str) -> Iterable[str]:
    """How a secret can appear in text."""
    value = value.strip()
    if len(value) < _SHORTEST_SECRET:
        return
    yield value
    if len(value) >= _SHORTEST_ENCODED:
        yield from _encoded(value)
    lines = value.splitlines()
    if len(lines) > 1:
        for line in lines:
            # A key of many lines is recognised by each of them; its first and last line are the same for everybody.
            if len(line.strip()) >= _LONG_LINE and not line.startswith("-----"):
                yield line.strip()


def _encoded(value: str) -> Iterable[str]:
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield html.escape(value)
    raw = value.encode("utf-8", "surrogatepass")
    yield from (quote(raw, safe=""), quote_plus(raw), quote(raw))
    yield quote(raw, safe="").replace("%", "%25")
    yield raw.hex()
    for shift in range(3):
        inner = _base64_inner(raw, shift)
        if len(inner) >= _SHORTEST_ENCODED:
            yield inner
            yield inner.replace("+", "-").replace("/", "_")


def _base64_inner(raw: bytes, shift: int) -> str:
    """The letters that stay the same wherever `raw` stands in something larger, `shift` bytes into a group of three."""
    text = base64.b64encode(b"\0" * shift + raw).decode()
    start = (0, 2, 3)[shift]
    end = (shift + len(raw)) * 8 // 6
    return text[start:end]
