"""How many open streams a guest may hold: each looks at the log with every message that is said anywhere."""

import asyncio
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

# A browser's tabs on a few devices; the page opens one in each.
STREAMS = 16


class GuestStreams:
    def __init__(self, most: int = STREAMS) -> None:
        self._most = most
        self._open: dict[str, deque[asyncio.Event]] = {}

    @contextmanager
    def opened(self, guest_id: str) -> Generator[asyncio.Event]:
        """One more stream. What it gives is set when later ones have taken its place: then it is to end."""
        over = asyncio.Event()
        held = self._open.setdefault(guest_id, deque())
        held.append(over)
        if len(held) > self._most:
            held.popleft().set()
        try:
            yield over
        finally:
            if over in held:
                held.remove(over)
            if not held:
                self._open.pop(guest_id, None)
