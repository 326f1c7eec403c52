"""A sign that Prime is at work on an answer, where it takes longer than somebody waits without wondering."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from prime.core.ids import new_id
from prime.dialogs.turns.state import TurnId
from prime.dialogs.turns.streaming import Listener, Stream
from prime.rooms.records import PRIME

# An answer that is there sooner needs no sign, which would only flicker.
SOON_SECONDS = 0.3


@contextmanager
def thinking_in(channel_id: str, course: int, tell: Listener) -> Iterator[None]:
    """While this is open, whoever looks at the channel sees that Prime is thinking; it is told again as long as it lasts."""
    stream = Stream(TurnId(new_id("turn"), channel_id, PRIME, course), tell)
    shown = False

    def show() -> None:
        nonlocal shown
        shown = True
        stream.now("thinking")

    later = asyncio.get_running_loop().call_later(SOON_SECONDS, show)
    try:
        yield
    finally:
        later.cancel()
        if shown:
            stream.now("ended")
