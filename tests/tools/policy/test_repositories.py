"""A repository that has git start programs is asked about: `git status` alone would run them."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.tools.policy.repositories import repository_reasons
from prime.tools.policy.shapes import Names

STATUS = [["/usr/bin/git", "status"]]
COMMIT = ("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x")


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def _head(folder: Path) -> str:
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
    return told.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q", "work")
    return tmp_path / "work"


def _asked(cwd: Path, *argv: str, writes: bool = False) -> list[str]:
    commands = [["git", *argv]] if argv else STATUS
    return [reason.text for reason in repository_reasons(commands, cwd, Names(), writes=writes)]


def test_one_without_is_not_asked_about(repository: Path, tmp_path: Path) -> None:
    _git(repository, "config", "core.fsmonitor", "true")
    _git(repository, "config", "user.name", "external = x")
    (repository / "a" / "b").mkdir(parents=True)
    assert _asked(repository / "a" / "b", writes=True) == []
    assert _asked(tmp_path) == []
    assert list(repository_reasons([["ls"]], repository, Names(), writes=True)) == []


@pytest.mark.parametrize(
    "key", ["core.fsmonitor", "diff.external", "diff.x.textconv", "filter.x.clean", "core.hooksPath", "include.path"]
)
def test_what_its_settings_name_is_asked_about(repository: Path, key: str) -> None:
    _git(repository, "config", key, "touch PWNED")
    (repository / "a").mkdir()
    [said] = _asked(repository / "a")
    assert key.split(".")[0 if key.startswith("include") else -1].lower() in said


@pytest.mark.parametrize(
    "text",
    ["[core] fsmonitor = sh x", "[CORE]\n\tFsMonitor=\\\n sh", '[core]\nfsmonitor = "true; sh"', "[core]fsmonitor=0x"],
)
def test_however_it_is_written(repository: Path, text: str) -> None:
    (repository / ".git" / "config").write_text(text)
    assert _asked(repository)


@pytest.mark.parametrize(
    "text",
    ["[core]\n\rfsmonitor = sh x", "\ufeff[include]\npath = x", "[core][include]path = x", "[user] [include]\npath = x",
     "# \\\n[core][include]path = x", "[pager]\nstatus = sh x", "[alias]\nst = !sh x", '[protocol "ext"]\nallow = always',
     '[remote "origin"]\npromisor = true', "[core]\nhooksPath = true", "[include]\npath = on", "[core]\nfsmonitor = ye\u017f",
     '[submodule "x"]\nupdate = !sh x', "[sendemail]\nsendmailCmd = x", "[diff]\nsubmodule = diff",
     '[gpg "ssh"]\ndefaultKeyCommand = sh x', "[gc]\nrecentObjectsHook = x",
     '[mergetool "x"]\npath = x', "[user]\n" + "# a line\n" * 130_000 + "[core]\nfsmonitor = x"],
    ids=range(19),
)  # fmt: skip
def test_what_git_reads_otherwise_than_it_looks(repository: Path, text: str) -> None:
    (repository / ".git" / "config").write_bytes(text.encode())
    assert _asked(repository)


def test_what_git_itself_writes_is_not_asked_about(repository: Path) -> None:
    _git(repository, "config", "remote.origin.url", "https://example.com/a b#c;d.git")
    _git(repository, "config", "branch.feature/x.description", 'one\ntwo "three" \\ four # five')
    _git(repository, "config", "--add", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    _git(repository, "config", "http.https://example.com/.proxy", "")
    _git(repository, "config", "submodule.x.update", "rebase")
    _git(repository, "config", "diff.submodule", "log")
    _git(repository, "config", "pager.log", "false")
    _git(repository, "config", "credential.helper", "")
    assert _asked(repository, writes=True) == []


def test_nobody_waits_for_settings_that_are_a_pipe(repository: Path) -> None:
    (repository / ".git" / "config").unlink()
    os.mkfifo(repository / ".git" / "config")
    assert _asked(repository)


def test_settings_that_lie_elsewhere_are_looked_at(repository: Path, tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q", "other")
    _git(tmp_path / "other", "config", "core.fsmonitor", "touch PWNED")
    (repository / ".git" / "commondir").write_text(f"{tmp_path}/other/.git\n")
    assert _asked(repository)
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "commondir").write_text("../other/.git\n")
    assert _asked(bare)


def _with_inner(repository: Path) -> Path:
    inner = repository / "a" / "inner"
    inner.mkdir(parents=True)
    _git(inner, "init", "-q")
    _git(inner, *COMMIT)
    return inner


@pytest.mark.parametrize("there", [True, False])
def test_repositories_within_are_looked_at(repository: Path, there: bool) -> None:
    """`git status` looks into those that its index tells of, wherever their settings lie."""
    inner = _with_inner(repository)
    _git(repository, *(("add", "a/inner") if there else ("status",)))
    assert _asked(repository) == []
    _git(inner, "config", "core.fsmonitor", "touch PWNED")
    assert bool(_asked(repository)) is there
    assert _asked(repository, "diff", "--submodule=diff", "HEAD")


@pytest.mark.parametrize("mode", [0o160644, 0o160001, 0o160000 | 1 << 16, 0o040000])
@pytest.mark.parametrize("version", ["2", "4"])
def test_however_an_index_tells_of_them(repository: Path, mode: int, version: str) -> None:
    """Git looks at a few bits of an entry's mode, which somebody may have written by hand."""
    inner = _with_inner(repository)
    (repository / "a" / "file").write_text("x")
    (repository / "b").mkdir()
    (repository / "b" / "file").write_text("x")
    _git(repository, "add", ".")
    _git(repository, "update-index", "--index-version", version)
    _git(inner, "config", "core.fsmonitor", "touch PWNED")
    index = repository / ".git" / "index"
    for at in (mode, 0o100644):
        content = index.read_bytes()[:-20]
        old = next(old for old in (0o160000, mode) if old.to_bytes(4, "big") in content)
        content = content.replace(old.to_bytes(4, "big"), at.to_bytes(4, "big"))
        index.write_bytes(content + hashlib.sha1(content).digest())
        assert bool(_asked(repository)) is (at == mode)


