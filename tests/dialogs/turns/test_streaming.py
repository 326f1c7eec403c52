"""What is told of a turn while it lasts."""

import asyncio

from prime.dialogs.turns.state import TurnId
from prime.dialogs.turns.streaming import Stream, TurnEvent

TURN = TurnId(id="turn_1", channel_id="ch_1", agent_id="act_ada", course=1)


class Listener:
    def __init__(self) -> None:
        self.heard: list[TurnEvent] = []
        self._more = asyncio.Event()

    def __call__(self, event: TurnEvent) -> None:
        self.heard.append(event)
        self._more.set()

    async def hears(self, number: int) -> None:
        async with asyncio.timeout(10):
            while len(self.heard) < number:
                self._more.clear()
                await self._more.wait()


async def test_who_thinks_for_long_is_told_again_so_that_nobody_takes_it_for_gone() -> None:
    listener = Listener()
    stream = Stream(TURN, listener, again_s=0.01)
    stream.now("thinking", "")
    await listener.hears(3)
    stream.words("Once")
    await listener.hears(6)
    assert [(event.doing, event.text) for event in listener.heard[-2:]] == [("speaking", "Once")] * 2
    stream.close()


async def test_after_its_end_nothing_is_told() -> None:
    listener = Listener()
    stream = Stream(TURN, listener, again_s=0.01)
    stream.now("thinking", "")
    stream.now("ended", "Once upon a time.")
    stream.words(" And more")  # of a mind that could not be stopped
    await asyncio.sleep(0.05)
    assert [event.doing for event in listener.heard] == ["thinking", "ended"]


async def test_a_turn_that_another_process_took_is_not_told_of_any_more() -> None:
    listener = Listener()
    stream = Stream(TURN, listener, again_s=0.01)
    stream.now("calling")
    stream.words("One")
    stream.close()
    await asyncio.sleep(0.05)
    assert [event.doing for event in listener.heard] == ["calling", "speaking"]
