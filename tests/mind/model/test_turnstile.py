"""Who goes first to a model that does one thing at a time."""

import asyncio

import pytest

from prime.mind.model.turnstile import JUDGING, LATER, OWNER_FIRST, SPEAKING, Turnstile


async def test_the_owner_goes_before_those_who_waited_longer() -> None:
    turnstile = Turnstile(1)
    order: list[str] = []

    async def go(name: str, importance: int) -> None:
        async with turnstile.turn(importance):
            order.append(name)
            await asyncio.sleep(0)

    async with turnstile.turn(SPEAKING):
        waiting = [
            asyncio.create_task(go(*each))
            for each in (("later", LATER), ("first", SPEAKING), ("second", SPEAKING), ("judge", JUDGING))
        ]
        await asyncio.sleep(0)
        waiting.append(asyncio.create_task(go("owner", OWNER_FIRST)))
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    assert order == ["owner", "judge", "first", "second", "later"]


async def test_who_gives_up_waiting_holds_nobody_up() -> None:
    turnstile = Turnstile(1)

    async def go() -> str:
        async with turnstile.turn(SPEAKING):
            return "through"

    async with turnstile.turn(SPEAKING):
        given_up, patient = asyncio.create_task(go()), asyncio.create_task(go())
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.sleep(0)
        called_and_cancelled = asyncio.create_task(go())
        await asyncio.sleep(0)
    called_and_cancelled.cancel()
    assert await patient == "through"
    with pytest.raises(asyncio.CancelledError):
        await called_and_cancelled
    assert await asyncio.wait_for(go(), 5) == "through"
