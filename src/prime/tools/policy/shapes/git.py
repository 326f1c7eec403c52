"""What git command lines are known to do: history and work that is lost, and programs that git starts."""

import re
from collections.abc import Iterator, Mapping, Sequence

from prime.tools.policy.shapes.danger import Danger, destroys, launches, may_destroy
from prime.tools.policy.shapes.words import Words

# Options before the subcommand whose value is the next word.
_VALUED = frozenset({
    "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source",
})  # fmt: skip
_CONFIGURES = ("-c", "--config-env", "--exec-path")
_BUILT_IN_TEXT = (
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap "
    "check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree "
    "config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch "
    "fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui "
    "hash-object help hook index-pack init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit "
    "maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree mv name-rev notes "
    "pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree rebase "
    "receive-pack reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-pack "
    "shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch "
    "symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var "
    "verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
)
_BUILT_IN = frozenset(_BUILT_IN_TEXT.split())
_MAY_LOSE_TEXT = (
    "am apply branch checkout checkout-index mv notes push read-tree rebase remote replace reset restore rm stash submodule "
    "switch symbolic-ref tag update-index worktree"
)
_MAY_LOSE = frozenset(_MAY_LOSE_TEXT.split())
_LAUNCHERS: Mapping[str, str] = {
    "difftool": "starts a program to show changes",
    "mergetool": "starts a program to merge",
    "filter-branch": "runs commands on every commit",
    "filter-repo": "rewrites all history",
    "merge-index": "runs a program on every file",
    "for-each-repo": "runs commands in repositories",
    "send-email": "starts a mail program",
    "instaweb": "starts a web server",
    "daemon": "serves repositories",
    "config": "can set what git runs",
    "hook": "runs hooks",
    "credential": "asks the programs that keep passwords",
    "gui": "opens a window",
    "citool": "opens a window",
}
_LOST: Mapping[str, str] = {
    "filter-branch": "rewrites all history",
    "filter-repo": "rewrites all history",
    "prune": "deletes objects that nothing names",
    "fast-import": "overwrites branches",
}


def dangers(argv: Sequence[str]) -> Iterator[Danger]:
    """Of `git …`, or of `git-push …` called by its own name."""
    own = argv[0].rpartition("/")[2].casefold()
    if own.startswith("git-"):
        yield from _of(own.removeprefix("git-"), Words.of(argv[1:]))
        return
    rest = list(argv[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option.startswith(_CONFIGURES):
            yield launches("Settings on the command line can make git run programs (aliases, editors, hooks, ssh).")
        if option in _VALUED and rest:
            rest.pop(0)
    if rest:
        yield from _of(rest[0], Words.of(rest[1:]))


def _of(subcommand: str, words: Words) -> Iterator[Danger]:
    if subcommand not in _BUILT_IN:
        yield launches(f"`git {subcommand[:40]}` is an alias or another program.")
    if subcommand in _LAUNCHERS:
        yield launches(f"`git {subcommand}` {_LAUNCHERS[subcommand]}.")
    if subcommand in _LOST:
        yield destroys(f"`git {subcommand}` {_LOST[subcommand]}.")
    yield from _started_by_options(subcommand, words)
    for text in _lost_by(subcommand, words):
        yield destroys(f"`git {subcommand}` {text}.")
    if subcommand in _MAY_LOSE or words.long("amend", "force", "prune", "abort", "rebase"):
        yield may_destroy(f"`git {subcommand}` can lose work or history.")
    if words.long("output") or (subcommand in {"archive", "format-patch"} and words.short("o")):
        yield may_destroy(f"`git {subcommand}` replaces a file with its output.")


def _started_by_options(subcommand: str, words: Words) -> Iterator[Danger]:
    named = words.long(
        "exec", "upload-pack", "receive-pack", "ext-diff", "open-files-in-pager", "extcmd", "tool", "config", "template"
    )
    short = {"rebase": "x", "grep": "O", "clone": "uc", "difftool": "xt"}.get(subcommand, "")
    words_that_run = {"bisect": "run", "submodule": "foreach"}.get(subcommand)
    if named or words.short(short) or (words_that_run and words.has(words_that_run)):
        yield launches(f"`git {subcommand}` is told to run a program.")
    if any("::" in word for word in words.all):
        yield launches("An address of the form `name::…` makes git run a program of that name.")


def _lost_by(subcommand: str, words: Words) -> Iterator[str]:
    yield from _lost_by_plumbing(subcommand, words)
    if subcommand == "push":
        yield from _push(words)
    elif subcommand == "reset" and words.long("hard", "merge"):
        yield "--hard throws away changes that are not committed"
    elif subcommand == "clean" and not _only_shows(words):
        yield "deletes files that were never committed"
    elif subcommand == "branch" and (
        words.short("D") or ((words.short("d") or words.long("delete")) and _forced(words))
    ):
        yield "-D deletes a branch that may not be merged"
    elif subcommand in {"checkout", "switch"} and (_forced(words) or words.long("discard-changes") or words.has(".")):
        yield "throws away changes that are not committed"
    elif subcommand == "stash" and words.has("drop", "clear"):
        yield "deletes changes that were put aside"
    elif subcommand == "reflog" and words.has("expire", "delete"):
        yield "forgets where branches have been"
    elif subcommand in {"gc", "repack"} and (words.long("prune") or words.short("d")):
        yield "deletes objects that nothing names"
    elif subcommand == "worktree" and words.has("remove") and _forced(words):
        yield "deletes a folder with changes that are not committed"
    elif subcommand == "rm" and (_forced(words) or words.short("r")):
        yield "deletes files with changes that are not committed"


def _only_shows(words: Words) -> bool:
    """Whether `git clean` is told to delete nothing; `-n` may as well be a file, or what `-e` leaves out."""
    options = [word for word in words.all if word.startswith("-")]
    told = any(word == "--dry-run" or (re.fullmatch(r"-[dfiqxXn]+", word) and "n" in word) for word in options)
    return told and all(word in {"--dry-run", "--quiet"} or re.fullmatch(r"-[dfiqxXn]+", word) for word in options)


def _lost_by_plumbing(subcommand: str, words: Words) -> Iterator[str]:
    if subcommand == "read-tree" and words.long("reset"):
        yield "--reset throws away changes that are not committed"
    elif subcommand == "checkout-index" and _forced(words):
        yield "-f replaces files with changes that are not committed"
    elif subcommand == "submodule" and words.has("deinit") and _forced(words):
        yield "deletes a submodule's files with changes that are not committed"
    elif subcommand in {"update-ref", "symbolic-ref"} and (words.short("d") or words.long("delete", "stdin")):
        yield "deletes a reference"


def _push(words: Words) -> Iterator[str]:
    if _forced(words) or words.long("force-with-lease", "force-if-includes") or words.begins("+"):
        yield "--force overwrites history that others may have"
    if words.long("mirror", "prune"):
        yield "--mirror makes the other side equal to this one, deletions included"
    if words.short("d") or words.long("delete") or words.begins(":"):
        yield "--delete deletes branches or tags on the other side"


def _forced(words: Words) -> bool:
    return words.short("f") or words.long("force")
