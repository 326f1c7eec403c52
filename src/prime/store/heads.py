"""How far the log has come, told to whoever waits for it."""

import asyncio

# Work that follows the log behind everybody's back waits this long, so that a burst is one piece of work.
BURST_SECONDS = 0.02
# A burst that does not end is cut into pieces of this many such moments.
LONGEST_BURST = 6
# The moment of work that has all the time in the world: each look at the log costs a few transactions.
LEISURE_SECONDS = 0.1


class Heads:
    """The highest `seq` known to be committed."""

    def __init__(self, head: int = 0) -> None:
        self._head = head
        self._moved: asyncio.Event | None = None  # there only while somebody waits

    @property
    def head(self) -> int:
        return self._head

    def announce(self, seq: int) -> None:
        """Called after a commit, in this process or (by `NOTIFY`) in another."""
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
