"""What the gateway's benchmarks share: a Prime with servers behind it, a light client, load, and the rows that come of it."""

import asyncio
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from peers import Absent
from report import Report

# Calls per second, CPU seconds of the gateway per call, and the median time of one in milliseconds.
Measured = tuple[float, float, float]
ACCEPT = {"accept": "application/json, text/event-stream"}
HARMLESS = {
    "filesystem": {"read": False, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "cost": {"billable": False},
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


class Running:
    """A gateway's process and what it uses."""

    def __init__(self, process: "subprocess.Popen[str]", url: str, tool: str) -> None:
        self.process = process
        self.url = url
        self.tool = tool

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def files(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def children(self) -> list[str]:
        return Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
            return
        self.process.kill()
        self.process.wait()


def wait_for(url: str) -> None:
    for _ in range(300):
        with suppress(OSError):
            urllib.request.urlopen(url, timeout=1)
            return
        time.sleep(0.1)


def wait_until_open(port: int, process: "subprocess.Popen[str]", patience: float = 60) -> None:
    import socket

    until = time.monotonic() + patience
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.2)
    raise Absent(f"it did not listen within {patience:g} s")


def environment_in(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "share"),
        "PRIME_WORKSPACE": str(folder / "work"),
        "PRIME_TOOL_SCAN_MS": "0",  # looking for programs is measured elsewhere
    }


def prime_with(folder: Path, servers: Mapping[str, object], tool: str) -> Running:
    """A Prime of its own with these servers behind it; `tool` is how the tool of a server named `{name}` is called there."""
    config = folder / "config" / "prime"
    config.mkdir(parents=True, exist_ok=True)
    (config / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (folder / "work").mkdir(exist_ok=True)
    port = free_port()
    words = [sys.executable, "-m", "prime", "serve", "--port", str(port), "--data", str(folder / "data")]
    process = subprocess.Popen(words, env=environment_in(folder), stdout=subprocess.DEVNULL, text=True)
    wait_for(f"http://127.0.0.1:{port}/healthz")
    return Running(process, f"http://127.0.0.1:{port}/mcp", tool)


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


class Refused(Exception):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text[:300]}")
        self.status = status


class Connection:
    """HTTP over one connection that is kept: a library's client was measured at more than the gateway's own work."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self._url = urlsplit(url)
        self._headers = {"host": self._url.netloc, **(headers or {})}
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(
        self, method: str, headers: Mapping[str, str], body: object = None, *, path: str | None = None
    ) -> Answer:
        """With `path`, somewhere else at the same address."""
        data = json.dumps(body).encode() if body is not None else b""
        lines = {**self._headers, **headers, "content-type": "application/json", "content-length": str(len(data))}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        reader, writer = await self._open()
        writer.write(f"{method} {path or self._url.path} HTTP/1.1\r\n{head}\r\n".encode() + data)
        async with asyncio.timeout(60):
            status, answered = await _head(reader)
            text = await _body(reader, answered)
        if status >= 400:
            raise Refused(status, text)
        return Answer(status, answered, text)

    async def close(self) -> None:
        if self._writer:
            self._writer.close()
            await self._writer.wait_closed()
        self._reader = self._writer = None

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._url.hostname, self._url.port)
        return self._reader, self._writer


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in lines if line)
    return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in fields}


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> str:
    if headers.get("transfer-encoding") != "chunked":
        return (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
    parts: list[bytes] = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(parts).decode()


class Client:
    """One MCP session over one connection."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self._connection = Connection(url, headers)
        self._headers = {**ACCEPT, "mcp-protocol-version": "2025-06-18"}
        self._number = 0

    async def open(self) -> None:
        info = {"name": "bench", "version": "1"}
        hello: dict[str, object] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        answer = await self._post("initialize", hello)
        if "mcp-session-id" in answer.headers:  # a server may do without sessions
            self._headers["mcp-session-id"] = answer.headers["mcp-session-id"]
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self._connection.ask("POST", self._headers, ready)

    async def call(self, tool: str, arguments: dict[str, object]) -> str:
        return (await self._post("tools/call", {"name": tool, "arguments": arguments})).text

    async def close(self) -> None:
        """End the session, where there is one."""
        if "mcp-session-id" in self._headers:
            with suppress(Refused):  # it has ended already
                await self._connection.ask("DELETE", self._headers)
        await self._connection.close()

    async def _post(self, method: str, params: dict[str, object]) -> Answer:
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        return await self._connection.ask("POST", self._headers, body)


async def until_there(session: Client, tool: str) -> None:
    """A gateway listens before the servers behind it are open."""
    for _ in range(200):
        if "There is no tool" not in await session.call(tool, {"text": "there?"}):
            return
        await asyncio.sleep(0.05)


async def load(
    gateway: Running, names: list[str], clients: int, calls: int, headers: dict[str, str] | None = None, warm: int = 10
) -> Measured:
    """All clients call at once, each one call after the other."""
    times: list[float] = []
    sessions = [Client(gateway.url, headers) for _ in range(clients)]
    for session in sessions:
        await session.open()
        await session.call("prime", {"agentId": "bench", "sessionId": "s"})
    tools = [gateway.tool.format(name=name) for name in names]
    for tool in tools:
        await until_there(sessions[0], tool)

    async def one(session: Client, count: int) -> None:
        for number in range(count):
            began = time.perf_counter()
            said = await session.call(tools[number % len(tools)], {"text": f"hello {number}"})
            times.append(time.perf_counter() - began)
            assert f"hello {number}" in said, said

    await asyncio.gather(*(one(session, warm) for session in sessions))  # everybody is warm
    times.clear()
    cpu, began = gateway.cpu_s(), time.perf_counter()
    await asyncio.gather(*(one(session, calls // clients) for session in sessions))
    took, used = time.perf_counter() - began, gateway.cpu_s() - cpu
    for session in sessions:
        await session.close()
    done = calls // clients * clients
    return done / took, used / done, statistics.median(times) * 1000


async def sdk_ms(target: Any, tool: str, calls: int) -> float:
    """The median time of a call by the SDK's own client."""
    from mcp.client.client import Client as SdkClient

    times: list[float] = []
    async with SdkClient(target, mode="legacy") as client:
        with suppress(Exception):
            await client.call_tool("prime", {"agentId": "bench", "sessionId": "s"})
        for number in range(calls + 20):
            began = time.perf_counter()
            await client.call_tool(tool, {"text": f"hello {number}"})
            times.append(time.perf_counter() - began)
    return statistics.median(times[20:]) * 1000


def load_rows(
    report: Report,
    label: str,
    ours: Sequence[Measured],
    peer: Sequence[Measured],
    peer_name: str,
    *,
    aims: tuple[float | None, float | None] = (None, None),
    floor: bool = False,
) -> None:
    """What `load` found for both, taken in turns: calls per second, and CPU per call."""
    for index, (what, aim) in enumerate(zip(("calls/s", "CPU per call"), aims, strict=True)):
        report.row(
            f"{label}: {what}",
            ours=[one[index] for one in ours],
            peer=[one[index] for one in peer],
            peer_name=peer_name,
            aim=aim,
            higher_is_better=index == 0,
            floor=floor,
        )


def sdk_row(report: Report, times: Sequence[tuple[float, float]], peer_name: str) -> None:
    """The SDK's own client: the median time of a call through us, and of one without anybody between."""
    report.row(
        "SDK client: p50 ms",
        ours=[one for one, _ in times],
        peer=[other for _, other in times],
        peer_name=peer_name,
        floor=True,
        aim=2.2,
        higher_is_better=False,
    )
