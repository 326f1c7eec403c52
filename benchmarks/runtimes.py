"""Calls of tool folders, beside a bare spawn of the same program in the same sandbox.

`--soak` adds 10,000 calls one after the other: memory, descriptors and processes at the end as after the first hundred.
"""

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

from prime.core.process import Command, Namespace, containment, find_executable, run
from prime.tools.runtime import RunContext
from prime.tools.runtimes import FolderRuntime, Registry
from prime.tools.runtimes.environments import Environments
from prime.tools.runtimes.launching import Launcher

ROUNDS = scaled(5, 2)
CALLS = 10
LINE = b'{"arguments": {"n": 1}}\n'
SHELL = "#!/bin/sh\nread -r line\nprintf '{\"n\": 1}\\n'\n"
PYTHON = "import json, sys\nn = json.loads(sys.stdin.readline())['arguments']['n']\nprint(json.dumps({'n': n}))\n"
UV = "# /// script\n# requires-python = '>=3.11'\n# dependencies = []\n# ///\n" + PYTHON
TOOLS = {
    "shell": ("run.sh", SHELL, {"runtime": "process", "entry": {"command": "./run.sh"}}),
    "python": ("main.py", PYTHON, {"runtime": "process", "entry": {"command": "python3", "args": ["main.py"]}}),
    "uv": ("main.py", UV, {"runtime": "python-uv-script", "entry": {"script": "main.py"}}),
}


def make(root: Path, name: str, kind: str, **policy: object) -> None:
    file, text, how = TOOLS[kind]
    folder = root / name
    folder.mkdir(parents=True)
    (folder / file).write_text(text)
    (folder / file).chmod(0o755)
    schema = {"parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}, "returns": {"type": "object"}}
    manifest = {"name": name, "version": "1", "description": "x", "schema": schema, "policy": policy, **how}
    (folder / "tool.json").write_text(json.dumps(manifest))


async def bare_argv(
    registry: Registry, name: str, context: RunContext, cache: Path
) -> tuple[list[str], dict[str, str]]:
    """The same program behind the same walls, with nothing else around it."""
    launch = await Launcher(Environments(cache / "uv")).launch(registry.find(name), context)
    command = launch.command
    env = dict(command.environment())
    words = [find_executable(command.argv[0], env), *command.argv[1:]]
    within = containment()
    assert isinstance(within, Namespace), "this benchmark needs bubblewrap"
    return within.enclose(words, command.sandbox, command.cwd or "/"), {**env, "TMPDIR": "/dev/shm"}


def spawn(argv: list[str], env: dict[str, str]) -> None:
    done = subprocess.run(argv, input=LINE, env=env, capture_output=True, check=True)
    assert json.loads(done.stdout) == {"n": 1}


async def in_turns(
    calls: Sequence[Callable[[], Awaitable[object]]], times: int = CALLS, pause_s: float = 0
) -> list[float]:
    """The median milliseconds of each, taken in turns, so that a busy moment hits all of them."""
    took: list[list[float]] = [[] for _ in calls]
    for _ in range(times):
        for call, mine in zip(calls, took, strict=True):
            began = time.perf_counter()
            await call()
            mine.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(pause_s)
    return [statistics.median(mine) for mine in took]


async def per_second(call: Callable[[], Awaitable[object]], callers: int, each: int) -> float:
    async def caller() -> None:
        for _ in range(each):
            await call()

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return callers * each / (time.perf_counter() - began)


async def overheads(report: Report, runtime: FolderRuntime, context: RunContext, cache: Path) -> None:
    aims = {"shell": 1.25, "python": 1.1, "uv": 1.1}
    for name, aim in aims.items():
        tool = runtime.registry.find(name).tool
        await runtime.prepare(runtime.registry.find(name))
        argv, env = await bare_argv(runtime.registry, name, context, cache)

        launched = await Launcher(Environments(cache / "uv")).launch(runtime.registry.find(name), context)
        command = replace(launched.command, stdin=LINE)

        async def bare(argv: list[str] = argv, env: dict[str, str] = env) -> None:
            spawn(argv, env)

        async def sandboxed(command: Command = command) -> None:
            outcome = await run(command)
            assert outcome.ok

        rounds = [
            await in_turns([lambda tool=tool: runtime.run(tool, {"n": 1}, context), sandboxed, bare])
            for _ in range(ROUNDS)
        ]
        ours, floor, by_hand = (list(column) for column in zip(*rounds, strict=True))
        report.row(
            f"{name} tool", ours=ours, peer=floor, peer_name="same sandbox", floor=True, aim=aim, higher_is_better=False
        )
        report.row(f"{name} tool", ours=ours, peer=by_hand, peer_name="bwrap alone, no limits", higher_is_better=False)


async def standby(report: Report, runtime: FolderRuntime, context: RunContext) -> None:
    cold, warm = (runtime.registry.find(name).tool for name in ("python", "warm"))
    await runtime.warm(runtime.registry.find("warm"), context)
    calls = [lambda: runtime.run(warm, {"n": 1}, context), lambda: runtime.run(cold, {"n": 1}, context)]
    rounds = [await in_turns(calls, CALLS, 0.1) for _ in range(ROUNDS)]
    ours, theirs = (list(column) for column in zip(*rounds, strict=True))
    report.row(
        "standby, every 100 ms", ours=ours, peer=theirs, peer_name="cold spawn", aim=0.05, higher_is_better=False
    )
    ours, theirs = list[float](), list[float]()
    for _ in range(ROUNDS):
        theirs.append(await per_second(lambda: runtime.run(cold, {"n": 1}, context), 4, 10))
        ours.append(await per_second(lambda: runtime.run(warm, {"n": 1}, context), 4, 10))
    report.row("calls/s of 4 callers, standby", ours=ours, peer=theirs, peer_name="without", aim=1.0)


def _memory_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def held() -> dict[str, object]:
    """What this process holds on to."""
    return {
        "memory_mb": round(_memory_mb(), 1),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "processes": len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
    }


async def soak(report: Report, runtime: FolderRuntime, context: RunContext) -> None:
    tool = runtime.registry.find("shell").tool
    for number in range(10_000):
        await runtime.run(tool, {"n": number}, context)
        if number in {99, 9_999}:
            report.fact(f"after {number + 1} calls", held())


async def main() -> None:
    report = Report("runtimes", "ms at p50 (calls/s where it says so)")
    # An interpreter, not a wrapper around one.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as place:
        root, cache, cwd = Path(place, "tools"), Path(place, "cache"), Path(place)
        for kind in TOOLS:
            make(root, kind, kind)
        make(root, "warm", "python", standby=4)
        context = RunContext(session_id="s", agent_id="a", cwd=cwd, approved=True, env={})
        async with FolderRuntime(Registry(root), cache=cache) as runtime:
            await overheads(report, runtime, context, cache)
            await standby(report, runtime, context)
            if "--soak" in sys.argv:
                await soak(report, runtime, context)
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
