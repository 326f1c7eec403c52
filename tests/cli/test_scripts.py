from pathlib import Path
from typing import cast

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from prime.cli.scripts import scripts
from prime.core.errors import PrimeError, wire_codes
from prime.core.json_text import JsonObject, read_json
from prime.dialogs.scripts.exporter import export_script
from prime.dialogs.scripts.fields import SHAPES
from prime.dialogs.scripts.records import AgentWords, FuncCall
from prime.dialogs.scripts.script import Script


class Run:
    """Runs `prime scripts …` in a workspace."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace

    def __call__(self, *args: str) -> Result:
        return CliRunner().invoke(scripts, args, env={"PRIME_WORKSPACE": str(self.workspace)})

    def json(self, *args: str) -> JsonObject:
        found = read_json(self(*args, "--json").stdout)
        assert isinstance(found, dict)
        return found


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def _code(result: Result) -> int:
    """What the program exits with: errors of our own are translated above the group."""
    return wire_codes(result.exception).exit if isinstance(result.exception, PrimeError) else result.exit_code


def test_new_list_show_check(run: Run, tmp_path: Path) -> None:
    made = run("new", "individual/ux/first/try", "--title", "Ein Anfang")
    assert (made.exit_code, made.stdout.strip()) == (0, str(tmp_path / ".minds/priming/individual/ux/first/try.md"))
    assert _code(run("new", "individual/ux/first/try")) == 1
    assert run("new", "individual/ux/first/try", "--overwrite").exit_code == 0
    assert run.json("new", "team_shared/all", "--for", "ux", "--for", "qa") == {
        "scriptRef": "team_shared/all",
        "path": ".minds/priming/team_shared/all.md",
    }
    assert run("list").stdout.splitlines() == ["individual/ux/first/try  try", "team_shared/all  all"]
    assert run("list", "ALL", "--agent", "ux").stdout.splitlines() == ["team_shared/all  all"]
    assert run("list", "--agent", "dev").stdout == ""
    shown = run.json("show", "team_shared/all")
    assert shown["applicableMemberIds"] == ["ux", "qa"]
    assert isinstance(shown["records"], list)
    assert run("show", "team_shared/all").stdout.count("\n") == 3
    checked = run("check")
    assert (checked.exit_code, checked.stdout) == (0, "")


def test_check_tells_where(run: Run, tmp_path: Path) -> None:
    run("new", "team_shared/good")
    bad = tmp_path / ".minds/priming/team_shared/bad.md"
    bad.write_text("### record agent_words_record\n\n```markdown\n---\ngenseq: -1\n---\nx\n```\n")
    waiting = Script(records=(FuncCall(genseq=1, id="c", name="ls", arguments={}),))
    (tmp_path / "lone.md").write_text(export_script(waiting))
    result = run("check")
    assert result.exit_code == 1
    assert result.stdout == f"{bad}:5:1: `genseq` is -1. Expected: a whole number, 0 or more.\n"
    found = run.json("check", str(tmp_path / "lone.md"), str(bad.parent))
    assert found["checked"] == 3
    (problem,) = cast("list[JsonObject]", found["problems"])
    assert (problem["file"], problem["line"], problem["column"]) == (str(bad), 5, 1)
    assert found["warnings"] == [f"{tmp_path / 'lone.md'}: the call 'c' has no result"]
    assert run("check", str(tmp_path / "lone.md")).exit_code == 0
    assert run("check", str(tmp_path / "none.md")).exit_code == 2


def test_check_follows_no_link(run: Run, tmp_path: Path) -> None:
    run("new", "team_shared/good")
    link = tmp_path / ".minds/priming/team_shared/link.md"
    link.symlink_to(tmp_path / ".minds/priming/team_shared/good.md")
    result = run("check")
    assert (result.exit_code, result.stdout.splitlines()) == (
        1, [f"{link}: It is a symbolic link, which no dialog follows. Use plain folders and files."],
    )  # fmt: skip


def test_list_tells_of_broken_ones_on_stderr(run: Run, tmp_path: Path) -> None:
    run("new", "team_shared/good")
    (tmp_path / ".minds/priming/team_shared/bad.md").write_text("### user\n")
    result = run("list")
    assert result.stdout == "team_shared/good  good\n"
    assert "bad.md:1:1" in result.stderr
    assert cast("JsonObject", run.json("list")["warningSummary"])["skippedCount"] == 1


def test_wrong_calls_and_missing_scripts(run: Run) -> None:
    assert _code(run("show", "team_shared/../x")) == 2
    assert _code(run("new", "x")) == 2
    assert _code(run("show", "team_shared/none")) == 1
    assert _code(run("schema", "nothing")) == 1
    file = run.workspace / ".minds/priming/team_shared/broken.md"
    file.parent.mkdir(parents=True)
    file.write_text("### user\n")
    broken = run("show", "team_shared/broken")
    assert (broken.exit_code, broken.stdout) == (1, "")
    assert "broken.md:1:1" in broken.stderr


def test_what_steers_a_terminal_is_not_shown(run: Run, tmp_path: Path) -> None:
    file = tmp_path / ".minds/priming/team_shared/x.md"
    file.parent.mkdir(parents=True)
    file.write_text(export_script(Script(records=(AgentWords(genseq=1, content="\x1b[2Jhi\nthere\x07"),))))
    assert run("show", "team_shared/x").stdout.splitlines()[1].endswith("[2Jhi there")


def test_schemas_judge_as_the_parser_does(run: Run) -> None:
    schemas = run.json("schema")
    assert set(schemas) == {"script", *SHAPES}
    for schema in schemas.values():
        jsonschema_rs.validator_for(cast("JsonObject", schema))
    words = jsonschema_rs.validator_for(run.json("schema", "agent_words"))
    assert words.is_valid({"genseq": 0, "sourceTag": "priming_script"})
    for wrong in ({}, {"genseq": -1}, {"genseq": 1, "mood": 1}, {"genseq": 1, "sourceTag": "x"}):
        assert not words.is_valid(wrong)
    search = jsonschema_rs.validator_for(run.json("schema", "web_search_call_record"))
    assert search.is_valid({"genseq": 1, "phase": "done", "action": {"type": "search", "query": "x"}})
    assert not search.is_valid({"genseq": 1, "phase": "done", "action": {"type": "search", "url": "x"}})
    call = jsonschema_rs.validator_for(run.json("schema", "func_call_record"))
    assert call.is_valid({"type": "func_call_record", "genseq": 1, "id": "a", "name": "b", "arguments": {}})
