"""`prime dialogs` and the parts of `prime scripts` that speak with Prime, as programs call them."""

import json
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner, Result

from prime.cli import program
from prime.core.errors import PrimeError, wire_codes
from prime.core.json_text import JsonObject

KEY = "sk-proj-" + "a1B2c3D4" * 6


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable, name in (("PRIME_DATA", "data"), ("PRIME_WORKSPACE", "work"), ("XDG_CONFIG_HOME", "config")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(program, args)


def found(*args: str) -> JsonObject:
    result = run(*args)
    assert result.exit_code == 0, result.output
    return cast("JsonObject", json.loads(result.stdout))


def exit_code(result: Result) -> int:
    return wire_codes(result.exception).exit if isinstance(result.exception, PrimeError) else result.exit_code


def test_a_dialog_from_the_command_line(folder: Path) -> None:
    assert run("scripts", "new", "team_shared/probe").exit_code == 0
    channel = found("scripts", "replay", "team_shared/probe", "--brief", "Look.", "--hide", "--json")
    assert channel["priming"] == {"scriptRefs": ["team_shared/probe"], "showInUi": False}
    name = str(channel["id"])
    listed = cast("list[JsonObject]", found("dialogs", "list", "--json")["items"])
    assert [item["id"] for item in listed] == ["ch_hub", name]
    assert name in run("dialogs", "list").stdout

    (folder / "config" / "prime" / "prompts").mkdir(parents=True)
    (folder / "config" / "prime" / "prompts" / "context.md").write_text("# Me\n\n{{name}} says: {{brief}}")
    shown = run("dialogs", "context", name)
    assert shown.stdout.startswith("# Me\n\nPrime says: Look.\n")
    assert (
        found("dialogs", "context", name, "--json", "--format", "anthropic")["document"] == "# Me\n\nPrime says: Look."
    )

    saved = run("scripts", "export", name, "mine")
    assert saved.stdout == ".minds/priming/individual/act_prime/mine.md\n"
    assert (folder / "work" / saved.stdout.strip()).exists()
    assert exit_code(run("scripts", "export", name, "mine")) == 1
    assert exit_code(run("scripts", "export", name, "mine", "--overwrite")) == 0
    assert exit_code(run("scripts", "export", "ch_none", "mine")) == 1
    assert exit_code(run("scripts", "replay", "team_shared/none")) == 1
    assert exit_code(run("scripts", "replay", "../etc")) == 2
    assert exit_code(run("dialogs", "context", "ch_none")) == 1
    assert run("dialogs", "export", "--archived", name).stdout == ""
    assert exit_code(run("dialogs", "export", "--archived")) == 2


def test_a_training_set_without_secrets(folder: Path) -> None:
    file = folder / "work" / ".minds" / "priming" / "team_shared" / "keys.md"
    file.parent.mkdir(parents=True)
    file.write_text(
        "### record human_text_record\n\n``````markdown\n---\ngenseq: 1\nmsgId: m\ngrammar: markdown\n---\n\n"
        f"{KEY} 你好\u2028\n``````\n\n"
        "### record func_call_record\n\n```json\n"
        '{"genseq": 1, "id": "c", "name": "login", "arguments": {"password": "hunter2hunter2", "n": 1}}\n```\n'
    )
    channel = str(found("scripts", "replay", "team_shared/keys", "--json")["id"])
    (line,) = [line for line in run("dialogs", "export").stdout.split("\n") if line]
    assert KEY not in line
    assert "hunter2" not in line
    assert "你好" in line
    messages = cast("list[JsonObject]", cast("JsonObject", json.loads(line))["messages"])
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool"]
    whole = found("dialogs", "export", "--json")
    assert whole == {"items": [json.loads(line)]}
    assert found("dialogs", "export", channel, channel, "--json")["items"]
    assert found("dialogs", "export", "--archived", channel, "--json") == {"items": []}
    plain = run("dialogs", "export", channel, "--no-redact", "--format", "openai-jsonl").stdout
    assert KEY in plain
    assert "hunter2" in plain
    assert exit_code(run("dialogs", "export", "ch_none")) == 1
