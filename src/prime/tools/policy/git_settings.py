"""What a repository's settings have git start, read as git reads them.

Lines that are not of the plain form that git itself writes count as naming something: two readers of one odd line may
see two things, and only git's reading runs.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_NAMES_A_PROGRAM = frozenset(
    [
        "allow",
        "alternaterefscommand",
        "askpass",
        "browser",
        "cccmd",
        "clean",
        "cmd",
        "command",
        "defaultkeycommand",
        "difffilter",
        "driver",
        "editor",
        "external",
        "fsmonitor",
        "gitproxy",
        "helper",
        "hookspath",
        "packobjectshook",
        "pager",
        "path",
        "process",
        "program",
        "receivepack",
        "smudge",
        "sshcommand",
        "templatedir",
        "textconv",
        "tocmd",
        "tunnel",
        "uploadpack",
        "vcs",
    ]
)
_ODD = "an odd line"
# What fetches what is missing while git only looks, by whatever program the remote's address names; and what has git look
# into repositories within that its index does not tell of.
_LOOKS_FURTHER = frozenset({"partialclone", "promisor", "submodule", "submodulesummary", _ODD})
# Sections in which every key names a program, or a file with more settings.
_SECTIONS = frozenset({"alias", "include", "includeif", "pager"})
_BLANK = re.compile(r"[ \t]*(?:[#;].*)?")
_SECTION = re.compile(r'[ \t]*\[([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?\][ \t]*(?:[#;].*)?')
_KEY = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*))?")
_YES_OR_NO = re.compile(r"[ \t]*(?:true|false|yes|no|on|off|0|1)?[ \t]*(?:[#;].*)?", re.IGNORECASE)
_A_SHELLS_LINE = re.compile(r'[ \t]*"?[ \t]*!')
_PLAIN = re.compile(r"[^\s\"#;\\\0][^\"#;\\\0]*")


class _Setting(NamedTuple):
    section: str
    name: str
    value: str


def named_in(text: str) -> Iterator[str]:
    """The keys that name a program, in small letters; `an odd line` where a line is none that git writes."""
    for section, name, value in _settings(text):
        says_something = not _YES_OR_NO.fullmatch(value)
        if section in _SECTIONS and says_something:
            yield section
        elif (name in _NAMES_A_PROGRAM and says_something) or name in _LOOKS_FURTHER or _A_SHELLS_LINE.match(value):
            yield name


def worktrees_in(text: str) -> Iterator[str | None]:
    """Where the settings say that the files lie; None where they do not say it plainly."""
    for section, name, value in _settings(text):
        if (section, name) == ("core", "worktree"):
            told = value.strip(" \t")
            yield told if _PLAIN.fullmatch(told) else None


def _settings(text: str) -> Iterator[_Setting]:
    section = ""
    for line in text.split("\n"):
        plain = line.removesuffix("\r")
        if header := _SECTION.fullmatch(plain):
            section = header[1].lower().partition(".")[0]
        elif (key := _KEY.fullmatch(plain)) and not plain.endswith("\\"):  # git never writes a value that goes on
            yield _Setting(section, key[1].lower(), key[2] or "")
        elif not _BLANK.fullmatch(plain):
            yield _Setting(section, _ODD, "")
