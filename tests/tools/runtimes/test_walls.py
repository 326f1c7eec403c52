"""What a manifest's policy says is kept, or the call is refused (D-RUN-1)."""

import os
import shutil
import socket
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import Unavailable
from prime.core.private_folders import kept_private
from prime.core.process import Subreaper
from prime.tools.policy import Policy, Validator
from prime.tools.runtime import RunContext
from prime.tools.runtimes import FolderRuntime, Registry, ToolFailed
from prime.tools.runtimes.manifest import Level
from prime.tools.runtimes.registry import read_folder

Call = Callable[..., Coroutine[Any, Any, Any]]
Make = Callable[..., Path]

DIAL = """#!/usr/bin/env python3
import json, socket, sys
port = json.loads(sys.stdin.readline())["arguments"]["port"]
try:
    socket.create_connection(("127.0.0.1", port), timeout=2).close()
    print(json.dumps("reached"))
except OSError as error:
    print(json.dumps("refused"))
"""


@pytest.fixture
def port() -> int:
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server:
            server.settimeout(30)
            try:
                server.accept()[0].close()
            except OSError:
                return

    threading.Thread(target=serve, daemon=True).start()
    return int(server.getsockname()[1])


@pytest.mark.holds("D-RUN-1")
@pytest.mark.parametrize(
    ("policy", "effects", "reached"),
    [
        ({}, {}, False),
        ({}, {"network": False}, False),
        ({}, {"network": True}, True),
        ({"network": "deny"}, {"network": True}, False),
        ({"network": "allow"}, {}, True),
    ],
)
async def test_the_network_is_off_unless_the_manifest_says_so(
    make_tool: Make, call: Call, port: int, policy: dict[str, str], effects: dict[str, bool], reached: bool
) -> None:
    make_tool("dial", {"run.py": DIAL}, policy=policy, effects=effects)
    assert (await call("dial", port=port)).structured == ("reached" if reached else "refused")


async def test_files_are_read_only_but_for_a_declared_working_folder(
    shell: Make, call: Call, workspace: Path, tmp_path: Path
) -> None:
    attempt = f"touch made 2>/dev/null; touch {tmp_path}/elsewhere 2>/dev/null; touch $TMPDIR/t && echo 1"
    shell("reader", attempt, effects={"filesystem": {"read": True}})
    await call("reader")
    assert not (workspace / "made").exists()
    shell("writer", attempt, effects={"filesystem": {"write": True}})
    await call("writer")
    assert (workspace / "made").exists()
    assert not (tmp_path / "elsewhere").exists()
    own = shell("own", attempt, effects={"filesystem": {"write": True}}, policy={"workdir": "state"})
    (own / "state").mkdir()
    await call("own")
    assert (own / "state" / "made").exists()


async def test_a_tool_that_may_write_the_workspace_makes_no_tools_and_no_first_words_there(
    shell: Make, call: Call, workspace: Path
) -> None:
    for name in (".prime/tools", ".minds/priming"):
        (workspace / name).mkdir(parents=True)
    attempt = "touch .prime/tools/x .prime/mcp.json .minds/priming/y 2>/dev/null; touch made; echo 1"
    shell("writer", attempt, effects={"filesystem": {"write": True}})
    await call("writer")
    assert [file for _, _, files in os.walk(workspace) for file in files] == ["made"]


async def test_only_allowed_variables_get_in(
    shell: Make,
    call: Call,
    runtime: FolderRuntime,
    registry: Registry,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SOME_TOKEN", "OTHER_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, f"value-of-{name}")
    shell("env", 'echo "\\"$(env | sort | tr "\\n" " ")\\""', policy={"envAllow": ["SOME_TOKEN", "NOT_SET"]})
    seen = str((await call("env")).structured)
    assert "value-of-SOME_TOKEN" in seen
    assert "value-of-OTHER_TOKEN" not in seen
    assert "OPENAI" not in seen
    assert "PATH=" in seen
    own = RunContext(session_id="s", agent_id="a", cwd=workspace, approved=True, env={"SESSION": "mine"})
    result = await runtime.run(registry.find("env").tool, {}, own)
    assert "SESSION=mine" in str(result.structured)


async def test_a_secret_reaches_only_the_tool_that_names_it(
    shell: Make, registry: Registry, context: RunContext, tmp_path: Path
) -> None:
    async def secret(name: str) -> str | None:
        return {"API_TOKEN": "s3cret"}.get(name)

    shell("named", 'echo "\\"$API_TOKEN\\""', policy={"envAllow": ["API_TOKEN"]})
    shell("other", 'echo "\\"$API_TOKEN\\""')
    async with FolderRuntime(registry, cache=tmp_path / "cache", secret=secret) as runtime:
        assert (await runtime.run(registry.find("named").tool, {}, context)).structured == "s3cret"
        assert (await runtime.run(registry.find("other").tool, {}, context)).structured == ""


