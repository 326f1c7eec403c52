"""`prime mcp`, as commands."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.gateway.conftest import ECHO, echo_entry

from prime.core.errors import InvalidInput
from prime.gateway.behind.config import expand, names_in, needed_in
from prime.gateway.behind.importing import read_config, servers_in


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "work").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PRIME_")}
    places = {"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "share", "HOME": "home", "PRIME_WORKSPACE": "work"}
    return kept | {name: str(tmp_path / folder) for name, folder in places.items()}


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def prime(ready_prime: Run) -> Run:
    def run_one(environment: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
        return ready_prime("mcp", *words, env=environment)

    return run_one


def test_servers_are_added_listed_and_removed(prime: Run, environment: dict[str, str], tmp_path: Path) -> None:
    added = prime(environment, "add", "echo", "--env", "KEY=${SECRET}", "--", sys.executable, str(ECHO))
    assert added.returncode == 0, added.stderr
    file = tmp_path / "config" / "prime" / "mcp.json"
    assert json.loads(file.read_text())["mcpServers"]["echo"]["env"] == {"KEY": "${SECRET}"}
    assert file.stat().st_mode & 0o077 == 0
    assert prime(environment, "add", "echo", "other").returncode == 1
    assert prime(environment, "add", "both", "x", "--url", "http://x").returncode == 2
    listed = json.loads(prime(environment, "list", "--json").stdout)
    assert [one["name"] for one in listed["items"]] == ["echo"]
    tested = prime(environment, "test", "echo")
    assert tested.returncode == 1
    assert "SECRET" in tested.stderr
    assert prime(environment, "remove", "echo").returncode == 0
    assert prime(environment, "remove", "echo").returncode == 1


def test_a_server_is_tried_and_its_tools_can_be_run(
    ready_prime: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "config" / "prime" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcpServers": {"echo": echo_entry()}}))
    tested = ready_prime("mcp", "test", "echo", env=environment)
    assert tested.stdout.split() == ["echo__echo", "echo__slow", "echo__wild", "echo__misbehave"]
    ran = ready_prime("tools", "run", "echo__echo", "--arg", "text=hi", env=environment)
    assert ran.stdout.strip() == "hi"


def test_tokens_are_made_listed_and_revoked(prime: Run, environment: dict[str, str]) -> None:
    made = prime(environment, "token", "create", "laptop", "--tools", "a,b", "--effects", "none")
    assert made.stdout.startswith("prime_mcp_")
    [listed] = json.loads(prime(environment, "token", "list", "--json").stdout)
    assert listed["delegation"]["allowedTools"][:2] == ["a", "b"]
    assert made.stdout.strip() not in json.dumps(listed)
    assert prime(environment, "token", "create", "x", "--effects", "magic").returncode != 0
    assert prime(environment, "token", "revoke", "laptop").returncode == 0
    assert prime(environment, "token", "revoke", "laptop").returncode == 1


@pytest.mark.holds("D-RUN-6")
async def test_two_clients_over_stdio_share_one_owner(environment: dict[str, str], tmp_path: Path) -> None:
    """The first opens the data folder, the second finds its socket."""
    file = tmp_path / "config" / "prime" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcpServers": {"echo": echo_entry()}}))
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "prime", "mcp"], env=environment)

    async def say(client: Any) -> str:
        await client.call_tool("prime", {"agentId": "a", "sessionId": "s"})
        return (await client.call_tool("echo__echo", {"text": "hi"})).content[0].text

    async with asyncio.timeout(60), Client(stdio_client(parameters), mode="legacy") as first:
        assert await say(first) == "hi"
        async with Client(stdio_client(parameters), mode="auto") as second:
            assert await say(second) == "hi"


@pytest.mark.parametrize(
    ("document", "entry"),
    [
        ({"mcpServers": {"a": {"command": "x", "args": ["y"], "alwaysAllow": []}}}, {"command": "x", "args": ["y"]}),
        ({"servers": {"a": {"type": "stdio", "command": "x"}}}, {"type": "stdio", "command": "x"}),
        ({"mcp": {"servers": {"a": {"url": "http://x"}}}}, {"url": "http://x"}),
        ({"mcp": {"a": {"type": "local", "command": ["x", "y"]}}}, {"command": "x", "args": ["y"]}),
        ({"mcpServers": {"a": {"serverUrl": "http://x"}}}, {"url": "http://x"}),
        (
            {"context_servers": {"a": {"command": {"path": "x", "args": ["y"]}}}},
            {"command": "x", "args": ["y"], "env": {}},
        ),
        ({"mcpServers": [{"name": "a", "command": "x"}, {"command": "no name"}]}, {"command": "x"}),
        (
            {"mcp": {"a": {"type": "local", "command": ["x"], "environment": {"K": "v"}, "enabled": False}}},
            {"command": "x", "args": [], "env": {"K": "v"}, "disabled": True},
        ),
        (
            {"servers": {"a": {"command": "x", "env": {"KEY": "${input:api-key}"}}}, "inputs": []},
            {"command": "x", "env": {"KEY": "${API_KEY}"}},
        ),
        (
            {"mcp_servers": {"a": {"url": "http://x", "bearer_token_env_var": "TOKEN", "tool_timeout_sec": 5}}},
            {"url": "http://x", "headers": {"Authorization": "Bearer ${TOKEN}"}, "timeoutMs": 5000},
        ),
        (
            {"extensions": {"a": {"type": "stdio", "cmd": "x", "args": ["y"], "envs": {}, "enabled": True}}},
            {"type": "stdio", "command": "x", "args": ["y"], "env": {}},
        ),
    ],
)
def test_other_clients_files_are_understood(document: dict[str, Any], entry: dict[str, Any]) -> None:
    assert servers_in(document, Path("f")) == {"a": entry}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("settings.json", '{// ours\n"mcpServers": {"a": {"command": "x", /* y, */ "args": ["//no", "/*", ",]"],},},}'),
        ("config.toml", '[mcp_servers.a]\ncommand = "x"\nargs = ["//no", "/*", ",]"]\n'),
        ("config.yaml", 'mcpServers:\n  - name: a\n    command: x\n    args: ["//no", "/*", ",]"]\n'),
    ],
)
def test_other_clients_files_are_read_as_they_are_written(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert servers_in(read_config(tmp_path / name), tmp_path) == {"a": {"command": "x", "args": ["//no", "/*", ",]"]}}


@pytest.mark.parametrize(
    ("name", "text"), [("a.toml", "x = ["), ("a.yaml", "x: ["), ("a.json", '{"x": '), ("b.yaml", "5")]
)
def test_other_clients_files_that_are_broken(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInput):
        servers_in(read_config(tmp_path / name), tmp_path)


def test_what_can_be_imported_is_and_the_rest_is_told(prime: Run, environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "theirs.json"
    servers = {"My Server": {"command": "x"}, "odd": {"command": 5}, "there": {"url": "http://x"}}
    file.write_text(json.dumps({"mcpServers": servers}))
    done = prime(environment, "import", str(file), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["imported"], list(told["left"])) == (1, ["My-Server", "there"], ["odd"])
    assert "/mcpServers/odd/command" in told["left"]["odd"]


def test_a_variable_may_have_something_to_fall_back_on() -> None:
    text = "${HOST:-localhost}:${PORT}/${EMPTY:-}"
    assert (names_in([text]), needed_in([text])) == ({"HOST", "PORT", "EMPTY"}, {"PORT"})
    assert expand(text, {"PORT": "80"}) == "localhost:80/"
    assert expand(text, {"PORT": "80", "HOST": "${PORT}", "EMPTY": "x"}) == "${PORT}:80/x"
