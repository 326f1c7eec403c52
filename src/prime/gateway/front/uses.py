"""When sessions over HTTP were used last: the SDK closes those that rest, and what is remembered of them goes then too."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class _Use:
    at: float
    running: int = 0


class Uses:
    """Requests that the SDK sees, by session. `now` is a clock in seconds; a session rests when nothing runs in it."""

    def __init__(self, now: Callable[[], float], rests_s: float) -> None:
        self._now = now
        self._rests_s = rests_s
        self._uses: dict[str, _Use] = {}

    def may_hurry(self, key: str) -> bool:
        """Whether a call may go past the SDK, which would take the session for unused if all of them did."""
        use = self._uses.get(key)
        return use is not None and (use.running > 0 or self._now() - use.at < self._rests_s / 2)

    @contextmanager
    def seen(self, key: str) -> Generator[None]:
        """Around a request that the SDK sees, also one that lasts, such as a stream of notifications."""
        use = self._uses.setdefault(key, _Use(self._now()))
        use.running += 1
        try:
            yield
        finally:
            use.running -= 1
            use.at = self._now()

    def forget(self, key: str) -> None:
        self._uses.pop(key, None)

    def rested(self) -> list[str]:
        """The sessions that the SDK has closed by now; they are forgotten here."""
        before = self._now() - self._rests_s
        found = [key for key, use in self._uses.items() if use.running == 0 and use.at < before]
        for key in found:
            self.forget(key)
        return found
