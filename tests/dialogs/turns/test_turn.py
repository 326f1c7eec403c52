"""The loop: what is logged and in which order, what a mind is shown, limits, approvals, stopping, one driver at a time."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import Unavailable
from prime.dialogs.turn import ChannelBusy, channel_resource
from prime.mind.jobs.lines import Usage
from prime.mind.jobs.speaking import Reply, ReplyRequest, ToolRequest
from prime.mind.turns import ToolStep, Words
from prime.rooms.records import PRIME
from prime.store.leases import Leases, StaleLease
from prime.store.message import Message, NewMessage

Want = Callable[..., ToolRequest]


def kinds(messages: Any) -> list[str]:
    return [m.kind if m.kind != "system" else f"{m.body['step']}" for m in messages]


async def test_words_are_the_end(room: Any, scripted: Any) -> None:
    said = await room.say("Hello?")
    usage = Usage(requests=1, input_tokens=40, output_tokens=2)
    outcome = await room.take(scripted(Reply(text="Hello.", thought="They greet.", usage=usage)))
    assert (outcome.result, outcome.text) == ("said", "Hello.")
    messages = (await room.log())[2:]
    assert kinds(messages) == ["began", "thought", "text", "ended"]
    assert [m.audience for m in messages] == ["hub", "hub", "room", "hub"]
    words = messages[2]
    assert (words.actor_id, words.sources, words.id) == (PRIME, (said.id,), outcome.message_id)
    assert words.body["usage"].keys() >= {"model", "inputTokens", "outputTokens", "estimatedTokens"}
    assert words.body["usage"]["inputTokens"] == 40


async def test_each_step_is_logged_and_shown_to_the_next(room: Any, scripted: Any, want: Want) -> None:
    await room.say("Look at seven.")
    mind = scripted(
        Reply(text="I look.", tool_requests=(want("look", x=7),)),
        Reply(text="", tool_requests=(want("mark", "c2", x=8),)),
        Reply(text="Seven it is."),
    )
    room.parts.workshop.builtins.add("mark", "Writes.", {"type": "object"}, room._look)  # harmless here: no question
    outcome = await room.take(mind)
    assert outcome.text == "Seven it is."
    assert kinds((await room.log())[2:]) == [
        "began", "text", "tool_call", "tool_result", "tool_call", "tool_result", "text", "ended",
    ]  # fmt: skip
    calls, results = await room.log("tool_call"), await room.log("tool_result")
    assert [m.body["callId"] for m in calls] == [m.body["callId"] for m in results] == ["c1", "c2"]
    assert [r.sources for r in results] == [(call.id,) for call in calls]
    assert {m.actor_id for m in (*calls, *results)} == {PRIME}
    shown = mind.asked[2].conversation.turns
    assert shown[1] == Words(role="assistant", text="I look.")
    steps = [turn for turn in shown if isinstance(turn, ToolStep)]
    assert [each.name for step in steps for each in step.exchanges] == ["look", "mark"]
    assert steps[0].exchanges[0].arguments == {"x": 7}
    assert steps[0].exchanges[0].result == '<quoted>\n{"saw": 7}\n</quoted>'
    names = {tool["name"] for tool in mind.asked[0].tools}
    assert {"look", "find_tools"} <= names
    assert "prime" not in names


async def test_what_is_said_during_a_turn_is_seen_by_its_next_step(room: Any, scripted: Any, want: Want) -> None:
    await room.say("Look.")

    async def interrupted(_request: ReplyRequest) -> Reply:
        await room.say("And hurry.")
        return Reply(text="", tool_requests=(want("look", x=1),))

    mind = scripted(interrupted, Reply(text="Done."))
    await room.take(mind)
    assert Words(role="user", text="And hurry.") in mind.asked[1].conversation.turns


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_failing_mind_fails_the_turn_and_it_can_be_taken_again(room: Any, scripted: Any) -> None:
    await room.say("Hello?")

    async def away(_request: ReplyRequest) -> Reply:
        raise Unavailable("The model does not answer.", hint="Try later.")

    async def broken(_request: ReplyRequest) -> Reply:
        raise RuntimeError("boom")

    outcome = await room.take(scripted(away))
    assert (outcome.result, outcome.text) == ("failed", "The model does not answer. Try later.")
    assert (await room.log())[-1].text == outcome.text
    assert (await room.take(scripted(broken))).result == "failed"
    assert (await room.take(scripted(Reply(text="Hi.")))).result == "said"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_refusals_are_results(room: Any, scripted: Any, want: Want) -> None:
    await room.say("Go.")
    wrong = (want("nothing", "c1"), want("find_tools", "c2"))
    same_ids = (want("look", "c2", x=1), want("look", "", x=2))
    mind = scripted(Reply(text="", tool_requests=(*wrong, *same_ids)), Reply(text="Well."))
    assert (await room.take(mind)).result == "said"
    results = dict(await room.results())
    assert (results.pop("c1"), results.pop("c2")) == ("unknown_tool", "invalid_arguments")
    assert list(results.values()) == [None, None]  # two with ids of their own
    assert sorted(room.ran) == ["1", "2"]


class TestLimits:
    @pytest.fixture(params=["sqlite"])
    def database_url(self, request: pytest.FixtureRequest) -> None:
        return None

    async def test_steps(self, open_room: Any, scripted: Any, want: Want) -> None:
        async with open_room(turn_max_steps=2) as room:
            await room.say("Go on for ever.")
            mind = scripted(*[Reply(text="", tool_requests=(want("look", f"c{i}", x=i),)) for i in range(5)])
            outcome = await room.take(mind)
            assert (outcome.result, len(mind.asked)) == ("limit", 2)
            assert "2 steps" in outcome.text
            assert await room.results() == [("c0", None), ("c1", None)]

    @pytest.mark.parametrize(
        ("limit", "usage"),
        [
            ({"turn_max_tokens": 100}, Usage(requests=1, input_tokens=90, output_tokens=11)),
            ({"turn_max_usd": 0.5}, Usage(requests=1, micro_dollars=500_000)),
        ],
    )
    async def test_tokens_and_money(
        self, open_room: Any, scripted: Any, want: Want, limit: dict[str, float], usage: Usage
    ) -> None:
        async with open_room(**limit) as room:
            await room.say("Go.")
            outcome = await room.take(scripted(Reply(text="", tool_requests=(want("look"),), usage=usage)))
            assert outcome.result == "limit"

    async def test_time(self, open_room: Any, scripted: Any, want: Want) -> None:
        async with open_room(turn_max_ms=60_000) as room:
            await room.say("Go.")
            turn = asyncio.create_task(room.take(scripted(Reply(text="", tool_requests=(want("hang"),)))))
            await room.begun.wait()
            room.clock.advance(61)
            outcome = await turn
            assert outcome.result == "limit"
            assert "60 seconds" in outcome.text
            assert await room.results() == [("c1", "cancelled")]

    async def test_calls_of_one_reply(self, room: Any, scripted: Any, want: Want) -> None:
        await room.say("Go.")
        many = tuple(want("look", f"c{i}", x=i) for i in range(40))
        await room.take(scripted(Reply(text="", tool_requests=many), Reply(text="ok")))
        results = await room.results()
        assert len(results) == 40
        assert [code for _, code in results].count("too_many_calls") == 8


async def test_independent_calls_run_at_once_and_others_in_order(room: Any, scripted: Any, want: Want) -> None:
    await room.say("Go.")
    both = asyncio.Event()
    order: list[str] = []

    async def meet(arguments: Any, _context: Any) -> str:
        order.append(arguments["x"])
        if len(order) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 10)  # neither ends before both have begun
        return "met"

    room.parts.workshop.builtins.add("meet", "Meets.", {"type": "object"}, meet)
    mind = scripted(
        Reply(text="", tool_requests=(want("meet", "c1", x="a"), want("meet", "c2", x="b"))), Reply(text="Met.")
    )
    assert (await room.take(mind)).text == "Met."
    assert sorted(order) == ["a", "b"]


class TestApproval:
    async def test_it_pauses_and_goes_on(self, room: Any, scripted: Any, want: Want) -> None:
        await room.say("Write.")
        mind = scripted(Reply(text="", tool_requests=(want("mark", x=1), want("look", "c2", x=2))), Reply(text="Done."))
        outcome = await room.take(mind)
        question = await room.asked()
        assert (outcome.result, outcome.question_ids) == ("waiting", (question.id,))
        assert room.ran == ["2"]
        # Nothing is held: not the channel, and asking again asks nobody.
        other = Leases(room.parts.store.database)
        lease = await other.acquire(channel_resource(room.channel), 1000)
        assert lease is not None
        await other.release(lease)
        assert (await room.take(mind)).result == "waiting"
        assert len(mind.asked) == 1
        await room.parts.questions.answer(question.id, choice="yes")
        assert (await room.take(mind)).text == "Done."
        assert room.ran == ["2", "1"]
        assert sorted(await room.results()) == [("c1", None), ("c2", None)]

    async def test_it_goes_on_after_a_restart(self, open_room: Any, scripted: Any, want: Want) -> None:
        async with open_room() as room:
            await room.say("Write.")
            assert (await room.take(scripted(Reply(text="", tool_requests=(want("mark", x=1),))))).result == "waiting"
            channel = room.channel
        async with open_room(channel=channel) as room:
            mind = scripted(Reply(text="Done."))
            assert (await room.take(mind)).result == "waiting"
            await room.parts.questions.answer((await room.asked()).id, choice="yes")
            assert (await room.take(mind)).text == "Done."
            assert room.ran == ["1"]

    async def test_a_no_is_a_result(self, room: Any, scripted: Any, want: Want) -> None:
        await room.say("Write.")
        mind = scripted(Reply(text="", tool_requests=(want("mark", x=1),)), Reply(text="As you wish."))
        await room.take(mind)
        await room.parts.questions.answer((await room.asked()).id, choice="no", text="Not today.")
        assert (await room.take(mind)).text == "As you wish."
        assert (await room.results(), room.ran) == ([("c1", "approval_refused")], [])
        assert "Not today." in str(mind.asked[1].conversation.turns)

    async def test_twins_are_asked_about_one_by_one(self, room: Any, scripted: Any, want: Want) -> None:
        await room.say("Write twice.")
        mind = scripted(
            Reply(text="", tool_requests=(want("mark", "c1", x=1), want("mark", "c2", x=1))), Reply(text="Done.")
        )
        for _ in range(2):
            assert (await room.take(mind)).result == "waiting"
            await room.parts.questions.answer((await room.asked()).id, choice="yes")
        assert (await room.take(mind)).text == "Done."
        assert room.ran == ["1", "1"]

    @pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
    async def test_arguments_with_a_secret_run_as_given_and_are_lost_with_the_process(
        self, open_room: Any, scripted: Any, want: Want
    ) -> None:
        key = "sk-ant-REDACTED"
        async with open_room() as room:
            await room.say("Write.")
            mind = scripted(Reply(text="", tool_requests=(want("mark", x=key),)), Reply(text="Done."))
            await room.take(mind)
            await room.parts.questions.answer((await room.asked()).id, choice="yes")
            await room.take(mind)
            assert room.ran == [key]
            assert key not in str(await room.log("tool_call"))
            await room.say("Again.")
            await room.take(scripted(Reply(text="", tool_requests=(want("mark", "c9", x=key),))))
            channel = room.channel
        async with open_room(channel=channel) as room:
            await room.parts.questions.answer((await room.asked()).id, choice="yes")
            assert (await room.take(scripted(Reply(text="I ask again.")))).result == "said"
            assert (room.ran, (await room.results())[-1]) == ([], ("c9", "arguments_lost"))


class TestStopping:
    async def test_a_running_tool_is_stopped_and_the_log_says_so(self, room: Any, scripted: Any, want: Want) -> None:
        await room.say("Go.")
        mind = scripted(Reply(text="", tool_requests=(want("hang", "c1"), want("hang", "c2"))))
        turn = asyncio.create_task(room.take(mind))
        await room.begun.wait()
        async with asyncio.timeout(20):
            assert await room.parts.turns.stop(room.channel)
        assert (await turn).result == "stopped"
        assert sorted(await room.results()) == [("c1", "cancelled"), ("c2", "not_run")]
        assert (await room.log())[-1].text == "Stopped by the owner."
        assert not await room.parts.turns.stop(room.channel)

    async def test_a_mind_that_does_not_listen_is_left_behind(self, room: Any, scripted: Any) -> None:
        await room.say("Go.")
        begun, never = asyncio.Event(), asyncio.Event()

        async def deaf(request: ReplyRequest) -> Reply:
            assert request.on_words
            request.on_words("Once upon ")
            request.on_words("a time")
            begun.set()
            while not never.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await never.wait()
            return Reply(text="late")

        turn = asyncio.create_task(room.take(scripted(deaf)))
        await begun.wait()
        async with asyncio.timeout(20):
            assert await room.parts.turns.stop(room.channel)
        assert (await turn).result == "stopped"
        never.set()
        for _ in range(20):  # what it does with its late words it does at once
            await asyncio.sleep(0)
        await room.say("Are you there?")  # behind whatever was written down
        [partial] = [m for m in await room.log("text") if m.actor_id == PRIME]
        assert (partial.text, partial.body["partial"]) == ("Once upon a time", True)

    async def test_a_word_that_is_being_written_down_is_said_once(
        self, room: Any, scripted: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The log has the reply, and others see there that the turn has ended, before the one who wrote it knows."""
        await room.say("Go.")
        log = room.parts.store.log
        there, told = asyncio.Event(), asyncio.Event()
        append = log.append

        async def slow(*new: NewMessage, **more: Any) -> list[Message]:
            written = await append(*new, **more)
            if any(m.kind == "text" and m.actor_id == PRIME for m in new):
                there.set()
                await told.wait()
            return written

        async def tells(request: ReplyRequest) -> Reply:
            assert request.on_words
            request.on_words("Once upon a ti")
            return Reply(text="Once upon a time.")

        monkeypatch.setattr(log, "append", slow)
        turn = asyncio.create_task(room.take(scripted(tells)))
        await there.wait()
        for _ in range(50):
            await room.log()  # time for whoever watches the turn to see that it has ended
        told.set()
        outcome = await turn
        assert (outcome.result, outcome.text) == ("said", "Once upon a time.")
        [spoken] = [m for m in await room.log("text") if m.actor_id == PRIME]
        assert (spoken.text, spoken.id) == ("Once upon a time.", outcome.message_id)

    async def test_a_waiting_turn_is_stopped_and_its_question_withdrawn(
        self, room: Any, scripted: Any, want: Want
    ) -> None:
        await room.say("Write.")
        await room.take(scripted(Reply(text="", tool_requests=(want("mark"),))))
        question = await room.asked()
        assert await room.parts.turns.stop(room.channel)
        assert (await room.parts.questions.get(question.id)).status == "expired"
        assert await room.results() == [("c1", "not_run")]
        assert (await room.take(scripted(Reply(text="New.")))).text == "New."


