"""Tools that misbehave on purpose: nothing hangs, nothing is left, and the next call works."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import NotFound, PrimeError
from prime.tools.runtime import RawResult, RunContext
from prime.tools.runtimes import FolderRuntime, Registry

Call = Callable[..., Coroutine[Any, Any, Any]]
Make = Callable[..., Path]

# name -> (script, the error's code or None when the call succeeds, policy)
FAULTS: dict[str, tuple[str, str | None, dict[str, object]]] = {
    "a gigabyte": ("head -c 1000000000 /dev/zero", "tool_output_too_large", {}),
    "a gigabyte in lines": ("yes", "tool_output_too_large", {}),
    "a gigabyte of stderr": ("head -c 200000000 /dev/zero >&2; echo 1", None, {}),
    "a child that survives": ("setsid sleep 300 & echo 1", None, {}),
    "a daemon": ("(setsid sh -c 'sleep 300' >/dev/null 2>&1 &) ; echo 1", None, {}),
    "a child that keeps the output open": ("(sleep 300 &) ; echo 1", None, {}),
    "grandchildren and a timeout": ("sh -c 'sh -c \"setsid sleep 300\" & sleep 300' & sleep 300", "tool_timeout", {}),
    "deaf to signals": ("trap '' TERM INT HUP; while :; do sleep 1; done", "tool_timeout", {}),
    "stdin closed early": ("exec 0<&-; sleep 0.05; echo 1", None, {}),
    "stdin never read": ("echo 1", None, {}),
    "stdout closed": ("exec 1>&-; sleep 0.05", "tool_no_answer", {}),
    "stdout closed, and it stays": ("exec 1>&- 2>&-; sleep 300", "tool_timeout", {}),
    "stops itself": ("kill -STOP $$; echo 1", "tool_timeout", {}),
    "processor time": ("while :; do :; done", "tool_cpu_limit", {"cpuTimeMs": 200, "timeoutMs": 20_000}),
    "too much memory": (
        'exec python3 -c "x = bytearray(300_000_000); print(len(x))"',
        "tool_memory_limit",
        {"memoryBytes": 100_000_000, "timeoutMs": 20_000},
    ),
    "half a character": ("printf '\"\\342\\202'", "tool_invalid_utf8", {}),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
async def test_nothing_hangs_and_nothing_is_left(
    shell: Make, call: Call, left: Callable[[], int], descriptors: Callable[[], int], fault: str
) -> None:
    script, code, policy = FAULTS[fault]
    shell("good", "echo 1")
    assert (await call("good")).structured == 1
    shell("faulty", script, policy={"timeoutMs": 700 if code == "tool_timeout" else 20_000, **policy})
    open_before = descriptors()
    began = time.monotonic()
    if code is None:
        assert (await call("faulty")).structured == 1
    else:
        with pytest.raises(PrimeError) as told:
            await call("faulty")
        assert told.value.error_code == code
    assert time.monotonic() - began < 15
    assert left() == 0
    assert descriptors() == open_before
    assert (await call("good")).structured == 1


# How programs of several languages end that get no more memory: most go on to tell where they were.
CRASHES = {
    "node": "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n 1: 0xb7b3e0 [node]",
    "node's buffers": "RangeError: Array buffer allocation failed\n    at alloc (node:buffer:394:17)\n\nNode.js v20",
    "go": "fatal error: runtime: out of memory\n\ngoroutine 1 [running]:\nmain.main()",
    "java": 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat Main.main(Main.java:3)',
    "rust": "memory allocation of 10000000 bytes failed\nstack backtrace:\n   0: std::alloc::rust_oom",
    "C++": "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
}


@pytest.mark.parametrize("language", CRASHES)
async def test_the_bound_on_memory_is_told_whatever_the_language(make_tool: Make, call: Call, language: str) -> None:
    make_tool("crashing", {"run.sh": '#!/bin/sh\ncat "${0%/*}/said" >&2; kill -ABRT $$\n', "said": CRASHES[language]})
    with pytest.raises(PrimeError) as told:
        await call("crashing")
    assert told.value.error_code == "tool_memory_limit"


async def test_a_tool_that_only_speaks_of_memory_failed_by_itself(make_tool: Make, call: Call) -> None:
    said = "The shop is out of memory sticks.\nIt has none.\n"
    make_tool("shop", {"run.sh": '#!/bin/sh\ncat "${0%/*}/said" >&2; exit 1\n', "said": said})
    with pytest.raises(PrimeError) as told:
        await call("shop")
    assert told.value.error_code == "tool_exit"


@pytest.mark.parametrize("fault", ["a gigabyte", "grandchildren and a timeout", "stdin closed early"])
async def test_many_at_once_beside_good_ones(shell: Make, call: Call, left: Callable[[], int], fault: str) -> None:
    shell("good", 'read -r x; echo "{\\"got\\": $x}"')
    shell("faulty", FAULTS[fault][0], policy={"timeoutMs": 2_000})
    calls = [call("good", n=n) if n % 2 else call("faulty") for n in range(8)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    for n in (1, 3, 5, 7):
        result = results[n]
        assert isinstance(result, RawResult)
        assert result.structured == {"got": {"arguments": {"n": n}}}
    assert left() == 0


async def test_a_cancelled_call_leaves_nothing(
    shell: Make, call: Call, workspace: Path, until: Callable[..., Awaitable[None]], left: Callable[[], int]
) -> None:
    shell("slow", "touch started; setsid sleep 300 & sleep 300", effects={"filesystem": {"write": True}})
    running = asyncio.create_task(call("slow"))
    await until((workspace / "started").exists)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert left() == 0


async def test_a_program_that_is_not_there(make_tool: Make, call: Call) -> None:
    make_tool("none", {"data.txt": "x"}, entry={"command": "no-such-program-at-all"})
    with pytest.raises(NotFound) as told:
        await call("none")
    assert told.value.error_code == "program_not_found"


async def test_a_program_that_goes_between_two_calls(shell: Make, call: Call) -> None:
    folder = shell("going", "echo 1")
    assert (await call("going")).structured == 1
    (folder / "run.sh").unlink()
    with pytest.raises(PrimeError) as told:
        await call("going")
    assert told.value.error_code == "invalid_manifest"


async def test_a_working_folder_that_is_gone(
    shell: Make, runtime: FolderRuntime, registry: Registry, tmp_path: Path
) -> None:
    shell("good", "echo 1")
    context = RunContext(session_id="s", agent_id="a", cwd=tmp_path / "gone", approved=True, env={})
    with pytest.raises(NotFound) as told:
        await runtime.run(registry.find("good").tool, {}, context)
    assert told.value.error_code == "folder_not_found"


async def test_more_processes_than_a_tool_may_have(make_tool: Make, call: Call, left: Callable[[], int]) -> None:
    """Grows by one at a time to a fixed number, a little over the limit."""
    script = """#!/usr/bin/env python3
import subprocess
for _ in range(140):
    subprocess.Popen(["sleep", "20"])
print(1)
"""
    make_tool("many", {"run.py": script}, policy={"timeoutMs": 15_000})
    with pytest.raises(PrimeError) as told:
        await call("many")
    assert told.value.error_code in {"tool_process_limit", "tool_exit"}
    assert left() == 0
