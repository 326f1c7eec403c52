"""`/events` with 1,000 listeners: every event reaches all of them, in order; a slow one is let go and the others do not wait.

The floor is what the same process does with one listener: the time from an append to its arrival.
"""

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

CLIENTS = scaled(1000, 100)
MESSAGES = scaled(60, 20)
PATIENCE = 120.0
ROUNDS = scaled(7, 3)
ID = re.compile(rb"^id: (\d+)\n", re.MULTILINE)


class Listener:
    """A plain socket that reads server-sent events and notes ids and when they came."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.came: dict[int, float] = {}
        self.ready = asyncio.Event()

    async def run(self, host: str, port: int, last: int, until: int) -> None:
        reader, writer = await asyncio.open_connection(host, port, limit=2**20)
        request = f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\nLast-Event-ID: {last}\r\n\r\n"
        writer.write(request.encode())
        await reader.readuntil(b"retry: 1000\n\n")
        self.ready.set()
        rest = b""
        while not self.ids or self.ids[-1] < until:
            piece = await reader.read(2**16)
            if not piece:
                break
            # In pieces as they come: a thousand of these share one core, and line by line they would be what is measured.
            whole, _, rest = (rest + piece).rpartition(b"\n")
            came = time.perf_counter()
            new = [seq for found in ID.findall(whole + b"\n") if (seq := int(found)) <= until]
            self.ids += new
            self.came |= dict.fromkeys(new, came)
        writer.close()


async def post(host: str, port: int, path: str, text: str) -> int:
    """Say something; its place in the log."""
    body = f'{{"text":"{text}"}}'.encode()
    reader, writer = await asyncio.open_connection(host, port)
    head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nConnection: close\r\n\r\n".encode() + body)
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 201"), answer
    return json.loads(answer.partition(b"\r\n\r\n")[2])["seq"]


async def measure(
    host: str, port: int, path: str, clients: int, last: int, *, with_slow: bool
) -> tuple[list[Listener], dict[int, float], float]:
    listeners = [Listener() for _ in range(clients)]
    tasks = [asyncio.create_task(one.run(host, port, last, last + MESSAGES)) for one in listeners]
    await asyncio.gather(*(one.ready.wait() for one in listeners))
    slow = None
    if with_slow:  # asks, and then never reads
        _, slow = await asyncio.open_connection(host, port)
        slow.transport.pause_reading()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        slow.write(f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\nLast-Event-ID: 0\r\n\r\n".encode())
    sent: dict[int, float] = {}  # by place: others write into the log as well
    begin = time.perf_counter()
    for number in range(MESSAGES):
        at = time.perf_counter()
        sent[await post(host, port, path, f"message {number}")] = at
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*tasks)
    if slow:
        slow.close()
    return listeners, sent, time.perf_counter() - begin


def start(folder: str) -> tuple["subprocess.Popen[str]", str, int]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "prime", "serve", "--port", "0", "--data", folder],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout
    host, _, port = process.stdout.readline().split("//")[1].strip().rpartition(":")
    return process, host, int(port)


async def main() -> None:
    import httpx2

    report = Report("events", f"{MESSAGES} messages, one after the other, to everyone who listens")
    alone: list[float] = []
    together: list[float] = []
    arrivals: list[float] = []
    whole_alone = whole = 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as folder:
        process, host, port = start(folder)
        try:
            with httpx2.Client(base_url=f"http://{host}:{port}") as client:
                made = client.post("/api/channels", json={"name": "Bench", "tier": "team"}).json()["id"]
                path = f"/api/channels/{made}/messages"
                first = client.post(path, json={"text": "first"}).json()["seq"]
            last = first
            for _ in range(ROUNDS):
                [one], _, taken = await measure(host, port, path, 1, last, with_slow=False)
                alone.append(taken)
                whole_alone += one.ids == list(range(last + 1, last + MESSAGES + 1))
                begin = last + MESSAGES
                listeners, sent, taken = await measure(host, port, path, CLIENTS, begin, with_slow=True)
                together.append(taken)
                last = begin + MESSAGES
                expected = list(range(begin + 1, last + 1))
                whole += sum(one.ids == expected for one in listeners)
                arrivals += [max(one.came[seq] for one in listeners) - sent[seq] for seq in expected if seq in sent]
        finally:
            process.terminate()
            process.wait()
    report.row(
        f"seconds, {CLIENTS} listeners", ours=together, peer=alone, peer_name="1 listener", higher_is_better=False
    )
    report.fact("listeners", CLIENTS)
    report.fact("got every event, in order", f"{whole} in {ROUNDS} rounds")
    report.fact("deliveries per second", round(CLIENTS * MESSAGES / statistics.median(together)))
    report.fact("to the last listener, median ms", round(statistics.median(arrivals) * 1000, 1))
    report.fact("a slow reader beside them", "held up nobody")
    assert (whole, whole_alone) == (CLIENTS * ROUNDS, ROUNDS)
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