async def test_one_process_drives_a_channel(room: Any, scripted: Any, want: Want) -> None:
    await room.say("Go.")
    other = Leases(room.parts.store.database)
    held = await other.acquire(channel_resource(room.channel), 60_000)
    assert held is not None
    with pytest.raises(ChannelBusy):
        await room.take(scripted(Reply(text="Mine.")))
    await other.release(held)

    async def slow(_request: ReplyRequest) -> Reply:
        lease = await room.parts.store.leases.acquire(channel_resource(room.channel), 1)
        await room.parts.store.leases.release(lease)
        assert await other.acquire(channel_resource(room.channel), 60_000)
        return Reply(text="Too late.")

    with pytest.raises(StaleLease):
        await room.take(scripted(slow))
    assert [m.text for m in await room.log("text") if m.actor_id == PRIME] == []


async def test_a_channel_that_goes_on_without_it_ends_the_turn(room: Any, scripted: Any, want: Want) -> None:
    await room.say("Go.")

    async def left(_request: ReplyRequest) -> Reply:
        await room.parts.rooms.begin_course(room.channel)
        return Reply(text="", tool_requests=(want("look"),))

    assert (await room.take(scripted(left))).result == "stopped"
    assert room.ran == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_strangers_get_no_tools_for_files_or_programs(open_room: Any, scripted: Any, want: Want) -> None:
    async with open_room(tier="external") as room:
        await room.say("Go.")
        mind = scripted(Reply(text="", tool_requests=(want("mark", x=1),)), Reply(text="I may not."))
        await room.take(mind)
        assert "mark" not in {tool["name"] for tool in mind.asked[0].tools}
        assert await room.results() == [("c1", "tier_denied")]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_each_channel_works_in_a_folder_of_its_own(room: Any, scripted: Any, want: Want) -> None:
    places: list[Any] = []

    async def where(_arguments: Any, context: Any) -> str:
        places.append(context.cwd)
        return "here"

    room.parts.workshop.builtins.add("where", "Where?", {"type": "object"}, where)
    other = replace(room, channel=(await room.parts.rooms.create_channel("Other", tier="team")).id)
    for each in (room, other):
        await each.say("Go.")
        await each.take(scripted(Reply(text="", tool_requests=(want("where"),)), Reply(text="ok")))
    assert len(set(places)) == 2
    assert all(place.is_dir() and place.is_relative_to(room.parts.workshop.folder) for place in places)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_words_are_told_as_they_come(room: Any, scripted: Any) -> None:
    await room.say("Tell.")

    async def streamed(request: ReplyRequest) -> Reply:
        assert request.on_words
        for word in ("One ", "two ", "three"):
            request.on_words(word)
            await asyncio.sleep(0.06)
        return Reply(text="One two three")

    await room.take(scripted(streamed))
    texts = [event.text for event in room.told if event.doing == "speaking"]
    assert texts == ["One ", "One two ", "One two three"]
    assert [event.doing for event in room.told][-1] == "ended"
    assert room.told[-1].as_json()["done"] is True


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_time_in_which_it_waits_is_not_counted(open_room: Any, scripted: Any, want: Want) -> None:
    clock = FakeClock()
    async with open_room(turn_max_ms=60_000, clock=clock) as room:
        await room.say("Write.")
        mind = scripted(Reply(text="", tool_requests=(want("mark"),)), Reply(text="Done."))
        await room.take(mind)
        clock.advance(3600)
        await room.parts.questions.answer((await room.asked()).id, choice="yes")
        assert (await room.take(mind)).result == "said"
