"""The gateway beside a server reached directly and beside ContextForge: an echo tool on the SDK's bare HTTP server behind all.

The SDK's server asked directly is the floor: nobody who stands between can be quicker. ContextForge
(`mcp-contextforge-gateway`) runs in an environment of its own, with an administrator, an SQLite file and one worker; it is given
what it needs to reach a server on this machine, and is left out, with the reason, where it cannot be installed or does not start.
"""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import httpx2
from gateways import (
    HARMLESS,
    Measured,
    Running,
    free_port,
    load,
    load_rows,
    prime_with,
    sdk_ms,
    sdk_row,
    wait_until_open,
)
from peers import Absent, Peer, peer, program
from report import QUICK, Report, scaled

ROUNDS = scaled(3, 2)
CALLS = scaled(600, 96)
FORGE_CALLS = scaled(96, 16)  # each takes it long
CLIENTS = (1, 16)
FORGE_CLIENTS = (1,) if QUICK else CLIENTS
PATIENCE_S = scaled(240, 60)
SECRET = "a-secret-that-only-this-benchmark-knows-0123456789"
ADMIN = "admin@example.com"


def bare_server(sdk: Peer) -> Running:
    port = free_port()
    process = subprocess.Popen([str(sdk.python), program("mcp_server.py"), str(port)], text=True)
    wait_until_open(port, process)
    return Running(process, f"http://127.0.0.1:{port}/mcp", "echo")


def ours(folder: Path, behind: str) -> Running:
    return prime_with(folder, {"one": {"type": "http", "url": behind, "effects": HARMLESS}}, "one__echo")


# --- ContextForge ---


class ContextForge(Running):
    """Its process, and the token of its administrator."""

    token: str


def context_forge(it: Peer, folder: Path) -> ContextForge:
    port = free_port()
    database, made_before = folder / "forge.db", it.python.parents[1] / "forge.db"
    if made_before.exists():  # making its tables takes it a minute, which is not what is measured
        shutil.copy(made_before, database)
    own = {
        "DATABASE_URL": f"sqlite:///{database}",
        "JWT_SECRET_KEY": SECRET,
        "AUTH_ENCRYPTION_SECRET": SECRET,
        "PLATFORM_ADMIN_EMAIL": ADMIN,
        "PLATFORM_ADMIN_PASSWORD": "Quite-A-Long-Pass-2026",
        "CACHE_TYPE": "memory",
        "LOG_LEVEL": "ERROR",
        "MCPGATEWAY_UI_ENABLED": "false",
        "RATE_LIMITING_ENABLED": "false",
        "SSRF_PROTECTION_ENABLED": "false",
    }
    environment = {**os.environ, **own}
    command = [str(it.program("mcpgateway")), "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    with (folder / "forge.log").open("w") as said:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=said, stderr=said, text=True)
    running = ContextForge(process, f"http://127.0.0.1:{port}/mcp/", "one-echo")
    try:
        wait_until_open(port, process, PATIENCE_S)
        if not made_before.exists():
            copy_database(database, made_before)
        make_token = [str(it.python), "-m", "mcpgateway.utils.create_jwt_token", "--username", ADMIN, "--admin"]
        words = [*make_token, "--exp", "600", "--secret", SECRET]
        made = subprocess.run(words, env=environment, capture_output=True, text=True, check=True, timeout=120)
        running.token = made.stdout.strip().splitlines()[-1]
    except (Absent, subprocess.SubprocessError):
        running.end()
        raise
    return running


def copy_database(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as there, closing(sqlite3.connect(target)) as here:
        there.backup(here)


async def put_behind(forge: ContextForge, behind: str) -> None:
    body = {"name": "one", "url": behind, "transport": "STREAMABLEHTTP"}
    base = forge.url.removesuffix("/mcp/")
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {forge.token}"}, timeout=60) as http:
        answer = await http.post(f"{base}/gateways", json=body)
    if answer.status_code >= 300:
        raise Absent(f"it did not take the server: {answer.status_code} {answer.text[:200]}")


# --- what is measured ---


async def rates(gateway: Running, clients: int) -> Measured:
    if isinstance(gateway, ContextForge):
        headers = {"authorization": f"Bearer {gateway.token}"}
        found = await load(gateway, [""], clients, FORGE_CALLS, headers=headers, warm=2)
    else:
        found = await load(gateway, [""], clients, CALLS)
    print(f"{gateway.tool}, {clients} clients: {found[0]:.0f} calls/s", file=sys.stderr)
    return found


async def compare(report: Report, folder: Path) -> None:
    sdk = peer("mcp", "uvicorn", "uvloop", "httptools", pin="2.3.0")
    report.peer("mcp (SDK)", sdk.version)
    server = bare_server(sdk)
    running: list[Running] = [server]
    try:
        mine = ours(folder, server.url)
        running.append(mine)
        forge: ContextForge | None = None
        try:
            it = peer("mcp-contextforge-gateway")
            forge = context_forge(it, folder)
            running.append(forge)
            await put_behind(forge, server.url)
            report.peer("mcp-contextforge-gateway", it.version)
        except (Absent, subprocess.SubprocessError, httpx2.HTTPError, AssertionError) as why:
            forge = None
            report.absent("ContextForge", str(why)[:300])
        await one_client(report, mine, server)
        for clients in CLIENTS:
            await one_size(report, clients, mine, server, forge if clients in FORGE_CLIENTS else None)
    finally:
        for one in running:
            one.end()


async def one_client(report: Report, mine: Running, server: Running) -> None:
    """The SDK's own client, over the same transport to both."""
    times = [
        (await sdk_ms(mine.url, mine.tool, CALLS // 2), await sdk_ms(server.url, server.tool, CALLS // 2))
        for _ in range(ROUNDS)
    ]
    sdk_row(report, times, "MCP SDK server, asked directly")


async def one_size(report: Report, clients: int, mine: Running, server: Running, forge: ContextForge | None) -> None:
    found: dict[str, list[Measured]] = {"ours": [], "bare": [], "forge": []}
    for _ in range(ROUNDS):  # in turns, so that a busy moment hits all alike
        found["ours"].append(await rates(mine, clients))
        found["bare"].append(await rates(server, clients))
        if forge:
            found["forge"].append(await rates(forge, clients))
    peers = [("bare", "MCP SDK server, asked directly", True)]
    if forge:
        peers.append(("forge", "ContextForge", False))
    for key, name, floor in peers:
        load_rows(report, f"{clients} clients", found["ours"], found[key], name, floor=floor)


def main() -> None:
    report = Report("gateway_http", "calls/s, CPU seconds per call")
    with tempfile.TemporaryDirectory(prefix="prime-bench-") as folder:
        try:
            asyncio.run(compare(report, Path(folder)))
        except Absent as why:
            report.skip(f"the MCP SDK's server is not to be had: {why}")
            return
    report.finish()


if __name__ == "__main__":
    main()
