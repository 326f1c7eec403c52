"""`prime --agent`: up to date, quick, and only when it is meant for Prime."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prime import __version__
from prime.cli.agent_document import FILE, answer
from prime.cli.main import program
from prime.tools.atip import describe, parse_document


def test_the_generated_document_is_up_to_date() -> None:
    written = json.loads(Path(FILE).read_bytes())
    fresh = describe(program, name="prime", version=__version__)
    assert written == fresh, "run: .venv/bin/python scripts/write_docs.py"


def ask(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> Any:
    assert answer(list(words)) == 0
    return json.loads(capfdbinary.readouterr().out)


def test_it_answers(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    whole = ask(capfdbinary, "--agent")
    assert parse_document(whole, where="prime").name == "prime"
    top = ask(capfdbinary, "--agent", "--depth=1")
    assert parse_document(top, where="prime").partial
    assert top["commands"]["tools"]["commands"] == {}
    assert top["totalCommands"] > top["includedCommands"]
    part = ask(capfdbinary, "--agent", "--commands=tools")
    assert list(part["commands"]) == ["tools"]


def test_it_says_no(capfd: pytest.CaptureFixture[str]) -> None:
    assert answer(["tools", "run", "x", "--arg", "--agent"]) is None
    assert answer(["--agent", "--commands=nosuch"]) == 2
    assert answer(["--agent", "--depth=0"]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert "nosuch" in said.err


def test_hardly_anything_is_imported() -> None:
    code = (
        "import sys; sys.argv = ['prime', '--agent']; import atexit; before = set(sys.modules);"
        "atexit.register(lambda: print(*sorted(set(sys.modules) - before), file=sys.stderr));"
        "from prime.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    json.loads(done.stdout)
    loaded = {module for module in done.stderr.decode().split() if not module.startswith("prime")}
    assert loaded <= {"importlib._bootstrap_external", "importlib._bootstrap", "importlib", "warnings"}


def test_an_agent_flag_of_a_command_is_left_to_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "prime", "tools", "schema", "--agent"], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert b"No such option" in done.stderr


@pytest.mark.parametrize(("stdout", "said"), [("| true", ""), ("> /dev/full", "No space left"), (">&-", "")])
def test_a_stdout_that_takes_nothing_is_no_traceback(stdout: str, said: str) -> None:
    for command in ("--agent", "--version"):
        line = f"{sys.executable} -m prime {command} {stdout}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=60)
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr
        assert said in done.stderr
