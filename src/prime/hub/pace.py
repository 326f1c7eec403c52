"""How fast the hub works and where it stops, out of the settings."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from prime.core.settings import Settings

# A cadence of nothing would leave no time for anything else.
SHORTEST_MS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    tick_ms: int = 6000
    directive_ms: int = 9000
    ask_min_gap_ms: int = 15_000
    ask_necessity_min: float = 0.7
    update_min_gap_ms: int = 35_000
    autostop_ms: int = 60_000

    @classmethod
    def of(cls, settings: Settings) -> "Pace":
        return cls(
            tick_ms=max(settings.tick_ms, SHORTEST_MS),
            directive_ms=max(settings.directive_ms, SHORTEST_MS),
            ask_min_gap_ms=settings.ask_min_gap_ms,
            ask_necessity_min=settings.ask_necessity_min,
            update_min_gap_ms=settings.update_min_gap_ms,
            autostop_ms=settings.autostop_ms,
        )


# Asked again whenever a value is used: the owner may have changed it meanwhile.
PaceSource = Callable[[], Awaitable[Pace]]


def fixed(pace: Pace) -> PaceSource:
    """One that nobody changes."""

    async def now() -> Pace:
        return pace

    return now
