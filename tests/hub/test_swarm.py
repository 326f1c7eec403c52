"""Who speaks when, and what stops them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

import pytest
from tests.hub.conftest import House, OpenHouse, PlanOf

from prime.core.errors import Conflict, RateLimited
from prime.hub.connector import Absent, Answer, Connector, Context, Identity, Opener
from prime.hub.learning import OwnersAnswer
from prime.hub.pace import Pace
from prime.hub.swarm.state import MOST_TURNS, is_courtesy
from prime.hub.swarm.swarm import AT_ONCE
from prime.mind.jobs.judging import Judgement
from prime.mind.jobs.lines import Line, Usage
from prime.mind.jobs.planning import PlannedChannel, PlannedParticipant
from prime.mind.offline import OfflineMind
from prime.mind.present import PresentMind
from prime.mind.spend import Caps, SpendStopped
from prime.rooms.records import HUB, OWNER, PRIME, Actor
from prime.store.message import Message, NewMessage


class Played:
    """A participant that does what a test says."""

    def __init__(self, reply: Callable[[Context], Awaitable[Answer]]) -> None:
        self._reply = reply

    def identity(self) -> Identity:
        return Identity(name="Played", kind="agent", connector="played")

    async def reply(self, context: Context) -> Answer:
        return await self._reply(context)


def played(reply: Callable[[Context], Awaitable[Answer]]) -> Opener:
    def opener(_actor: Actor) -> Played:
        return Played(reply)

    return opener


def with_played(name: str = "Bo") -> PlannedChannel:
    participant = PlannedParticipant(name=name, role="", connector="played")
    return PlannedChannel(key="k", name="Work", tier="team", participants=(participant,), brief="Work on it.")


async def failures(house: House, channel_id: str) -> list[Message]:
    return [m for m in await house.log(channel_id, "system") if m.body.get("op") == "failed"]


# --- pausing ---


async def test_pausing_is_instant_and_says_why(open_house: OpenHouse, plan_of: PlanOf) -> None:
    speaking, ended = asyncio.Event(), asyncio.Event()

    async def slow(_context: Context) -> Answer:
        speaking.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return Answer(text="never heard")

    house = await open_house(played=played(slow))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.hub.swarm.tick()  # Prime has nothing to say
    tick = asyncio.create_task(house.hub.swarm.tick())
    await speaking.wait()
    await house.hub.swarm.pause("owner", "Paused by you.")
    await ended.wait()
    await tick
    state = await house.hub.swarm.state()
    assert (state.running, state.code, state.because) == (False, "owner", "Paused by you.")
    assert await house.spoken((await house.channel("Work")).id) == []
    assert await house.hub.swarm.tick() == 0
    await house.say("Still there?")
    assert not (await house.hub.swarm.state()).running, "a pause of the owner's own stays"
    await house.hub.swarm.resume()
    assert (await house.hub.swarm.state()).running


async def test_the_owners_own_pause_ends_only_where_they_say_so(house: House) -> None:
    await house.hub.swarm.pause("owner", "Paused by you.")
    await house.say("How much is the hall, so that we can go on?")
    assert (await house.hub.swarm.state()).code == "owner"
    await house.say("OK, please go on")
    assert (await house.hub.swarm.state()).running
    await house.hub.swarm.pause("owner", "Paused by you.")
    await house.say("继续吧")
    assert (await house.hub.swarm.state()).running


async def test_the_run_stops_by_itself_and_goes_on_at_the_owners_word(
    open_house: OpenHouse, partner: PlannedChannel, plan_of: PlanOf
) -> None:
    house = await open_house(Pace(autostop_ms=60_000))
    quiet: list[int] = []

    async def hook() -> None:
        quiet.append(house.clock.now_ms())

    house.hub.swarm.on_quiet.append(hook)
    house.mind.plans = [plan_of(partner)]
    house.mind.lines = {"Prime": ["one", "three"], "Maria": ["two"]}
    await house.say("Go")
    await house.turn(30)
    await house.turn(31)
    assert await house.hub.swarm.tick() == 0
    state = await house.hub.swarm.state()
    assert (state.running, state.code) == (False, "autostop")
    assert "60 seconds" in (state.because or "")
    assert len(quiet) == 1
    spoken = len(await house.spoken((await house.channel("Partner")).id))
    await house.say("Go on")
    assert (await house.hub.swarm.state()).running
    await house.turn()
    assert len(await house.spoken((await house.channel("Partner")).id)) > spoken


async def test_a_restart_does_not_forget_a_pause_or_the_length_of_a_run(
    open_house: OpenHouse, partner: PlannedChannel, plan_of: PlanOf
) -> None:
    first = await open_house(Pace(autostop_ms=60_000))
    first.mind.plans = [plan_of(partner)]
    await first.say("Go")
    first.clock.advance(61)
    await first.store.close()
    again = await open_house(Pace(autostop_ms=60_000))
    assert await again.hub.swarm.tick() == 0
    assert (await again.hub.swarm.state()).code == "autostop"


async def test_nothing_stops_before_there_is_a_war_room(open_house: OpenHouse) -> None:
    house = await open_house(Pace(autostop_ms=1_000))
    await house.say("Hello")
    house.clock.advance(5)
    await house.hub.swarm.tick()
    assert (await house.hub.swarm.state()).running


@pytest.mark.holds("D-HUB-13")
async def test_the_spend_guard_stops_everything_until_it_is_raised(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def spent(_context: Context) -> Answer:
        raise SpendStopped("The cap is reached.", hint="Raise it.")

    house = await open_house(played=played(spent), cap=0)
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.turn()
    await house.turn()
    state = await house.hub.swarm.state()
    assert (state.running, state.code) == (False, "spend")
    with pytest.raises(Conflict):
        await house.hub.swarm.resume()
    await house.say("Please go on")
    assert not (await house.hub.swarm.state()).running


@pytest.mark.holds("D-HUB-13")
async def test_the_owner_begins_a_new_count(open_house: OpenHouse, plan_of: PlanOf) -> None:
    house = await open_house(cap=1)
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.spend.allow_call()
    await house.hub.swarm.tick()
    assert (await house.hub.swarm.state()).code == "spend"
    with pytest.raises(Conflict):
        await house.hub.swarm.resume()
    await house.hub.swarm.resume(new_count=True)
    assert (await house.hub.swarm.state()).running
    assert (await house.spend.spent()).calls == 0


async def test_a_days_money_is_a_stop_of_its_own(open_house: OpenHouse, plan_of: PlanOf) -> None:
    house = await open_house(dollars=2)
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.hub.swarm.tick()
    await house.spend.record(Usage(requests=1, micro_dollars=2_100_000))
    await house.hub.swarm.tick()
    state = await house.hub.swarm.state()
    assert state.code == "spend"
    assert "$2" in (state.because or "")
    await house.say("And now?")
    assert not (await house.hub.swarm.state()).running
    house.clock.advance(24 * 3600)
    await house.say("Good morning")
    await house.hub.swarm.tick()
    assert (await house.hub.swarm.state()).running


async def test_a_day_that_is_spent_is_so_after_a_restart(open_house: OpenHouse, plan_of: PlanOf) -> None:
    house = await open_house(dollars=2)
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.spend.record(Usage(requests=1, micro_dollars=2_100_000))
    await house.hub.swarm.tick()
    await house.store.close()
    again = await open_house(dollars=2)  # has seen none of it being spent
    with pytest.raises(Conflict, match="nothing is left"):
        await again.hub.swarm.resume()


async def test_nothing_goes_on_before_it_is_known_which_mind_it_is(open_house: OpenHouse) -> None:
    """A restart: the engine is there at once, the model that has spent everything a few seconds later."""
    present = PresentMind("offline", OfflineMind)
    house = await open_house(cap=1, mind=present)
    await house.spend.allow_call()
    await house.hub.swarm.pause("spend", "Nothing is left.", by=PRIME)
    with pytest.raises(Conflict, match="nothing is left"):
        await house.hub.swarm.resume()
    await house.hub.swarm.hear_owner("hello")
    assert not (await house.hub.swarm.state()).running
    present.use(OfflineMind(), "PRIME_MODEL is offline.")
    await house.hub.swarm.resume()
    assert (await house.hub.swarm.state()).running


# --- turns ---


async def test_a_failing_agent_is_backed_off_longer_every_time(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def fails(_context: Context) -> Answer:
        raise RateLimited("Too often.", retryAfter=1)

    house = await open_house(played=played(fails))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    channel = await house.channel("Work")
    for _ in range(20):
        await house.turn(1)
    assert len(await failures(house, channel.id)) == 2, "not tried again on every tick"
    waits = [int(str(m.body["until"])) - m.ts for m in await failures(house, channel.id)]
    assert waits[1] == 2 * waits[0]
    cards = [card for _, card in await house.hub.feed()]
    assert [card.title for card in cards] == ["Bo could not answer"]
    assert "Too often." in cards[0].text


async def test_one_that_takes_a_message_and_says_nothing_is_told_after_a_minute(
    open_house: OpenHouse, plan_of: PlanOf
) -> None:
    """Once, however long it takes and whoever looks; after five minutes it has failed."""

    async def later(_context: Context) -> Answer:
        return Answer(later=True)

    house = await open_house(played=played(later))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.turn()
    await house.turn()

    async def told_after(seconds: float) -> list[str]:
        await house.turn(seconds)
        await house.turn(1)
        return [card.title for _, card in await house.hub.feed()]

    assert await told_after(30) == []
    assert await told_after(30) == ["Bo has not answered yet"]
    assert await told_after(120) == ["Bo has not answered yet"]
    assert sorted(await told_after(130)) == ["Bo could not answer", "Bo has not answered yet"]
    assert sorted(await told_after(90)) == ["Bo could not answer", "Bo has not answered yet"], "asked again, told once"


NONSENSE = (None, 5, Answer(text=cast("str", None)))
QUITTING = (SystemExit(3), BaseException("panic"), asyncio.CancelledError(), KeyboardInterrupt())


async def is_backed_off(house: House, plan_of: PlanOf) -> None:
    """Its first turn fails, and in the next it is not asked again."""
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.turn()
    await house.turn()
    [failed] = await failures(house, (await house.channel("Work")).id)
    assert failed.body["code"] == "connector_failed"


@pytest.mark.parametrize("wrong", [*NONSENSE, *QUITTING])
async def test_a_connector_that_answers_nonsense_or_quits_is_backed_off(
    open_house: OpenHouse, plan_of: PlanOf, wrong: object
) -> None:
    async def wrongly(_context: Context) -> Answer:
        if isinstance(wrong, BaseException):
            raise wrong
        return cast("Answer", wrong)

    house = await open_house(played=played(wrongly))
    await is_backed_off(house, plan_of)
    assert [card.title for _, card in await house.hub.feed()] == ["Bo could not answer"]
    assert (await house.hub.swarm.state()).running


async def test_a_connector_that_cancels_its_own_task_is_backed_off(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def gives_up(_context: Context) -> Answer:
        task = asyncio.current_task()
        assert task
        task.cancel()
        await asyncio.Event().wait()
        return Answer()

    house = await open_house(played=played(gives_up))
    await is_backed_off(house, plan_of)


async def test_one_that_quits_while_it_is_opened_is_backed_off(open_house: OpenHouse, plan_of: PlanOf) -> None:
    def quits(_actor: Actor) -> Connector:
        raise SystemExit(3)

    house = await open_house(played=quits)
    await is_backed_off(house, plan_of)


async def test_words_that_nobody_can_see_are_none(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def nothing(_context: Context) -> Answer:
        return Answer(text="\u200b\u2060 ")

    house = await open_house(played=played(nothing))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.turn()
    channel = await house.channel("Work")
    assert await house.spoken(channel.id) == []
    assert [m.body["op"] for m in await house.log(channel.id, "system")] == ["passed"]


async def test_a_connector_that_throws_is_somebody_elses_mistake(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def throws(_context: Context) -> Answer:
        raise ZeroDivisionError

    house = await open_house(played=played(throws))
    await is_backed_off(house, plan_of)
    assert (await house.hub.swarm.state()).running


async def test_what_is_absent_is_a_card_that_says_what_to_do(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def absent(_context: Context) -> Answer:
        raise Absent("builder is not installed.", hint="Install it with `make`.")

    house = await open_house(played=played(absent))
    unknown = PlannedParticipant(name="Zoe", role="", connector="carrier_pigeon")
    post = PlannedChannel(key="p", name="Post", tier="team", participants=(unknown,), brief="Write.")
    house.mind.plans = [plan_of(with_played(), post)]
    await house.say("Go")
    await house.turn()
    await house.turn()
    cards = {card.title: card.text for _, card in await house.hub.feed()}
    assert cards["Bo is not set up"] == "builder is not installed. Install it with `make`."
    assert "carrier_pigeon" in cards["Zoe is not set up"]


async def test_two_who_only_thank_each_other_are_stopped(
    house: House, partner: PlannedChannel, plan_of: PlanOf
) -> None:
    house.mind.plans = [plan_of(partner)]
    house.mind.answering = lambda request: f"Thank you{'!' * len(request.lines)}"
    await house.say("Go")
    for _ in range(12):
        await house.turn()
    channel = await house.channel("Partner")
    assert len(await house.spoken(channel.id)) == 3
    [card] = [card for _, card in await house.hub.feed()]
    assert card.text == "They only thank each other."
    await house.rooms.say(channel.id, "act_owner", "What about the price of the second stand?")
    await house.turn()
    assert len(await house.spoken(channel.id)) == 5, "the owner's word wakes it"


async def test_a_mind_that_loops_is_noticed(house: House, partner: PlannedChannel, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(partner)]
    house.mind.answering = lambda request: f"{request.speaker} offers the corner stand for 5,000."
    await house.say("Go")
    for _ in range(12):
        await house.turn()
    assert len(await house.spoken((await house.channel("Partner")).id)) == 4


async def test_nobody_talks_for_ever(house: House, partner: PlannedChannel, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(partner)]
    house.mind.answering = lambda request: f"Offer number {len(house.mind.replies)} for the corner stand."
    await house.say("Go")
    for _ in range(MOST_TURNS + 10):
        await house.turn()
    assert len(await house.spoken((await house.channel("Partner")).id)) == MOST_TURNS


async def test_a_pass_is_not_asked_for_again(house: House, partner: PlannedChannel, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(partner)]
    await house.say("Go")
    for _ in range(6):
        await house.turn()
    assert [request.speaker for request in house.mind.replies] == ["Prime", "Maria"]
    assert await house.hub.swarm.tick() == 0


async def test_managed_profiles_never_advance_by_themselves(house: House) -> None:
    actor = await house.rooms.add_actor("Ann", "human", "llm_generic")
    await house.rooms.create_channel(
        "Ann", kind="dm", tier="external", members=[actor.id], brief="A friend.", channel_id="ch_pp_tg_1"
    )
    await house.rooms.say("ch_pp_tg_1", actor.id, "Are you there?")
    await house.turn()
    await house.turn()
    assert await house.spoken("ch_pp_tg_1") == ["Are you there?"]
    assert house.mind.replies == []


async def test_members_answer_the_owner_in_a_channel_without_a_brief(house: House) -> None:
    ada = await house.rooms.add_actor("Ada", "agent", "llm_generic")
    contact = await house.rooms.add_actor("Cy", "human", "echo")
    channel = await house.rooms.create_channel("Talk", tier="team", members=[ada.id, contact.id])
    house.mind.lines = {"Ada": ["Hello to you.", "and on", "and on"]}
    await house.turn()
    assert await house.spoken(channel.id) == []
    await house.rooms.say(channel.id, "act_owner", "Hello Ada")
    for _ in range(5):
        await house.turn()
    assert await house.spoken(channel.id) == ["Hello Ada", "Hello to you."]


async def test_an_answer_that_comes_later_has_five_minutes(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def later(_context: Context) -> Answer:
        return Answer(later=True)

    house = await open_house(played=played(later))
    house.mind.plans = [plan_of(with_played())]
    house.mind.lines = {"Prime": ["Please look."]}
    await house.say("Go")
    channel = await house.channel("Work")
    for _ in range(4):
        await house.turn()
    assert await failures(house, channel.id) == []
    house.clock.advance(300)
    await house.turn()
    [failed] = await failures(house, channel.id)
    assert failed.body["code"] == "timed_out"


async def test_an_answer_that_was_quicker_than_its_request_is_not_awaited(
    open_house: OpenHouse, plan_of: PlanOf
) -> None:
    async def quick(context: Context) -> Answer:
        await house.rooms.say(context.channel_id, context.actor_id, "Here it is.")
        return Answer(later=True)

    house = await open_house(played=played(quick))
    house.mind.plans = [plan_of(with_played())]
    house.mind.lines = {"Prime": ["Please look."]}
    await house.say("Go")
    channel = await house.channel("Work")
    for _ in range(3):
        await house.turn()
    house.clock.advance(300)
    await house.turn()
    assert "Here it is." in await house.spoken(channel.id)
    assert await failures(house, channel.id) == []


async def test_channels_advance_at_once_within_a_bound(open_house: OpenHouse, plan_of: PlanOf) -> None:
    now, most, full = 0, 0, asyncio.Event()

    async def count(_context: Context) -> Answer:
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == AT_ONCE:
            full.set()
        await full.wait()
        now -= 1
        return Answer(text="done")

    house = await open_house(played=played(count))
    bo = PlannedParticipant(name="Bo", role="", connector="played")
    house.mind.plans = [
        plan_of(*(
            PlannedChannel(key=f"k{n}", name=f"Work {n}", tier="team", participants=(bo,), brief="b") for n in range(20)
        ))
    ]  # fmt: skip
    await house.say("Go")
    await house.turn()
    assert await house.hub.swarm.tick() == 20
    assert most == AT_ONCE


async def test_two_processes_drive_a_channel_one_at_a_time(
    open_house: OpenHouse, plan_of: PlanOf, postgresql_url: str
) -> None:
    spoke: list[str] = []

    async def slowly(context: Context) -> Answer:
        spoke.append(context.channel_id)
        await asyncio.sleep(0.05)
        return Answer(text=f"said {len(spoke)}")

    one = await open_house(url=postgresql_url, played=played(slowly))
    two = await open_house(url=postgresql_url, played=played(slowly))
    one.mind.plans = [plan_of(with_played())]
    await one.say("Go")
    await one.hub.swarm.tick()
    await asyncio.gather(one.hub.swarm.tick(), two.hub.swarm.tick())
    assert len(spoke) == 1
    assert len(await one.spoken((await one.channel("Work")).id)) == 1


async def test_an_answer_under_a_lost_lease_is_not_logged(
    open_house: OpenHouse, plan_of: PlanOf, postgresql_url: str
) -> None:
    house = await open_house(url=postgresql_url)
    other = await open_house(url=postgresql_url)

    async def loses(context: Context) -> Answer:
        lease = await house.store.leases.acquire(f"channel/{context.channel_id}", 0)
        assert lease
        await house.store.leases.release(lease)
        assert await other.store.leases.acquire(f"channel/{context.channel_id}", 60_000)
        return Answer(text="too late")

    third = await open_house(url=postgresql_url, played=played(loses))
    third.mind.plans = [plan_of(with_played())]
    # The same holder, so that the test can let its lease go.
    third.store.leases.holder = house.store.leases.holder
    await third.say("Go")
    await third.hub.swarm.tick()
    await third.hub.swarm.tick()
    assert await third.spoken((await third.channel("Work")).id) == []


async def test_an_answer_resumes_what_stopped_by_itself(
    open_house: OpenHouse,
    partner: PlannedChannel,
    plan_of: PlanOf,
    ask: Callable[..., Callable[[Line], Judgement | None]],
) -> None:
    house = await open_house(Pace(autostop_ms=60_000))
    house.mind.plans = [plan_of(partner)]
    house.mind.verdicts = ask()
    house.mind.lines = {"Prime": ["Hello.", "Good."], "Maria": ["Shall I reserve it?"]}
    await house.say("Go")
    await house.turn()
    await house.turn()
    [question] = await house.questions.waiting()
    house.clock.advance(100)
    await house.hub.swarm.tick()
    assert not (await house.hub.swarm.state()).running
    await house.hub.answer(question.id, OwnersAnswer(choice="yes"))
    assert (await house.hub.swarm.state()).running
    await house.turn()
    assert (await house.spoken((await house.channel("Partner")).id))[-1] == "Good."


async def test_words_that_are_being_written_are_heard(open_house: OpenHouse, plan_of: PlanOf) -> None:
    async def builds(context: Context) -> Answer:
        context.progress("half ")
        context.progress("done")
        return Answer(text="half done")

    house = await open_house(played=played(builds))
    heard: list[str] = []
    house.hub.listeners.append(lambda words: heard.append(words.text))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.turn()
    await house.turn()
    assert heard == ["half ", "done"]


@pytest.mark.parametrize(
    "text", ["Thank you so much!", "You're welcome, have a great day.", "谢谢！", "好的，谢谢你", "Thanks again :)"]
)
def test_courtesies(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    ["Thank you, the price is 5,000.", "Thanks, but when?", "We deliver the lamps in May.", "谢谢，价格是多少？"],
)
def test_words_that_say_something_are_no_courtesies(text: str) -> None:
    assert not is_courtesy(text)


async def test_the_hub_room_is_nobodys_to_drive(house: House) -> None:
    await house.store.log.append(NewMessage(channel_id=HUB, actor_id="act_prime", kind="brief", text="b"))
    assert await house.hub.swarm.tick() == 0


# --- work images ---


async def test_a_result_comes_with_a_picture_as_long_as_the_cap_allows(open_house: OpenHouse, plan_of: PlanOf) -> None:
    house = await open_house()
    house.mind.name = "offline"
    await house.spend.allow_image()
    house.spend.caps = Caps(400, 2)
    team = [
        PlannedChannel(
            key=name,
            name=name,
            tier="team",
            participants=(PlannedParticipant(name=f"Maria {name}", role="planner"),),
            brief="Work.",
        )
        for name in ("One", "Two")
    ]
    house.mind.plans = [plan_of(*team)]
    house_lines = {
        "One": ["The first version is ready: the hall is 900 EUR, the food 400 EUR.", "It is ready."],
        "Two": ["The list is done."],
    }
    house.mind.lines = {f"Maria {name}": list(lines) for name, lines in house_lines.items()}
    await house.say("Go")
    for _ in range(6):
        await house.turn()
        house.mind.lines["Prime"] = ["Go on, please."]
    said = {name: await house.log((await house.channel(name)).id, "text") for name in ("One", "Two")}
    pictured = [(name, m) for name, log in said.items() for m in log if m.body.get("attachmentIds")]
    assert len(pictured) == 1, "the cap was reached by whoever was first"
    [(name, message)] = pictured
    [attachment_id] = cast("list[str]", message.body["attachmentIds"])
    attachment = await house.store.attachments.get(attachment_id)
    assert (attachment.name, attachment.mime_type) == (f"{name}.png", "image/png")
    for name, log in said.items():
        words = [m.text for m in log if m.actor_id != "act_prime"]
        assert words == house_lines[name][: len(words)] and words, "the words came all the same"  # noqa: PT018


async def test_what_is_said_belongs_to_the_channels_course(house: House) -> None:
    actor = await house.rooms.add_actor("Maria", "agent", "llm_generic")
    channel = await house.rooms.create_channel("Hall", tier="team", members=[actor.id], brief="Agree on a hall.")
    house.mind.lines = {"Maria": ["One.", "Two."], "Prime": ["Go on."]}
    await house.turn()
    await house.rooms.begin_course(channel.id)
    await house.rooms.say(channel.id, OWNER, "And the second hall?")
    for _ in range(3):
        await house.turn()
    assert [(m.text, m.course) for m in await house.log(channel.id, "text")] == [
        ("Go on.", 1), ("And the second hall?", 2), ("One.", 2)
    ]  # fmt: skip
    assert {m.course for m in (await house.log(channel.id, "system"))[-2:]} == {2}, "what became of the turns, too"


@pytest.mark.parametrize("answers", [True, False])
async def test_who_does_not_let_themselves_be_stopped_is_not_heard_after_a_pause(
    open_house: OpenHouse, plan_of: PlanOf, answers: bool
) -> None:
    speaking = asyncio.Event()

    async def stubborn(_context: Context) -> Answer:
        speaking.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if answers:
                return Answer(text="I speak all the same.")
            raise RuntimeError("How dare you?") from None
        raise AssertionError

    house = await open_house(played=played(stubborn))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.hub.swarm.tick()  # Prime has nothing to say
    tick = asyncio.create_task(house.hub.swarm.tick())
    await speaking.wait()
    await house.hub.swarm.pause("owner", "Paused by you.")
    await tick
    channel = await house.channel("Work")
    assert await house.spoken(channel.id) == []
    assert await failures(house, channel.id) == [], "it was stopped, and did nothing wrong"


async def test_an_answer_that_comes_at_the_moment_of_a_pause_is_not_heard(
    open_house: OpenHouse, plan_of: PlanOf
) -> None:
    async def at_the_last_moment(context: Context) -> Answer:
        house.hub.swarm.drop(context.channel_id)  # as a pause does
        return Answer(text="Said after the pause.")

    house = await open_house(played=played(at_the_last_moment))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.hub.swarm.tick()  # Prime has nothing to say
    await house.hub.swarm.tick()
    assert await house.spoken((await house.channel("Work")).id) == []


async def test_a_pause_holds_for_a_tick_that_had_begun_before_it(open_house: OpenHouse, plan_of: PlanOf) -> None:
    """The tick has looked whether the swarm runs, and only then the owner pauses it."""
    pausing = False

    async def pace() -> Pace:
        if pausing:
            await house.hub.swarm.pause("owner", "Paused by you.")
        return Pace(autostop_ms=0)

    async def quick(_context: Context) -> Answer:
        return Answer(text="Said after the pause.")

    house = await open_house(pace, played=played(quick))
    house.mind.plans = [plan_of(with_played())]
    await house.say("Go")
    await house.hub.swarm.tick()  # Prime has nothing to say
    pausing = True
    await house.hub.swarm.tick()
    assert not (await house.hub.swarm.state()).running
    assert await house.spoken((await house.channel("Work")).id) == []
