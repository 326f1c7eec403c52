"""Random names with a prefix that says what they name: `ch_…`, `msg_…`.

They carry no time and no order, so that nobody learns from an id what they may not see.
"""

import secrets

_ALPHABET = b"0123456789abcdefghijkmnpqrstuvwxyz"  # no l or o: people read these aloud
_LENGTH = 20  # 34**20 is a little over 101 bits

_BYTES = 32  # enough random bytes that rejection almost never needs a second draw
# 238 is the largest multiple of 34 below 256: dropping the rest keeps every letter equally likely.
_LETTERS = bytes(_ALPHABET[b % 34] for b in range(256))
_DROPPED = bytes(range(238, 256))


def new_id(prefix: str) -> str:
    """A fresh id, for example `msg_4k…`."""
    picked = b""
    while len(picked) < _LENGTH:
        picked += secrets.token_bytes(_BYTES).translate(_LETTERS, _DROPPED)
    return f"{prefix}_{picked[:_LENGTH].decode()}"


def new_secret() -> str:
    """A token that opens something: 256 random bits, safe in URLs and headers."""
    return secrets.token_urlsafe(32)
