"""What the requests of strangers may take of memory together, from a body's first byte until it is answered.

Each body has a cap of its own, but there may be thousands. Beyond the number the connection that has held a large one
longest is let go: whoever means it has sent theirs in a moment. Those of known people are not counted.
"""

from collections import OrderedDict
from typing import Protocol

MOST = 64 * 1024 * 1024
# What most people have to say; so much each takes no more than the connections themselves.
SMALL = 16 * 1024


class Holding(Protocol):
    def let_go(self) -> None: ...


class SharedRoom:
    def __init__(self, most: int = MOST, small: int = SMALL) -> None:
        self._most = most
        self._small = small
        self._taken = 0
        # The longest first.
        self._large: OrderedDict[Holding, int] = OrderedDict()

    def hold(self, connection: Holding, size: int) -> None:
        """So much of its request is here now."""
        if size <= self._small:
            return
        self._taken += size - self._large.get(connection, 0)
        self._large[connection] = size
        while self._taken > self._most:
            longest, held = self._large.popitem(last=False)
            self._taken -= held
            longest.let_go()

    def end(self, connection: Holding) -> None:
        """It is answered or gone, or somebody known turned out to be at its other end."""
        self._taken -= self._large.pop(connection, 0)
