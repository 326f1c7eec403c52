"""Processes that are started ahead (D-RUN-11): each for one call, none for long, none with a secret in it."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import PrimeError
from prime.core.process import Command, Limits
from prime.core.whole_file import replace_file
from prime.tools.runtime import RunContext
from prime.tools.runtimes import FolderRuntime, Registry, Standby
from prime.tools.runtimes.environments import Environments
from prime.tools.runtimes.launching import Launcher
from prime.tools.runtimes.standby import Way

Call = Callable[..., Coroutine[Any, Any, Any]]
Make = Callable[..., Path]
Until = Callable[[Callable[[], bool]], Awaitable[None]]

# Says in which process it runs and how often that one was asked.
SCRIPT = """#!/usr/bin/env python3
import json, os, sys, time
started = time.monotonic()
asked = 0
for line in sys.stdin:
    asked += 1
    given = json.loads(line)["arguments"]
print(json.dumps({"started": started, "asked": asked, "given": given, "cwd": os.getcwd()}), flush=True)
"""


@pytest.fixture
def ready(make_tool: Make, registry: Registry, runtime: FolderRuntime, context: RunContext, until: Until):
    """A tool with processes waiting."""

    async def make(name: str = "ready", script: str = SCRIPT, standby: int = 2, **policy: object) -> Path:
        folder = make_tool(name, {"run.py": script}, policy={"standby": standby, **policy})
        await runtime.warm(registry.find(name), context)
        await until(lambda: runtime.standby.idle >= standby)
        return folder

    return make


Ready = Callable[..., Awaitable[Path]]


@pytest.mark.holds("D-RUN-11")
async def test_each_process_serves_one_call_and_is_replaced(
    ready: Ready, call: Call, runtime: FolderRuntime, until: Until
) -> None:
    await ready()
    started: set[object] = set()
    for number in range(6):
        answer = (await call("ready", n=number)).structured
        assert (answer["asked"], answer["given"]) == (1, {"n": number})
        started.add(answer["started"])
        await until(lambda: runtime.standby.idle == 2)
    assert len(started) == 6


async def test_an_empty_pool_is_no_obstacle(ready: Ready, call: Call) -> None:
    await ready(standby=1)
    results = await asyncio.gather(*(call("ready", n=n) for n in range(5)))
    assert [result.structured["given"]["n"] for result in results] == list(range(5))


@pytest.mark.holds("D-RUN-11")
async def test_a_changed_tool_is_served_by_new_processes(
    ready: Ready, call: Call, runtime: FolderRuntime, left: Callable[[], int], until: Until
) -> None:
    folder = await ready()
    # In one step: a script that is being written cannot be started.
    replace_file(folder / "run.py", "#!/usr/bin/env python3\nimport sys\nsys.stdin.read()\nprint('2')\n", mode=0o755)
    assert (await call("ready")).structured == 2
    await until(lambda: runtime.standby.idle == 2)
    clock = FakeClock()
    fresh = asyncio.create_task(runtime.keep_fresh(clock))
    (folder / "tool.json").unlink()
    await until(lambda: clock.advance(1) is None and runtime.standby.idle == 0)
    await until(lambda: left() == 0)
    fresh.cancel()


@pytest.mark.holds("D-RUN-11")
async def test_no_process_waits_with_a_secret_or_with_a_sessions_environment(
    make_tool: Make, registry: Registry, context: RunContext, workspace: Path, tmp_path: Path
) -> None:
    async def secret(name: str) -> str | None:
        return "s3cret" if name == "TOKEN" else None

    policy = {"standby": 2, "envAllow": ["TOKEN"]}
    make_tool("with-secret", {"run.py": SCRIPT}, policy=policy)
    make_tool("plain", {"run.py": SCRIPT}, policy={"standby": 2})
    own = RunContext(session_id="s", agent_id="a", cwd=workspace, approved=True, env={"SESSION": "1"})
    async with FolderRuntime(registry, cache=tmp_path / "cache", secret=secret) as runtime:
        await runtime.run(registry.find("with-secret").tool, {}, context)
        await runtime.warm(registry.find("with-secret"), context)
        await runtime.run(registry.find("plain").tool, {}, own)
        await asyncio.sleep(0)
        assert runtime.standby.idle == 0


@pytest.mark.parametrize(
    ("more", "ahead"),
    [
        ({"effects": {"network": True}}, False),
        ({"effects": {"filesystem": {"write": True}}}, False),
        ({"policy": {"envAllow": ["TOKEN"]}}, False),
        ({}, True),
    ],
)
async def test_a_strangers_program_that_could_do_something_is_not_started_ahead(
    make_tool: Make, registry: Registry, context: RunContext, workspace: Path, tmp_path: Path, more: Any, ahead: bool
) -> None:
    """What stands in a workspace may change behind the owner's yes, and its start alone runs it."""
    more = {"policy": {}, **more}
    more["policy"] |= {"standby": 2}
    make_tool("own", {"run.py": SCRIPT}, **more)
    make_tool("theirs", {"run.py": SCRIPT}, root=workspace / ".prime" / "tools", **more)
    launcher = Launcher(Environments(tmp_path / "cache"))
    assert not (await launcher.launch(registry.find("own"), context)).private
    assert (await launcher.launch(registry.find("theirs"), context)).private is not ahead


