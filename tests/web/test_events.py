"""`/events`: in order, without gaps or duplicates, at each listener's own pace."""

import asyncio
import json
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Protocol

import httpx2
import pytest
from starlette.types import Message as AsgiMessage

from prime.app import Prime
from prime.core.clock import FakeClock
from prime.rooms.questions import Asking
from prime.store.message import Message, NewMessage
from prime.web.events import HEARTBEAT, Broadcaster, EventStream


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


class Serving(Protocol):
    @property
    def url(self) -> str: ...
    @property
    def process(self) -> "subprocess.Popen[str]": ...
    @property
    def data(self) -> Path: ...


def said(text: str) -> NewMessage:
    return NewMessage(channel_id="ch_hub", actor_id="act_x", kind="text", text=text)


async def render(_name: str, message: Message) -> object:
    return {"text": message.text}


def ids_of(data: bytes) -> list[int]:
    """The ids of events; a block without data is no event."""
    blocks = [block.splitlines() for block in data.decode().split("\n\n")]
    return [int(b[0].removeprefix("id: ")) for b in blocks if b and b[0].startswith("id: ") and len(b) > 1]


def broadcaster(site: Site, **more: float) -> Broadcaster:
    store = site.prime.parts.store
    events = Broadcaster(store.log, store.heads, render, FakeClock(), **more)  # pyright: ignore[reportArgumentType]
    events.start()
    return events


async def take(listening: AsyncIterator[bytes], until: int) -> list[int]:
    """Ids as they come, up to and with `until`."""
    taken: list[int] = []
    async with asyncio.timeout(20):
        async for data in listening:
            taken += ids_of(data)
            if taken and taken[-1] >= until:
                break
    return taken


