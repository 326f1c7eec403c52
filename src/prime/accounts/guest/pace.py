"""How much a guest may leave here: the log forgets nothing, and the disk is the owner's."""

import math

from prime.core.clock import Clock
from prime.core.errors import RateLimited
from prime.core.rate import RateBucket

# Nobody talks faster for long; a program that does is not talking.
MESSAGES, MESSAGES_PER_SECOND = 200, 2
# A day's pictures at once, and the same again in a few hours.
BYTES, BYTES_PER_SECOND = 256 * 1024 * 1024, 16 * 1024


class GuestPace:
    def __init__(self, clock: Clock) -> None:
        self._messages = RateBucket(clock=clock, burst=MESSAGES, per_second=MESSAGES_PER_SECOND)
        self._bytes = RateBucket(clock=clock, burst=BYTES, per_second=BYTES_PER_SECOND)

    def say(self, guest_id: str) -> None:
        """`RateLimited` for one message too many."""
        _refuse(self._messages.try_take(guest_id), "messages")

    def bring(self, guest_id: str, size: int) -> None:
        """`RateLimited` for a file too many."""
        _refuse(self._bytes.try_take(guest_id, size), "files")


def _refuse(wait: float, what: str) -> None:
    if wait:
        seconds = math.ceil(wait)
        raise RateLimited(f"Too many {what} for now.", hint=f"Try again in {seconds} s.", retryAfter=seconds)