def _moved(repository: Path) -> list[str]:
    (repository / ".git").rename(repository.parent / "store")
    return ["--git-dir=../store", "status"]


def _told(repository: Path) -> list[str]:
    (repository / "a").rename(repository.parent / "a")
    _git(repository, "config", "core.worktree", "../..")
    return ["status"]


@pytest.mark.parametrize("change", [_moved, _told])
def test_repositories_within_are_looked_at_where_the_files_are(
    repository: Path, change: Callable[[Path], list[str]]
) -> None:
    inner = _with_inner(repository)
    _git(repository, "add", "a/inner")
    _git(inner, "config", "core.fsmonitor", "touch PWNED")
    assert _asked(repository, *change(repository))


def test_a_link_hides_none(repository: Path, tmp_path: Path) -> None:
    """Git goes up from where it is, and not from where it was sent."""
    _git(repository, "config", "core.fsmonitor", "touch PWNED")
    (repository / "a" / "b").mkdir(parents=True)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "link").symlink_to(repository / "a" / "b")
    assert _asked(tmp_path / "there" / "link")
    assert _asked(tmp_path / "there", "-C", "link", "status")
    assert _asked(tmp_path / "there", "-C", "link/..", "status")
    assert _asked(tmp_path / "there") == []


def test_by_whatever_name_git_is_called(repository: Path, tmp_path: Path) -> None:
    _git(repository, "config", "core.fsmonitor", "touch PWNED")
    (tmp_path / "vcs").symlink_to(shutil.which("git") or "")
    for called in (str(tmp_path / "vcs"), "/usr/bin/GIT", "git-status"):
        assert list(repository_reasons([[called, "status"]], repository, Names(), writes=False)), called


def _empty(git: Path) -> None:
    git.mkdir()


def _without_refs(git: Path) -> None:
    _git(git.parent, "init", "-q")
    shutil.rmtree(git / "refs")


def _with_a_linked_head(git: Path) -> None:
    _git(git.parent, "init", "-q")
    (git / "HEAD").rename(git / "head")
    (git / "HEAD").symlink_to("head")


@pytest.mark.parametrize("made", [_empty, _without_refs, _with_a_linked_head])
def test_what_only_looks_like_a_repository_hides_none(repository: Path, made: Callable[[Path], None]) -> None:
    """Git passes it by and goes on up."""
    _git(repository, "config", "core.fsmonitor", "touch PWNED")
    (repository / "a").mkdir()
    made(repository / "a" / ".git")
    assert _asked(repository / "a")


@pytest.mark.parametrize("name", [b"g ", b" g", b"g\xff", b"g\r\n g"])
def test_a_repository_is_found_to_the_byte(repository: Path, tmp_path: Path, name: bytes) -> None:
    _git(repository, "config", "core.fsmonitor", "touch PWNED")
    place = tmp_path / os.fsdecode(name)
    (repository / ".git").rename(place)
    for end in (b"\0clean", b"\r\n", b""):
        (repository / ".git").write_bytes(b"gitdir: " + bytes(place) + end)
        assert _asked(repository)


def test_wherever_git_finds_it(repository: Path, tmp_path: Path) -> None:
    _git(repository, "config", "core.fsmonitor", "touch PWNED")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".git").write_text("gitdir: ../work/.git\n")
    assert _asked(tmp_path / "other")
    assert _asked(tmp_path, "-C", "work", "status")
    assert _asked(tmp_path, "-Cwork", "status")
    assert _asked(tmp_path, "--git-dir=work/.git", "status")
    _git(tmp_path, "init", "-q", "--bare", "inner")
    _git(tmp_path / "inner", "config", "core.fsmonitor", "touch PWNED")
    assert _asked(tmp_path / "inner" / "refs")


