"""Random names with a prefix that says what they name: `ch_…`, `msg_…`.

They carry no time and no order, so that nobody learns from an id what they may not see. Names of messages that one
process makes in the same hundredth of a second begin alike, which their `ts` says already; see `new_message_id`.
"""

import os
import secrets
import time
from collections.abc import Callable

_ALPHABET = b"0123456789abcdefghijkmnpqrstuvwxyz"  # no l or o: people read these aloud
_LENGTH = 20  # 34**20 is a little over 101 bits

# Of a message's id, the letters that it has in common with others of its moment; the other 16 are 81 bits.
_SHARED = 4
_MOMENT_NS = 10_000_000

# 238 is the largest multiple of 34 below 256: dropping the rest keeps every letter equally likely.
_LETTERS = bytes(_ALPHABET[b % 34] for b in range(256))
_DROPPED = bytes(range(238, 256))
# Asked for by the page: a visit to the kernel costs more than the rest of an id.
_PAGE = 4096


def new_id(prefix: str) -> str:
    """A fresh id, for example `msg_4k…`."""
    return f"{prefix}_{_letters.take()}"


def new_message_id() -> str:
    """A fresh id for a message of the log.

    An index keeps ids in order, so that each id of a commit would touch a page of its own, and each page is written to
    the disk anew. These begin with the same random letters for a moment and are random from there on, so that a commit's
    ids stand side by side. The moment is one of the clock and never a number of ids, and the letters of the next are
    random again: two ids tell whether they were made in the same moment, not which came first nor how many others did.
    """
    return f"msg_{_moment.letters()}{_letters.take()[_SHARED:]}"


class _Letters:
    """Random letters, each given out once, also when threads ask together: taking from a list is one step."""

    def __init__(self) -> None:
        self._words: list[str] = []

    def take(self) -> str:
        while True:
            try:
                return self._words.pop()
            except IndexError:
                page = secrets.token_bytes(_PAGE).translate(_LETTERS, _DROPPED).decode()
                self._words += [page[at : at + _LENGTH] for at in range(0, len(page) - _LENGTH + 1, _LENGTH)]

    def forget(self) -> None:
        self._words.clear()


class Moment:
    """The letters that names of this moment begin with."""

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._now_ns = now_ns
        self._now: tuple[int, str] = (-1, "")

    def letters(self) -> str:
        at = self._now_ns() // _MOMENT_NS
        now = self._now
        if now[0] != at:
            # Threads that come here together may begin it differently: they share a little less.
            self._now = now = (at, _letters.take()[:_SHARED])
        return now[1]

    def forget(self) -> None:
        self._now = (-1, "")


_letters = _Letters()
_moment = Moment()
# A process that was split in two must not give out the same names twice.
os.register_at_fork(after_in_child=_letters.forget)
os.register_at_fork(after_in_child=_moment.forget)


def new_secret() -> str:
    """A token that opens something: 256 random bits, safe in URLs and headers."""
    return secrets.token_urlsafe(32)
