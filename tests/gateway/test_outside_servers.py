"""Ten real MCP servers of other people behind the gateway: listed, called, and closed."""

import asyncio
import http.server
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.gateway.conftest import Json, OpenHouse
from tests.gateway.outside import node_packages, python_program

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
# What the owner vouches for here, so that nobody is asked.
TRUSTED: Json = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "cost": {"billable": False},
}
NODE = "2026.8.31"


@dataclass(frozen=True)
class Theirs:
    """A server: where it comes from, its words behind the command, and a call with what its answer must hold."""

    package: str
    pin: str
    words: tuple[str, ...]
    tool: str
    arguments: Json
    answers: str
    others: tuple[str, ...] = ()


def servers(folder: Path, site: str) -> dict[str, Theirs]:
    workspace = folder / "workspace"
    thought: Json = {"thought": "One.", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
    entity: Json = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    return {
        "fetch": Theirs(
            "mcp-server-fetch",
            "2026.10.24",
            ("--ignore-robots-txt", "--allow-private-ips"),
            "fetch",
            {"url": site},
            "Hello from a page",
        ),
        "git": Theirs("mcp-server-git", "2026.10.19", (), "git_status", {"repo_path": str(workspace)}, "note.txt"),
        "sqlite": Theirs(
            "mcp-server-sqlite",
            "2025.4.25",
            ("--db-path", str(folder / "some.db")),
            "read_query",
            {"query": "SELECT 6 * 7 AS answer"},
            "42",
            ("mcp<2",),  # it was written before the SDK's second version
        ),
        "time": Theirs(
            "mcp-server-time", "2026.10.19", (), "get_current_time", {"timezone": "Europe/Berlin"}, "Europe/Berlin"
        ),
        "calculator": Theirs("mcp-server-calculator", "0.2.1", (), "calculate", {"expression": "6*7"}, "42"),
        "editor": Theirs(
            "mcp-text-editor",
            "1.0.2",
            (),
            "get_text_file_contents",
            {"files": [{"file_path": str(workspace / "note.txt"), "ranges": [{"start": 1}]}]},
            "a note",
            ("mcp<2",),
        ),
        "filesystem": Theirs(
            "@modelcontextprotocol/server-filesystem",
            NODE,
            (str(workspace),),
            "read_text_file",
            {"path": str(workspace / "note.txt")},
            "a note",
        ),
        "everything": Theirs(
            "@modelcontextprotocol/server-everything", NODE, (), "echo", {"message": "heard"}, "heard"
        ),
        "memory": Theirs(
            "@modelcontextprotocol/server-memory", NODE, (), "create_entities", {"entities": [entity]}, "Ada"
        ),
        "thinking": Theirs(
            "@modelcontextprotocol/server-sequential-thinking", NODE, (), "sequentialthinking", thought, "thoughtNumber"
        ),
    }


def entry(theirs: Theirs, commands: Path, folder: Path) -> Json:
    if theirs.package.startswith("@"):
        command = commands / f"mcp-{theirs.package.partition('/')[2]}"
    else:
        command = python_program(theirs.package, theirs.pin, *theirs.others).with_name(theirs.package)
    return {
        "command": str(command),
        "args": list(theirs.words),
        "effects": TRUSTED,
        "env": {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")},
    }


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<html><body><main><p>Hello from a page of this machine.</p></main></body></html>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


async def test_ten_servers_are_listed_and_called(open_house: OpenHouse, tmp_path: Path, site: str) -> None:
    theirs = servers(tmp_path, site)
    assert len(theirs) == 10
    node = [f"{one.package}@{one.pin}" for one in theirs.values() if one.package.startswith("@")]
    commands = await asyncio.to_thread(node_packages, *node)
    entries = {name: await asyncio.to_thread(entry, one, commands, tmp_path) for name, one in theirs.items()}
    house = await open_house(entries, PRIME_TOOL_SCAN_MS="0")
    (house.workspace / "note.txt").write_text("a note\n")
    made = await asyncio.create_subprocess_exec("git", "init", "-q", str(house.workspace))
    assert await made.wait() == 0
    problems = {one.config.name: str(one.problem) for one in house.servers.servers() if one.state != "ready"}
    assert not problems
    pids = [pid for one in house.servers.servers() if (pid := one.pid) is not None]
    assert len(pids) == 10
    async with house.client() as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        said: dict[str, Any] = {}
        for name, one in theirs.items():
            assert f"{name}__{one.tool}" in listed, sorted(listed)
            said[name] = await client.call_tool(f"{name}__{one.tool}", one.arguments)
        wrong = {name: result for name, result in said.items() if result.is_error}
        assert not wrong
        assert {name for name, result in said.items() if theirs[name].answers not in _all_of(result)} == set()
        together = await asyncio.gather(
            *(
                client.call_tool(f"{name}__{one.tool}", one.arguments)
                for name, one in theirs.items()
                if name != "memory"
            )
        )
        assert not any(result.is_error for result in together)
    assert all(one.opened == 1 for one in house.servers.servers())
    await house.servers.stop()
    assert [pid for pid in pids if _alive(pid)] == []


def _all_of(result: Any) -> str:
    return json.dumps([block.model_dump(mode="json") for block in result.content], ensure_ascii=False)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:1]
