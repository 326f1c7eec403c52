"""The event loop that a process runs on."""

import asyncio
from collections.abc import Coroutine
from typing import Any


def run_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run it on the quickest event loop that there is."""
    try:
        import uvloop

        factory = uvloop.new_event_loop
    except ModuleNotFoundError:  # not made for every platform
        factory = asyncio.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(work)
