"""How far the log has come, told to whoever waits for it."""

import asyncio
from collections.abc import Iterable

from prime.store.message import Kind, Message

# Work that follows the log behind everybody's back waits this long, so that a burst is one piece of work.
BURST_SECONDS = 0.02
# A burst that does not end is cut into pieces of this many such moments.
LONGEST_BURST = 6
# The moment of work that has all the time in the world: each look at the log costs a few transactions.
LEISURE_SECONDS = 0.1


class Heads:
    """The highest `seq` known to be committed, over all and of each kind."""

    def __init__(self, head: int = 0) -> None:
        self._head = head
        self._kinds: dict[Kind, int] = {}
        self._unnamed = head  # the last place of which only the number was told
        self._moved: asyncio.Event | None = None  # there only while somebody waits

    @property
    def head(self) -> int:
        return self._head

    def last(self, kinds: Iterable[Kind]) -> int:
        """The place of the last message of these kinds that was announced here, or a later one when that is not known."""
        return max(self._unnamed, *(self._kinds.get(kind, 0) for kind in kinds))

    def announce_all(self, appended: Iterable[Message]) -> None:
        """The same with all that is known of them; in order, as they were appended."""
        seq = 0
        for message in appended:
            seq = max(seq, message.seq)
            self._kinds[message.kind] = max(self._kinds.get(message.kind, 0), message.seq)
        self._move(seq)

    def announce(self, seq: int) -> None:
        """Called after a commit, in this process or (by `NOTIFY`) in another."""
        self._unnamed = max(self._unnamed, seq)  # also what stands before the head: an append that nobody waited for
        self._move(seq)

    def _move(self, seq: int) -> None:
        if seq <= self._head:
            return
        self._head = seq
        moved, self._moved = self._moved, None
        if moved:
            moved.set()

    async def wait_beyond(self, seq: int) -> int:
        """Wait until the head is past `seq`; the head."""
        while self._head <= seq:
            moved = self._moved = self._moved or asyncio.Event()
            await moved.wait()
        return self._head

    async def past_burst(self, seq: int, *, moment: float = BURST_SECONDS, longest: int = LONGEST_BURST) -> int:
        """As `wait_beyond`, and a moment longer: for work in the background, which nobody waits for."""
        seen = await self.wait_beyond(seq)
        for _ in range(longest):
            await asyncio.sleep(moment)
            if self._head == seen:
                break
            seen = self._head
        return self._head