async def test_a_call_from_another_folder_gets_no_process_of_this_one(
    ready: Ready, runtime: FolderRuntime, registry: Registry, tmp_path: Path
) -> None:
    await ready()
    there = RunContext(session_id="s", agent_id="a", cwd=tmp_path, approved=True, env={})
    result = await runtime.run(registry.find("ready").tool, {}, there)
    assert f"'cwd': '{tmp_path}'" in str(result.structured)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("sys.stdin.read(); sys.exit(3)", "tool_exit"),
        ("sys.stdin.read()", "tool_no_answer"),
        ("sys.stdin.read(); print(1); print(2)", "tool_two_answers"),
        ("sys.stdin.read(); print('[\\n1\\n]')", "tool_garbage_after_answer"),
        ("sys.stdin.read(); sys.stdout.write('x' * 3_000_000)", "tool_output_too_large"),
        ("sys.stdin.read(); time.sleep(60)", "tool_timeout"),
        ("sys.stdin.read(); os.kill(os.getpid(), 9)", "tool_exit"),
    ],
)
async def test_the_contract_is_the_same(
    ready: Ready, call: Call, left: Callable[[], int], runtime: FolderRuntime, script: str, code: str
) -> None:
    await ready(
        script=f"#!/usr/bin/env python3\nimport os, sys, time\n{script}\n",
        timeoutMs=1_000 if code == "tool_timeout" else 30_000,
    )
    with pytest.raises(PrimeError) as told:
        await call("ready")
    assert told.value.error_code == code
    await runtime.close()
    assert left() == 0


@pytest.mark.parametrize(
    "script",
    [
        "sys.stdin.read(); print(1, flush=True); time.sleep(0.1); print(2)",
        "sys.stdin.read(); print(1, flush=True); time.sleep(0.1); sys.exit(1)",
    ],
)
async def test_what_breaks_the_contract_after_its_answer_loses_its_standby(
    ready: Ready, call: Call, runtime: FolderRuntime, until: Until, script: str
) -> None:
    await ready(script=f"#!/usr/bin/env python3\nimport sys, time\n{script}\n")
    assert (await call("ready")).structured == 1  # it had answered; what came then could not be known
    await until(lambda: runtime.standby.idle == 0)
    with pytest.raises(PrimeError) as told:
        await call("ready")
    assert told.value.error_code in {"tool_two_answers", "tool_exit"}
    await asyncio.sleep(0)
    assert runtime.standby.idle == 0


async def test_a_tool_that_does_not_wait_is_not_kept_waiting(
    make_tool: Make, call: Call, runtime: FolderRuntime, registry: Registry, context: RunContext
) -> None:
    make_tool("hasty", {"run.sh": "#!/bin/sh\necho 1\n"}, policy={"standby": 2})
    await runtime.warm(registry.find("hasty"), context)
    for _ in range(4):
        assert (await call("hasty")).structured == 1
        await asyncio.sleep(0.05)
    assert runtime.standby.idle == 0


async def test_a_cancelled_call_ends_its_process(
    ready: Ready, call: Call, runtime: FolderRuntime, left: Callable[[], int]
) -> None:
    await ready(script="#!/usr/bin/env python3\nimport sys, time\nsys.stdin.read()\ntime.sleep(60)\n", standby=1)
    running = asyncio.create_task(call("ready"))
    await asyncio.sleep(0.1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await runtime.close()
    assert left() == 0


async def test_all_are_gone_at_the_end(
    ready: Ready, call: Call, runtime: FolderRuntime, left: Callable[[], int]
) -> None:
    await ready(standby=4)
    await call("ready")
    assert left() > 0
    await runtime.close()
    assert (runtime.standby.idle, left()) == (0, 0)


def _way(name: str) -> tuple[Way, Command]:
    command = Command(argv=("cat",), cwd=os.sep, env={"PATH": os.environ["PATH"]}, limits=Limits(wall_s=None))
    return Way(name, "digest", command.argv, command.cwd, ()), command


async def test_few_wait_and_none_for_long(until: Until, left: Callable[[], int]) -> None:
    pool = Standby(most_idle=3, idle_s=60)
    for name in ("a", "b", "c"):
        pool.fill(*_way(name), 2)
        await until(lambda name=name: pool.waiting(_way(name)[0]) == 2)
        assert pool.idle <= 3
    assert pool.waiting(_way("a")[0]) == 0
    await pool.close()
    pool.fill(*_way("a"), 2)
    assert (pool.idle, left()) == (0, 0)
    brief = Standby(idle_s=1)  # on a busy machine a start takes a good part of that
    brief.fill(*_way("a"), 1)
    await until(lambda: brief.idle == 1)
    await until(lambda: brief.idle == 0 and left() == 0)
    await brief.close()


@pytest.mark.holds("D-RUN-11")
async def test_a_change_puts_new_processes_in_the_place_of_the_old(
    ready: Ready, call: Call, runtime: FolderRuntime, until: Until
) -> None:
    folder = await ready()
    replace_file(folder / "run.py", SCRIPT.replace('"asked": asked', '"asked": "anew"'), mode=0o755)
    await runtime.refresh()
    await until(lambda: runtime.standby.idle == 2)
    assert (await call("ready")).structured["asked"] == "anew"
    (folder / "tool.json").unlink()
    await runtime.refresh()
    assert runtime.standby.idle == 0


@pytest.mark.holds("D-RUN-11")
async def test_what_waits_goes_when_the_tool_gets_a_secret(
    make_tool: Make, registry: Registry, context: RunContext, tmp_path: Path, until: Until
) -> None:
    held: dict[str, str] = {}

    async def secret(name: str) -> str | None:
        return held.get(name)

    make_tool("ready", {"run.py": SCRIPT}, policy={"standby": 2, "envAllow": ["TOKEN"]})
    async with FolderRuntime(registry, cache=tmp_path / "cache", secret=secret) as runtime:
        folder = registry.find("ready")
        await runtime.warm(folder, context)
        await until(lambda: runtime.standby.idle == 2)
        held["TOKEN"] = "a secret since a moment ago"
        await runtime.run(folder.tool, {}, context)
        assert runtime.standby.idle == 0
