"""Tokens that open something: random, kept as hashes, and stamped so that a made-up one costs no look at the database."""

import hashlib
import hmac

from prime.core.ids import new_secret

_STAMP = 22  # characters of base16: 88 bits, checked before the hash that really decides
_SECRET = 43


class Tokens:
    """Makes and recognises tokens with a key that only this instance has."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def make(self, purpose: str) -> str:
        secret = new_secret()
        return f"{secret}{self._stamp(purpose, secret)}"

    def looks_real(self, purpose: str, token: str) -> bool:
        """Whether we made it for this purpose; not whether it still opens anything."""
        if len(token) != _SECRET + _STAMP or not token.isascii():
            return False
        return hmac.compare_digest(self._stamp(purpose, token[:_SECRET]), token[_SECRET:])

    def _stamp(self, purpose: str, secret: str) -> str:
        return hmac.new(self._key, f"{purpose}\0{secret}".encode(), hashlib.sha256).hexdigest()[:_STAMP]


def hashed(token: str) -> str:
    """As it is kept."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
