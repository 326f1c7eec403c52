"""Which description of a tool holds, and what a person can change about it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.core.errors import InvalidInput, NotFound
from prime.tools.discovery import Discovery, Folders, FoundTool, checksum
from prime.tools.discovery.documents import merge
from prime.tools.providers import patterns_prompt

Make = Callable[..., Path]


def only(discovery: Discovery, bin_folder: Path) -> FoundTool:
    (tool,) = discovery.scan(paths=[str(bin_folder)]).tools
    return tool


@pytest.mark.holds("D-ATIP-12")
def test_each_layer_replaces_the_one_below(
    discovery: Discovery, folders: Folders, native: Make, script: Make, write: Make, bin_folder: Path
) -> None:
    script("tool", "exit 2")
    expected: list[tuple[Path, dict[str, object], str, str, bool]] = [
        (folders.shims, {"trust": {"source": "inferred", "verified": True}}, "inferred", "inferred", False),
        (folders.built_in, {}, "shim", "built-in", True),
        (folders.system[0] / "shims", {"trust": {"source": "built-in", "verified": True}}, "shim", "system", False),
        (folders.shims, {"trust": {"source": "built-in", "verified": True}}, "shim", "user", False),
    ]
    for number, (folder, fields, source, trust, verified) in enumerate(expected):
        write(folder, "tool", **{"description": f"layer {number}", **fields})
        tool = only(discovery, bin_folder)
        assert (tool.document.description, tool.source) == (f"layer {number}", source)
        assert (tool.document.trust.source, tool.document.trust.verified) == (trust, verified)
    (bin_folder / "tool").unlink()
    native("tool", description="its own")
    tool = only(discovery, bin_folder)
    assert (tool.source, tool.document.description) == ("native", "its own")


@pytest.mark.holds("D-ATIP-12")
def test_an_override_merges_field_by_field(
    discovery: Discovery, folders: Folders, native: Make, bin_folder: Path
) -> None:
    effects = {"destructive": False, "network": True, "filesystem": {"read": True, "write": False}}
    native("tool", commands={"go": {"description": "Go", "effects": effects}}, homepage="https://example.org")
    folders.overrides.mkdir(parents=True)
    change = {
        "commands": {"go": {"effects": {"destructive": True, "filesystem": {"write": True}}}},
        "homepage": None,
        "x-note": "mine",
    }
    (folders.overrides / "tool.json").write_text(json.dumps(change))
    tool = only(discovery, bin_folder)
    assert (tool.source, tool.document.description, tool.document.homepage) == ("override", "tool itself", None)
    assert tool.document.extra["x-note"] == "mine"
    assert tool.document.commands is not None
    go = tool.document.commands["go"].effects
    assert (go.destructive, go.network, go.filesystem.read, go.filesystem.write) == (True, True, True, True)
    assert tool.document.trust.source == "native"
    assert only(discovery, bin_folder) == tool


@pytest.mark.parametrize("text", ["{", "[]", '{"effects": {"destructive": "yes"}}', '{"name": "other"}'])
def test_a_broken_override_hides_the_tool_and_says_why(
    discovery: Discovery, folders: Folders, native: Make, bin_folder: Path, text: str
) -> None:
    native("tool")
    folders.overrides.mkdir(parents=True)
    (folders.overrides / "tool.json").write_text(text)
    listing = discovery.scan(paths=[str(bin_folder)])
    assert listing.tools == ()
    assert str(folders.overrides / "tool.json") in listing.skipped[0].reason


def test_a_shim_for_what_is_not_installed_is_not_listed(
    discovery: Discovery, folders: Folders, write: Make, bin_folder: Path
) -> None:
    write(folders.shims, "absent")
    assert discovery.scan(paths=[str(bin_folder)]).tools == ()


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", '{"atip": "0.3"}', '{"atip":"0.3","name":"x","version":"1","description":"d"}']
)
def test_a_broken_shim_is_passed_over_with_a_word(
    discovery: Discovery, folders: Folders, script: Make, write: Make, bin_folder: Path, text: str
) -> None:
    script("tool", "exit 2")
    write(folders.built_in, "tool")
    folders.shims.mkdir(parents=True)
    (folders.shims / "tool.json").write_text(text)
    listing = discovery.scan(paths=[str(bin_folder)])
    assert [tool.document.trust.source for tool in listing.tools] == ["built-in"]
    assert str(folders.shims / "tool.json") in listing.skipped[0].reason


@pytest.mark.holds("D-ATIP-13")
def test_patterns_load_like_a_tools_own(discovery: Discovery, folders: Folders, bin_folder: Path) -> None:
    place = folders.data / "patterns"
    place.mkdir(parents=True)
    step = {"command": "git push", "description": "Push"}
    (place / "one.json").write_text(json.dumps({"name": "one", "steps": [step]}))
    (place / "list.json").write_text(json.dumps([{"name": "two"}, {"name": "three"}]))
    (place / "object.json").write_text(json.dumps({"patterns": [{"name": "four"}]}))
    (place / "bad.json").write_text(json.dumps({"patterns": [{"steps": "none"}]}))
    listing = discovery.scan(paths=[str(bin_folder)])
    assert sorted(pattern.name for pattern in listing.patterns) == ["four", "one", "three", "two"]
    assert next(p for p in listing.patterns if p.name == "one").steps[0].command == "git push"
    assert [skipped.name for skipped in listing.skipped] == ["bad.json"]


@pytest.mark.holds("D-ATIP-13")
def test_patterns_reach_the_prompt_of_the_tools_they_use(
    discovery: Discovery, folders: Folders, native: Make, bin_folder: Path
) -> None:
    native("build", patterns=[{"name": "own", "steps": [{"command": "build all"}]}])
    native("ship")
    native("aside")
    place = folders.data / "patterns"
    place.mkdir(parents=True)
    steps = [{"command": "build all"}, {"command": "ship {where}", "description": "To the customer"}]
    both = [{"name": "release", "steps": steps}, {"name": "own", "steps": [{"command": "build other"}]}]
    (place / "org.json").write_text(json.dumps(both))
    found = {tool.name: tool.document for tool in discovery.scan(paths=[str(bin_folder)]).tools}
    names = {name: [pattern.name for pattern in document.patterns] for name, document in found.items()}
    assert names == {"aside": [], "build": ["own", "release"], "ship": ["release"]}
    prompt = patterns_prompt(found.values())
    assert (prompt.count("release"), prompt.count("ship {where} (To the customer)")) == (1, 1)
    assert "build other" not in prompt


def test_merging() -> None:
    assert merge({"a": {"b": 1, "c": [1]}, "d": 2}, {"a": {"c": [2], "e": 3}, "d": None}) == {
        "a": {"b": 1, "c": [2], "e": 3}
    }
    assert merge({"a": 1}, {"a": {"b": None, "c": 2}}) == {"a": {"c": 2}}


def test_trust_holds_for_this_binary_only(discovery: Discovery, native: Make, bin_folder: Path) -> None:
    path = native("tool")
    discovery.scan(paths=[str(bin_folder)])
    trusted = discovery.trust("tool").document.trust
    assert (trusted.source, trusted.verified, trusted.checksum) == ("native", True, checksum(str(path)))
    assert only(discovery, bin_folder).document.trust.verified
    native("tool", description="changed")
    assert not only(discovery, bin_folder).document.trust.verified


def test_forgetting(discovery: Discovery, folders: Folders, native: Make, write: Make, bin_folder: Path) -> None:
    native("tool")
    write(folders.shims, "tool", description="by hand")
    discovery.scan(paths=[str(bin_folder)])
    discovery.trust("tool")
    dropped = discovery.forget("tool")
    assert dropped == [f"answer of {bin_folder / 'tool'}", str(folders.tools / "tool.json"), "your trust in it"]
    assert discovery.load().tools == ()
    assert (folders.shims / "tool.json").exists()
    assert discovery.scan(paths=[str(bin_folder)]).asked == 1
    with pytest.raises(NotFound):
        discovery.forget("never-heard-of")


@pytest.mark.parametrize("name", ["../../x", "", ".hidden", "-x", "a/b", "a\0b", "x" * 300])
def test_names_that_lead_elsewhere(discovery: Discovery, name: str) -> None:
    for question in (discovery.find, discovery.forget, discovery.trust):
        with pytest.raises(InvalidInput):
            question(name)


def test_a_tool_is_found_on_path_without_a_scan(
    discovery: Discovery, folders: Folders, script: Make, write: Make, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("tool", "exit 2")
    write(folders.built_in, "tool")
    monkeypatch.setenv("PATH", f"relative:{bin_folder}")
    assert discovery.find("tool").path == str(bin_folder / "tool")
    with pytest.raises(NotFound, match="absent"):
        discovery.find("absent")
