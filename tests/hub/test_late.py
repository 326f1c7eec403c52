"""A process that stood still while a mind thought for it finds its work with another: what it comes back with is refused."""

from tests.hub.conftest import Ask, House, OpenHouse, PlanOf, ScriptedMind
from tests.taking import take_all

from prime.mind.jobs.judging import Judgements, JudgeRequest
from prime.mind.jobs.planning import PlannedChannel
from prime.mind.jobs.speaking import Reply, ReplyRequest
from prime.store.store import Store


class StandsStill(ScriptedMind):
    """While it thinks, another process takes over all that this one holds."""

    store: Store | None = None  # from here on

    async def reply(self, request: ReplyRequest) -> Reply:
        await self._stand_still()
        return await super().reply(request)

    async def judge(self, request: JudgeRequest) -> Judgements:
        await self._stand_still()
        return await super().judge(request)

    async def _stand_still(self) -> None:
        if self.store:
            await take_all(self.store)


def stand_still(house: House) -> None:
    assert isinstance(house.mind, StandsStill)
    house.mind.store = house.store


async def test_a_turn_is_not_taken_late(
    open_house: OpenHouse, database_url: str | None, plan_of: PlanOf, partner: PlannedChannel
) -> None:
    house = await open_house(mind=StandsStill(), url=database_url)
    house.mind.plans = [plan_of(partner)]
    house.mind.lines = {"Maria": ["Can you pay half of it now?"]}
    await house.say("Find us a supplier.")
    before = await house.store.log.head()
    stand_still(house)
    await house.hub.swarm.tick()
    assert len(house.mind.replies) == 1
    assert await house.store.log.head() == before


async def test_nothing_is_judged_late(open_house: OpenHouse, database_url: str | None, ask: Ask) -> None:
    house = await open_house(mind=StandsStill(), url=database_url)
    house.mind.verdicts = ask()
    maria = await house.rooms.add_actor("Maria", "agent", "echo")
    channel = await house.rooms.create_channel("Partner", tier="business_relation", members=[maria.id])
    await house.rooms.say(channel.id, maria.id, "Can you pay half of it now?")
    before = await house.store.log.head()
    stand_still(house)
    assert await house.hub.engine.run() == 0
    assert len(house.mind.requests) == 1
    assert await house.store.log.head() == before
    assert await house.questions.waiting() == []
