"""What a repository's settings have git start, read as git reads them.

Lines that are not of the plain form that git itself writes count as naming something: two readers of one odd line may
see two things, and only git's reading runs.
"""

import re
from collections.abc import Iterator

# Keys whose value is a program, or where one lies. Most say so by how they end.
_PROGRAM = re.compile(
    r"[\w-]*(?:cmd|command|driver|editor|helper|hook|pager|prog|program)"
    r"|allow|askpass|browser|clean|difffilter|external|fsmonitor|gitproxy|hookspath|httpd|path|process|receivepack|smtpserver|smudge"
    r"|templatedir|textconv|tunnel|uploadpack|vcs",
    re.ASCII,
)
# What fetches what is missing while git only looks, by whatever program the remote's address names; and what has git
# look into repositories within that its index does not tell of.
_LOOKS_FURTHER = frozenset({"partialclone", "promisor", "submodulesummary"})
# Sections in which every key names a program, or a file with more settings.
_SECTIONS = frozenset({"alias", "include", "includeif", "pager"})
# Keys with values that start nothing; any other is a program, or has git go into the repositories within.
_HARMLESS = {
    "update": frozenset({"", "checkout", "merge", "none", "rebase"}),
    "submodule": frozenset({"", "log", "short"}),
}
# Read as a yes or a no; elsewhere the word is the name of a file.
_SWITCHES = frozenset({"fsmonitor", "pager"})
_BLANK = re.compile(r"[ \t]*(?:[#;].*)?")
_SECTION = re.compile(r'[ \t]*\[([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?\][ \t]*(?:[#;].*)?')
_KEY = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?")
_YES_OR_NO = re.compile(r"(?:true|false|yes|no|on|off|0|1)[ \t]*(?:[#;].*)?", re.IGNORECASE | re.ASCII)
# (However it is written: what git reads as none is only looked at once more.)
_WORK_TREE = re.compile(r"^[ \t]*worktree[ \t]*=?(.*)", re.IGNORECASE | re.MULTILINE)


def named_in(text: str) -> Iterator[str]:
    """The keys that name a program, in small letters; `an odd line` where a line is none that git writes."""
    section = ""
    for line in text.split("\n"):
        plain = line.removesuffix("\r")
        if header := _SECTION.fullmatch(plain):
            section = header[1].lower().partition(".")[0]
        elif (key := _KEY.fullmatch(plain)) and not plain.endswith("\\"):  # git never writes a value that goes on
            yield from _named_by(section, key[1].lower(), (key[2] or "").rstrip(" \t"))
        elif not _BLANK.fullmatch(plain):
            yield "an odd line"


def _named_by(section: str, name: str, value: str) -> Iterator[str]:
    if name in _LOOKS_FURTHER or value.lower() not in _HARMLESS.get(name, {value.lower()}):
        yield name
    elif (section in _SECTIONS or _PROGRAM.fullmatch(name)) and not _BLANK.fullmatch(value):
        named = section if section in _SECTIONS else name
        if not (named in _SWITCHES and _YES_OR_NO.fullmatch(value)):
            yield named


def work_trees_in(text: str) -> list[str]:
    """Where the settings say that the repository's files are, as they are written."""
    return [value.strip() for value in _WORK_TREE.findall(text)]
