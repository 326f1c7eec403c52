"""What a repository's settings have git start, read as git reads them.

Lines that are not of the plain form that git itself writes count as naming something: two readers of one odd line may
see two things, and only git's reading runs.
"""

import re
from collections.abc import Iterator

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
# What fetches what is missing while git only looks, by whatever program the remote's address names.
_FETCHES = frozenset({"partialclone", "promisor"})
# Sections in which every key names a program, or a file with more settings.
_SECTIONS = frozenset({"alias", "include", "includeif", "pager"})
_BLANK = re.compile(r"[ \t]*(?:[#;].*)?")
_SECTION = re.compile(r'[ \t]*\[([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?\][ \t]*(?:[#;].*)?')
_KEY = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*))?")
_YES_OR_NO = re.compile(r"[ \t]*(?:true|false|yes|no|on|off|0|1)?[ \t]*(?:[#;].*)?", re.IGNORECASE)


def named_in(text: str) -> Iterator[str]:
    """The keys that name a program, in small letters; `an odd line` where a line is none that git writes."""
    section = ""
    for line in text.split("\n"):
        plain = line.removesuffix("\r")
        if header := _SECTION.fullmatch(plain):
            section = header[1].lower().partition(".")[0]
        elif (key := _KEY.fullmatch(plain)) and not plain.endswith("\\"):  # git never writes a value that goes on
            name, value = key[1].lower(), key[2] or ""
            if section in _SECTIONS and not _YES_OR_NO.fullmatch(value):
                yield section
            elif name in _FETCHES or (name in _NAMES_A_PROGRAM and not _YES_OR_NO.fullmatch(value)):
                yield name
        elif not _BLANK.fullmatch(plain):
            yield "an odd line"
