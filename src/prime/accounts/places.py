"""Places in the log for people who may not know how long it is.

A place counts everything that was ever said anywhere. A guest gets it sealed: it is good for them alone, and no two look
alike, so that they cannot tell whether anything was said elsewhere meanwhile.
"""

import base64
import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12
_BYTES = 8
_LENGTH = 48  # characters: nonce, place and tag in base64


class Places:
    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(hmac.new(key, b"places", hashlib.sha256).digest())

    def seal(self, place: int, guest_id: str) -> str:
        nonce = os.urandom(_NONCE)
        sealed = self._cipher.encrypt(nonce, place.to_bytes(_BYTES), guest_id.encode())
        return base64.urlsafe_b64encode(nonce + sealed).decode()

    def open(self, sealed: str, guest_id: str) -> int | None:
        """The place; None for what was not sealed here for this guest."""
        if len(sealed) != _LENGTH or not sealed.isascii():
            return None
        try:
            given = base64.b64decode(sealed, altchars=b"-_", validate=True)
            return int.from_bytes(self._cipher.decrypt(given[:_NONCE], given[_NONCE:], guest_id.encode()))
        except (ValueError, InvalidTag):
            return None