def test_hooks_are_asked_about_where_they_would_run(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    assert _asked(repository, writes=True) == []
    hook.chmod(0o755)
    assert "pre-commit" in _asked(repository, writes=True)[0]
    assert _asked(repository) == []
    hook.rename(hook.with_name("post-index-change"))
    assert _asked(repository)


def _touching(repository: Path, key: str = "core.fsmonitor") -> Path:
    """Have a repository's settings name a program; the file that shows that it ran."""
    shown = repository.parent / "PWNED"
    _git(repository, "config", key, f"touch {shown} #")
    return shown


def _runs(cwd: Path, shown: Path, *argv: str) -> bool:
    subprocess.run(["git", *(argv or ("status",))], cwd=cwd, check=False, capture_output=True)
    return shown.exists()


@pytest.mark.parametrize("name", [b"elsewhere ", b"else\xffwhere", b"elsewhere\x0b"])
@pytest.mark.parametrize("by", ["file", "commondir"])
def test_where_settings_lie_is_read_to_the_letter(repository: Path, tmp_path: Path, name: bytes, by: str) -> None:
    """A name that differs by a blank or a byte is another one, and a harmless repository may lie under what it looks like."""
    shown = _touching(repository)
    evil = tmp_path / os.fsdecode(name)
    _git(tmp_path, "clone", "-q", "--bare", "work", "elsewhere")
    (repository / ".git").rename(evil)
    if by == "file":
        (repository / ".git").write_bytes(b"gitdir: ../" + name + b"\n")
    else:
        _git(repository, "init", "-q")
        (repository / ".git" / "commondir").write_bytes(b"../../" + name + b"\n")
    assert _runs(repository, shown)
    assert _asked(repository)


def test_settings_are_found_behind_what_git_passes_by(repository: Path) -> None:
    """An empty `.git` is no repository: git looks at the folder itself, then further up."""
    shown = _touching(repository)
    inner = repository / "inner"
    (inner / ".git").mkdir(parents=True)
    assert _runs(inner, shown)
    assert _asked(inner)
    (inner / ".git" / "refs").mkdir()
    (inner / ".git" / "objects").mkdir()
    (inner / ".git" / "real").write_text("ref: refs/heads/main\n")
    (inner / ".git" / "HEAD").symlink_to("real")  # what leads elsewhere than into refs is no HEAD
    shown.unlink()
    assert _runs(inner, shown)
    assert _asked(inner)


def test_a_folder_that_is_a_repository_beside_an_empty_one(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q", "--bare", "bare")
    bare = tmp_path / "bare"
    shown = _touching(bare)
    _git(bare, "config", "core.bare", "false")
    _git(bare, "config", "core.worktree", ".")
    (bare / ".git").mkdir()
    assert _runs(bare, shown)
    assert _asked(bare)


def test_repositories_that_only_history_tells_of(repository: Path) -> None:
    inner = repository / "inner"
    _git(repository, "init", "-q", "inner")
    commits: list[str] = []
    for word in ("one", "two"):
        (inner / "file").write_text(word)
        _git(inner, "add", "file")
        _git(inner, *COMMIT)
        commits.append(_head(inner))
    for commit in commits:
        _git(repository, "update-index", "--add", "--cacheinfo", f"160000,{commit},inner")
        _git(repository, *COMMIT)
    _git(repository, "rm", "-q", "--cached", "inner")
    shown = _touching(inner, "diff.external")
    assert not _runs(repository, shown, "show", "HEAD")
    assert _asked(repository) == []
    _git(repository, "config", "diff.submodule", "diff")
    assert _runs(repository, shown, "show", "HEAD")
    assert _asked(repository)


def test_files_that_lie_elsewhere_are_asked_about(repository: Path, tmp_path: Path) -> None:
    """What is asked about is this folder, and what is shown would be another's."""
    _git(repository, "config", "core.worktree", "..")
    assert _asked(repository) == []
    (repository / ".git").rename(tmp_path / "own")
    (repository / ".git").write_text("gitdir: ../own\n")
    (tmp_path / "own" / "config").write_text("[core]\n\tworktree = ../work\n")
    assert _asked(repository) == []
    for elsewhere in ("../other", '"../work"', "/etc"):
        (tmp_path / "own" / "config").write_text(f"[core]\n\tworktree = {elsewhere}\n")
        assert _asked(repository)


@pytest.mark.parametrize(
    ("key", "value"),
    [("submodule.a.update", "!touch x"), ("gpg.ssh.defaultKeyCommand", "touch x"), ("browser.x.path", "./x")],
)
def test_what_other_commands_would_start(repository: Path, key: str, value: str) -> None:
    _git(repository, "config", key, value)
    assert key.rpartition(".")[2].lower() in _asked(repository)[0]


def test_hooks_that_lead_nowhere_are_asked_about(repository: Path) -> None:
    """What cannot be looked at, for whatever reason, is not taken for empty."""
    hooks = repository / ".git" / "hooks"
    shutil.rmtree(hooks, ignore_errors=True)
    hooks.symlink_to(hooks)
    assert _asked(repository)


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever is root lists every folder")
def test_hooks_that_cannot_be_listed_run_all_the_same(repository: Path) -> None:
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    hooks.chmod(0o311)
    assert _asked(repository)


def test_a_place_that_no_file_system_takes_is_none(repository: Path) -> None:
    (repository / ".git" / "commondir").write_text("x" * 5000)
    assert _asked(repository)
