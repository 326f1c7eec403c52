"""What is wanted belongs to a project: rooms are judged by it, and are closed and opened again with it."""

from dataclasses import replace

from tests.hub.conftest import House, PlanOf

from prime.hub.directive.queries import DIRECTIVE, read_rivals
from prime.hub.projects.queries import Project, read_projects
from prime.mind.jobs.planning import COMPETES_FOR, Plan, PlannedChannel, PlannedParticipant
from prime.mind.offline import OfflineMind


async def projects(house: House) -> list[Project]:
    return await house.store.projector.read(read_projects, DIRECTIVE)


def room(key: str, name: str, who: str) -> PlannedChannel:
    return PlannedChannel(
        key=key,
        name=name,
        tier="business_relation",
        participants=(PlannedParticipant(name=who, role="supplier"),),
        brief="Agree on terms.",
        facts={COMPETES_FOR: "it"},
    )


async def test_a_room_is_judged_by_what_its_own_project_wants(house: House, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(room("hall", "Hall", "Ann"), aims={"thing": "the fair", "budget": "45,000 EUR"})]
    await house.say("Organise the fair for 45,000 EUR")
    house.mind.plans = [plan_of(room("dj", "DJ", "Bob"), aims={"thing": "the party"}, project="")]
    await house.say("Throw a party")
    house.mind.lines = {"Ann": ["The hall is 780 EUR?"], "Bob": ["I play for 780 EUR?"]}
    await house.turn()
    await house.turn()
    wanted = {request.channel_name: dict(request.aims) for request in house.mind.requests}
    assert wanted == {"Hall": {"thing": "the fair", "budget": "45,000 EUR"}, "DJ": {"thing": "the party"}}
    # What is said without a project is of the one spoken of last; an older one is changed by its id.
    house.mind.plans = [Plan(title="", summary="", words="Noted.", aims={"budget": "900 EUR"})]
    await house.say("900 EUR at most")
    first, second = await projects(house)
    assert (first.aims["budget"], second.aims["budget"]) == ("45,000 EUR", "900 EUR")
    house.mind.plans = [Plan(title="", summary="", words="Noted.", aims={"budget": "50,000 EUR"}, project=first.id)]
    await house.say("50,000 EUR for the fair")
    assert [(each.id, each.aims["budget"]) for each in await projects(house)] == [
        (second.id, "900 EUR"),
        (first.id, "50,000 EUR"),
    ]
    assert house.mind.planned[-1].aims["budget"] == "900 EUR", "what it was asked with"
    before = await projects(house)
    await house.store.projector.rebuild()
    assert await projects(house) == before


async def test_a_room_that_no_plan_has_made_has_no_budget_of_two_projects(house: House, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(room("hall", "Hall", "Ann"), aims={"thing": "the fair", "budget": "9 EUR"})]
    await house.say("Organise the fair")
    eve = await house.rooms.add_actor("Eve", "agent", "echo")
    channel = await house.rooms.create_channel("Eve", tier="external", members=[eve.id])
    await house.rooms.say(channel.id, eve.id, "It is 5 EUR?")
    await house.hub.engine.run()
    assert house.mind.requests[-1].aims["budget"] == "9 EUR", "there is but one"
    house.mind.plans = [plan_of(room("dj", "DJ", "Bob"), aims={"thing": "the party"}, project="")]
    await house.say("Throw a party")
    await house.rooms.say(channel.id, eve.id, "It is 6 EUR?")
    await house.hub.engine.run()
    assert house.mind.requests[-1].aims == {}


async def test_what_was_closed_can_be_opened_again(house: House, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(room("a", "Ann's", "Ann"), room("b", "Bob's", "Bob"), aims={"thing": "the car"})]
    await house.say("Sell the car")
    there = [await house.channel("Ann's"), await house.channel("Bob's")]
    house.mind.plans = [plan_of(closing=tuple(each.id for each in there))]
    await house.say("It is off")
    assert [c.name for _, c in await house.rooms.channels()] == ["Prime"]
    assert await house.store.projector.read(read_rivals, DIRECTIVE) == []
    house.mind.plans = [
        Plan(title="", summary="", words="Open again.", reopening=(there[0].id, "ch_hub", "ch_nowhere"))
    ]
    await house.say("Reopen it")
    asked = house.mind.planned[-1]
    assert [each.name for each in asked.closed] == ["Ann's", "Bob's"]
    assert asked.projects[-1].wish == "Sell the car"
    assert [c.name for _, c in await house.rooms.channels()] == ["Prime", "Ann's"]
    assert [each.channel_id for each in await house.store.projector.read(read_rivals, DIRECTIVE)] == [there[0].id]
    house.mind.lines = {"Ann": ["I am here."]}
    await house.turn()
    await house.turn()
    assert "I am here." in await house.spoken(there[0].id), "the swarm goes on there"


async def test_the_owners_words_reach_the_team_and_nobody_else(house: House) -> None:
    offline = OfflineMind()
    house.mind.plan = offline.plan
    await house.say("Plan my mother's 70th birthday party for 40 people in Bath, budget 3,000 GBP")
    await house.say("It has to end by 10 pm because of the neighbours")
    heard = {
        channel.name: [m.text for m in await house.log(channel.id, "brief")]
        for _, channel in await house.rooms.channels()
    }
    told = [name for name, texts in heard.items() if any("10 pm" in text for text in texts)]
    assert told == ["Run of show"]
    last = (await house.log())[-1]
    assert "Told to: Run of show." in last.text
    await house.say("The party is off")
    assert [c.name for _, c in await house.rooms.channels()] == ["Prime"]
    await house.say("Reopen it")
    assert len(await house.rooms.channels()) == len(heard)
    facts = {m.id: m.body for m in await house.log()}
    assert all(replace(each, aims={}).id in facts for each in await projects(house))
