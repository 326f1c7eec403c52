"""Dialogs that answer by themselves, over the HTTP API and `/events`."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from prime.core.errors import Unavailable
from prime.dialogs.turn import NothingDue
from prime.mind.jobs.speaking import Reply, ReplyRequest, ToolRequest
from prime.rooms.records import PRIME
from prime.store.message import Message

Want = Callable[..., ToolRequest]
pytestmark = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)


async def ended(room: Any, *outcomes: str) -> Any:
    """The channel's messages when its turns have ended like this."""

    def so(messages: Sequence[Message]) -> bool:
        return [m.body["outcome"] for m in messages if m.body.get("step") == "ended"] == list(outcomes)

    return await room.until(so)


async def dialog(room: Any, **more: Any) -> str:
    given = {"name": "Talk", "tier": "team", "members": [PRIME]} | more
    made = await room.http.post("/api/channels", json=given)
    assert made.status_code == 201, made.text
    room.channel = made.json()["id"]
    return room.channel


async def post(room: Any, path: str, body: Any = None, status: int = 200) -> Any:
    response = await room.http.post(f"/api/channels/{room.channel}/{path}", json=body or {})
    assert response.status_code == status, response.text
    return response.json()


async def test_prime_answers_what_the_owner_says_in_a_dialog(room: Any) -> None:
    await dialog(room)
    await post(room, "messages", {"text": "Hello?"}, 201)
    messages = await ended(room, "said")
    assert [m.actor_id for m in messages if m.kind == "text"] == ["act_owner", PRIME]
    await post(room, "messages", {"text": "And again?"}, 201)
    messages = await ended(room, "said", "said")
    assert len([m for m in messages if m.kind == "text"]) == 4


async def test_an_agent_of_this_house_answers_and_others_do_not(room: Any, scripted: Any) -> None:
    made = {}
    for name, connector in (("Own", "llm_generic"), ("Far", "prime_message")):
        body = {"name": name, "kind": "agent", "connector": connector}
        made[name] = (await room.http.post("/api/actors", json=body)).json()["id"]
    room.parts.hub.mind = mind = scripted(Reply(text="Here."))
    await dialog(room, members=[made["Far"]])
    await post(room, "messages", {"text": "Far?"}, 201)
    await dialog(room, members=[made["Own"]])
    await post(room, "messages", {"text": "Own?"}, 201)
    messages = await ended(room, "said")
    assert [m.actor_id for m in messages if m.kind == "text"] == ["act_owner", made["Own"]]
    assert len(mind.asked) == 1


async def test_a_channel_without_a_dialog_stays_silent(room: Any, scripted: Any) -> None:
    room.parts.hub.mind = mind = scripted(Reply(text="No."), Reply(text="Yes."))
    person = await room.parts.rooms.add_actor("Ana", "human", "echo")
    await room.parts.rooms.join(room.channel, person.id)
    await room.say("Nobody is asked.")  # a channel that the hub made, with somebody in it to whom this is said
    await dialog(room)
    mind.replies.pop(0)
    await post(room, "messages", {"text": "Somebody is."}, 201)
    await ended(room, "said")
    assert len(mind.asked) == 1


async def test_what_is_said_at_the_last_words_is_answered_next(room: Any, scripted: Any) -> None:
    async def while_speaking(_request: ReplyRequest) -> Reply:
        await room.say("One more thing.")
        return Reply(text="First answer.")

    room.parts.hub.mind = mind = scripted(while_speaking, Reply(text="Second answer."))
    await dialog(room)
    await post(room, "messages", {"text": "Hello?"}, 201)
    await ended(room, "said", "said")
    assert mind.asked[1].conversation.turns[-2].text == "One more thing."


async def test_a_yes_lets_it_go_on(room: Any, scripted: Any, want: Want) -> None:
    room.parts.hub.mind = scripted(Reply(text="", tool_requests=(want("mark", x=1),)), Reply(text="Written."))
    await dialog(room)
    await post(room, "messages", {"text": "Write."}, 201)
    question = await room.asked()
    answered = await room.http.post(f"/api/questions/{question.id}/answer", json={"choice": "yes"})
    assert answered.status_code == 200
    messages = await ended(room, "said")
    assert (room.ran, messages[-2].text) == (["1"], "Written.")


