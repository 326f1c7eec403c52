import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from prime.cli.chat import ask
from prime.cli.client import Client

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


class _Thinks:
    """Has its answer when it is looked for the third time."""

    looked = 0

    async def post(self, _path: str, _body: object) -> dict[str, object]:
        return {"channelId": "ch_hub", "messageId": "msg_1"}

    async def get(self, _path: str, **_asked: object) -> dict[str, object]:
        self.looked += 1
        return {"items": [{"text": "March.", "sources": ["msg_1"]}] if self.looked == 3 else []}


@pytest.mark.parametrize("terminal", [True, False])
async def test_who_waits_at_a_terminal_is_told_once_that_prime_thinks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool
) -> None:
    monkeypatch.setattr("prime.cli.chat.POLL_SECONDS", 0.001)
    monkeypatch.setattr("prime.cli.chat.SILENCE_SECONDS", 0.001)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    [answer] = await ask(cast("Client", _Thinks()), "When?")
    assert answer["text"] == "March."
    shown = capsys.readouterr()
    assert shown.err == ("Prime is thinking.\n" if terminal else "")
    assert shown.out == ""
