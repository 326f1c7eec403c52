"""What runs in the background ends when it is told to, also when the first word is lost."""

import asyncio

from prime.core.tasks import end


async def test_a_task_that_takes_a_cancellation_for_a_failure_is_told_again() -> None:
    failures = 0

    async def stubborn() -> None:
        nonlocal failures
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                failures += 1
                if failures > 2:
                    raise

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await end(task, again=0.01)
    assert task.cancelled()
    assert failures == 3


async def test_what_has_ended_failed_or_was_never_there_is_no_trouble() -> None:
    async def fails() -> None:
        raise ValueError("it broke long ago")

    async def is_done() -> None:
        pass

    tasks = [asyncio.create_task(fails()), asyncio.create_task(is_done())]
    await asyncio.wait(tasks)
    await end(*tasks, None)
    await end()