async def test_what_was_said_before_a_crash_is_answered_after_it(open_room: Any, scripted: Any) -> None:
    begun = asyncio.Event()

    async def for_ever(_request: ReplyRequest) -> Reply:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with open_room() as room:
        room.parts.hub.mind = scripted(for_ever)
        channel = await dialog(room)
        await post(room, "messages", {"text": "Hello?"}, 201)
        await begun.wait()
    async with open_room(channel=channel) as room:
        messages = await ended(room, "said")
        assert len([m for m in messages if m.body.get("step") == "began"]) == 1


async def test_stop_and_retry(room: Any, scripted: Any, want: Want) -> None:
    room.parts.hub.mind = mind = scripted(Reply(text="", tool_requests=(want("hang"),)), Reply(text="Better."))
    await dialog(room)
    assert await post(room, "stop") == {"stopped": False}
    assert (await post(room, "retry", status=409))["error"]["code"] == "nothing_to_retry"
    await post(room, "messages", {"text": "Go."}, 201)
    await room.begun.wait()
    assert (await post(room, "retry", status=409))["error"]["code"] == "nothing_to_retry"
    async with asyncio.timeout(20):  # it would hang for ever; how soon it stops is a benchmark's matter
        assert await post(room, "stop") == {"stopped": True}
    await post(room, "retry")
    messages = await ended(room, "stopped", "said")
    assert messages[-2].text == "Better."
    assert (await room.http.post("/api/channels/ch_none/stop")).status_code == 404
    assert len(mind.asked) == 2


async def test_a_failed_turn_is_not_tried_again_by_itself(room: Any, scripted: Any) -> None:
    async def away(_request: ReplyRequest) -> Reply:
        raise Unavailable("The model does not answer.")

    room.parts.hub.mind = mind = scripted(away, Reply(text="Back."))
    await dialog(room)
    await post(room, "messages", {"text": "Hello?"}, 201)
    await ended(room, "failed")
    assert len(mind.asked) == 1
    await post(room, "retry")
    await ended(room, "failed", "said")


async def test_words_reach_events_without_an_id(room: Any, scripted: Any) -> None:
    async def streamed(request: ReplyRequest) -> Reply:
        assert request.on_words
        request.on_words("Hel")
        return Reply(text="Hello.")

    room.parts.hub.mind = scripted(streamed)
    await dialog(room)
    stream = room.events.listen(None)
    first = await anext(stream)
    assert first.startswith(b"id: ")
    await post(room, "messages", {"text": "Hello?"}, 201)
    heard = b""
    async with asyncio.timeout(10):
        while b'"done":true' not in heard:
            heard += await anext(stream)
    blocks = [block for block in heard.decode().split("\n\n") if block.startswith("event: turn\n")]
    told = [json.loads(block.split("data: ", 1)[1]) for block in blocks]
    assert all("id:" not in block.split("data:")[0] for block in blocks)
    assert {
        "channelId": room.channel,
        "actorId": PRIME,
        "state": "speaking",
        "text": "Hel",
        "done": False,
    }.items() <= told[1].items()
    assert told[-1]["text"] == "Hello."


async def test_what_was_due_and_has_been_answered_is_not_answered_again(room: Any, scripted: Any) -> None:
    room.parts.hub.mind = scripted(Reply(text="Here."), Reply(text="And again."))
    await dialog(room)
    await post(room, "messages", {"text": "Hello?"}, 201)
    before = await ended(room, "said")
    # Somebody who looked a moment ago still holds it for due.
    with pytest.raises(NothingDue):
        await room.parts.turns.take(room.channel, PRIME, mind=room.parts.hub.mind, if_due=True)
    assert len(await ended(room, "said")) == len(before)
