"""`prime tools scan | list | show | infer | forget | trust` as a person calls them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prime.cli.tools import tools
from prime.core.errors import PrimeError

DOCUMENT = {
    "atip": "0.3",
    "name": "hello",
    "version": "2.0",
    "description": "Says hello",
    "commands": {
        "say": {"description": "Say it", "effects": {"destructive": True}},
        "sing": {"description": "Sing it"},
    },
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "hello"
    help_text = "usage: hello [--loud]\n\n  --loud   shout"
    program.write_text(
        f"#!/bin/sh\ncase $1 in --agent) printf '%s' '{json.dumps(DOCUMENT)}';; --help) echo '{help_text}';; esac\n"
    )
    program.chmod(0o755)
    return folder


def prime(*words: str) -> Result:
    return CliRunner().invoke(tools, words)


def test_scan_says_what_it_found(place: Path) -> None:
    (place / "reboot").symlink_to("hello")
    result = prime("scan", "--path", str(place))
    assert result.exit_code == 0
    assert " ".join(result.stdout.split()) == "source tools native 1 shim 0 inferred 0 override 0"
    assert "on the skip list: reboot" in result.stderr
    answer = json.loads(prime("scan", "--path", str(place), "--json").stdout)
    assert (answer["counts"]["native"], answer["asked"], answer["skipped"][0]["name"]) == (1, 0, "reboot")


def test_list_and_show(place: Path) -> None:
    prime("scan", "--path", str(place))
    (item,) = json.loads(prime("list", "--json").stdout)["items"]
    assert (item["name"], item["source"], item["path"]) == ("hello", "native", str(place / "hello"))
    shown = prime("show", "hello").stdout
    assert "native" in shown
    assert "destructive  Say it" in shown
    assert "unknown" in shown
    assert "reads only" not in shown
    part = json.loads(prime("show", "hello", "--commands", "sing", "--json").stdout)
    assert (list(part["commands"]), part["partial"]) == (["sing"], True)
    assert json.loads(prime("show", "hello", "--depth", "1", "--json").stdout)["name"] == "hello"


def test_show_says_what_reads_only_and_what_starts_programs(place: Path) -> None:
    shown = {row.split("  ")[0]: row for row in prime("show", "git", "--depth", "1").stdout.splitlines()}
    assert "reads only" in shown["git status"]
    shown = {row.split("  ")[0]: row for row in prime("show", "find").stdout.splitlines()}
    assert "runs programs" in shown["find"]


def test_a_terminal_is_not_driven_by_strangers(place: Path) -> None:
    program = place / "hello"
    program.write_text(program.read_text().replace("Says hello", "red \\u001b[31m and\\nmore"))
    prime("scan", "--path", str(place))
    for shown in (prime("list").stdout, prime("show", "hello").stdout):
        assert "\x1b" not in shown
        assert "red [31m and more" in shown


def test_trust_and_forget(place: Path) -> None:
    prime("scan", "--path", str(place))
    assert json.loads(prime("trust", "hello", "--json").stdout)["verified"]
    assert "sha256:" in prime("show", "hello").stdout
    assert prime("forget", "hello").stdout.startswith("Forgot hello")
    assert json.loads(prime("list", "--json").stdout)["items"] == []


def test_infer_writes_a_shim(place: Path, tmp_path: Path) -> None:
    result = prime("infer", str(place / "hello"), "--json")
    document = json.loads(result.stdout)
    assert document["trust"]["source"] == "inferred"
    assert document["commands"][""]["options"][0]["flags"] == ["--loud"]
    assert json.loads((tmp_path / "data/agent-tools/shims/hello.json").read_text()) == document
    (tmp_path / "data/agent-tools/shims/hello.json").unlink()
    prime("infer", str(place / "hello"), "--print")
    assert not (tmp_path / "data/agent-tools/shims/hello.json").exists()


def test_compile_takes_a_known_tool(place: Path) -> None:
    prime("scan", "--path", str(place))
    names = [tool["name"] for tool in json.loads(prime("compile", "hello", "--provider", "anthropic").stdout)]
    assert names == ["hello_say", "hello_sing"]


@pytest.mark.parametrize(
    "words", [("show", "nowhere"), ("show", "../../x"), ("forget", "nowhere"), ("infer", "nowhere")]
)
def test_what_is_not_there_is_an_error_with_a_next_step(place: Path, words: tuple[str, ...]) -> None:
    result = prime(*words)
    assert isinstance(result.exception, PrimeError)
    assert result.exception.hint
