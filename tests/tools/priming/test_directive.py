"""The helper for authors: a `prime` command for click, typer and argparse, a `prime` tool for MCP servers."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from prime.core.errors import InvalidInput
from prime.tools.atip import describe, parse_document
from prime.tools.priming import directive, prime_schema

FIELDS = (
    'intents=["reports"], do=["Analyze first."], dont=["No PII."], requests_per_minute=60, burst=5,'
    ' preferred=["analyze"], deprecated=["legacy-run"], examples=[("A report", ["analyze", "execute"])],'
    ' min_agent_version="1.2"'
)
PROGRAMS = {
    "click": f"""
import click
from prime.tools.priming import directive
@click.group()
def cli(): pass
@cli.command()
def analyze(): click.echo("analyzed")
directive("demo", cli, {FIELDS})
cli()
""",
    "typer": f"""
import typer
from prime.tools.priming import directive
app = typer.Typer()
@app.command()
def analyze(): print("analyzed")
directive("demo", app, {FIELDS})
app()
""",
    "argparse": f"""
import argparse
from prime.tools.priming import directive
parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest="command")
commands.add_parser("analyze")
directive("demo", parser, {FIELDS})
parser.parse_args()
print("analyzed")
""",
    "argparse-plain": f"""
import argparse
from prime.tools.priming import directive
parser = argparse.ArgumentParser()
parser.add_argument("command")
directive("demo", parser, {FIELDS})
parser.parse_args()
print("analyzed")
""",
}


@pytest.fixture(params=list(PROGRAMS))
def program(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    file = tmp_path / "program.py"
    file.write_text(PROGRAMS[request.param])
    return [sys.executable, str(file)]


def _run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_program_gets_a_prime_command_and_keeps_its_own(program: list[str]) -> None:
    done = _run([*program, "prime", "--agent-id", "a", "--session-id", "s", "--capabilities", '{"streaming": true}'])
    assert done.returncode == 0, done.stderr
    answer: Any = json.loads(done.stdout)
    jsonschema_rs.Draft202012Validator(prime_schema("response"), validate_formats=True).validate(answer)
    assert answer["session"]["sessionId"] == "s"
    assert answer["usageDirectives"]["dont"] == ["No PII."]
    assert answer["rateLimits"] == {"requestsPerMinute": 60, "burst": 5}
    assert answer["schema"]["deprecatedCommands"] == ["legacy-run"]
    assert answer["examples"] == [{"description": "A report", "sequence": ["analyze", "execute"]}]
    assert _run([*program, "analyze"]).stdout == "analyzed\n"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--agent-id", "a"], "--session-id"),
        (["--session-id", "s"], "--agent-id"),
        (["--agent-id", "a", "--session-id", "s", "--capabilities", "{"], "--capabilities"),
        (["--agent-id", "a", "--session-id", "s", "--metadata", "[]"], "--metadata"),
        (["--agent-id", "a", "--session-id", "s", "--user-role", "king"], "--user-role"),
    ],
)
def test_wrong_input_is_exit_code_2_and_a_sentence(tmp_path: Path, words: list[str], named: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAMS["argparse"])
    done = _run([sys.executable, str(file), "prime", *words])
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.holds("D-DIR-1")
def test_an_mcp_server_gets_a_tool_and_a_function() -> None:
    made = directive("demo", do=["x"])
    tool: Any = made.mcp_tool()
    assert tool["name"] == "prime"
    assert "andatory before" in tool["description"]
    assert "idempotent" in tool["description"]
    assert jsonschema_rs.is_valid(tool["outputSchema"], made.respond({"agentId": "a", "sessionId": "s"}))
    with pytest.raises(InvalidInput):
        made.respond({"agentId": "a"})


def test_the_helper_needs_no_framework() -> None:
    code = "import sys, prime.tools.priming; print(sorted({'click', 'pydantic', 'sqlalchemy'} & set(sys.modules)))"
    assert _run([sys.executable, "-c", code]).stdout.strip() == "[]"


def test_limits_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidInput, match="burst"):
        directive("demo", burst=0)


def test_something_else_cannot_be_given_a_command() -> None:
    with pytest.raises(InvalidInput, match="int"):
        directive("demo", 3)


def test_a_single_text_is_not_taken_for_a_list() -> None:
    with pytest.raises(InvalidInput, match="do is a list"):
        directive("demo", do="Be kind.")
    with pytest.raises(InvalidInput, match="A report"):
        directive("demo", examples=[("A report", "analyze")])


def test_a_parser_without_subcommands_lists_its_prime_command() -> None:
    parser = argparse.ArgumentParser(prog="plain", description="Plain")
    parser.add_argument("file")
    directive("plain", parser)
    document = parse_document(describe(parser, name="plain", version="1"), where="plain")
    assert set(document.commands or {}) == {"", "prime"}
    prime: Any = describe(parser, name="plain", version="1")["commands"]
    assert prime["prime"]["effects"]["idempotent"] is True
