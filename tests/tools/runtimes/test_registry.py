"""Folders become tools, changes are seen, and a workspace takes nobody's name."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import Conflict, NotFound
from prime.tools.catalog import Catalog, UnknownTool
from prime.tools.runtime import RunContext
from prime.tools.runtimes import FolderRuntime, InvalidManifest, Registry
from prime.tools.runtimes.files import Files
from prime.tools.runtimes.reading import load_manifest

Make = Callable[..., Path]
Call = Callable[..., Coroutine[Any, Any, Any]]


def test_a_folder_becomes_a_tool(shell: Make, registry: Registry) -> None:
    assert list(registry.tools()) == []
    shell("hello", "echo 1", effects={"network": False}, id="x.hello")
    (tool,) = registry.tools()
    assert (tool.name, tool.command, tool.runtime) == ("hello", ("hello",), "process")
    assert tool.effects.network is False
    assert tool.effects.destructive is None
    assert tool.trust.source == "user"
    assert (tool.trust.checksum or "").startswith("sha256:")
    assert registry.tools()[0] is tool


def test_changes_are_seen_and_counted(shell: Make, registry: Registry) -> None:
    folder = shell("hello", "echo 1")
    before, tool = registry.changed, registry.tools()[0]
    assert registry.changed == before
    (folder / "run.sh").write_text("#!/bin/sh\necho 2\n")
    assert registry.changed > before
    assert registry.tools()[0].trust.checksum != tool.trust.checksum
    (folder / "tool.json").write_text("{")
    assert list(registry.tools()) == []
    with pytest.raises(InvalidManifest):
        registry.find("hello")
    shell("hello", "echo 3")
    assert len(registry.tools()) == 1
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    with pytest.raises(NotFound):
        registry.find("hello")


def _written_again_with_its_old_date(folder: Path) -> None:
    script = folder / "run.sh"
    before = script.stat()
    script.write_text("#!/bin/sh\necho 9\n")
    os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: list[Callable[[Path], object]] = [
    lambda folder: (folder / "run.sh").write_text("#!/bin/sh\necho 2\n"),
    _written_again_with_its_old_date,
    lambda folder: (folder / "run.sh").rename(folder / "go.sh"),
    lambda folder: (folder / "inner" / "empty" / "new.txt").touch(),
    lambda folder: (folder / "inner" / "there.txt").unlink(),
    lambda folder: (folder / "tool.json").unlink(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_glance_sees_every_change_that_a_stamp_sees(shell: Make, change: Callable[[Path], object]) -> None:
    folder = shell("hello", "echo 1")
    (folder / "inner" / "empty").mkdir(parents=True)
    (folder / "inner" / "there.txt").touch()
    (folder / ".venv").mkdir()
    files = Files(load_manifest(folder), settled_ns=0)
    stamp = files.stamp()
    time.sleep(0.01)  # past a tick of the file system's clock
    for _ in range(2):  # by a stamp, then by a glance
        assert files.seem_as_in(stamp)
    (folder / ".venv" / "made.txt").touch()  # others' work is no change of the tool
    assert files.seem_as_in(stamp)
    change(folder)
    with suppress(OSError):
        assert not files.seem_as_in(stamp)


def test_what_changed_just_now_is_looked_at_in_full(shell: Make) -> None:
    folder = shell("hello", "echo 1")
    files = Files(load_manifest(folder))
    stamp = files.stamp()
    assert files.seem_as_in(stamp)
    (folder / "run.sh").write_text("#!/bin/sh\necho 2\n")
    assert not files.seem_as_in(stamp)


@pytest.mark.holds("D-RUN-1")
def test_a_workspace_cannot_take_the_name_of_a_users_tool(shell: Make, registry: Registry, workspace: Path) -> None:
    folder = shell("hello", "echo evil", root=workspace / ".prime" / "tools")
    assert registry.tools()[0].trust.source == "workspace"
    mine = shell("hello", "echo mine")
    (tool,) = registry.tools()
    assert tool.trust.source == "user"
    problem = registry.problems()[folder]
    assert isinstance(problem, Conflict)
    assert str(mine) in problem.message


def test_one_broken_folder_hides_no_other(shell: Make, registry: Registry, user_tools: Path) -> None:
    shell("good", "echo 1")
    (shell("bad", "echo 1") / "tool.json").write_text("[")
    (user_tools / ".half-copied").mkdir()
    assert [tool.name for tool in registry.tools()] == ["good"]
    assert [path.name for path in registry.problems()] == ["bad"]


async def test_an_old_tool_is_not_run_as_the_new_one(
    shell: Make, registry: Registry, runtime: FolderRuntime, context: RunContext
) -> None:
    folder = shell("hello", "echo 1")
    old = registry.tools()[0]
    (folder / "run.sh").write_text("#!/bin/sh\necho 2\n")
    with pytest.raises(Conflict) as told:
        await runtime.run(old, {}, context)
    assert told.value.error_code == "tool_changed"
    assert (await runtime.run(registry.find("hello").tool, {}, context)).structured == 2


async def test_a_script_that_changes_during_the_call(
    shell: Make, call: Call, workspace: Path, until: Callable[..., Awaitable[None]], left: Callable[[], int]
) -> None:
    writes = {"filesystem": {"write": True}}
    folder = shell("slow", 'touch started; while [ ! -e "go" ]; do sleep 0.01; done; echo 1', effects=writes)
    running = asyncio.create_task(call("slow"))
    await until((workspace / "started").exists)
    (folder / "run.sh").write_text("#!/bin/sh\necho 2\n")
    (workspace / "go").touch()
    with pytest.raises(Conflict) as told:
        await running
    assert told.value.error_code == "tool_changed"
    assert (await call("slow")).structured == 2
    assert left() == 0


async def test_what_a_tool_writes_into_its_own_folder_is_no_change_of_it(shell: Make, call: Call) -> None:
    writes = {"filesystem": {"write": True}}
    count = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; cat n"
    shell("counting", count, effects=writes, policy={"workdir": "."})
    assert [(await call("counting")).structured for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize("place", ["work", "node_modules"])
def test_what_runs_counts_wherever_it_lies(make_tool: Make, registry: Registry, place: str) -> None:
    program = f"{place}/run.sh"
    folder = make_tool("own", {program: "#!/bin/sh\necho 1\n"}, policy={"workdir": "work"} if place == "work" else {})
    before = registry.find("own").digest
    (folder / place / "notes").write_text("not part of the tool")
    assert registry.find("own").digest == before
    (folder / program).write_text("#!/bin/sh\necho 2\n")
    assert registry.find("own").digest != before


def test_a_call_looks_at_its_own_tool_and_not_through_all_of_them(shell: Make, registry: Registry) -> None:
    one, other = shell("one", "echo 1"), shell("other", "echo 1")
    catalog = Catalog(registry.of_level("user"), registry.of_level("workspace"))
    before, seen, counted = catalog.get("one"), catalog.get("other"), registry.changed
    (other / "run.sh").write_text("#!/bin/sh\necho 2\n")
    assert catalog.get("one") is before
    assert registry.changed_for("one") == counted, "nobody looked at the other one"
    assert catalog.get("other") is not seen, "its own change counts at once"
    (one / "run.sh").write_text("#!/bin/sh\necho 2\n")
    assert catalog.get("one") is not before


def test_tools_that_come_and_go_are_seen_by_the_next_call(
    shell: Make, registry: Registry, workspace: Path, user_tools: Path
) -> None:
    shell("one", "echo 1")
    catalog = Catalog(registry.of_level("user"), registry.of_level("workspace"))
    catalog.get("one")
    shell("late", "echo 1", root=workspace / ".prime" / "tools")
    assert catalog.get("late").trust.source == "workspace"
    shell("late", "echo 2")
    assert catalog.get("late").trust.source == "user", "the user's own stands before it"
    (user_tools / "late").rename(user_tools / ".late")
    assert catalog.get("late").trust.source == "workspace"
    (user_tools / "one" / "tool.json").unlink()
    with pytest.raises(UnknownTool):
        catalog.get("one")


def test_whoever_calls_a_folder_that_is_no_tool_hears_why(shell: Make, registry: Registry) -> None:
    shell("typo", "echo 1", policy={"timeoutms": 5})
    catalog = Catalog(registry.of_level("user"), registry.of_level("workspace"))
    with pytest.raises(UnknownTool, match="/policy/timeoutms") as told:
        catalog.get("typo")
    assert (told.value.error_code, told.value.data["pointer"]) == ("invalid_manifest", "/policy/timeoutms")
    assert told.value.hint
