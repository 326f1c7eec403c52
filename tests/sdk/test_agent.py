"""The drop-in agent: both protocols, its place in a directory, tasks, commands, and a light import."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx2
import pytest
import uvicorn

from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput
from prime.network.signatures import HEADER, sign
from prime.sdk import Agent, Message, NeedsInput, Task, agent
from prime.sdk.command import command_agent
from prime.sdk.running import Place, Running, load_agent, named_by_environment, open_agent, running_server


@agent(name="Echo", capabilities=["echo"])
async def echo(message: Message) -> str:
    return f"You said: {message.text}"


OpenAgent = Callable[..., "asyncio.Future[tuple[Running, httpx2.AsyncClient]]"]


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., object]]:
    async with AsyncExitStack() as stack:

        async def one(
            made: Agent, clock: FakeClock | None = None, **place: object
        ) -> tuple[Running, httpx2.AsyncClient]:
            running = await stack.enter_async_context(
                open_agent(made, Place(**place), "http://127.0.0.1:9000", clock or FakeClock())  # pyright: ignore[reportArgumentType]
            )
            transport = httpx2.ASGITransport(app=running.app)
            client = httpx2.AsyncClient(transport=transport, base_url=running.url)
            return running, await stack.enter_async_context(client)

        yield one


async def test_it_serves_both_protocols(start: Any) -> None:
    _, client = await start(echo)
    reply = await client.post("/prime/message", json={"text": "Hi"})
    assert reply.json()["type"] == "reply"
    assert reply.json()["text"] == "You said: Hi"
    sent = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hi"}]}
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": sent}}
    answer = (await client.post("/a2a", json=body, headers={"A2A-Version": "1.0"})).json()
    assert answer["result"]["task"]["status"]["message"]["parts"] == [{"text": "You said: Hi"}]
    assert (await client.get("/.well-known/prime-agent.json")).json()["capabilities"] == ["echo"]
    assert (await client.get("/.well-known/agent-card.json")).json()["skills"][0]["name"] == "echo"


async def test_it_answers_the_ownership_challenge(start: Any) -> None:
    _, client = await start(echo)
    card = await client.get("/.well-known/prime-agent.json", params={"challenge": "n" * 20})
    assert card.json()["challenge"] == "n" * 20
    assert (await client.get("/.well-known/prime-agent.json", params={"challenge": "<x>"})).status_code == 400


async def test_a_task_is_told_at_once_and_asked_for_with_its_secret(start: Any) -> None:
    go = asyncio.Event()

    @agent(name="Slow")
    async def slow(message: Message) -> Task:
        async def work() -> str:
            await go.wait()
            return "There it is."

        return Task(work())

    running, client = await start(slow)
    told = (await client.post("/prime/message", json={"id": "one", "text": "Do it"})).json()
    assert (told["type"], told["state"]) == ("task", "working")
    path = f"/prime/task/{told['taskId']}"
    assert (await client.get(path)).status_code == 404
    assert (await client.get(path, headers={"authorization": "Bearer x"})).status_code == 404
    right = {"authorization": f"Bearer {told['taskSecret']}"}
    assert (await client.get(path, headers=right)).json()["state"] == "working"
    go.set()
    await running.desk.quiet()
    done = (await client.get(path, headers=right)).json()
    assert (done["state"], done["text"]) == ("done", "There it is.")


async def test_it_can_ask_back_and_be_answered(start: Any) -> None:
    @agent(name="Asker")
    async def asks(message: Message) -> str | NeedsInput:
        return "Thank you." if message.text == "blue" else NeedsInput("Which colour?")

    _, client = await start(asks)
    first = (await client.post("/prime/message", json={"text": "Paint it"})).json()
    assert (first["state"], first["text"]) == ("input-required", "Which colour?")
    second = (await client.post("/prime/message", json={"text": "blue", "taskId": first["taskId"]})).json()
    assert second["text"] == "Thank you."


async def test_the_same_message_is_answered_once(start: Any) -> None:
    calls: list[str] = []

    @agent(name="Counter")
    async def counts(message: Message) -> str:
        calls.append(message.text)
        return str(len(calls))

    _, client = await start(counts)
    answers = await asyncio.gather(*(client.post("/prime/message", json={"id": "x", "text": "a"}) for _ in range(5)))
    assert {a.json()["text"] for a in answers} == {"1"}
    assert calls == ["a"]


async def test_an_agents_mistake_is_a_failed_task_not_a_crash(start: Any, caplog: pytest.LogCaptureFixture) -> None:
    @agent(name="Broken")
    async def broken(message: Message) -> str:
        raise ZeroDivisionError

    _, client = await start(broken)
    answer = (await client.post("/prime/message", json={"text": "a"})).json()
    assert (answer["type"], answer["state"]) == ("task", "failed")
    assert "ZeroDivision" not in str(answer)


async def test_what_is_no_text_is_no_answer(start: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def count(message: Message) -> Any:
        return len(message.text)

    _, client = await start(agent(name="Counter")(count))
    answer = (await client.post("/prime/message", json={"text": "Hi"})).json()
    assert (answer["type"], answer["state"]) == ("task", "failed")
    assert "returned int" in caplog.text


async def test_signed_messages_are_verified(start: Any) -> None:
    clock = FakeClock()
    running, client = await start(echo, clock)
    running.app.signing_key = "k" * 64
    body = b'{"text":"Hi"}'
    kind = {"content-type": "application/json"}
    right = sign("k" * 64, body, clock.now_ms())
    assert (await client.post("/prime/message", content=body, headers=kind | {HEADER: right})).status_code == 200
    for wrong in (sign("x" * 64, body, clock.now_ms()), "t=1,v1=00", right.replace("v1=", "v1=0")):
        refused = await client.post("/prime/message", content=body, headers=kind | {HEADER: wrong})
        assert refused.status_code == 401
    clock.advance(400)
    assert (await client.post("/prime/message", content=body, headers=kind | {HEADER: right})).status_code == 401


async def test_what_is_too_large_or_of_another_type_is_refused(start: Any) -> None:
    _, client = await start(echo)
    big = await client.post(
        "/prime/message", content=b'{"text": "' + b"x" * 1_100_000, headers={"content-type": "application/json"}
    )
    assert big.status_code == 413
    plain = await client.post("/prime/message", content=b'{"text": "x"}', headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    page = await client.post("/prime/message", json={"text": "x"}, headers={"origin": "https://page.example"})
    assert page.status_code == 403
    assert (await client.get("/prime/message")).status_code == 405
    assert (await client.get("/nothing")).status_code == 404
    deep = await client.post("/prime/message", content=b"[" * 1000, headers={"content-type": "application/json"})
    assert deep.status_code == 413


async def test_a_command_is_an_agent(start: Any) -> None:
    _, client = await start(command_agent(f'{sys.executable} -c "print(input().upper())"', name="Shouter"))
    assert (await client.post("/prime/message", json={"text": "hello; rm -rf $HOME"})).json()[
        "text"
    ] == "HELLO; RM -RF $HOME"


def test_the_environment_names_the_agent() -> None:
    named = named_by_environment(echo, {"AGENT_NAME": "Scout", "AGENT_CAPABILITIES": "web-research, scraping"})
    assert (named.card.name, named.card.capabilities) == ("Scout", ("web-research", "scraping"))
    place = Place.of_environment({"AGENT_PORT": "9001", "PRIME_DIRECTORY_URL": "http://127.0.0.1:8787/"})
    assert (place.port, place.directory_url) == (9001, "http://127.0.0.1:8787")
    with pytest.raises(InvalidInput):
        Place.of_environment({"AGENT_PORT": "x"})


def test_what_is_no_agent_is_said_so() -> None:
    for wrong in ("nothing", "prime.sdk:nothing", "prime.sdk.agent:agent"):
        with pytest.raises(InvalidInput):
            load_agent(wrong)


def test_the_import_is_light() -> None:
    heavy = "{'sqlalchemy', 'fastapi', 'starlette', 'uvicorn', 'httpx2', 'cryptography'}"
    code = f"import prime.sdk, sys; found = {heavy} & set(sys.modules); assert not found, found"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_signal_ends_the_serving_and_not_the_process() -> None:
    server = running_server(uvicorn.Config(lambda: None))
    with server.capture_signals():
        signal.raise_signal(signal.SIGINT)
    assert server.should_exit
