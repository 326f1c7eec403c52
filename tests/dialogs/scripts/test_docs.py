"""The examples of the documentation are scripts, and its commands run."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.markdown import fences

from prime.cli import program
from prime.dialogs.scripts.exporter import export_script
from prime.dialogs.scripts.fields import SHAPES
from prime.dialogs.scripts.parser import parse_script

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ["startup-scripts.md", "startup-scripts.zh.md"]


@pytest.mark.parametrize("page", PAGES)
def test_examples_are_scripts(page: str) -> None:
    examples = [block.body for block in fences((DOCS / page).read_text()) if block.info == "markdown script"]
    assert examples
    for example in examples:
        script = parse_script(example)
        assert parse_script(export_script(script)) == script


@pytest.mark.parametrize("page", PAGES)
def test_commands_run(page: str, tmp_path: Path) -> None:
    blocks = [block.body for block in fences((DOCS / page).read_text()) if block.info == "sh"]
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) == 8
    environment = {"PRIME_WORKSPACE": str(tmp_path), "PRIME_DATA": str(tmp_path / "data")}
    channel = ""
    for command in commands:
        name, *arguments = shlex.split(command.replace("CHANNEL", channel))
        assert name == "prime"
        if arguments[1] == "replay":
            arguments.append("--json")
        result = CliRunner().invoke(program, arguments, env=environment)
        assert result.exit_code == 0, f"{command}: {result.output}"
        if arguments[1] == "replay":
            channel = json.loads(result.stdout)["id"]


@pytest.mark.holds("D-SCR-1")
@pytest.mark.parametrize("page", PAGES)
def test_pages_list_every_type_with_every_field(page: str) -> None:
    lines = (DOCS / page).read_text().splitlines()
    rows = {line.split("`")[1]: line for line in lines if line.startswith("| `") and "_record`" in line}
    assert set(rows) == set(SHAPES)
    for name, shape in SHAPES.items():
        listed = [part.strip().split(" ")[0] for part in rows[name].split("|")[2].split(", ")]
        fields = [
            each.name + ("" if each.required else "?") for each in shape.fields.values() if each.name != "sourceTag"
        ]
        assert [part for part in listed if not part.startswith("`")] == fields
