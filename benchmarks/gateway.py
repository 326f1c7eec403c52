"""The MCP gateway beside FastMCP's proxy and a direct connection: an echo tool behind one and behind two stdio servers.

Gateways are processes of their own, reached over streamable HTTP by the same light client; direct is the SDK's client
with a server of its own over stdio, beside the same client with `prime mcp`. FastMCP lives in an environment of its own
(peers.py); where it cannot be installed, its rows are left out. `--soak` makes 100,000 calls and looks at memory.
"""

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import httpx2
from gateways import (
    HARMLESS,
    Client,
    Measured,
    Running,
    environment_in,
    free_port,
    load,
    load_rows,
    prime_with,
    sdk_ms,
    sdk_row,
    wait_until_open,
)
from peers import Absent, peer
from report import Report, scaled

ROUNDS = scaled(3, 2)
CALLS = scaled(600, 160)
SOAK = int(os.environ.get("PRIME_BENCH_SOAK", "100000"))
HERE = Path(__file__).resolve()
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


def ours(folder: Path, names: list[str]) -> Running:
    entry = {"command": sys.executable, "args": [str(HERE), "--echo"], "effects": HARMLESS}
    return prime_with(folder, dict.fromkeys(names, entry), "{name}__echo")


def theirs(python: str, folder: Path, names: list[str]) -> Running:
    script = folder / "proxy.py"
    script.write_text(FASTMCP)
    port = free_port()
    words = [python, str(script), str(port), sys.executable, str(HERE), *names]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    wait_until_open(port, process)
    return Running(process, f"http://127.0.0.1:{port}/mcp", "{name}_echo")


def find_fastmcp(report: Report) -> str | None:
    try:
        fastmcp = peer("fastmcp", pin="4.1.2")
    except Absent as why:
        report.absent("FastMCP proxy", str(why))
        return None
    report.peer("fastmcp", fastmcp.version)
    return str(fastmcp.python)


def direct() -> Any:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    return stdio_client(StdioServerParameters(command=sys.executable, args=[str(HERE), "--echo"]))


def ours_on_stdio(folder: Path) -> Any:
    """`prime mcp` as a client starts it, with the servers of `folder` behind it and a data folder of its own."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    words = ["-m", "prime", "mcp", "--data", str(folder / "stdio")]
    return stdio_client(StdioServerParameters(command=sys.executable, args=words, env=environment_in(folder)))


# --- what is measured ---


async def survives(gateway: Running, report: Report) -> None:
    """A server is killed during calls."""
    children = gateway.children()
    session = Client(gateway.url)
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
    began = time.perf_counter()
    words = [str(HERE), "--echo"]
    await (await asyncio.create_subprocess_exec(sys.executable, *words, stdin=subprocess.DEVNULL)).wait()
    report.fact("the same server by itself, from its start to its end (s)", round(time.perf_counter() - began, 2))
    report.fact("calls that failed meanwhile", failed)


def listing(report: Report) -> None:
    """2,000 tools: made new, and from what is kept."""
    from prime.gateway.front.listing import Listing, page
    from prime.tools.catalog import Catalog
    from prime.tools.fixed import FixedTools
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
                found: list[tuple[Measured, Measured]] = []
                for _ in range(ROUNDS):
                    own = await load(mine, names, clients, CALLS)
                    found.append((own, await load(peer, names, clients, CALLS) if peer else own))
                label = f"{len(names)} servers, {clients} clients"
                if peer:
                    aims = (2.5, 0.4) if len(names) == 2 and clients == 16 else (None, None)
                    own, other = [one for one, _ in found], [other for _, other in found]
                    load_rows(report, label, own, other, "FastMCP proxy", aims=aims)
                else:
                    report.fact(f"{label}: calls/s", round(statistics.median(one[0][0] for one in found)))
            if len(names) == 2:
                times: list[tuple[float, float]] = []
                for _ in range(ROUNDS):  # in turns; over HTTP the same is in gateway_http.py
                    own_ms = await sdk_ms(ours_on_stdio(place), "one__echo", CALLS // 2)
                    times.append((own_ms, await sdk_ms(direct(), "echo", CALLS // 2)))
                sdk_row(report, times, "direct, stdio")
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
