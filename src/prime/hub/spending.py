"""Whether there is anything left to spend, for who asks before beginning something; the guard itself counts and refuses."""

from collections.abc import Callable

from prime.mind.spend import SpendGuard


class Spending:
    def __init__(self, guard: SpendGuard, *, free: Callable[[], bool]) -> None:
        """`free` says whether the mind of the moment costs nothing: then nothing ever stops."""
        self._guard = guard
        self._free = free

    async def stop_reason(self) -> str | None:
        """Why nothing more may be spent, as the owner is told it."""
        return None if self._free() else await self._guard.stop_reason()

    async def begin_anew(self) -> None:
        """The owner's new count, of everything."""
        await self._guard.reset()