async def test_primes_own_data_is_not_there_for_tools(
    shell: Make, registry: Registry, context: RunContext, tmp_path: Path, user_tools: Path
) -> None:
    data = tmp_path  # the user's tools lie inside of it, as they do in the usual place
    (data / "secrets.key").write_text("the key")
    (data / "attachments").mkdir()
    (data / "attachments" / "a").write_text("private")
    shell("spy", f"cat {data}/secrets.key {data}/attachments/a 2>/dev/null; ls {user_tools}/spy >&2; echo 1")
    with kept_private(data):
        async with FolderRuntime(registry, cache=tmp_path / "cache") as runtime:
            result = await runtime.run(registry.find("spy").tool, {}, context)
    assert (result.structured, result.log) == (1, "")


@pytest.mark.parametrize(("level", "asked"), [("user", []), ("workspace", ["workspace_secrets"])])
def test_a_workspaces_tool_is_handed_nothing_unasked(
    shell: Make, workspace: Path, level: Level, asked: list[str]
) -> None:
    """It names what it wants itself, and whoever opens a folder has not read what is in it."""
    harmless = {
        "filesystem": {"read": False, "write": False, "delete": False},
        "network": False,
        "subprocess": False,
        "destructive": False,
    }
    folder = shell("peek", "env", effects=harmless, policy={"envAllow": ["AWS_SECRET_ACCESS_KEY", "MY_KEY"]})
    decision = Validator(Policy(), workspace=workspace).validate(read_folder(folder, level).tool, {}, cwd=workspace)
    assert [reason.code for reason in decision.reasons] == asked
    assert all("AWS_SECRET_ACCESS_KEY, MY_KEY" in reason.text for reason in decision.reasons)


async def test_credentials_are_not_there_for_a_workspaces_tool(
    shell: Make, call: Call, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_text("key")
    (home / ".netrc").write_text("login")
    monkeypatch.setenv("HOME", str(home))
    script = "cat $HOME/.ssh/id $HOME/.netrc 2>/dev/null; echo 1"
    shell("stranger", script, root=workspace / ".prime" / "tools")
    assert (await call("stranger")).log == ""


async def test_without_a_sandbox_a_tool_is_refused_unless_best_effort_will_do(
    shell: Make, registry: Registry, context: RunContext, workspace: Path, tmp_path: Path
) -> None:
    shell("strict", "echo 1")
    shell("easy", "echo 1", policy={"enforce": "best-effort"})
    shell("stranger", "echo 1", policy={"enforce": "best-effort"}, root=workspace / ".prime" / "tools")
    async with FolderRuntime(registry, cache=tmp_path / "cache", within=Subreaper()) as runtime:
        for name in ("strict", "stranger"):
            with pytest.raises(Unavailable) as told:
                await runtime.run(registry.find(name).tool, {}, context)
            assert told.value.error_code == "sandbox_unavailable"
        assert (await runtime.run(registry.find("easy").tool, {}, context)).structured == 1


async def test_arguments_that_name_files_of_the_folder_are_found_from_anywhere(make_tool: Make, call: Call) -> None:
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    folder = make_tool("py", {"main.py": script}, entry={"command": "python3", "args": ["main.py", "main.py", "--x"]})
    assert (await call("py")).structured == [str(folder.resolve() / "main.py"), "--x"]


async def test_a_binary_runs_with_its_arguments(make_tool: Make, call: Call) -> None:
    folder = make_tool("native", {"bin/tool": ""}, runtime="binary", entry={"path": "bin/tool", "args": ["[1,", "2]"]})
    shutil.copyfile("/bin/echo", folder / "bin" / "tool")
    assert (await call("native")).structured == [1, 2]


async def test_memory_of_all_processes_counts_together(make_tool: Make, call: Call) -> None:
    script = """#!/usr/bin/env python3
import subprocess, sys
child = [sys.executable, "-c", "x = bytearray(b'x') * 40_000_000; import time; time.sleep(20)"]
all_ = [subprocess.Popen(child) for _ in range(5)]
[p.wait() for p in all_]
print(1)
"""
    make_tool("hungry", {"run.py": script}, policy={"memoryBytes": 120_000_000, "timeoutMs": 15_000})
    with pytest.raises(ToolFailed) as told:
        await call("hungry")
    assert told.value.error_code == "tool_memory_limit"
