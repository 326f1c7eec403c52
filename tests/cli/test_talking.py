"""`prime chat` at a real terminal: a pseudo-terminal with a process of its own behind it."""

import os
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import Serving
from tests.ready import ReadyPrime

QUICK = {"PRIME_TICK_MS": "50", "PRIME_DIRECTIVE_MS": "50", "PRIME_ASK_MIN_GAP_MS": "0", "PRIME_AUTOSTOP_MS": "0"}
WISH = "Launch our lamp in Berlin in March, budget 20,000 EUR, we need a factory"
PATIENCE_SECONDS = 60.0


class Person:
    """Somebody who types, and reads what is on the screen."""

    def __init__(self, terminal: int, process: "subprocess.Popen[str]") -> None:
        self.terminal, self.process = terminal, process
        self.screen = ""

    def types(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def sees(self, pattern: str) -> "re.Match[str]":
        """Waits until the screen shows it, and forgets what came before."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not (found := re.search(pattern, self.screen, re.DOTALL)):
            ready, _, _ = select.select([self.terminal], [], [], max(until - time.monotonic(), 0))
            assert ready, f"{pattern} was not seen in: {self.screen!r}"
            self.screen += os.read(self.terminal, 65536).decode(errors="replace")
        self.screen = self.screen[found.end() :]
        return found


@pytest.fixture
def person(serve: Callable[..., Serving], ready_prime: ReadyPrime) -> Iterator[Person]:
    serving = serve(**QUICK)
    outer, inner = os.openpty()
    words = ("chat", "--data", str(serving.data))
    environment = serving.environment | {"TERM": "xterm", "COLUMNS": "80", "LINES": "40"}
    process = ready_prime.start(*words, env=environment, stdin=inner, stdout=inner, stderr=inner)
    try:
        yield Person(outer, process)
    finally:
        process.kill()
        process.wait()
        os.close(inner)
        os.close(outer)


def test_a_war_room_is_raised_answered_and_left(person: Person) -> None:
    person.sees("you")
    person.types(f"{WISH}\n")
    person.sees(r"Prime.*Berlin|Prime.*lamp")
    asked = person.sees(r"ask (\d+) +.*?a\) ([^\r\n]+?)(?:   b\)|\r|\n)")
    number, first = asked[1], asked[2]
    person.types(f"/{number} a\n")
    person.sees(rf"Told: {re.escape(first.split()[0])}")
    person.types("/999 yes\n")
    person.sees("Nothing waits under 999")
    # A line that was being written stays when something happens above it.
    person.types("half a line")
    person.sees(r"(?:news|settled|ask \d+) .*half a line")
    before = termios.tcgetattr(person.terminal)
    person.process.send_signal(signal.SIGINT)
    assert person.process.wait(PATIENCE_SECONDS) == 0
    after = termios.tcgetattr(person.terminal)
    assert after[3] & termios.ECHO, "the terminal must show again what is typed"
    assert not before[3] & termios.ICANON, "lines could be edited"


def test_a_line_can_be_corrected_before_it_is_sent(person: Person, ready_prime: ReadyPrime, tmp_path: Path) -> None:
    person.sees("you")
    person.types("Hllo in May\x01\x1b[Ce\n")  # to the beginning, one to the right, the missing letter
    person.sees("Prime  ")
    found = ready_prime("recall", "--data", str(tmp_path / "data"), "hello", env=os.environ)
    assert "Hello in May" in found.stdout


def test_what_strangers_write_cannot_steer_the_terminal(ready_prime: ReadyPrime, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path))
    said = ready_prime("chat", *data, "Lantern\x1b]0;owned\x07 costs 900 EUR in May.", env=os.environ)
    found = ready_prime("recall", *data, "lantern", env=os.environ)
    assert "Lantern" in found.stdout
    assert "\x1b" not in said.stdout + found.stdout
    assert "  Prime  You\n" in found.stdout, "channels and people are shown by their names"
