"""Tool folders made on the spot, a runtime over them, and a count of what is left of them."""

import json
import os
import stat
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from prime.tools.runtime import RawResult, RunContext
from prime.tools.runtimes import FolderRuntime, Registry

Json = dict[str, Any]


@pytest.fixture
def user_tools(tmp_path: Path) -> Path:
    return tmp_path / "user-tools"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def make_tool(user_tools: Path) -> Callable[..., Path]:
    """Write a folder: `files` by name (programs get their mode), and a manifest of defaults with changes."""

    def make(name: str, files: Mapping[str, str], /, *, root: Path | None = None, **manifest: Any) -> Path:
        folder = (root or user_tools) / name
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            file.chmod(file.stat().st_mode | stat.S_IXUSR)
        first = next(iter(files), "missing")
        whole = {
            "name": name,
            "version": "1.0",
            "description": "A tool for a test.",
            "runtime": "process",
            "entry": {"command": f"./{first}"},
            "schema": {"parameters": {"type": "object"}},
            **manifest,
        }
        (folder / "tool.json").write_text(json.dumps({k: v for k, v in whole.items() if v is not None}))
        return folder

    return make


@pytest.fixture
def shell(make_tool: Callable[..., Path]) -> Callable[..., Path]:
    """A tool whose program is a shell script of these lines."""

    def make(name: str, script: str, **manifest: Any) -> Path:
        return make_tool(name, {"run.sh": f"#!/bin/sh\n{script}\n"}, **manifest)

    return make


@pytest.fixture
def registry(user_tools: Path, workspace: Path) -> Registry:
    return Registry(user_tools, workspace)


@pytest.fixture
async def runtime(registry: Registry, tmp_path: Path) -> AsyncIterator[FolderRuntime]:
    async with FolderRuntime(registry, cache=tmp_path / "cache") as runtime:
        yield runtime


@pytest.fixture
def context(workspace: Path) -> RunContext:
    return RunContext(session_id="s", agent_id="a", cwd=workspace, approved=True, env={})


@pytest.fixture
def call(runtime: FolderRuntime, registry: Registry, context: RunContext) -> Callable[..., Any]:
    """Call a tool by name."""

    async def call(name: str, **arguments: Any) -> RawResult:
        return await runtime.run(registry.find(name).tool, arguments, context)

    return call


def _tree(pid: int, but: frozenset[int] = frozenset()) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (thread / "children").read_text().split()):
            found += [] if child in but else [child, *_tree(child, but)]
    return found


def _started(pid: int) -> float:
    """When, in seconds since the machine was."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return int(ticks) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def left() -> Callable[[], int]:
    """How many processes are below this one that were started since the test began, and not by one that was there (a
    database starts some by itself): zombies too. Older ones may come to be below this one when their parents end."""
    before = frozenset(_tree(os.getpid()))
    begun = time.clock_gettime(time.CLOCK_BOOTTIME) - 0.02

    def count() -> int:
        try:
            return sum(_started(pid) >= begun for pid in _tree(os.getpid(), before))
        except OSError:  # one went while it was being looked at
            return count()

    return count


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], Any]:
    """Wait for another process to get somewhere; real processes have no clock that a test could set."""
    import asyncio

    async def wait(reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not reached():
            assert time.monotonic() < deadline, "it never got there"
            await asyncio.sleep(0.005)

    return wait


@pytest.fixture
def descriptors() -> Callable[[], int]:
    return lambda: len(list(Path("/proc/self/fd").iterdir()))
