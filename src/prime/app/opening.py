"""Opening a house and taking it apart again."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from prime.app.access import gate_policy
from prime.app.assembly import assemble
from prime.app.ground import lay_ground
from prime.core.clock import Clock, SystemClock
from prime.core.settings import Settings
from prime.web.app import WebApp
from prime.web.parts import Parts


@dataclass(frozen=True, slots=True)
class Prime:
    """A running house: its parts, and the app that serves them."""

    parts: Parts
    app: WebApp


@asynccontextmanager
async def open_prime(
    settings: Settings, *, base_url: str | None = None, clock: Clock | None = None, serving: bool = False
) -> AsyncGenerator[Prime]:
    """Open the data folder as its owner, put everything together, and take it apart again at the end.

    `serving`: for long, so that it is worth looking for new and changed tools from time to time.
    """
    policy = gate_policy(settings)  # first: nothing is touched when this must not run at all
    async with AsyncExitStack() as stack:
        ground = await lay_ground(settings, base_url, clock or SystemClock(), stack)
        parts = await assemble(ground, stack)
        if serving:
            parts.workshop.keep_fresh(parts.clock)
        if serving and settings.tool_scan_ms:
            parts.workshop.keep_scanning(parts.clock, settings.tool_scan_ms / 1000)
        yield Prime(parts, WebApp(parts, policy))
