"""The gateway beside a server reached directly and beside ContextForge: an echo tool on the SDK's bare HTTP server behind all.

The SDK's server asked directly is the floor: nobody who stands between can be quicker. ContextForge
(`mcp-contextforge-gateway`) runs in an environment of its own, with an administrator, an SQLite file and one worker; it is given
what it needs to reach a server on this machine, and is left out, with the reason, where it cannot be installed or does not start.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import httpx2
from peers import Absent, Peer, peer, program
from report import QUICK, Report, scaled

from gateway import HARMLESS, Running, free_port, load, wait_for

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
    config = folder / "config" / "prime"
    config.mkdir(parents=True)
    servers = {"one": {"type": "http", "url": behind, "effects": HARMLESS}}
    (config / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (folder / "work").mkdir()
    port = free_port()
    own: dict[str, object] = {
        "XDG_CONFIG_HOME": folder / "config",
        "XDG_DATA_HOME": folder / "share",
        "PRIME_WORKSPACE": folder / "work",
        "PRIME_TOOL_SCAN_MS": 0,
    }
    environment = {**os.environ, **{name: str(value) for name, value in own.items()}}
    command = [sys.executable, "-m", "prime", "serve", "--port", str(port), "--data", str(folder / "data")]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, text=True)
    wait_for(f"http://127.0.0.1:{port}/healthz")
    return Running(process, f"http://127.0.0.1:{port}/mcp", "one__echo")


def wait_until_open(port: int, process: "subprocess.Popen[str]", patience: float = 60) -> None:
    import socket

    until = time.monotonic() + patience
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.2)
    raise Absent(f"it did not listen within {patience:g} s")


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


async def rates(gateway: Running, clients: int) -> tuple[float, float, float]:
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
        for clients in CLIENTS:
            await one_size(report, clients, mine, server, forge if clients in FORGE_CLIENTS else None)
    finally:
        for one in running:
            one.end()


async def one_size(report: Report, clients: int, mine: Running, server: Running, forge: ContextForge | None) -> None:
    found: dict[str, list[tuple[float, float, float]]] = {"ours": [], "bare": [], "forge": []}
    for _ in range(ROUNDS):  # in turns, so that a busy moment hits all alike
        found["ours"].append(await rates(mine, clients))
        found["bare"].append(await rates(server, clients))
        if forge:
            found["forge"].append(await rates(forge, clients))
    peers = [("bare", "MCP SDK server, asked directly", True)]
    if forge:
        peers.append(("forge", "ContextForge", False))
    for key, name, floor in peers:
        for index, what, more in ((0, "calls/s", True), (1, "CPU per call", False)):
            report.row(
                f"{clients} clients: {what}",
                ours=[one[index] for one in found["ours"]],
                peer=[one[index] for one in found[key]],
                peer_name=name,
                higher_is_better=more,
                floor=floor,
            )


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
