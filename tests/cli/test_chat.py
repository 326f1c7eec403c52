import json
import subprocess
import sys
from pathlib import Path


def chat(data: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "prime", "chat", "--data", str(data), *words]
    return subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=60, check=False)


def test_one_sentence_gets_one_answer_and_is_kept(tmp_path: Path) -> None:
    said = chat(tmp_path, "We", "launch", "in", "March.")
    assert said.returncode == 0
    assert "March" in said.stdout
    again = chat(tmp_path, "--json", "Budget 900 EUR")
    [answer] = json.loads(again.stdout)
    assert answer["actorId"] == "act_prime"
    assert "900 EUR" in answer["text"]


def test_lines_are_answered_one_by_one_until_the_end(tmp_path: Path) -> None:
    said = chat(tmp_path, stdin="Hello in May\n\nand again in June\n")
    assert said.returncode == 0
    assert said.stdout.count("\n") == 2
    assert "May" in said.stdout
    assert "June" in said.stdout
