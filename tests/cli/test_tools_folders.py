"""`prime tools add | remove | check`, as a person calls them."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SCRIPT = """#!/usr/bin/env python3
import json, sys
words = json.loads(sys.stdin.readline())["arguments"]["text"].split()
print(json.dumps({"words": len(words)}))
"""
MANIFEST: dict[str, Any] = {
    "name": "count_words",
    "version": "1.0",
    "description": "Count words.",
    "runtime": "process",
    "entry": {"command": "./count.py"},
    "schema": {
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "returns": {"type": "object", "properties": {"words": {"type": "integer"}}},
    },
    "examples": [
        {"description": "three words", "arguments": {"text": "a b c"}, "returns": {"words": 3}},
        {"description": "no text at all", "arguments": {}, "isError": True},
    ],
}


@pytest.fixture
def run(tmp_path: Path, ready_prime: Run) -> Run:
    env = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "share"), "NO_COLOR": "1"}

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return ready_prime("tools", *words, env=env, cwd=tmp_path)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "count.py").write_text(SCRIPT)
    (folder / "count.py").chmod(0o755)
    (folder / "tool.json").write_text(json.dumps(MANIFEST))
    return folder


@pytest.mark.parametrize(("level", "runs"), [("user", "folder"), ("workspace", "shim")])
def test_what_you_add_stands_before_a_command_of_its_name_and_a_workspaces_behind(
    run: Run, folder: Path, level: str, runs: str
) -> None:
    manifest: dict[str, Any] = {**MANIFEST, "name": "date", "examples": []}
    (folder / "tool.json").write_text(json.dumps(manifest))
    assert run("add", str(folder), *(["--workspace"] if level == "workspace" else [])).returncode == 0
    listed = run("list", "--json")
    assert [row["source"] for row in json.loads(listed.stdout)["items"] if row["name"] == "date"] == [runs]
    assert "date: " in listed.stderr
    assert " is hidden by " in listed.stderr
    assert (f"folder ({level})" in run("show", "date").stdout) is (runs == "folder")
    called = run("run", "date", "--arg", "text=a b c", "--yes")
    assert ("words" in called.stdout) is (runs == "folder"), called.stderr


def test_a_folder_is_added_checked_and_removed(run: Run, folder: Path, tmp_path: Path) -> None:
    added = run("add", str(folder), "--json")
    assert added.returncode == 0, added.stderr
    assert json.loads(added.stdout)["folder"] == str(tmp_path / "share" / "prime" / "tools" / "count_words")
    again = run("add", str(folder))
    assert (again.returncode, again.stdout) == (1, "")
    assert "--replace" in again.stderr
    assert run("add", str(folder), "--replace").returncode == 0
    assert "count_words" in run("list").stdout
    shown = run("show", "count_words")
    assert "text" in shown.stdout, shown.stderr
    checked = run("check", "count_words")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count("ok") == 2
    assert run("remove", "count_words").returncode == 0
    gone = run("check", "count_words")
    assert gone.returncode == 1
    assert "prime tools add" in gone.stderr
    assert list((tmp_path / "share" / "prime" / "tools").iterdir()) == []


def test_an_example_that_does_not_hold_is_told(run: Run, folder: Path) -> None:
    wrong = {**MANIFEST, "examples": [{"arguments": {"text": "a b"}, "returns": {"words": 3}}]}
    (folder / "tool.json").write_text(json.dumps(wrong))
    assert run("add", str(folder), "--workspace").returncode == 0
    checked = run("check", "count_words", "--json")
    assert checked.returncode == 1
    told = json.loads(checked.stdout)
    assert told["level"] == "workspace"
    assert told["examples"][0]["problem"] == "It returned {'words': 2} instead of {'words': 3}."


def test_a_name_of_primes_own_is_refused_and_told_in_the_list(run: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "tool.json").write_text(json.dumps({**MANIFEST, "name": "find_tools", "examples": []}))
    refused = run("add", str(folder))
    assert (refused.returncode, "Give the tool another name" in refused.stderr) == (1, True)
    put_there = tmp_path / "share" / "prime" / "tools" / "find_tools"
    put_there.parent.mkdir(parents=True)
    folder.rename(put_there)
    listed = run("list", "--json")
    assert "find_tools" not in {row["name"] for row in json.loads(listed.stdout)["items"]}
    assert f"{put_there}/tool.json: 'find_tools' is the name of a tool of Prime's own." in listed.stderr


def test_what_is_no_tool_is_not_added(run: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "tool.json").write_text(json.dumps({**MANIFEST, "entry": {"command": "../evil"}}))
    refused = run("add", str(folder))
    assert refused.returncode == 2
    assert "/entry/command" in refused.stderr
    (folder / "tool.json").write_text(json.dumps(MANIFEST))
    (folder / "secrets").symlink_to("/etc/hostname")
    refused = run("add", str(folder))
    assert refused.returncode == 2
    assert "secrets" in refused.stderr
    (folder / "secrets").unlink()
    os.mkfifo(folder / "pipe")
    refused = run("add", str(folder))  # and nobody waits for a writer
    assert refused.returncode == 2
    assert "pipe" in refused.stderr
    assert run("add", str(tmp_path / "nowhere")).returncode == 2
    for name in ("../mine", "/", ".", "", "mine"):
        assert run("remove", name).returncode in {1, 2}
    assert (folder / "tool.json").exists()


def test_a_parameter_that_may_be_anything_is_shown_as_that(run: Run, folder: Path) -> None:
    manifest: dict[str, Any] = {**MANIFEST, "examples": []}
    manifest["schema"] = {"parameters": {"type": "object", "properties": {"whatever": True}}}
    (folder / "tool.json").write_text(json.dumps(manifest))
    run("add", str(folder))
    shown = run("show", "count_words")
    assert shown.returncode == 0, shown.stderr
    assert "whatever" in shown.stdout
    assert "any" in shown.stdout
