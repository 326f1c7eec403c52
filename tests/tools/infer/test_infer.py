"""From a program to a shim."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.core.errors import Forbidden, NotFound
from prime.tools.atip import callables
from prime.tools.discovery import Discovery, Folders
from prime.tools.infer import infer_tool, write_shim

Maker = Callable[[str, dict[str, str]], str]


async def test_commands_are_read_recursively(program: Maker, folders: Folders) -> None:
    path = program("stash", {"--help": "click", "put --help": "click-put"})
    document = await infer_tool(path, folders=folders)
    assert document.trust.source == "inferred"
    assert [option.name for option in document.global_options] == ["root", "verbose", "version"]
    put = next(entry for entry in callables(document) if entry.path == ("stash", "put"))
    assert [option.name for option in put.command.options] == ["kind", "times", "keep"]
    assert put.effects.destructive is None
    assert put.effects.network is None


async def test_other_ways_to_ask(program: Maker, folders: Folders) -> None:
    document = await infer_tool(program("harbor", {"help": "cobra", "help load": "cobra-load"}), folders=folders)
    load = next(entry for entry in callables(document) if entry.path == ("harbor", "load"))
    assert [argument.name for argument in load.command.arguments] == ["ship", "box"]


async def test_a_program_that_always_says_the_same(program: Maker, folders: Folders) -> None:
    answers = dict.fromkeys(["--help", "once --help", "series --help"], "argparse")
    document = await infer_tool(program("weigh", answers), folders=folders)
    assert document.commands is not None
    assert [(name, command.description, command.commands) for name, command in document.commands.items()] == [
        ("once", "one reading", None),
        ("series", "readings until stopped", None),
    ]


async def test_what_a_command_takes_is_known_from_the_list(tmp_path: Path, folders: Folders) -> None:
    path = tmp_path / "knot"
    path.write_text("#!/bin/sh\nprintf 'Usage: knot COMMAND ...\\n\\nCommands:\\n  start UNIT...  Start them\\n'\n")
    path.chmod(0o755)
    (start,) = callables(await infer_tool(str(path), folders=folders))
    assert [(a.name, a.variadic, a.required) for a in start.command.arguments] == [("unit", True, True)]


async def test_a_program_without_commands(program: Maker, folders: Folders) -> None:
    document = await infer_tool(program("knit", {"--help": "gnu"}), folders=folders)
    (only,) = callables(document)
    assert only.path == ("knit",)
    assert [argument.name for argument in only.command.arguments] == ["pattern", "file"]


async def test_depth_bounds_the_questions(program: Maker, folders: Folders) -> None:
    path = program("stash", {"--help": "click", "put --help": "click-put"})
    document = await infer_tool(path, depth=0, folders=folders)
    assert document.commands is not None
    assert document.commands["put"].options == ()


async def test_a_program_without_help(program: Maker, folders: Folders) -> None:
    with pytest.raises(NotFound, match="no help"):
        await infer_tool(program("mute", {}), folders=folders)


async def test_what_is_never_run(program: Maker, folders: Folders) -> None:
    with pytest.raises(Forbidden, match="skip list"):
        await infer_tool(program("shutdown", {"--help": "gnu"}), folders=folders)
    setuid = program("lifted", {"--help": "gnu"})
    os.chmod(setuid, 0o4755)  # noqa: PTH101
    with pytest.raises(Forbidden, match="setuid"):
        await infer_tool(setuid, folders=folders)
    with pytest.raises(NotFound):
        await infer_tool("no-such-program-anywhere", folders=folders)


async def test_programs_within_a_program_are_left_alone_like_any_other(program: Maker, folders: Folders) -> None:
    answers = {"--help": "multi-call", "reboot --help": "busybox", "peel --help": "busybox"}
    document = await infer_tool(program("many", answers), folders=folders)
    commands = document.commands or {}
    assert commands["peel"].options
    assert not commands["reboot"].options


async def test_the_help_runs_in_a_sandbox(tmp_path: Path, folders: Folders) -> None:
    path = tmp_path / "writer"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/written\necho 'usage: writer [-h]'\necho '  -x  do it'\n")
    path.chmod(0o755)
    await infer_tool(str(path), folders=folders)
    assert not (tmp_path / "written").exists()


@pytest.mark.holds("D-ATIP-12")
async def test_a_shim_is_found_last_of_all(program: Maker, folders: Folders) -> None:
    path = Path(program("knit", {"--help": "gnu"}))
    written = write_shim(await infer_tool(str(path), folders=folders), folders=folders)
    (tool,) = Discovery(folders).scan(paths=[str(path.parent)]).tools
    assert (tool.source, tool.origin, tool.document.trust.source) == ("inferred", str(written), "inferred")
    system = folders.data.parent / "system"
    (system / "shims").mkdir(parents=True)
    better = {"atip": "0.3", "name": "knit", "version": "1", "description": "by hand"}
    (system / "shims" / "knit.json").write_text(json.dumps(better))
    both = Folders(data=folders.data, config=folders.config, system=(system,), built_in=folders.built_in)
    (tool,) = Discovery(both).scan(paths=[str(path.parent)]).tools
    assert (tool.source, tool.document.description) == ("shim", "by hand")


async def test_a_shim_that_a_person_wrote_stays(program: Maker, folders: Folders) -> None:
    document = await infer_tool(program("knit", {"--help": "gnu"}), folders=folders)
    path = write_shim(document, folders=folders)
    write_shim(document, folders=folders)  # its own may be replaced
    mine = json.loads(path.read_text()) | {"trust": {"source": "me"}}
    path.write_text(json.dumps(mine))
    with pytest.raises(Forbidden, match="not replaced"):
        write_shim(document, folders=folders)
