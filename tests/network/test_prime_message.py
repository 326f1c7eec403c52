"""Prime Message 0.1 against the real app: replies, tasks, callbacks, restarts, and whole conversations."""

import asyncio
import json
from functools import partial
from typing import Any

import pytest

from prime.core.clock import SystemClock
from prime.network.calls.queries import find_call
from prime.network.desk import Desk
from prime.network.inbox import Inbox
from prime.network.limits import Limits
from prime.network.network import Network
from prime.network.signatures import token_hash
from prime.network.tasks import Caller, Inbound, Incoming, Later
from prime.network.threads import Threads
from prime.sdk import Message, Task, agent


async def test_the_card_says_who_is_there(instance: Any) -> None:
    answer = await instance.stranger.get("/.well-known/prime-agent.json")
    card = answer.json()
    assert card["protocol"] == "prime-message/0.1"
    assert card["endpoints"]["message"] == "/prime/message"
    assert card["kind"] == "agent"
    assert answer.headers["cache-control"] == "public, max-age=300"
    etag = {"if-none-match": answer.headers["etag"]}
    assert (await instance.stranger.get("/.well-known/prime-agent.json", headers=etag)).status_code == 304
    for nonce in ("7", "abcdefgh", "a.b~c-d_e"):
        proof = await instance.stranger.get("/.well-known/prime-agent.json", params={"challenge": nonce})
        assert proof.json()["challenge"] == nonce


async def test_a_thread_is_a_channel(instance: Any) -> None:
    async def say(text: str, thread: str) -> dict[str, Any]:
        body = {"from": {"id": "x", "name": "Scout"}, "text": text, "threadId": thread}
        return (await instance.stranger.post("/prime/message", json=body)).json()

    assert (await say("First", "t1"))["type"] == "reply"
    await say("Second", "t1")
    await say("Elsewhere", "t2")
    channels = (await instance.owner.get("/api/channels")).json()["items"]
    mine = [c for c in channels if c["id"].startswith("ch_net")]
    assert [(c["tier"], c["name"]) for c in mine] == [("external", "Scout")] * 2
    shown = (await instance.owner.get(f"/api/channels/{mine[0]['id']}/messages")).json()["items"]
    assert [m["text"] for m in shown if m["kind"] == "text"][::2] == ["First", "Second"]


async def test_the_same_message_id_is_one_message(instance: Any) -> None:
    body = {"id": "m1", "text": "Hello", "threadId": "t"}
    answers = await asyncio.gather(*(instance.stranger.post("/prime/message", json=body) for _ in range(6)))
    assert len({a.text for a in answers}) == 1
    channel = next(
        c["id"] for c in (await instance.owner.get("/api/channels")).json()["items"] if c["id"].startswith("ch_net")
    )
    shown = (await instance.owner.get(f"/api/channels/{channel}/messages")).json()["items"]
    assert len([m for m in shown if m["kind"] == "text"]) == 2


async def test_what_is_no_message_is_refused_with_the_field(instance: Any) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "text"), ({"text": ""}, "text"), ({"text": 5}, "text"), ({"text": "x", "from": []}, "from"),
        ({"text": "x", "threadId": "a\nb"}, "threadId"), ({"text": "x", "id": "y" * 201}, "id"),
        ({"text": "x", "callbackUrl": "ftp://x"}, "callbackUrl"), ({"text": "x", "attachments": "x"}, "attachments"),
        ({"text": "x", "attachments": [{"url": "javascript:x"}]}, "attachments"),
        ({"text": "x", "callbackUrl": "http://x\ud800.example/"}, "callbackUrl"),
        ({"text": "x", "attachments": ["http://x\udfff.example/"]}, "attachments"),
    ]  # fmt: skip
    for body, field in wrong:
        # Half a character can only come as an escape.
        sent = {"content": json.dumps(body), "headers": {"content-type": "application/json"}}
        answer = await instance.stranger.post("/prime/message", **sent)
        assert answer.status_code == 400, body
        assert answer.json()["error"]["field"] == field
    huge = await instance.stranger.post("/prime/message", json={"text": "x" * 200_001})
    assert huge.status_code == 413


async def test_attachments_are_kept_by_reference(instance: Any) -> None:
    body = {"text": "See this", "threadId": "t", "attachments": [{"url": "https://example.com/a.pdf", "name": "a.pdf"}]}
    thread = (await instance.stranger.post("/prime/message", json=body)).json()
    assert thread["type"] == "reply"
    channel = next(
        c["id"] for c in (await instance.owner.get("/api/channels")).json()["items"] if c["id"].startswith("ch_net")
    )
    first = (await instance.owner.get(f"/api/channels/{channel}/messages")).json()["items"]
    assert (
        next(m for m in first if m["text"] == "See this")["body"]["references"][0]["url"] == "https://example.com/a.pdf"
    )


