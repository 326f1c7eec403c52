"""Random names with a prefix that says what they name: `ch_…`, `msg_…`.

They carry no time and no order, so that nobody learns from an id what they may not see.
"""

import os
import secrets

_ALPHABET = b"0123456789abcdefghijkmnpqrstuvwxyz"  # no l or o: people read these aloud
_LENGTH = 20  # 34**20 is a little over 101 bits

# 238 is the largest multiple of 34 below 256: dropping the rest keeps every letter equally likely.
_LETTERS = bytes(_ALPHABET[b % 34] for b in range(256))
_DROPPED = bytes(range(238, 256))
# Asked for by the page: a visit to the kernel costs more than the rest of an id.
_PAGE = 4096


def new_id(prefix: str) -> str:
    """A fresh id, for example `msg_4k…`."""
    return f"{prefix}_{_letters.take()}"


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


_letters = _Letters()
# A process that was split in two must not give out the same names twice.
os.register_at_fork(after_in_child=_letters.forget)


def new_secret() -> str:
    """A token that opens something: 256 random bits, safe in URLs and headers."""
    return secrets.token_urlsafe(32)
