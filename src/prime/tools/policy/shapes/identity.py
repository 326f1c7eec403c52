"""Which program a word names: by path or bare, through links, with a version, in capitals, as an applet."""

import os
import re
from collections.abc import Sequence

from prime.core.errors import PrimeError
from prime.core.process import find_executable

_VERSION = re.compile(r"[-_.]?\d+(\.\d+)*$")
_LONGEST = 255  # what is longer is no file's name
_SUFFIXES = (".exe", ".cmd", ".bat", ".com")
# One file under many names, which does what the name it is called by says.
MULTI_CALL = frozenset({"busybox", "toybox", "coreutils", "uutils", "sbase-box"})
# Other names of what is known by one: GNU's own on systems that have another, Debian's, static builds.
_GNU_TEXT = (
    "tar find sort split sed awk rm cp mv dd ln chmod chown chgrp kill tee install truncate shred env nice timeout "
    "xargs make stdbuf nohup unlink rmdir uniq"
)
_GNU = frozenset(_GNU_TEXT.split())
_ALIASES = {
    "bsdtar": "tar", "star": "tar", "bfs": "find", "fdfind": "fd", "ripgrep": "rg", "batcat": "bat", "ack-grep": "ack",
    "podman-remote": "podman", "busybox.static": "busybox", "busybox-static": "busybox", "gview": "vim", "gvim": "vim",
}  # fmt: skip


class Names:
    """Looks programs up, each word once: one of these serves one call. `path` is the PATH they are found on.

    `sentences`: what is read may be no command line at all, so that only what is known counts, not what it sounds like.
    """

    def __init__(self, path: str | None = None, *, sentences: bool = False) -> None:
        self._path = path
        self.sentences = sentences
        self._known: dict[str, frozenset[str]] = {}
        # Why a command line launches others, if it does: several ask about the same one.
        self.launching: dict[tuple[str, ...], str | None] = {}

    def of(self, word: str) -> frozenset[str]:
        """All names that the program goes by: as written, as the file that a link leads to, without version."""
        if word not in self._known:
            self._known[word] = _names_of(word, self._path)
        return self._known[word]

    def for_sentences(self) -> "Names":
        return Names(self._path, sentences=True)

    def is_program(self, word: str) -> bool:
        """Whether such a program is there. A folder's or a text's name is none."""
        return _file_of(word, self._path) is not None

    def applet(self, argv: Sequence[str]) -> Sequence[str]:
        """`busybox rm -r x` is `rm -r x`; `coreutils --coreutils-prog=rm` too."""
        while len(argv) > 1 and not MULTI_CALL.isdisjoint(self.of(argv[0])):
            argv = argv[1:]
            if argv[0].startswith("--coreutils-prog"):
                argv = [argv[0].rpartition("=")[2], *argv[1:]]
        return argv


def _names_of(word: str, path: str | None) -> frozenset[str]:
    called = _plain(word)
    real = _real_name(word, path)
    found = {called} if real is None or (real in MULTI_CALL and called not in MULTI_CALL) else {called, real}
    found |= {_VERSION.sub("", name) or name for name in found if len(name) <= _LONGEST}
    return frozenset(found | {other for name in found if (other := _other_name(name))})


def _other_name(name: str) -> str | None:
    return name[1:] if name[:1] == "g" and name[1:] in _GNU else _ALIASES.get(name)


def _plain(word: str) -> str:
    name = re.split(r"[/\\]", word.strip())[-1].casefold()
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def _real_name(word: str, path: str | None) -> str | None:
    """The name of the file behind it. A word that cannot be looked up has only the name it was written with."""
    found = word if "/" in word else _file_of(word, path)
    try:
        return _plain(os.path.realpath(found)) if found and os.path.exists(found) else None  # noqa: PTH110 - every call
    except (OSError, ValueError, RuntimeError):
        return None


def _file_of(word: str, path: str | None) -> str | None:
    try:
        return find_executable(word, os.environ if path is None else {"PATH": path})
    except (PrimeError, OSError, ValueError):
        return None
