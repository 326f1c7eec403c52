"""Files that a remote agent names by address: fetched once, by the guarded client, for the note and to be kept."""

from typing import Protocol

from prime.core.clock import Clock
from prime.core.errors import Unavailable
from prime.core.http import GuardedClient, NetworkPolicy
from prime.store.attachments import MAX_BYTES

_SECONDS = 30.0


class Fetcher(Protocol):
    """Gets a file by its address, or raises a `PrimeError` that says why not."""

    async def fetch(self, url: str, *, trusted: bool) -> bytes: ...

    async def aclose(self) -> None: ...


class GuardedFetcher:
    """`policy` is for those the owner works with; what a stranger names is fetched from public addresses only."""

    def __init__(self, policy: NetworkPolicy, clock: Clock) -> None:
        self._known = GuardedClient(policy, clock=clock)
        self._strict = GuardedClient(NetworkPolicy(), clock=clock)

    async def fetch(self, url: str, *, trusted: bool) -> bytes:
        client = self._known if trusted else self._strict
        answer = await client.request("GET", url, max_bytes=MAX_BYTES, timeout=_SECONDS)
        if not answer.ok:
            raise Unavailable(f"The address answered {answer.status}.")
        return answer.body

    async def aclose(self) -> None:
        await self._known.aclose()
        await self._strict.aclose()
