"""Signatures of what is pushed: HMAC over time and body, with a key that both sides can make from a token.

Directories keep tokens hashed, so the key is that hash: both sides can make it and neither needs the token at rest.
"""

import hashlib
import hmac
import re

from prime.core.errors import Unauthorized

HEADER = "X-Prime-Signature"
DELIVERY_HEADER = "X-Prime-Delivery"
WINDOW_SECONDS = 300

_SHAPE = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})")


def token_hash(token: str) -> str:
    return hashlib.sha256(_bytes(token)).hexdigest()


def same_hash(given: str, kept: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(_bytes(given), _bytes(kept))


def _bytes(shown: str) -> bytes:
    """Anybody may show half a character: it is wrong like any other."""
    return shown.encode("utf-8", "surrogatepass")


def prove(key: str, challenge: str, place: str) -> str:
    """What a card shows beside a challenge: it is served by who registers at `place` now, and nobody else has the key."""
    return hmac.new(key.encode(), f"{challenge}\n{place.lower()}".encode(), hashlib.sha256).hexdigest()


def sign(key: str, body: bytes, now_ms: int) -> str:
    """The header's value, for example `t=1767225600,v1=…`."""
    seconds = now_ms // 1000
    return f"t={seconds},v1={_mac(key, seconds, body)}"


def verify(key: str, header: str | None, body: bytes, now_ms: int) -> None:
    """Raises `Unauthorized` unless the body was signed with the key within the last five minutes."""
    found = _SHAPE.fullmatch(header or "")
    if found is None:
        raise Unauthorized("The signature is missing or has another form.", code="bad_signature")
    seconds = int(found[1])
    if not hmac.compare_digest(_mac(key, seconds, body), found[2]):
        raise Unauthorized("The signature does not match.", code="bad_signature")
    if abs(now_ms // 1000 - seconds) > WINDOW_SECONDS:
        raise Unauthorized("The signature is too old.", hint="Check both clocks.", code="stale_signature")


def _mac(key: str, seconds: int, body: bytes) -> str:
    return hmac.new(key.encode(), str(seconds).encode() + b"." + body, hashlib.sha256).hexdigest()
