"""`prime prime` and `prime tools run`, as a person types them."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from prime.tools.discovery import Discovery, Folders
from prime.tools.priming import prime_schema

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, ready_prime: Run) -> Run:
    (tmp_path / "work").mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PRIME_", "XDG_"))}
    env |= {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    env |= {"PRIME_WORKSPACE": str(tmp_path / "work")}

    def run_one(*words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        return ready_prime(*words, env=env, stdin=stdin)

    return run_one


def test_prime_prints_its_answer(run: Run) -> None:
    done = run("prime", "--agent-id", "a", "--session-id", "s", "--user-role", "admin", "--metadata", "{}")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    jsonschema_rs.validate(prime_schema("response"), answer)
    assert answer["session"]["sessionId"] == "s"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--agent-id", "a"], "--session-id"),
        (["--agent-id", "a", "--session-id", "s", "--capabilities", "nope"], "--capabilities"),
        (["--agent-id", "a", "--session-id", "s", "--user-role", "boss"], "--user-role"),
        (["--agent-id", "a\udcff", "--session-id", "s"], "--agent-id"),
    ],
)
def test_prime_with_wrong_input_is_a_wrong_call(run: Run, words: list[str], named: str) -> None:
    done = run("prime", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tool_is_run_and_what_needs_a_yes_gets_it_or_does_not_run(run: Run, tmp_path: Path) -> None:
    tools = Folders(data=tmp_path / "data" / "agent-tools", config=tmp_path / "config" / "agent-tools")
    Discovery(tools).scan(paths=["/usr/bin", "/bin"], probe=False)
    found = run("tools", "run", "find_tools", "--input", '{"query": "make folders"}', "--arg", "limit=2", "--json")
    assert found.returncode == 0, found.stderr
    answer: Any = json.loads(found.stdout)
    assert len(answer["structuredContent"]["tools"]) == 2
    wrong = run("tools", "run", "find_tools", "--arg", "limit=2")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert '"query" is a required property' in wrong.stderr
    refused = run("tools", "run", "mkdir", "--arg", "folders=new")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "--yes" in refused.stderr
    assert not (tmp_path / "work" / "new").exists()
    done = run("tools", "run", "mkdir", "--input", "-", "--yes", stdin='{"folders": ["new"]}')
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "work" / "new").is_dir()
    again = run("tools", "run", "mkdir", "--arg", "folders=new", "--yes")
    assert again.returncode == 1
    assert "File exists" in again.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["--arg", "x"],
        ["--arg", "x=\udcff"],
        ["--input", "{"],
        ["--input", "[]"],
        ["--input", "@/nope"],
    ],
)
def test_wrong_arguments_are_a_wrong_call(run: Run, words: list[str]) -> None:
    done = run("tools", "run", "find_tools", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
