"""Places in a list as short opaque words, so that callers pass them back and never compute with them."""

import base64

from prime.core.errors import InvalidInput


def encode_cursor(place: int) -> str:
    return base64.urlsafe_b64encode(f"p{place}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    try:
        decoded = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
        if decoded[:1] == "p" and decoded[1:].isdecimal() and len(decoded) <= 19:
            return int(decoded[1:])
    except ValueError:
        pass
    raise InvalidInput("This cursor is not one of ours.", hint="Use nextCursor of the previous answer.", field="cursor")
