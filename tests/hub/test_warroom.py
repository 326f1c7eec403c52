"""From the owner's words to channels, also over a crash."""

from collections.abc import Sequence
from dataclasses import replace

from tests.hub.conftest import House, OpenHouse, PlanOf

from prime.core.errors import Unavailable
from prime.hub.warroom import Reachable, WarRoom, sensible
from prime.mind.jobs.planning import KnownAgent, Plan, PlannedChannel, PlannedParticipant, PlanRequest, Telling
from prime.rooms.records import HUB

NOTHING_THERE = PlanRequest(wish="Go")


def remote(name: str, agent_id: str) -> PlannedParticipant:
    return PlannedParticipant(name=name, role="scout", connector="prime_message", agent_id=agent_id)


def known(agent_id: str, tier: str) -> Reachable:
    return Reachable(KnownAgent(id=agent_id, name=agent_id, capabilities=("scouting",)), tier)  # pyright: ignore[reportArgumentType]


async def test_a_crash_between_plan_and_channels_is_made_good(
    open_house: OpenHouse, partner: PlannedChannel, plan_of: PlanOf
) -> None:
    house = await open_house()
    said = await house.rooms.say(HUB, "act_owner", "Organise the fair")
    warroom = WarRoom(house.store, house.rooms, house.questions, house.mind, _Nobody(), house.clock)
    plan = sensible(plan_of(partner), NOTHING_THERE, ())
    await house.store.log.append(warroom.message(said, plan, "On it."))
    assert len(await house.rooms.channels()) == 1, "the process died here"
    await house.hub.resume()
    first = await house.log((await house.channel("Partner")).id)
    await house.hub.resume()
    assert await house.log((await house.channel("Partner")).id) == first
    assert house.mind.planned == [], "a plan that is logged is not asked for again"


async def test_words_without_an_answer_are_answered_at_the_next_start(open_house: OpenHouse) -> None:
    house = await open_house()
    await house.rooms.say(HUB, "act_owner", "One")
    await house.rooms.say(HUB, "act_owner", "Two")
    await house.hub.resume()
    await house.hub.resume()
    assert [request.wish for request in house.mind.planned] == ["One", "Two"]
    assert [m.text for m in await house.log(HUB, "text")] == ["One", "Two", "Noted.", "Noted."]


async def test_later_words_extend_and_close(house: House, partner: PlannedChannel, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(partner)]
    await house.say("Organise the fair")
    channel = await house.channel("Partner")
    press = PlannedChannel(key="press", name="Press", tier="external", participants=(), brief="Tell them.")
    house.mind.plans = [plan_of(partner, press)]
    await house.say("And tell the press")
    [there] = house.mind.planned[-1].channels
    assert (there.id, there.key, there.name, there.tier) == (channel.id, "partner", "Partner", "business_relation")
    names = [c.name for _, c in await house.rooms.channels()]
    assert names == ["Prime", "Partner", "Press"], "a channel that is open is not made twice"
    house.mind.plans = [plan_of(closing=(channel.id, "ch_hub", "ch_nowhere"))]
    await house.say("Stop talking to the partner")
    assert [c.name for _, c in await house.rooms.channels()] == ["Prime", "Press"]


async def test_a_change_is_told_as_far_as_the_tier_may_know_it(
    house: House, partner: PlannedChannel, plan_of: PlanOf
) -> None:
    house.mind.plans = [replace(plan_of(partner), aims={"deadline": "3 May"})]
    await house.say("Organise the fair on 3 May")
    channel = await house.channel("Partner")
    told = Telling(
        channel_id=channel.id, text="Changed: the date is now 5 May. Our margin is 40%.", facts={"date": "5 May"}
    )
    nowhere = Telling(channel_id="ch_nowhere", text="Changed: all of it.")
    house.mind.plans = [Plan(title="", summary="", words="Noted.", aims={"deadline": "5 May"}, telling=(told, nowhere))]
    await house.say("Make it two days later")
    assert house.mind.planned[-1].aims == {"deadline": "3 May"}
    [_, change] = await house.log(channel.id, "brief")
    assert change.text == "Changed: the date is now 5 May."
    held = [m for m in await house.log(channel.id, "system") if m.body.get("op") == "held_back"][-1]
    assert (held.audience, "40%" in held.text) == ("hub", True)
    await house.turn()
    assert {request.facts.get("date") for request in house.mind.replies} == {"5 May"}
    await house.hub.resume()
    assert len(await house.log(channel.id, "brief")) == 2, "told once"


async def test_two_messages_at_once_are_planned_one_after_the_other(
    house: House, partner: PlannedChannel, plan_of: PlanOf
) -> None:
    house.mind.plans = [plan_of(partner), plan_of(partner)]
    await house.hub.say("One")
    await house.hub.say("Two")
    await house.hub.settle()
    assert [len(request.channels) for request in house.mind.planned] == [0, 1]


