"""A sign that Prime is at work on an answer, for whoever waits for it."""

from collections.abc import Generator
from contextlib import contextmanager

from prime.dialogs.turns.state import TurnId
from prime.dialogs.turns.streaming import Listener, Stream
from prime.rooms.records import PRIME


@contextmanager
def thinking_in(channel_id: str, course: int, tell: Listener) -> Generator[None]:
    """While this is open, whoever looks at the channel is told that Prime thinks, and told again as long as it lasts."""
    # It has no name, because it is no turn that somebody could stop.
    stream = Stream(TurnId("", channel_id, PRIME, course), tell)
    # At once: the first thought of a process may hold everything else up, a word that comes later too.
    stream.now("thinking")
    try:
        yield
    finally:
        stream.now("ended")
