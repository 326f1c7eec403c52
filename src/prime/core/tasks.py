"""Ending what runs in the background."""

import asyncio

AGAIN_SECONDS = 5.0


async def end(*tasks: "asyncio.Task[object] | None", again: float = AGAIN_SECONDS) -> None:
    """Cancel these and wait until they have ended, however they end.

    A cancellation can be lost on its way: a driver turns it into an error of its own, and a loop that goes on after errors
    goes on. So it is said again until it is heard.
    """
    waiting = {task for task in tasks if task is not None}
    ending = list(waiting)
    while waiting:
        for task in waiting:
            task.cancel()
        _, waiting = await asyncio.wait(waiting, timeout=again)
    await asyncio.gather(*ending, return_exceptions=True)
