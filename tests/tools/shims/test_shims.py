"""The shims that Prime ships: valid, complete, and honest about what launches other programs."""

import json
from pathlib import Path

import pytest

import prime.tools.shims
from prime.tools.atip import CallableCommand, Document, callables, lint, parse_document

SHIMS = sorted(Path(next(iter(prime.tools.shims.__path__))).glob("*.json"))
IDS = [shim.stem for shim in SHIMS]
# What the issue names, and what can be expected of an ordinary machine.
_EXPECTED_TEXT = (
    "git curl docker kubectl gh npm pip uv cargo go terraform aws ls cp mv rm mkdir rmdir touch cat head tail find grep "
    "sed awk sort uniq wc cut tr diff tar gzip zip unzip ssh scp rsync psql sqlite3 jq ffmpeg make python3 node wget ping "
    "ps kill df du chmod chown ln env xargs systemctl apt-get brew sh bash"
)
EXPECTED = set(_EXPECTED_TEXT.split())
# These run programs that the caller names, or that lie in the folder they work on.
LAUNCHERS = (
    "find", "xargs", "env", "ssh", "scp", "sh", "bash", "awk", "sed", "tar", "rsync", "make", "python3", "node", "psql",
    "sqlite3", "npm run", "npm test", "npm exec", "npm install", "npm ci", "pip install", "uv run", "uv sync",
    "uv tool run", "cargo run", "cargo test", "cargo build", "go run", "go test", "go generate", "docker run",
    "docker exec", "docker build", "kubectl exec", "kubectl edit", "git commit", "git rebase", "git clone", "git pull",
    "git push", "git config", "apt-get install", "brew install", "terraform apply", "gh pr checkout",
)  # fmt: skip
DESTROYERS = (
    "rm", "mv", "cp", "dd", "tee", "find", "kill", "git push", "git reset", "git clean", "git branch", "git checkout",
    "docker system prune", "docker volume rm", "kubectl delete", "terraform destroy", "terraform apply", "gh repo delete",
    "aws s3 rm", "aws s3 sync", "aws ec2 terminate-instances", "psql", "sqlite3", "apt-get remove", "gzip",
)  # fmt: skip
READERS = ("ls", "cat", "grep", "wc", "git status", "git log", "git diff", "docker ps", "pip show", "df", "jq", "stat")


def read(shim: Path) -> Document:
    return parse_document(json.loads(shim.read_text()), where=shim.name)


def everything() -> dict[str, CallableCommand]:
    return {" ".join(one.path): one for shim in SHIMS for one in callables(read(shim))}


def test_the_everyday_commands_are_there():
    assert set(IDS) >= EXPECTED


@pytest.mark.parametrize("shim", SHIMS, ids=IDS)
def test_valid_without_findings_and_named_like_the_file(shim: Path):
    document = read(shim)
    assert document.name == shim.stem
    assert document.atip.version == "0.3"
    assert document.trust.source == "built-in"
    assert list(lint(document)) == []


@pytest.mark.parametrize("shim", SHIMS, ids=IDS)
def test_every_command_says_what_it_does(shim: Path):
    for one in callables(read(shim)):
        effects = one.effects
        said = (
            effects.filesystem.read, effects.filesystem.write, effects.filesystem.delete, effects.network,
            effects.subprocess, effects.idempotent, effects.reversible, effects.destructive,
            effects.interactive.stdin, effects.interactive.prompts, effects.interactive.tty,
        )  # fmt: skip
        assert None not in said, one.path
        assert one.command.examples, one.path


def test_what_launches_programs_says_so():
    known = everything()
    assert [name for name in LAUNCHERS if known[name].effects.subprocess is not True] == []


def test_what_destroys_says_so():
    known = everything()
    assert [name for name in DESTROYERS if known[name].effects.destructive is not True] == []
    assert [name for name, one in known.items() if one.effects.destructive and one.effects.reversible] == []


def test_what_only_reads_says_so():
    known = everything()
    assert [name for name in READERS if not known[name].effects.read_only or known[name].effects.subprocess] == []
