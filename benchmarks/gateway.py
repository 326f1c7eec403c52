"""The MCP gateway beside FastMCP's proxy and a direct connection: an echo tool behind one and behind two stdio servers.

Gateways are processes of their own, reached over streamable HTTP by the same light client; direct is the SDK's client
with a server of its own. FastMCP lives in an environment of its own (peers.py);
where it cannot be installed, its rows are left out. `--soak` makes 100,000 calls and looks at memory.
"""

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import httpx2
from peers import Absent, peer
from report import Report, scaled

ROUNDS = scaled(3, 2)
CALLS = scaled(600, 160)
SOAK = int(os.environ.get("PRIME_BENCH_SOAK", "100000"))
HERE = Path(__file__).resolve()
ACCEPT = {"accept": "application/json, text/event-stream"}
HARMLESS = {
    "filesystem": {"read": False, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "cost": {"billable": False},
}
FASTMCP = """
import sys
from fastmcp import FastMCP
from fastmcp.server import create_proxy
port, names = int(sys.argv[1]), sys.argv[4:]
main = FastMCP("proxy")
for name in names:
    entry = {"command": sys.argv[2], "args": [sys.argv[3], "--echo"]}
    main.mount(create_proxy({"mcpServers": {"default": entry}}), namespace=name)
main.run(transport="http", host="127.0.0.1", port=port, show_banner=False, log_level="ERROR")
"""


async def echo_server() -> None:
    """The server behind everybody: the SDK's own."""
    import mcp_types as types
    from mcp.server.lowlevel.server import Server
    from mcp.server.stdio import stdio_server

    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="echo", description="Says it again.", input_schema=schema)])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        words = str((params.arguments or {}).get("text", ""))
        return types.CallToolResult(content=[types.TextContent(type="text", text=words)])

    server = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


# --- gateways ---


def free_port() -> int:
    import socket

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


def ours(folder: Path, names: list[str]) -> Running:
    entry = {"command": sys.executable, "args": [str(HERE), "--echo"], "effects": HARMLESS}
    config = folder / "config" / "prime"
    config.mkdir(parents=True, exist_ok=True)
    (config / "mcp.json").write_text(json.dumps({"mcpServers": dict.fromkeys(names, entry)}))
    (folder / "work").mkdir(exist_ok=True)
    port = free_port()
    environment = {
        **os.environ,
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "share"),
        "PRIME_WORKSPACE": str(folder / "work"),
        "PRIME_TOOL_SCAN_MS": "0",  # looking for programs is measured elsewhere
    }
    words = [sys.executable, "-m", "prime", "serve", "--port", str(port), "--data", str(folder / "data")]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, text=True)
    wait_for(f"http://127.0.0.1:{port}/healthz")
    return Running(process, f"http://127.0.0.1:{port}/mcp", "{name}__echo")


def theirs(python: str, folder: Path, names: list[str]) -> Running:
    script = folder / "proxy.py"
    script.write_text(FASTMCP)
    port = free_port()
    words = [python, str(script), str(port), sys.executable, str(HERE), *names]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    for _ in range(300):
        with suppress(OSError):
            import socket

            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        time.sleep(0.1)
    return Running(process, f"http://127.0.0.1:{port}/mcp", "{name}_echo")


def find_fastmcp(report: Report) -> str | None:
    try:
        fastmcp = peer("fastmcp", pin="4.1.2")
    except Absent as why:
        report.absent("FastMCP proxy", str(why))
        return None
    report.peer("fastmcp", fastmcp.version)
    return str(fastmcp.python)


# --- the client ---


