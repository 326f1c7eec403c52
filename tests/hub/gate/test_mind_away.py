"""A mind that cannot draft: the owner is told, and what was written is not left without an answer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prime.core.errors import InvalidInput, Unavailable
from prime.mind.jobs.keeping import DraftRequest
from prime.store.message import Message

CHANNEL = "ch_pp_tg_1"

OpenHouse = Callable[..., Awaitable[Any]]


@pytest.fixture
async def house(open_house: OpenHouse) -> Any:
    return await open_house()


def away(house: Any, error: Exception | None) -> None:
    def draft(_: DraftRequest) -> str:
        if error:
            raise error
        return "The hall is free in May."

    house.mind.words = draft


async def said(house: Any, *kinds: str) -> list[Message]:
    return [m for m in await house.store.log.page(CHANNEL, limit=100) if m.kind in kinds]


async def cards(house: Any) -> list[tuple[str, str]]:
    return [(str(m.body["title"]), m.text) for m in await said(house, "decision")]


async def pass_time(house: Any, until: Callable[[], Awaitable[bool]], seconds: float = 30) -> None:
    """Go on by half a minute at a time."""
    async with asyncio.timeout(20):
        while not await until():
            house.clock.advance(seconds)
            await asyncio.sleep(0.01)  # a draft is made through a database, in its own time
            await house.gate.replies.settled()


@pytest.mark.parametrize("error", [Unavailable("The model is away."), TypeError("'list' object is not iterable")])
async def test_what_could_not_be_drafted_is_told_once_and_drafted_later(house: Any, error: Exception) -> None:
    away(house, error)
    await house.write("Is the hall free in May?", number=1)
    await house.write("And in June?", number=2)
    [(title, text)] = await cards(house)
    assert title == "No answer could be drafted"
    assert text.endswith("It is tried again by itself.")
    assert len([m for m in await said(house, "system") if "could be drafted" in m.text]) == 2
    away(house, None)

    async def drafted() -> bool:
        return len([d for _, d in await house.gate.drafts.page(status="pending")]) == 2

    await pass_time(house, drafted)
    away(house, error)
    await house.write("And in July?", number=3)
    assert len(await cards(house)) == 2, "it is told again, as it had been well in between"


async def test_a_mind_that_stays_away_is_asked_six_times(house: Any) -> None:
    away(house, Unavailable("The model is away."))
    await house.write("Is the hall free in May?")

    async def often() -> bool:
        return len(house.mind.asked) == 6

    await pass_time(house, often, 3_600)
    for _ in range(5):
        house.clock.advance(100_000)
        await asyncio.sleep(0.01)
        await house.gate.replies.settled()
    assert len(house.mind.asked) == 6
    assert len(await cards(house)) == 1


async def test_what_a_mind_will_never_draft_is_not_tried_again(house: Any) -> None:
    away(house, InvalidInput("The model refused the request."))
    await house.write("Is the hall free in May?")
    house.clock.advance(100_000)
    await asyncio.sleep(0)
    assert len(house.mind.asked) == 1
    assert await cards(house) == [("No answer could be drafted", "The model refused the request.")]


async def test_what_the_owner_answered_meanwhile_gets_no_draft(house: Any) -> None:
    away(house, Unavailable("The model is away."))
    await house.write("Is the hall free in May?", number=1)
    await house.write("Yes, it is.", number=2, own=True)
    away(house, None)

    async def passed() -> bool:
        return any(m.body.get("op") == "passed" for m in await said(house, "gate"))

    await pass_time(house, passed)
    assert len(house.mind.asked) == 1
