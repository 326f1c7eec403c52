"""`prime tools validate | lint | schema | emit | compile`."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prime.cli.main import program
from prime.core.errors import PrimeError

Json = dict[str, Any]
GOOD: Json = {
    "atip": "0.3",
    "name": "t",
    "version": "1",
    "description": "A tool",
    "commands": {
        "drop": {
            "description": "Drop",
            "arguments": [{"name": "what", "type": "string"}],
            "effects": {"destructive": True},
        }
    },
}


@pytest.fixture
def good(tmp_path: Path) -> str:
    path = tmp_path / "good.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    return str(path)


@pytest.fixture
def bad(tmp_path: Path) -> str:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(GOOD | {"name": "../../x", "version": 1}), encoding="utf-8")
    return str(path)


def prime(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(program, ["tools", *words], input=stdin)


@pytest.mark.parametrize("given", ['{"a": NaN}', '{"a": "\udcff"}', '{"a": 1, "a": 2}'])
def test_what_is_no_json_is_no_input_of_a_run(given: str) -> None:
    wrong = prime("run", "t", "--input", given)
    assert wrong.exit_code == 2
    assert "--input" in wrong.stderr


def test_validate(good: str, bad: str) -> None:
    assert prime("validate", good).exit_code == 0
    both = prime("validate", good, bad)
    assert both.exit_code == 1
    assert "good.json: valid" in both.stdout
    assert "at /name" in both.stderr
    assert "at /version" in both.stderr
    report = json.loads(prime("validate", good, bad, "--json").stdout)
    assert [item["valid"] for item in report["items"]] == [True, False]
    assert [problem["pointer"] for problem in report["items"][1]["problems"]] == ["/name", "/version"]
    assert prime("validate", "-", stdin=json.dumps(GOOD)).exit_code == 0
    # What cannot be read, or has no end, is one problem among the others.
    odd = json.loads(prime("validate", "/dev", "/dev/zero", good, "--json").stdout)
    assert [item["valid"] for item in odd["items"]] == [False, False, True]
    os.mkfifo(pipe := Path(good).with_name("pipe"))
    alone = prime("validate", str(pipe))
    assert alone.exit_code == 1
    assert "Nobody writes into this pipe" in alone.stderr
    with os.fdopen(os.open(pipe, os.O_RDWR), "w") as writer:
        writer.write("{}")
        writer.flush()
        held = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # keeps what was written there when the writer has gone
    assert "`atip` is missing" in prime("validate", str(pipe)).stderr
    os.close(held)
    missing = prime("validate", "/nosuch.json")
    assert missing.exit_code == 1
    assert "/nosuch.json" in missing.stderr
    assert prime("validate").exit_code == 2


def test_lint(good: str) -> None:
    done = prime("lint", good, "--json")
    assert done.exit_code == 0
    rules = {(item["rule"], item["pointer"]) for item in json.loads(done.stdout)["items"]}
    assert ("no-description", "/commands/drop/arguments/0/description") in rules
    assert ("destructive-without-reversible", "/commands/drop/effects") in rules
    assert ("no-effects", "/commands/drop/effects") in rules
    assert "destructive-without-reversible" in prime("lint", good).stdout
    assert prime("lint", good, "--strict").exit_code == 1
    both = prime("lint", "/no/such.json", good)
    assert (both.exit_code, "/no/such.json: at the top" in both.stderr) == (1, True)
    assert "destructive-without-reversible" in both.stdout


@pytest.mark.parametrize("command", ["lint", "validate"])
def test_a_folder_tool_is_told_from_a_document(tmp_path: Path, command: str) -> None:
    manifest = tmp_path / "tool.json"
    manifest.write_text('{"name": "lamp", "version": "1.0.0", "runtime": "process"}')
    for named in (manifest, tmp_path):
        told = prime(command, str(named))
        assert told.exit_code == 1
        assert f"prime tools add {tmp_path}" in told.stderr
        assert "prime tools check" in told.stderr
        assert "atip` is missing" not in told.stderr
    manifest.write_text(json.dumps(GOOD))  # a document may have that name as well
    assert prime(command, str(manifest)).exit_code == 0


def test_schema() -> None:
    assert json.loads(prime("schema").stdout)["required"] == ["atip", "name", "version", "description"]


def test_emit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "emitted_tool.py").write_text(
        "import argparse\n"
        "def build():\n"
        "    parser = argparse.ArgumentParser(description='Built')\n"
        "    parser.add_argument('file')\n"
        "    return parser\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    done = prime("emit", "emitted_tool:build()", "--version", "3", "--name", "built")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (document["name"], document["version"], document["description"]) == ("built", "3", "Built")
    assert prime("validate", "-", stdin=done.stdout).exit_code == 0
    assert isinstance(prime("emit", "emitted_tool:build").exception, PrimeError)  # never called unless asked
    assert prime("emit", "emitted_tool").exit_code == 2
    assert prime("emit", "emitted_tool:nosuch").exit_code == 1
    assert prime("emit", "nosuch_module:x").exit_code == 1
    assert prime("emit", "emitted_tool:build()", "--json").exit_code == 0


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raise ValueError('boom')", "ValueError: boom"),
        ("import sys; sys.exit(3)", "ends the program (3)"),
        ("x = (", "was never closed"),
        ("def x(): raise RuntimeError('late')", "line 1"),
    ],
)
def test_code_that_fails_is_told_in_a_sentence(
    source: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "failing_tool.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.delitem(sys.modules, "failing_tool", raising=False)
    done = prime("emit", "failing_tool:x()")
    assert done.exit_code == 1
    assert isinstance(done.exception, PrimeError)
    assert told in str(done.exception)
    assert done.exception.hint
    monkeypatch.delitem(sys.modules, "failing_tool", raising=False)


def test_compile(good: str) -> None:
    done = prime("compile", good, "--provider", "openai", "--strict")
    assert done.exit_code == 0
    (tool,) = json.loads(done.stdout)
    assert tool["function"]["description"] == "Drop. [⚠️ DESTRUCTIVE]"
    assert tool["function"]["strict"] is True
    (gemini,) = json.loads(prime("compile", good, "--provider", "gemini").stdout)
    assert gemini["function_declarations"][0]["name"] == "t_drop"
    more = json.loads(prime("compile", good, "--provider", "anthropic", "--json").stdout)
    assert more["commands"] == {"t_drop": ["t", "drop"]}
    assert "t_drop" in more["systemPrompt"]
    assert prime("compile", good).exit_code == 2
    assert isinstance(prime("compile", "/nosuch", "--provider", "openai").exception, PrimeError)