class Client:
    """One MCP session over one connection, without a library's cost."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http = http
        self._url = url
        self._headers = {**ACCEPT, "mcp-protocol-version": "2025-06-18"}
        self._number = 0

    async def open(self) -> None:
        info = {"name": "bench", "version": "1"}
        hello: dict[str, object] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        answer = await self._post("initialize", hello)
        if "mcp-session-id" in answer.headers:  # a server may do without sessions
            self._headers["mcp-session-id"] = answer.headers["mcp-session-id"]
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self._http.post(self._url, json=ready, headers=self._headers)

    async def call(self, tool: str, arguments: dict[str, object]) -> str:
        return (await self._post("tools/call", {"name": tool, "arguments": arguments})).text

    async def _post(self, method: str, params: dict[str, object]) -> httpx2.Response:
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        response = await self._http.post(self._url, json=body, headers=self._headers)
        response.raise_for_status()
        return response


async def load(
    gateway: Running, names: list[str], clients: int, calls: int, headers: dict[str, str] | None = None, warm: int = 10
) -> tuple[float, float, float]:
    """Calls per second, CPU seconds of the gateway per call, and the median time of one in milliseconds."""
    times: list[float] = []
    async with AsyncExitStack() as stack:
        sessions: list[Client] = []
        for _ in range(clients):
            http = await stack.enter_async_context(httpx2.AsyncClient(timeout=60, headers=headers))
            session = Client(http, gateway.url)
            await session.open()
            await session.call("prime", {"agentId": "bench", "sessionId": "s"})
            sessions.append(session)
        tools = [gateway.tool.format(name=name) for name in names]

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
        took = time.perf_counter() - began
    done = calls // clients * clients
    return done / took, (gateway.cpu_s() - cpu) / done, statistics.median(times) * 1000


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


def direct() -> Any:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    return stdio_client(StdioServerParameters(command=sys.executable, args=[str(HERE), "--echo"]))


# --- what is measured ---


async def survives(gateway: Running, report: Report) -> None:
    """A server is killed during calls."""
    children = gateway.children()
    async with httpx2.AsyncClient(timeout=60) as http:
        session = Client(http, gateway.url)
        await session.open()
        await session.call("prime", {"agentId": "bench", "sessionId": "s"})
        failed = 0
        os.kill(int(children[-1]), signal.SIGKILL)
        began = time.perf_counter()
        tools = [gateway.tool.format(name=name) for name in ("one", "two")]
        while time.perf_counter() - began < 10:
            answers = [await session.call(tool, {"text": "back"}) for tool in tools]
            bad = [answer for answer in answers if '"isError":true' in answer]
            failed += len(bad)
            if not bad:
                break
    report.fact("killed server is back after (s)", round(time.perf_counter() - began, 2))
    report.fact("calls that failed meanwhile", failed)


def listing(report: Report) -> None:
    """2,000 tools: made new, and from what is kept."""
    from prime.gateway.front.listing import Listing, page
    from prime.tools.catalog import Catalog, FixedTools
    from prime.tools.tool import Tool

    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "x" * 40} for n in range(6)}}
    tools = [Tool(name=f"tool_{n}", command=("tool", str(n)), description="y" * 80, schema=schema) for n in range(2000)]

    class Shop:
        catalog = Catalog(FixedTools(tools))
        folders = None

    fresh: list[float] = []
    kept: list[float] = []
    for _ in range(10):
        made = Listing(Shop(), None)  # pyright: ignore[reportArgumentType]
        for times in (fresh, kept):
            began = time.perf_counter()
            cursor = None
            while True:
                _, cursor = page(made.all(None), cursor)
                if cursor is None:
                    break
            times.append((time.perf_counter() - began) * 1000)
    report.fact("list of 2,000 tools, new (ms, aim 50)", round(statistics.median(fresh), 2))
    report.fact("list of 2,000 tools, kept (ms, aim 5)", round(statistics.median(kept), 2))


async def soak(gateway: Running, report: Report) -> None:
    await load(gateway, ["one", "two"], 16, 4000)
    before, children = gateway.memory_mb(), len(gateway.children())
    await load(gateway, ["one", "two"], 16, SOAK)
    report.fact(f"memory before and after {SOAK:,} calls (MB)", (round(before), round(gateway.memory_mb())))
    report.fact("processes before and after", (children, len(gateway.children())))


async def compare(report: Report, folder: Path) -> None:
    python = find_fastmcp(report)
    for names in (["one"], ["one", "two"]):
        place = folder / str(len(names))
        place.mkdir()
        mine = ours(place, names)
        peer = theirs(python, place, names) if python else None
        try:
            for clients in (1, 16):
                found: list[tuple[tuple[float, float, float], tuple[float, float, float]]] = []
                for _ in range(ROUNDS):
                    own = await load(mine, names, clients, CALLS)
                    found.append((own, await load(peer, names, clients, CALLS) if peer else own))
                label = f"{len(names)} servers, {clients} clients"
                aimed = len(names) == 2 and clients == 16
                if peer:
                    for index, what, aim, more in ((0, "calls/s", 2.5, True), (1, "CPU per call", 0.4, False)):
                        report.row(
                            f"{label}: {what}",
                            ours=[one[0][index] for one in found],
                            peer=[one[1][index] for one in found],
                            peer_name="FastMCP proxy",
                            aim=aim if aimed else None,
                            higher_is_better=more,
                        )
                else:
                    report.fact(f"{label}: calls/s", round(statistics.median(one[0][0] for one in found)))
            if len(names) == 2:
                mine_ms = [await sdk_ms(mine.url, "one__echo", CALLS // 2) for _ in range(ROUNDS)]
                direct_ms = [await sdk_ms(direct(), "echo", CALLS // 2) for _ in range(ROUNDS)]
                report.row(
                    "SDK client: p50 ms",
                    ours=mine_ms,
                    peer=direct_ms,
                    peer_name="direct, stdio",
                    floor=True,
                    aim=2.2,
                    higher_is_better=False,
                )
                async with httpx2.AsyncClient() as http:
                    listed = (await http.get(mine.url.replace("/mcp", "/api/mcp/servers"))).json()
                report.fact(
                    "spawns of servers in all calls", sum(one["opened"] for one in listed["items"]) - len(names)
                )
                if "--soak" in sys.argv:
                    await soak(mine, report)
                await survives(mine, report)
        finally:
            mine.end()
            if peer:
                peer.end()


def main() -> None:
    if "--echo" in sys.argv:
        asyncio.run(echo_server())
        return
    report = Report("gateway", "calls/s, CPU seconds per call, ms")
    listing(report)
    with tempfile.TemporaryDirectory(prefix="prime-bench-") as folder:
        asyncio.run(compare(report, Path(folder)))
    report.finish()


if __name__ == "__main__":
    main()
