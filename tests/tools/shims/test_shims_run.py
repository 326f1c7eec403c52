"""Calls of the built-in shims, from arguments to the real program's answer."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import prime.tools.shims
from prime.core.errors import JsonValue
from prime.tools.argv import build_argv
from prime.tools.atip import parse_document
from prime.tools.execution import Call, Executor
from prime.tools.policy import Policy
from prime.tools.tool import Tool, tools_of

SHIMS = Path(next(iter(prime.tools.shims.__path__)))
CALLS: list[tuple[str, dict[str, JsonValue], str]] = [
    ("ls", {"all": True, "paths": ["sub"]}, ".hidden"),
    ("cat", {"files": ["a.txt"], "number": True}, "1\tpear"),
    ("head", {"lines": "-2", "files": ["a.txt"]}, "pear"),
    ("tail", {"lines": "+3", "files": ["a.txt"]}, "fig"),
    ("wc", {"lines": True, "files": ["a.txt"]}, "3 a.txt"),
    ("sort", {"reverse": True, "files": ["a.txt"]}, "pear\nfig"),
    ("sort", {"separator": ":", "key": "2,2n", "files": ["b.txt"]}, "y:1\nx:10"),
    ("uniq", {"count": True, "input": "a.txt"}, "1 pear"),
    ("cut", {"delimiter": ":", "fields": "2", "files": ["b.txt"]}, "10\n1"),
    ("grep", {"pattern": "-dash", "paths": ["."], "recursive": True}, "sub/c.txt:-dash"),
    ("grep", {"pattern": "fig|pear", "extended": True, "count": True, "paths": ["a.txt"]}, "3"),
    ("find", {"paths": ["."], "name": "*.txt", "type": "f", "maxdepth": 1}, "./a.txt"),
    ("find", {"paths": ["sub"], "name": "c.txt", "exec": ["wc", "-l", "{}", "+"]}, "1 sub/c.txt"),
    ("find", {"size": "-1k", "empty": True}, "./empty"),
    ("diff", {"old": "a.txt", "new": "b.txt", "context_lines": 0}, "@@"),
    ("sed", {"script": "s/pear/plum/", "files": ["a.txt"]}, "plum"),
    ("awk", {"program": "{print $2}", "field_separator": ":", "assign": ["x=1"], "files": ["b.txt"]}, "10"),
    ("xargs", {"arg_file": "a.txt", "max_args": 1, "command": ["echo", "-n", "got"]}, "got pear"),
    ("env", {"ignore_environment": True, "assignments_and_command": ["A=b", "/usr/bin/env"]}, "A=b"),
    ("tar", {"create": True, "file": "x.tar", "directory": "sub", "members": ["c.txt"], "verbose": True}, "c.txt"),
    ("gzip", {"stdout": True, "keep": True, "files": ["empty"]}, ""),
    ("cp", {"sources": ["a.txt"], "target": "copy.txt", "verbose": True}, "copy.txt"),
    ("mv", {"sources": ["a.txt"], "target": "moved.txt", "verbose": True}, "moved.txt"),
    ("rm", {"paths": ["-odd", "a.txt"], "verbose": True}, "removed '-odd'"),
    ("mkdir", {"folders": ["x/y"], "parents": True, "verbose": True}, "x/y"),
    ("ln", {"symbolic": True, "target": "a.txt", "link_name": "link", "verbose": True}, "link"),
    ("chmod", {"mode": "u+x", "files": ["a.txt"], "verbose": True}, "a.txt"),
    ("stat", {"format": "%s", "files": ["a.txt"]}, "13"),
    ("du", {"summarize": True, "paths": ["sub"]}, "sub"),
    ("date", {"utc": True, "date": "@0", "format": "+%F"}, "1970-01-01"),
    ("sha256sum", {"files": ["empty"]}, "e3b0c44298fc1c149afbf4c8996fb924"),
    ("realpath", {"paths": ["sub/../a.txt"], "relative_to": "."}, "a.txt"),
    ("dd", {"input": "a.txt", "block_size": "1", "count": 4, "status": "none"}, "pear"),
    ("jq", {"filter": ".name", "raw_output": True, "files": ["d.json"]}, "prime"),
    ("ps", {"every": True, "format": "pid,cmd"}, "PID"),
    ("make", {"targets": ["hello"], "silent": True}, "made"),
    ("python3", {"code": "import sys; print(6 * 7, sys.argv[1:])"}, "42"),
    ("node", {"print": "6 * 7"}, "42"),
    ("sh", {"command": True, "script": "echo 42"}, "42"),
    ("bash", {"command": True, "script": "echo 42"}, "42"),
    ("sqlite3", {"database": "x.db", "sql": "select 6 * 7 as answer", "json": True}, '[{"answer":42}]'),
    ("zip", {"archive": "x.zip", "files": ["a.txt"]}, "adding: a.txt"),
    ("kill", {"list": True}, "TERM"),
    ("git init", {"directory": "repo", "initial_branch": "main"}, "repo"),
    ("git rev-parse", {"directory": ".", "abbrev_ref": True, "names": ["HEAD"]}, "main"),
    ("git log", {"max_count": 1, "format": "%s", "author": "Me", "since": "2000-01-01", "stat": True}, "First"),
    ("git log", {"oneline": True, "grep": "First", "all": True, "revisions_and_paths": ["main"]}, "First"),
    ("git show", {"format": "%an", "name_only": True, "objects": ["HEAD"]}, "Me\n\na.txt"),
    ("git diff", {"unified": 0, "cached": True, "name_status": True}, ""),
    ("git blame", {"lines": "1,1", "file": "a.txt"}, "pear"),
    ("git grep", {"pattern": "pear", "line_number": True}, "a.txt:1:pear"),
    ("git status", {"short": True, "branch": True}, "## main"),
    ("git add", {"paths": ["b.txt", "-odd"]}, ""),
    ("git commit", {"message": ["Second", "Body"], "allow_empty": True}, "Second"),
    ("git branch", {"show_current": True}, "main"),
    ("git tag", {"name": "v1", "message": "x", "annotate": True}, ""),
    ("git stash push", {"message": "wip", "include_untracked": True}, "wip"),
    ("git config", {"get": True, "name": "user.name"}, "Me"),
    ("git clone", {"repository": ".", "directory": "copy", "depth": 1}, "copy"),
    ("make", {"targets": ["hello"], "jobs": 2}, "made"),
    ("npm ls", {"depth": 0}, "empty"),
    ("pip list", {"format": "json"}, '"name"'),
    ("cargo tree", {"depth": "1"}, "could not find"),
    ("curl", {"urls": ["file:///dev/null"], "silent": True, "write_out": "%{scheme}"}, ""),
    ("kubectl config get-contexts", {"kubeconfig": "empty", "output": "name"}, ""),
    ("docker version", {"format": "{{.Client.Version}}"}, "."),
    ("terraform version", {"json": True}, "terraform_version"),
]


def tool(command: str) -> Tool:
    name = command.split(maxsplit=1)[0]
    document = parse_document(json.loads((SHIMS / f"{name}.json").read_text()), where=name)
    return next(one for one in tools_of(document) if " ".join(one.command) == command)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name, text in {
        "a.txt": "pear\nfig\nfig\n", "b.txt": "x:10\ny:1\n", "sub/c.txt": "-dash\n", "sub/.hidden": "", "empty": "", "-odd": "",
        "d.json": '{"name": "prime"}', "Makefile": "hello:\n\techo made\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    git = shutil.which("git")
    if git:
        for words in (
            ("init", "-q", "-b", "main"), ("config", "user.name", "Me"), ("config", "user.email", "me@example.org"),
            ("add", "a.txt"), ("commit", "-q", "-m", "First"),
        ):  # fmt: skip
            subprocess.run([git, "-C", str(tmp_path), *words], check=True)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "arguments", "wanted"), CALLS, ids=[f"{call[0]}-{i}" for i, call in enumerate(CALLS)]
)
async def test_the_program_understands_its_shim(
    command: str, arguments: dict[str, JsonValue], wanted: str, workspace: Path
):
    if not shutil.which(command.split(maxsplit=1)[0]):
        pytest.skip(f"{command.split(maxsplit=1)[0]} is not installed here")
    called = tool(command)
    done = await Executor(Policy(), workspace=workspace).run(Call(tool=called, arguments=arguments, approved=True))
    assert wanted in done.text + done.stderr, (build_argv(called, arguments), done)
    # No server, no daemon: some answer and then fail for want of one.
    assert done.ok or command in {"docker version", "diff", "curl", "cargo tree"}, (build_argv(called, arguments), done)


def test_examples_call_the_command_they_stand_at():
    for shim in SHIMS.glob("*.json"):
        for one in tools_of(parse_document(json.loads(shim.read_text()), where=shim.name)):
            for example in one.examples:
                words = iter(example.split())
                assert all(any(part == word for word in words) for part in one.command), example