@pytest.mark.holds("D-HUB-3")
async def test_resuming_under_load_misses_and_repeats_nothing(site: Site) -> None:
    log = site.prime.parts.store.log
    events = broadcaster(site, kept=16)
    start = await log.head()
    total = 400

    async def write(count: int) -> None:
        for n in range(count):
            await log.append(said(str(n)))

    async def come_and_go() -> list[int]:
        seen = [start]
        while seen[-1] < start + total:
            listening = events.listen(seen[-1])
            async for data in listening:
                seen += ids_of(data)
                if len(seen) % 3 == 0:
                    break  # the connection is lost
                if seen[-1] >= start + total:
                    break
        return seen[1:]

    async with asyncio.timeout(60):
        *_, first, second = await asyncio.gather(*(write(total // 4) for _ in range(4)), come_and_go(), come_and_go())
    everything = list(range(start + 1, start + total + 1))
    # Behind them, Prime may have said something of its own.
    assert [(seen or [])[:total] for seen in (first, second)] == [everything, everything]
    await events.stop()


async def test_a_slow_reader_is_let_go_and_resumes_while_others_get_everything(site: Site) -> None:
    log = site.prime.parts.store.log
    events = broadcaster(site, kept=8)
    start = await log.head()
    slow = events.listen(None)
    first = await anext(slow)  # where it stands, though nothing has happened yet
    assert first == f"id: {start}\n\n".encode()
    quick = asyncio.create_task(take(events.listen(start), start + 50))
    for n in range(50):
        await log.append(said(str(n)))
    # Behind them, Prime may have said something of its own.
    assert (await quick)[:50] == list(range(start + 1, start + 51))
    rest = [ids async for data in slow for ids in ids_of(data)]
    assert rest == []  # ended, instead of leaving something out
    assert (await take(events.listen(start), start + 50))[:50] == list(range(start + 1, start + 51))
    await events.stop()


async def test_nothing_is_rendered_while_nobody_listens_and_nothing_is_missed(site: Site) -> None:
    log, rendered = site.prime.parts.store.log, list[int]()

    async def render(_name: str, message: Message) -> object:
        rendered.append(message.seq)
        return {}

    store = site.prime.parts.store
    events = Broadcaster(store.log, store.heads, render, FakeClock())
    events.start()
    start = await log.head()
    await log.append(said("to nobody"))
    for _ in range(5):
        await log.after(start)  # as long as reading it would have taken
    assert rendered == []
    assert await take(events.listen(start), start + 1) == [start + 1]
    listening = events.listen(None)
    where = await anext(listening)
    assert where == f"id: {start + 1}\n\n".encode()
    await log.append(said("to one"))
    async with asyncio.timeout(20):
        while not (ids := ids_of(await anext(listening))):
            pass
    assert ids == [start + 2]
    await events.stop()


async def test_heartbeats_when_nothing_happens(site: Site) -> None:
    events = broadcaster(site, heartbeat=0.01)
    listening = events.listen(await site.prime.parts.store.log.head())
    beats = [await anext(listening) for _ in range(4)]
    assert beats.count(HEARTBEAT) >= 3
    await events.stop()


async def test_a_place_beyond_the_head_does_not_silence_the_stream(site: Site) -> None:
    """After a restored backup the browser remembers a higher id than there is."""
    log = site.prime.parts.store.log
    events = broadcaster(site)
    listening = asyncio.create_task(take(events.listen(10_000), 1))
    while not listening.done():
        await log.append(said("new"))
        await asyncio.sleep(0.01)
    assert await listening
    await events.stop()


async def test_what_is_not_in_the_log_has_no_id(site: Site) -> None:
    events = broadcaster(site)
    listening = events.listen(None)
    await anext(listening)
    events.tell("turn", {"words": "Hel"})
    assert await anext(listening) == b'event: turn\ndata: {"words":"Hel"}\n\n'
    await events.stop()


async def test_a_reader_that_takes_nothing_is_let_go() -> None:
    """The socket is full and stays full: the stream ends by itself."""

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"data: x\n\n"

    sent = 0

    async def send(_message: AsgiMessage) -> None:
        nonlocal sent
        sent += 1
        if sent > 3:
            await asyncio.Event().wait()

    async def receive() -> AsgiMessage:
        return await asyncio.Future()

    async with asyncio.timeout(10):
        await EventStream(endless(), stuck=0.05)({}, receive, send)
    assert sent >= 4


async def test_every_kind_of_event_and_an_answer_whose_question_was_erased(site: Site) -> None:
    parts = site.prime.parts
    start = await parts.store.log.head()
    question = await parts.questions.ask(Asking(text="Sign?"))
    asked = (await parts.store.log.after(start))[0]
    await parts.questions.answer(question.id, text="yes")
    await parts.store.erase([asked.id], by="act_owner")
    await parts.store.log.append(
        said("hello"),
        NewMessage(
            channel_id="ch_hub", actor_id="act_prime", kind="decision", audience="hub", body={"outcome": "surfaced"}
        ),
        NewMessage(channel_id="ch_hub", actor_id="act_prime", kind="gate", audience="hub"),
        NewMessage(channel_id="ch_hub", actor_id="act_owner", kind="policy", audience="hub"),
    )
    head = await parts.store.log.head()
    names: list[str] = []
    async with asyncio.timeout(10):
        async for data in site.prime.app.events.listen(start):
            for block in data.decode().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
                if "data" in fields:
                    json.loads(fields["data"])
                    names.append(fields["event"])
            if len(names) == head - start:
                break
    assert names == ["question", "question", "message", "message", "feed", "draft", "status"]


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "٣", "9" * 19, " "])
async def test_a_made_up_place_is_refused(site: Site, last: str) -> None:
    answer = await site.http.get("/events", headers=[(b"last-event-id", last.encode())])
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")


# --- real processes ---


def follow(url: str, last: int, count: int) -> list[tuple[int, str]]:
    """Ids and texts of what the owner says next; what others make of it comes between."""
    found: list[tuple[int, str]] = []
    place = {"Last-Event-ID": str(last)}
    with httpx2.Client(timeout=20) as client, client.stream("GET", f"{url}/events", headers=place) as answer:
        assert answer.status_code == 200
        fields: dict[str, str] = {}
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if line:
                fields[name] = value
            elif "data" in fields:
                data = json.loads(fields["data"])
                if fields.get("event") == "message" and data["actorId"] == "act_owner":
                    found.append((int(fields["id"]), data["text"]))
                fields = {}
                if len(found) >= count:
                    break
            else:
                fields = {}
    return found


def test_what_is_said_to_one_replica_is_heard_at_the_other(
    serve: Callable[..., Serving], postgresql_url: str, tmp_path: Path
) -> None:
    both = {"PRIME_DATABASE_URL": postgresql_url, "PRIME_SECRET_KEY": "k" * 64}
    left, right = (serve(data=tmp_path / name, **both).url for name in ("left", "right"))
    with httpx2.Client(timeout=20) as client:
        # With somebody else in the room Prime does not answer every word.
        contact = client.post(f"{left}/api/actors", json={"name": "Ann", "kind": "human", "connector": "echo"}).json()
        room = {"name": "Team", "tier": "team", "members": [contact["id"]]}
        made = client.post(f"{left}/api/channels", json=room).json()
        path = f"/api/channels/{made['id']}/messages"
        first = client.post(f"{left}{path}", json={"text": "0"}).json()
        heard: dict[str, list[tuple[int, str]]] = {}

        def hear(url: str) -> None:
            heard[url] = follow(url, first["seq"], 20)

        listeners = [threading.Thread(target=hear, args=(url,)) for url in (left, right)]
        for listener in listeners:
            listener.start()
        for n in range(1, 21):
            answer = client.post(f"{(left, right)[n % 2]}{path}", json={"text": str(n)})
            assert answer.status_code == 201
        for listener in listeners:
            listener.join(20)
        assert heard[left] == heard[right]
        assert [text for _, text in heard[left]] == [str(n) for n in range(1, 21)]
        assert sorted(heard[left]) == heard[left]
        # What one wrote is there for a read at the other at once.
        for n in range(5):
            name = client.post(f"{left}/api/channels", json={"name": f"C{n}", "tier": "team"}).json()["id"]
            assert client.get(f"{right}/api/channels/{name}").status_code == 200


def test_a_stop_does_not_wait_for_open_streams(serve: Callable[..., Serving]) -> None:
    served = serve()
    process = served.process
    with httpx2.Client(timeout=20) as client, client.stream("GET", f"{served.url}/events") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 1000"
        process.send_signal(signal.SIGTERM)
        rest = list(lines)  # ends, and not by an error
    assert process.wait(timeout=15) == 0
    # It ended by itself, not by the signal: the database was closed, the socket is gone.
    assert {path.name for path in served.data.iterdir()}.isdisjoint({"prime.db-wal", "derived.db-wal", "prime.sock"})
    assert all(not line or line.startswith(("id:", ":")) for line in rest)