async def test_everything_of_a_brief_may_be_held_back(house: House, plan_of: PlanOf) -> None:
    secret = PlannedChannel(
        key="x", name="Prospect", tier="external", participants=(), brief="Our margin is 40%.", facts={"margin": "40%"}
    )
    house.mind.plans = [plan_of(secret)]
    await house.say("Go")
    channel = await house.channel("Prospect")
    [brief] = await house.log(channel.id, "brief")
    assert brief.text == "Prospect"
    told = [(m.text, m.body) for m in await house.log(channel.id) if m.audience == "room"]
    assert "40" not in str(told)


async def test_a_mind_that_fails_leaves_a_word(house: House) -> None:
    async def plan(request: PlanRequest) -> Plan:
        raise Unavailable("The model is away.", hint="Try again.")

    house.mind.plan = plan
    said = await house.say("Go")
    [told] = [m for m in await house.log(HUB, "system") if said.id in m.sources]
    assert told.text == "The model is away. Try again."


def test_a_plan_trusts_an_agent_less_or_as_much_as_the_owner_does_never_more() -> None:
    channel = PlannedChannel(key="k", name="Scouts", tier="team", participants=(remote("A", "a"),), brief="b")
    assert sensible(_plan(channel), NOTHING_THERE, [known("a", "external")]).channels[0].tier == "external"
    lower = PlannedChannel(key="k", name="Scouts", tier="external", participants=(remote("A", "a"),), brief="b")
    assert sensible(_plan(lower), NOTHING_THERE, [known("a", "team")]).channels[0].tier == "external"


def test_each_remote_agent_has_a_channel_of_its_own_and_strangers_have_none() -> None:
    participants = (remote("A", "a"), remote("B", "b"), remote("C", "nobody"))
    channel = PlannedChannel(key="k", name="Scouts", tier="team", participants=participants, brief="b")
    made = sensible(_plan(channel), NOTHING_THERE, [known("a", "team"), known("b", "team")]).channels
    assert [(c.key, [p.name for p in c.participants]) for c in made] == [("k", ["A"]), ("k/b", ["B"])]


def test_names_are_plain_and_channels_few() -> None:
    odd = [
        PlannedChannel(key=f"k{n}", name="\u202e\x07 x" * 100, tier="team", participants=(), brief="b")
        for n in range(99)
    ]
    made = sensible(_plan(*odd), NOTHING_THERE, ()).channels
    assert len(made) == 24
    assert all(len(c.name) <= 120 and c.name.isprintable() for c in made)


def _plan(*channels: PlannedChannel) -> Plan:
    return Plan(title="", summary="", words="", channels=channels)


class _Nobody:
    async def agents(self, limit: int) -> Sequence[Reachable]:
        return ()

    async def invite(self, agent_id: str, channel_id: str) -> str:
        raise AssertionError


async def test_an_erased_wish_is_gone_from_everything_that_was_made_of_it(house: House, plan_of: PlanOf) -> None:
    secret = "Zanzibar"
    channel = PlannedChannel(
        key="k",
        name=f"{secret} desk",
        tier="team",
        participants=(PlannedParticipant(name=f"{secret} Airways", role="carrier"),),
        brief=f"Fly to {secret}.",
        facts={"place": secret},
    )
    house.mind.plans = [plan_of(channel, words=f"I look after {secret}.", aims={"place": secret})]
    house.mind.lines = {"Prime": ["Hello."]}
    said = await house.say(f"Plan a trip to {secret}")
    made = await house.channel(f"{secret} desk")
    noted = await house.say("Noted?")
    await house.turn()
    await house.store.erase([said.id], by="act_owner")
    everything = [m for m in await house.store.log.after(0, 1000) if secret in f"{m.text}{m.body}"]
    assert everything == []
    assert (await house.rooms.channel(made.id)).name == "Conversation"
    assert secret not in str(await house.rooms.actors())
    assert "Hello." in await house.spoken(made.id), "what others said is theirs"
    assert (await house.store.log.get(noted.id)).text == "Noted?"
    await house.turn()
    await house.store.projector.rebuild()
    assert (await house.rooms.channel(made.id)).name == "Conversation"


async def test_a_question_about_a_room_is_given_what_was_said_there(
    house: House, partner: PlannedChannel, plan_of: PlanOf
) -> None:
    house.mind.plans = [plan_of(partner)]
    await house.say("Organise the fair")
    channel = await house.channel("Partner")
    [other] = [member for member in channel.members if member not in {"act_owner", "act_prime"}]
    told = await house.rooms.say(channel.id, other, "The stand costs 900 EUR.")
    house.mind.plans = [Plan(title="", summary="", words="They said 900.", quoted=(told.id,))]
    await house.say("What did the partner say?")
    [there] = house.mind.planned[-1].channels
    assert [line.text for line in there.heard][-1] == "The stand costs 900 EUR."
    answer = (await house.log(HUB, "text"))[-1]
    assert told.id in answer.sources, "it is forgotten with what it quotes"
    house.mind.plans = []
    await house.say("How do you do?")
    assert not house.mind.planned[-1].channels[0].heard, "nothing is read of a room that nobody named"
