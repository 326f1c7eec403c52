"""Programs that have only a help."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prime.tools.discovery import Folders

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(data=tmp_path / "data", config=tmp_path / "config", system=(), built_in=tmp_path / "none")


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str, dict[str, str]], str]:
    """Makes a program that prints a sample for some arguments, and fails for all others."""

    def make(name: str, answers: dict[str, str]) -> str:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        cases = "\n".join(f'"{words}") cat "{SAMPLES}/{sample}.txt";;' for words, sample in answers.items())
        path.write_text(f'#!/bin/sh\ncase "$*" in\n{cases}\n*) echo "unknown: $*" >&2; exit 2;;\nesac\n')
        path.chmod(0o755)
        return str(path)

    return make
