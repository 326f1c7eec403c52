"""Every flag that a built-in shim names is known to the real program, where this machine has it."""

import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

import prime.tools.shims

SHIMS = sorted(Path(next(iter(prime.tools.shims.__path__))).glob("*.json"))
# The help of these does not list its options (the manual does), or there is none; checked by hand.
BY_HAND: Mapping[str, frozenset[str]] = {
    # Of log, diff, show and rev-parse: git names these in its manual only.
    "git": frozenset(
        {
            "-C",
            "-U",
            "-n",
            "-p",
            "-w",
            "--abbrev-ref",
            "--all",
            "--author",
            "--follow",
            "--format",
            "--graph",
            "--grep",
            "--max-count",
            "--name-only",
            "--oneline",
            "--patch",
            "--short",
            "--show-toplevel",
            "--since",
            "--staged",
            "--stat",
            "--until",
            "--verify",
        }
    ),
    "npm": frozenset({"-D", "-s", "-y", "--silent"}),
    "sqlite3": frozenset({"-header"}),
    "terraform": frozenset({"-json"}),
    "dd": frozenset({"if=", "of=", "bs=", "count=", "skip=", "seek=", "conv=", "status="}),
    "ssh": frozenset({"-oBatchMode=yes"}),
    "scp": frozenset({"-oBatchMode=yes"}),
    "sh": frozenset({"-c", "-e", "-x", "-n"}),
    "apt-get": frozenset(
        {"-q", "-s", "-y", "--yes", "--dry-run", "--quiet", "--no-install-recommends", "--reinstall", "--purge"}
    ),
    "ping": frozenset({"-4", "-6"}),
    # Newer than what Debian 12 has: `pr checks`, `release list` and `search code` of gh 2.76.
    "gh": frozenset({"--json", "-L", "--limit"}),
    # Of `-c[:stream]` and `-frames[:stream]`.
    "ffmpeg": frozenset({"-c:v", "-c:a", "-frames:v"}),
}
# How to ask for the whole help, where `--help` after the command is not it. `{}` stands for the command.
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "git": ("{} -h", "{} --git-completion-helper-all"),
    "curl": ("--help all",),
    "npm": ("{} --help", "config ls -l --json"),
    "aws": ("{} help", "help"),
    "kubectl": ("{} --help", "options"),
    "cargo": ("{} --help", "check --help"),
    "terraform": ("{} -help", "plan -help", "apply -help"),
    "unzip": ("-hh",),
    "zip": ("-h2",),
    "ps": ("--help all",),
    "sqlite3": ("-help",),
    "awk": ("-W help", "--help"),
    "ssh": ("-?",),
    "scp": ("-?",),
    "go": ("help {}", "help build", "help testflag"),
    "bash": ("-c 'help set; bash --help'",),
    "ffmpeg": ("-h full",),
    "systemctl": ("--help",),
}
ENVIRONMENT = {**os.environ, "PAGER": "cat", "MANPAGER": "cat", "COLUMNS": "200", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


@functools.cache
def _output(argv: tuple[str, ...]) -> str:
    done = subprocess.run(argv, capture_output=True, timeout=60, check=False, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    return re.sub(r".\x08", "", (done.stdout + done.stderr).decode("utf-8", "replace"))


def _help(program: str, path: tuple[str, ...]) -> str:
    import shlex

    executable = shutil.which(program) or program
    asked = [question.replace("{}", " ".join(path)) for question in QUESTIONS.get(program, ("{} --help",))]
    return "\n".join(_output((executable, *shlex.split(question))) for question in asked)


def _commands(node: Mapping[str, object], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    options = cast("list[dict[str, object]]", node.get("options", node.get("globalOptions", [])))
    yield path, [flag for option in options for flag in cast("list[str]", option["flags"])]
    for name, child in cast("dict[str, dict[str, object]]", node.get("commands", {})).items():
        yield from _commands(child, (*path, name) if name else path)


def _mentions(text: str, flag: str) -> bool:
    if re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text):
        return True
    if flag.startswith("--"):
        # `--[no-]flag`, and npm's settings, which are options too.
        return f"--[no-]{flag[2:]}" in text or f'"{flag.removeprefix("--no-").removeprefix("--")}":' in text
    # Short flags in a bundle: `[-46AaCf]`, or old-style usage such as `-R1aef`.
    return any(flag[1:] in bundle for bundle in re.findall(r"\[-([A-Za-z0-9?]+)\]?", text))


@pytest.mark.long
@pytest.mark.parametrize("shim", SHIMS, ids=[shim.stem for shim in SHIMS])
def test_flags_exist_in_the_programs_help(shim: Path):
    if not shutil.which(shim.stem):
        pytest.skip(f"{shim.stem} is not installed here")
    document = cast("dict[str, object]", json.loads(shim.read_text()))
    known_by_hand = BY_HAND.get(shim.stem, frozenset())
    unknown = [
        f"{shim.stem} {' '.join(path)}: {flag}"
        for path, flags in _commands(document)
        if flags
        for flag in (written.removesuffix("=") if written.startswith("-") else written for written in flags)
        if flag not in known_by_hand and not _mentions(_help(shim.stem, path), flag)
    ]
    assert unknown == []
