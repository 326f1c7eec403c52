"""The spend guard: every request to a model passes here first.

A request is counted before it is made: a crash in between may count one too many, never one too few. The offline engine
makes no requests and costs nothing.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from prime.core.clock import Clock, SystemClock
from prime.core.errors import PrimeError
from prime.mind.jobs.lines import Usage
from prime.mind.queries import Spent, add_spent, read_spent, reset_spent
from prime.store.database import Database


class SpendStopped(PrimeError):
    """A cap is reached; nothing goes to a model until the owner raises or resets it."""

    code = "spend_stopped"


@dataclass(frozen=True, slots=True)
class Caps:
    calls: int
    images: int
    # Money for one day, UTC; 0 sets no bound.
    dollars_per_day: float = 0


class SpendGuard:
    def __init__(self, database: Database, caps: Caps, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock or SystemClock()
        self.caps = caps

    async def spent(self) -> Spent:
        return await self._database.read(read_spent)

    async def stop_reason(self) -> str | None:
        """Why the next request would be refused, as the owner is told it."""
        day = self._day()
        spent, today = await self._database.read(lambda c: (read_spent(c), read_spent(c, day)))
        try:
            self._refuse_above_caps(Spent(calls=1), replace(spent, calls=spent.calls + 1), today)
        except SpendStopped as stopped:
            return f"{stopped.message} {stopped.hint}"
        return None

    async def allow_call(self) -> None:
        """Count one request, or refuse it."""
        await self._reserve(Spent(calls=1))

    async def allow_image(self) -> None:
        """Count one generated image, or refuse it."""
        await self._reserve(Spent(images=1))

    async def record(self, usage: Usage) -> None:
        """Add what a request turned out to cost; its call has been counted already."""
        cost = Spent(
            input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, micro_dollars=usage.micro_dollars
        )
        day = self._day()
        await self._database.write(lambda connection: add_spent(connection, cost) and add_spent(connection, cost, day))

    async def reset(self) -> None:
        """The owner begins a new count."""
        day = self._day()
        await self._database.write(lambda connection: (reset_spent(connection), reset_spent(connection, day)))

    async def _reserve(self, more: Spent) -> None:
        # Refusing inside the job undoes the count of what was refused.
        day = self._day()
        await self._database.write(
            lambda connection: self._refuse_above_caps(more, add_spent(connection, more), read_spent(connection, day))
        )

    def _day(self) -> str:
        return f"day:{datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).date().isoformat()}"

    def _refuse_above_caps(self, more: Spent, after: Spent, today: Spent) -> None:
        dollars = self.caps.dollars_per_day
        if dollars and today.micro_dollars >= dollars * 1_000_000:
            raise SpendStopped(
                f"Today's ${dollars:g} for models are spent.",
                hint="It goes on tomorrow; or raise PRIME_MAX_DOLLARS_PER_DAY, or reset the count.",
                cap=dollars,
            )
        if more.calls and after.calls > self.caps.calls:
            raise _stopped("PRIME_MAX_LLM_CALLS", self.caps.calls, "requests to a model")
        if more.images and after.images > self.caps.images:
            raise _stopped("PRIME_MAX_IMAGES", self.caps.images, "images")


def _stopped(variable: str, cap: int, what: str) -> SpendStopped:
    return SpendStopped(f"The cap of {cap} {what} is reached.", hint=f"Raise {variable} or reset the count.", cap=cap)
