"""How many connections there may be. Each takes a file descriptor, and without any nobody comes in and no file is opened.

Strangers hold them for nothing: by sending or reading slowly, or not at all. Beyond the number the one that was quiet
longest is let go. Those of known people are not counted; a guest is known, and may hold some.
"""

import resource
from collections import OrderedDict
from typing import Protocol

MOST = 8192
# A browser opens six to one host, and a guest has a few devices.
MOST_OF_A_GUEST = 64
# What a process needs besides: databases, sockets of connectors, pipes of tools.
SHARE = 2
DESCRIPTORS = 65_536


class Held(Protocol):
    def let_go(self) -> None: ...


class Connections:
    """Those of strangers, the longest quiet first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Held, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def add(self, connection: Held) -> None:
        self._held[connection] = None
        if len(self._held) > self._most:
            quiet, _ = self._held.popitem(last=False)
            quiet.let_go()

    def note_request(self, connection: Held) -> None:
        if connection in self._held:
            self._held.move_to_end(connection)

    def remove(self, connection: Held) -> None:
        """It has ended, or somebody known turned out to be at its other end."""
        self._held.pop(connection, None)


class GuestConnections:
    """Those by which guests came, the longest quiet first. A proxy's may bring somebody else next."""

    def __init__(self, most: int = MOST_OF_A_GUEST) -> None:
        self._most = most
        self._held: dict[str, OrderedDict[Held, None]] = {}
        self._whose: dict[Held, str] = {}

    def add(self, connection: Held, guest_id: str) -> None:
        """A request of this guest came by it."""
        self.remove(connection)
        self._whose[connection] = guest_id
        held = self._held.setdefault(guest_id, OrderedDict())
        held[connection] = None
        if len(held) > self._most:
            quiet = next(iter(held))
            self.remove(quiet)
            quiet.let_go()

    def remove(self, connection: Held) -> None:
        """It has ended, or somebody else came by it."""
        guest_id = self._whose.pop(connection, None)
        if guest_id is None:
            return
        held = self._held[guest_id]
        del held[connection]
        if not held:
            del self._held[guest_id]


def raise_limit() -> int:
    """As many descriptors as the system lets us have; how many strangers' connections fit into that.

    Services start with 1,024 for programs that cannot count further, and may have more.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MOST if soft == resource.RLIM_INFINITY else min(MOST, soft // SHARE)
