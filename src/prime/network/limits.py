"""How often others may do what costs something here: per address for strangers, per token for known agents.

What is taken makes work that goes on after the answer, so strangers have a limit together, too: there are many addresses.
"""

import ipaddress
from typing import Literal

from prime.core.clock import Clock
from prime.core.errors import RateLimited
from prime.core.rate import RateBucket
from prime.network.tasks import Caller

Doing = Literal["message", "channel", "register", "heartbeat", "contact", "search", "poll", "callback"]

# (at once, per second) for one stranger's address, and for one known agent.
_RATES: dict[Doing, tuple[tuple[float, float], tuple[float, float]]] = {
    "message": ((40, 2), (2000, 200)),
    "channel": ((20, 0.1), (200, 2)),
    "register": ((20, 0.1), (60, 1)),
    "heartbeat": ((200, 20), (10, 0.2)),
    "contact": ((20, 0.2), (60, 1)),
    "search": ((60, 10), (200, 50)),
    "poll": ((120, 10), (600, 100)),
    "callback": ((200, 20), (600, 100)),
}

# (at once, per second) for all strangers together. A message was measured at 30 ms of work.
_TOGETHER: dict[Doing, tuple[float, float]] = {"message": (60, 3)}


class Limits:
    def __init__(self, clock: Clock) -> None:
        self._buckets = {
            (doing, known): RateBucket(clock=clock, burst=burst, per_second=rate, max_keys=100_000)
            for doing, rates in _RATES.items()
            for known, (burst, rate) in enumerate(rates)
        }
        self._together = {
            doing: RateBucket(clock=clock, burst=burst, per_second=rate, max_keys=1)
            for doing, (burst, rate) in _TOGETHER.items()
        }

    def check(self, doing: Doing, caller: Caller) -> None:
        """Raises `RateLimited` with the time to wait. The owner is not limited."""
        if caller.is_owner:
            return
        key = caller.agent_id or network_of(caller.address)
        wait = self._buckets[(doing, int(caller.agent_id is not None))].try_take(key)
        if not wait and caller.agent_id is None and doing in self._together:
            wait = self._together[doing].try_take("strangers")
        if wait:
            seconds = max(1, round(wait))
            raise RateLimited("Too many requests.", hint=f"Try again in {seconds} s.", retryAfter=seconds)


def network_of(address: str) -> str:
    """What one party can be expected to hold: an IPv4 address, an IPv6 network of 64 bits."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:  # as a proxy that listens on both writes it: all of IPv4 is no one's network
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
    return address