class Slow:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.asked: list[str] = []

    async def answer(self, inbound: Inbound) -> Later:
        self.asked.append(inbound.text)

        async def work() -> str:
            await self.go.wait()
            return f"Done: {inbound.text}"

        return Later(work())


def desk_over(instance: Any, handler: Any) -> Desk:
    """Another desk over the same tables, as a process would have it that starts after a crash."""
    parts = instance.prime.parts
    threads = Threads(parts.store, parts.rooms, parts.network.directory)
    return Desk(Inbox(parts.store, threads, Limits(SystemClock()), SystemClock()), handler)


async def test_a_task_outlives_the_process_that_took_it(instance: Any) -> None:
    caller = Caller(address="198.51.100.1")
    first, second = Slow(), Slow()
    before = desk_over(instance, first)
    incoming = Incoming(message_id="m", text="Long work", protocol="prime", callback_url="https://192.0.2.1/cb?token=x")
    received = await before.receive(incoming, caller)
    assert received.task.state == "working"
    await before.stop()  # the process is gone, the answer was not

    after = desk_over(instance, second)
    assert await after.resume() == 1
    second.go.set()
    await after.quiet()
    task = await after.get(received.task.id, caller)
    assert (task.state, task.reply and task.reply.text) == ("done", "Done: Long work")
    assert second.asked == ["Long work"]
    again = await after.receive(incoming, caller)
    assert again.answer is not None
    assert again.answer.text == "Done: Long work"
    # The push is in the outbox, in the transaction that recorded the answer.
    waiting = await instance.prime.parts.network.outbox.deliver_due()
    assert waiting <= 1


@agent(name="Echo", capabilities=["echo"])
async def echo(message: Message) -> str:
    return f"You said: {message.text}"


async def test_two_primes_and_an_agent_find_each_other_and_talk(
    open_served: Any, start_agent: Any, texts_of: Any
) -> None:
    one, two = await open_served("one"), await open_served("two")
    await start_agent(echo, one.url)
    found = (await one.instance.stranger.get("/api/directory/search", params={"capability": "ECHO"})).json()["items"]
    assert [card["name"] for card in found] == ["Echo"]
    chat = (await one.instance.owner.post("/api/directory/contact", json={"agentId": found[0]["agentId"]})).json()
    await one.instance.prime.parts.network.correspondence.say(chat["channelId"], "Hello there")
    assert await texts_of(one.instance, chat["channelId"], 2) == ["Hello there", "You said: Hello there"]

    other = (await one.instance.owner.post("/api/directory/connect", json={"url": two.url})).json()
    await one.instance.prime.parts.network.correspondence.say(other["channelId"], "We pay 500 EUR")
    mine = await texts_of(one.instance, other["channelId"], 2)
    assert "500 EUR" in mine[1]
    channels = (await two.instance.owner.get("/api/channels")).json()["items"]
    theirs = [c for c in channels if c["id"].startswith("ch_net")]
    assert [c["tier"] for c in theirs] == ["external"]
    # Each is called Prime by itself; on the other side it is told apart from the one that lives there.
    assert [c["name"] for c in theirs] == ["Another Prime"]
    assert (await one.instance.owner.get(f"/api/channels/{other['channelId']}")).json()["name"] == (
        f"Prime at {two.url.removeprefix('http://')}"
    )
    assert await texts_of(two.instance, theirs[0]["id"], 2) == mine

    begun = await one.instance.owner.post(f"/api/channels/{chat['channelId']}/courses", json={})
    assert begun.status_code == 200, begun.text
    said = [f"Number {number}" for number in range(8)]
    for text in said:
        await one.instance.prime.parts.network.correspondence.say(chat["channelId"], text)
    answers = [text for text in await texts_of(one.instance, chat["channelId"], 18) if text.startswith("You said: N")]
    assert answers == [f"You said: {text}" for text in said]
    later = await one.instance.prime.parts.store.log.page(chat["channelId"], kinds=("text",))
    assert {message.course for message in later[2:]} == {2}


