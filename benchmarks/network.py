"""The network: /prime/message beside a bare Starlette handler and the official A2A SDK's server; the directory at 100,000
agents; and, with --exchange, two Primes that exchange messages while either is killed.

Every server is a process of its own with one uvicorn worker; the same client asks them in turns.
"""

import asyncio
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from typing import TYPE_CHECKING, Any

import uvloop
from peers import Absent, peer, program
from report import Report, scaled
from sqlalchemy import insert

if TYPE_CHECKING:
    from prime.app import Prime

ROUNDS = scaled(5, 3)
REQUESTS = scaled(300, 100)
AGENTS = scaled(100_000, 10_000)
EXCHANGED = int(os.environ.get("PRIME_BENCH_MESSAGES", "10000"))


# --- servers ---


def _serve(app: Any, door: socket.socket) -> None:
    import uvicorn

    uvicorn.run(app, fd=door.fileno(), lifespan="off", log_config=None, access_log=False, loop="uvloop")


def bare(door: socket.socket) -> None:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def echo(request: Request) -> JSONResponse:
        body = await request.json()
        return JSONResponse({"type": "reply", "text": body["text"]})

    _serve(Starlette(routes=[Route("/prime/message", echo, methods=["POST"])]), door)


def ours(door: socket.socket) -> None:
    from dataclasses import replace

    from prime.core.clock import SystemClock
    from prime.network.desk import Desk
    from prime.network.memory import MemoryTasks
    from prime.sdk import Message, agent
    from prime.sdk.serving import AgentApp

    @agent(name="Echo")
    async def echo(message: Message) -> str:
        return message.text

    clock = SystemClock()
    card = replace(echo.card, base_url="http://127.0.0.1")
    _serve(AgentApp(card, Desk(MemoryTasks(clock), echo), clock), door)


SERVERS = {"bare": bare, "ours": ours}


class Server:
    def __init__(self, *command: str) -> None:
        self.door = socket.create_server(("127.0.0.1", 0), backlog=256)
        # Handed over by number, the servers do not see that it is TCP, and would wait for acknowledgements.
        self.door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self.door.getsockname()[1]
        number = self.door.fileno()
        self.process = subprocess.Popen([*command, str(number)], pass_fds=[number])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.door.close()


# --- the client: as little as possible around the exchange that is timed ---


