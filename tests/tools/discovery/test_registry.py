"""The files that agents share."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.core.errors import InvalidInput
from prime.tools.discovery import Discovery, Folders, user_folders
from prime.tools.discovery.executables import Identity
from prime.tools.discovery.registry import Entry, Probe, load_registry, update_registry
from prime.tools.discovery.settings import load_settings

Make = Callable[..., Path]
PROBE = Probe(Identity("/bin/x", 1, 2, 3), "refused", "because")


def test_the_folders_of_the_protocol() -> None:
    usual = user_folders({"HOME": "/home/ada", "XDG_CONFIG_HOME": "relative/is/ignored"})
    assert str(usual.registry) == "/home/ada/.local/share/agent-tools/registry.json"
    assert str(usual.overrides) == "/home/ada/.config/agent-tools/overrides"
    assert [str(place) for place in usual.system] == ["/usr/local/share/agent-tools", "/usr/share/agent-tools"]
    moved = user_folders({"HOME": "/home/ada", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/etc/ada"})
    assert (str(moved.shims), str(moved.config)) == ("/data/agent-tools/shims", "/etc/ada/agent-tools")


@pytest.mark.holds("D-ATIP-13")
def test_writers_do_not_lose_each_others_entries(folders: Folders) -> None:
    def put(number: int) -> None:
        entry = Entry(f"/bin/{number}", "native", "1", "x")
        update_registry(folders, now_ms=0, tools={f"t{number}": entry}, probes={f"/bin/{number}": PROBE})

    writers = [threading.Thread(target=put, args=(number,)) for number in range(20)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    known = load_registry(folders)
    assert (len(known.tools), len(known.probes)) == (20, 20)
    assert known.probes["/bin/3"] == PROBE
    assert sorted(path.name for path in folders.data.iterdir()) == ["registry.json", "registry.lock"]


@pytest.mark.holds("D-ATIP-13")
def test_readers_see_whole_files_only(folders: Folders) -> None:
    done = threading.Event()
    tools = {f"t{number}": Entry("/bin/x", "native", "1", "y" * 1000) for number in range(100)}

    def write() -> None:
        for _ in range(20):
            update_registry(folders, now_ms=0, tools=tools, probes={})
        done.set()

    update_registry(folders, now_ms=0, tools=tools, probes={})
    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        assert len(json.loads(folders.registry.read_bytes())["tools"]) == 100
    writer.join()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"tools": 5, "probes": []}', '{"tools": {"a": {}}, "probes": {"/x": {"answer": "maybe"}}}']
)
def test_a_broken_registry_is_made_anew(
    discovery: Discovery, folders: Folders, native: Make, bin_folder: Path, text: str
) -> None:
    folders.data.mkdir()
    folders.registry.write_text(text)
    native("good")
    assert [tool.name for tool in discovery.scan(paths=[str(bin_folder)]).tools] == ["good"]
    assert [tool.name for tool in Discovery(folders).load().tools] == ["good"]


def test_an_answer_that_was_damaged_is_asked_for_again(folders: Folders, native: Make, bin_folder: Path) -> None:
    native("good")
    Discovery(folders).scan(paths=[str(bin_folder)])
    (folders.tools / "good.json").write_text("{ half")
    again = Discovery(folders).scan(paths=[str(bin_folder)])
    assert (again.asked, [tool.source for tool in again.tools]) == (1, ["native"])


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"skip": "all"}', "/skip"),
        ('{"scan": {"timeoutMs": 0}}', "/scan/timeoutMs"),
        ('{"scan": {"timeoutMs": true}}', "/scan/timeoutMs"),
        ('{"scan": []}', "/scan"),
        ('{"scan": {"probe": 1}}', "/scan/probe"),
        ('{"scan": {"paths": [5]}}', "/scan/paths"),
        ("{", "not JSON"),
    ],
)
def test_wrong_settings_say_where(folders: Folders, text: str, pointer: str) -> None:
    folders.config.mkdir()
    (folders.config / "config.json").write_text(text)
    with pytest.raises(InvalidInput, match=pointer):
        load_settings(folders)


@pytest.mark.holds("D-ATIP-13")
def test_settings_are_read(folders: Folders) -> None:
    folders.config.mkdir()
    raw = {"skip": ["a*"], "scan": {"paths": ["/x"], "probe": False, "timeoutMs": 500, "concurrency": 3}, "other": 1}
    (folders.config / "config.json").write_text(json.dumps(raw))
    settings = load_settings(folders)
    assert (settings.paths, settings.probe, settings.timeout_s, settings.workers) == (("/x",), False, 0.5, 3)
    assert settings.skips("abc")
    assert not settings.skips("b")


def test_nobody_else_writes_what_tools_are_known_for(folders: Folders) -> None:
    before = os.umask(0)
    try:
        update_registry(folders, now_ms=0, tools={"t": Entry("/bin/t", "native", "1", "x")}, probes={})
    finally:
        os.umask(before)
    assert [path for path in (folders.data, *folders.data.rglob("*")) if path.stat().st_mode & 0o022] == []