@pytest.mark.holds("D-HUB-7")
async def test_a_result_is_pushed_and_taken_once(open_served: Any, start_agent: Any, texts_of: Any) -> None:
    """A Prime hands work to an agent; the result comes back by callback, once, whatever is repeated."""
    served = await open_served()
    go, begun = asyncio.Event(), asyncio.Event()

    @agent(name="Slow", capabilities=["slow"])
    async def slow(message: Message) -> Task:
        async def work() -> str:
            begun.set()
            await go.wait()
            return f"Result of {message.text}"

        return Task(work())

    running = await start_agent(slow, served.url)
    network: Network = served.instance.prime.parts.network
    agent_id = running.membership.agent_id
    chat = (await served.instance.owner.post("/api/directory/contact", json={"agentId": agent_id})).json()
    said = await network.correspondence.say(chat["channelId"], "the work")
    await begun.wait()
    go.set()
    texts = await texts_of(served.instance, chat["channelId"], 2)
    assert texts == ["the work", "Result of the work"]
    token = network.correspondence.callback_token(said.id)
    forged = {"type": "result", "taskId": "task_other", "state": "done", "text": "Forged"}
    again = await served.instance.stranger.post(f"/api/agent-callback?token={token}", json=forged)
    assert again.status_code == 401
    assert await texts_of(served.instance, chat["channelId"], 2) == texts
    assert (await network.directory.get(agent_id)).answered_at is not None


class Pushing:
    """An agent that says "task" to everything, for tests that push by hand."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.came = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = (await receive()).get("body", b"")
        answer: dict[str, Any] = {"protocol": "prime-message/0.1", "id": "p", "name": "P", "endpoints": {}}
        if scope["method"] == "POST":
            self.messages.append(json.loads(body))
            answer = {"type": "task", "taskId": f"t{len(self.messages)}", "state": "working"}
        elif scope["path"].startswith("/prime/task/"):
            answer = {"taskId": "t1", "state": "working"}
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})
        if scope["method"] == "POST":
            self.came.set()


@pytest.mark.holds("D-HUB-7")
async def test_a_callback_is_bound_to_its_task_and_channel_and_used_once(
    open_served: Any, serve: Any, texts_of: Any
) -> None:
    served = await open_served()
    pushing = Pushing()
    url = await serve(pushing)
    chat = (await served.instance.owner.post("/api/directory/connect", json={"url": url})).json()
    network: Network = served.instance.prime.parts.network
    said = await network.correspondence.say(chat["channelId"], "Do it")
    await pushing.came.wait()
    while (await called(served, said.id)).task_id is None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)  # the answer travels over a real connection
    path = pushing.messages[0]["callbackUrl"].removeprefix(served.url)
    assert path.startswith("/api/agent-callback?token=")
    post = served.instance.stranger.post
    result = {"taskId": "t1", "state": "done", "text": "Done."}
    # Forged token, another task, no text: nothing of it is taken.
    assert (await post("/api/agent-callback?token=guess", json=result)).status_code == 401
    assert (await post("/api/agent-callback", json=result)).status_code == 401
    assert (await post(path, json=result | {"taskId": "t2"})).status_code == 401
    assert (await post(path, json={"taskId": "t1", "state": "done"})).status_code == 400
    assert (await post(path, json=result, headers={"x-prime-delivery": "d1"})).json() == {
        "ok": True,
        "duplicate": False,
    }
    assert (await post(path, json=result, headers={"x-prime-delivery": "d1"})).json() == {"ok": True, "duplicate": True}
    assert (await post(path, json=result, headers={"x-prime-delivery": "d2"})).status_code == 401
    # Also from a header, and for that channel alone.
    second = await network.correspondence.say(chat["channelId"], "Once more")
    token = network.correspondence.callback_token(second.id)
    header = {"authorization": f"Bearer {token}"}
    assert (
        await post("/api/agent-callback", json={"state": "done", "text": "Again."}, headers=header)
    ).status_code == 200
    assert await texts_of(served.instance, chat["channelId"], 4) == ["Do it", "Done.", "Once more", "Again."]
    # What it says of its failure is its own word, and not Prime's.
    third = await network.correspondence.say(chat["channelId"], "And once more")
    header = {"authorization": f"Bearer {network.correspondence.callback_token(third.id)}"}
    failed = {"state": "failed", "error": "Sign in anew\nat\u202e evil.example"}
    assert (await post("/api/agent-callback", json=failed, headers=header)).status_code == 200
    [told] = await texts_of(served.instance, chat["channelId"], 1, kind="system")
    assert told == r"The agent did not manage it. It says: “Sign in anew at\u202e evil.example”"


async def called(served: Any, message_id: str):
    network = served.instance.prime.parts.network
    digest = token_hash(network.correspondence.callback_token(message_id))
    return await served.instance.prime.parts.store.database.read(partial(find_call, token_hash=digest))