async def ask(port: int, path: str, body: Callable[[int], bytes], count: int, headers: str = "") -> list[float]:
    """Milliseconds of `count` requests on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times: list[float] = []
    for number in range(count):
        payload = body(number)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{headers}"
            f"Content-Length: {len(payload)}\r\n\r\n"
        )
        begin = time.perf_counter()
        writer.write(head.encode() + payload)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        length = next(int(x.split(b":")[1]) for x in answer.lower().split(b"\r\n") if x.startswith(b"content-length"))
        content = await reader.readexactly(length)
        times.append((time.perf_counter() - begin) * 1000)
        assert b"Hello" in content, content
    writer.close()
    return times


def prime_body(number: int) -> bytes:
    return json.dumps({"id": f"{time.time_ns()}-{number}", "from": {"id": "b", "name": "B"}, "text": "Hello"}).encode()


def a2a_body(number: int) -> bytes:
    message = {"messageId": f"{time.time_ns()}-{number}", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}
    return json.dumps(
        {"jsonrpc": "2.0", "id": number, "method": "SendMessage", "params": {"message": message}}
    ).encode()


V1 = "A2A-Version: 1.0\r\n"


async def latency(report: Report) -> None:
    servers = {name: Server(sys.executable, __file__, "--server", name) for name in SERVERS}
    have_sdk = True
    try:
        sdk = peer("a2a-sdk[http-server]", "uvicorn", "uvloop", "httptools")
        servers["sdk"] = Server(str(sdk.python), program("a2a_server.py"))
        report.peer("a2a-sdk", sdk.version)
    except Absent as why:
        have_sdk = False
        report.absent("a2a-sdk server", str(why))
    p50: dict[str, list[float]] = {"bare": [], "prime": [], "a2a": [], "sdk": []}
    try:
        for number in range(ROUNDS + 1):
            found = {
                "bare": await ask(servers["bare"].port, "/prime/message", prime_body, REQUESTS),
                "prime": await ask(servers["ours"].port, "/prime/message", prime_body, REQUESTS),
                "a2a": await ask(servers["ours"].port, "/a2a", a2a_body, REQUESTS, V1),
            }
            if have_sdk:
                found["sdk"] = await ask(servers["sdk"].port, "/a2a", a2a_body, REQUESTS, V1)
            for name, times in found.items():
                if number:  # the first round warms up
                    p50[name].append(statistics.median(times))
    finally:
        for server in servers.values():
            server.stop()
    report.row(
        "/prime/message echo, p50 ms",
        ours=p50["prime"],
        peer=p50["bare"],
        peer_name="bare Starlette JSON handler",
        floor=True,
        aim=2.0,
        higher_is_better=False,
    )
    if have_sdk:
        rate = {name: [1000 / t for t in p50[name]] for name in ("prime", "a2a", "sdk")}
        report.row(
            "echo per second, 1 client", ours=rate["prime"], peer=rate["sdk"], peer_name="a2a-sdk server", aim=5.0
        )
        report.row("A2A echo per second", ours=rate["a2a"], peer=rate["sdk"], peer_name="a2a-sdk server")


# --- the directory ---


WORDS = ["research", "scraping", "translation", "billing", "design", "legal", "music", "travel"]
QUERIES: list[dict[str, Any]] = [
    {"capability": "research-8"}, {"capability": "MUSIC"}, {"q": "agent 99999"}, {"q": "zzz"}, {"q": "owner 4999"},
    {"q": "travel-99"}, {"capability": "billing", "q": "owner 77"}, {"q": "a"},
]  # fmt: skip


async def take_in(prime: "Prime", count: int) -> None:
    """So many agents in the directory."""
    from prime.network.signatures import token_hash
    from prime.network.tables import directory_agent

    rows = [
        {
            "id": f"agent_{n}", "number": n + 1, "name": f"Agent {n} {WORDS[n % 8]}", "kind": "custom",
            "capabilities": json.dumps([f"{WORDS[n % 8]}-{n % 1000}", WORDS[(n + 3) % 8]]),
            "endpoint": f"https://agent{n}.example.com", "owner": f"Owner {n % 5000}",
            "token_hash": token_hash(f"token{n}"), "tier": "external", "registered_at": 0, "changed_at": 1,
        }
        for n in range(count)
    ]  # fmt: skip
    await prime.parts.store.database.write(lambda c: c.execute(insert(directory_agent), rows))
    await prime.parts.network.directory.refresh()


async def directory(report: Report, folder: Path) -> None:
    from prime.app import open_prime
    from prime.core.settings import Settings

    settings = Settings.load({}).model_copy(update={"data": folder, "port": 0})
    async with open_prime(settings) as prime:
        network = prime.parts.network
        begin = time.perf_counter()
        await take_in(prime, AGENTS)
        report.fact(f"taking in {AGENTS:,}, s", round(time.perf_counter() - begin, 1))
        channels = await prime.parts.rooms.channels()
        report.fact("chats after that", len(channels))
        times: list[float] = []
        for number in range(800):
            begin = time.perf_counter()
            await network.directory.search(**QUERIES[number % len(QUERIES)])
            times.append((time.perf_counter() - begin) * 1000)
        times.sort()
        report.fact("search p50 / p99, ms", f"{times[400]:.2f} / {times[791]:.2f} (aim p99 <= 10)")
        begin = time.perf_counter()
        for n in range(AGENTS // 5):
            network.directory.heartbeat(f"agent_{n * 5}", f"token{n * 5}")
        await network.directory.flush()
        report.fact("heartbeats/s in process", round(AGENTS // 5 / (time.perf_counter() - begin)))


async def heartbeats_over_http(report: Report, folder: Path) -> None:
    """Through the whole server: gate, body guard, route."""
    port = _free_port()
    process = _prime(folder, port)
    try:
        await _until_up(port)
        tokens: list[tuple[str, str]] = []
        import httpx2

        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            for n in range(50):
                body: dict[str, Any] = {
                    "name": f"A {n}",
                    "kind": "custom",
                    "capabilities": [],
                    "endpoint": f"https://a{n}.example.com",
                }
                made = (await client.post("/api/directory/register", json=body)).json()
                tokens.append((made["agentId"], made["token"]))
        payloads = [
            json.dumps({"agentId": a, "token": t, "note": None}).replace(', "note": null', "").encode()
            for a, t in tokens
        ]
        count, connections = 500, 8

        async def one(offset: int) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for n in range(count):
                payload = payloads[(n + offset) % len(payloads)]
                head = (
                    "POST /api/directory/heartbeat HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
                )
                writer.write(head.encode() + payload)
                answer = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(x.split(b":")[1]) for x in answer.lower().split(b"\r\n") if x.startswith(b"content-length")
                )
                assert b"200 OK" in answer, answer + await reader.readexactly(length)
                await reader.readexactly(length)
            writer.close()

        begin = time.perf_counter()
        await asyncio.gather(*(one(n * 7) for n in range(connections)))
        report.fact(
            "heartbeats/s over HTTP", f"{round(count * connections / (time.perf_counter() - begin))} (aim 2000)"
        )
    finally:
        _stop(process)


# --- two Primes ---


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


def _prime(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "prime", "serve", "--port", str(port), "--data", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    process.wait(30)


async def _until_up(port: int) -> None:
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise TimeoutError("Prime did not come up")


async def exchange(report: Report, folder: Path) -> None:
    """One Prime says 10,000 things to another; each is killed three times meanwhile. None lost, none doubled."""
    import httpx2

    ports = {"one": _free_port(), "two": _free_port()}
    running = {name: _prime(folder / name, port) for name, port in ports.items()}
    for port in ports.values():
        await _until_up(port)
    one = httpx2.AsyncClient(base_url=f"http://127.0.0.1:{ports['one']}", timeout=60)
    two = httpx2.AsyncClient(base_url=f"http://127.0.0.1:{ports['two']}", timeout=60)
    there = f"http://127.0.0.1:{ports['two']}"
    channel = (await one.post("/api/directory/connect", json={"url": there})).json()["channelId"]
    begin, kills, said = time.perf_counter(), 0, 0
    while said < EXCHANGED:
        if kills < 6 and said >= (kills + 1) * EXCHANGED // 8:
            name = ("one", "two")[kills % 2]
            running[name].send_signal(signal.SIGKILL)
            running[name].wait()
            running[name] = _prime(folder / name, ports[name])
            await _until_up(ports[name])
            kills += 1
            print(f"{said} said, {kills} kills, {time.perf_counter() - begin:.0f} s", file=sys.stderr)
        batch = range(said, min(said + 50, EXCHANGED))
        sent = await asyncio.gather(*(_say(one, channel, n) for n in batch))
        said += sum(sent) if all(sent) else 0
    wanted = [f"Message {n}" for n in range(EXCHANGED)]
    deadline = time.perf_counter() + 1200
    received: list[str] = []
    there_by_now: dict[str, dict[str, str]] = {}
    answers: list[str] = []
    while time.perf_counter() < deadline:
        await _read_new(one, channel, there_by_now)
        answers = [m["text"] for m in there_by_now.values() if m["actorId"] not in {"act_prime", "act_owner"}]
        if len(answers) >= EXCHANGED:
            break
        await asyncio.sleep(1)
    took = time.perf_counter() - begin
    channels = (await two.get("/api/channels")).json()["items"]
    for other in (c["id"] for c in channels if c["id"].startswith("ch_net")):
        heard: dict[str, dict[str, str]] = {}
        await _read_new(two, other, heard)
        received += [m["text"] for m in heard.values() if m["actorId"].startswith("act_net")]
    report.fact("exchanged / kills", f"{EXCHANGED} / {kills}, in {took:.0f} s (aim 120)")
    report.fact(
        "lost, doubled at the receiver", f"{len(set(wanted) - set(received))}, {len(received) - len(set(received))}"
    )
    report.fact("answers lost, doubled", f"{EXCHANGED - len(answers)}, {max(0, len(answers) - EXCHANGED)}")
    for process in running.values():
        _stop(process)
    await one.aclose()
    await two.aclose()


async def _say(client: Any, channel: str, number: int) -> bool:
    import httpx2

    body = {"text": f"Message {number}", "idempotencyKey": f"k{number}"}
    try:
        answer = await client.post(f"/api/channels/{channel}/messages", json=body)
    except httpx2.HTTPError:
        return False
    return answer.status_code == 201


async def _read_new(client: Any, channel: str, known: dict[str, dict[str, str]]) -> None:
    """Add what was said since the last look, by id; pages are read back to one that holds nothing new."""
    cursor = None
    while True:
        query = {"limit": 500} | ({"cursor": cursor} if cursor else {})
        page = (await client.get(f"/api/channels/{channel}/messages", params=query)).json()
        new = {m["id"]: m for m in page["items"] if m["kind"] == "text" and m["id"] not in known}
        known |= new
        cursor = page["nextCursor"]
        if not cursor or not new:
            return


async def main() -> None:
    report = Report("network", "see each row")
    with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as name:
        folder = Path(name)
        if "--exchange" in sys.argv:
            await exchange(report, folder)
        else:
            await latency(report)
            print("latency measured", file=sys.stderr)
            await directory(report, folder / "directory")
            print("directory measured", file=sys.stderr)
            await heartbeats_over_http(report, folder / "http")
    report.finish()


if __name__ == "__main__" and "--server" in sys.argv:
    SERVERS[sys.argv[2]](socket.socket(fileno=int(sys.argv[3])))
elif __name__ == "__main__":
    uvloop.run(main())
