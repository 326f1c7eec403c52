import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def chat(ready_prime: Run, tmp_path: Path) -> Run:
    def run_one(*words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        return ready_prime("chat", "--data", str(tmp_path), *words, env=os.environ, stdin=stdin)

    return run_one


def test_one_sentence_gets_one_answer_and_is_kept(chat: Run) -> None:
    said = chat("We", "launch", "in", "March.")
    assert said.returncode == 0
    assert "March" in said.stdout
    again = chat("--json", "Budget 900 EUR")
    [answer] = json.loads(again.stdout)
    assert answer["actorId"] == "act_prime"
    assert "900 EUR" in answer["text"]


def test_lines_are_answered_one_by_one_until_the_end(chat: Run) -> None:
    said = chat(stdin="Hello in May\n\nand again in June\n")
    assert said.returncode == 0
    assert said.stdout.count("\n") == 2
    assert "May" in said.stdout
    assert "June" in said.stdout
