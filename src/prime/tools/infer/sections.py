"""Cuts a help text into what help texts are made of: usage, an opening line, and sections of entries.

Written for the common families (click, argparse, cobra, clap, GNU, busybox, git); it knows none of them by name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|.\x08|[\x00-\x08\x0b-\x1f\x7f]")
_HEADING = re.compile(r"^ {0,2}(?P<text>[A-Za-z][^:\n]{0,70}):$|^(?P<caps>[A-Z][A-Z /-]{2,40})$")
_USAGE = re.compile(r"^\s*usage:?(?=\s|$)\s*", re.IGNORECASE)
_ENTRY_GAP = re.compile(r"(?<=\S)(?:\s+: +| {2,}|\s*\t\s*)|(?<=\.\.\.): +")
# Two spaces after a full stop part sentences, not columns.
_SENTENCE = re.compile(r"(?:\S+ ){2,}\S+[.!?]")
# Below a heading, also at the margin, as python has its arguments: "file   : program read from script file".
_COLON_ENTRY = re.compile(r"[a-z][\w.-]*(?: \.\.\.:| +:) +\S.*")
_DASHED = re.compile(r"(?P<what>[a-z][\w:.+-]*) - (?P<text>\S.*)")
# What a program says when it was asked in a way that it does not know, and lines that only point elsewhere.
_NOT_AN_OPENING = re.compile(
    r"[-<\[{'\"]|\S+ [<\[]|\S+ v?\d+\.\d|.*\S {2,}\S|.*<\S+@\S+>|.*\bcopyright(?:ed)?\b|licen[cs]ed under\b"
    r"|.*\b(?:unknown|invalid|unrecogni[sz]ed|illegal|bad|no such) (?:option|argument|command|flag)"
    r"|.*\bcommands?\b.*\b(?:listed|below)\b",
    re.IGNORECASE,
)
# Names in columns and nothing else, as openssl lists its commands; what is left over stands in a last line.
_COLUMNS = re.compile(r"[a-z0-9][\w.+-]*(?: {2,}[a-z0-9][\w.+-]*){2,}")
_LEFT_OVER = re.compile(r"[a-z0-9][\w.+-]*(?: {2,}[a-z0-9][\w.+-]*)?")
_WIDEST = 400


@dataclass(slots=True)
class Entry:
    """One described thing: `what` is the left column, `text` the right one, lines joined."""

    indent: int
    what: str
    text: str = ""


@dataclass(slots=True)
class Section:
    """A heading ("" for what stands before the first one) and the entries below it."""

    heading: str
    entries: list[Entry] = field(default_factory=list[Entry])
    prose: list[str] = field(default_factory=list[str])
    columns: bool = False


@dataclass(slots=True)
class HelpText:
    """A help text, cut up."""

    usage: list[str]
    sections: list[Section]


def clean(data: bytes) -> str:
    """Text without colours, overstrikes and control characters; tabs stay."""
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return _ESCAPES.sub("", text)


def cut(text: str) -> HelpText:
    """Usage lines and sections of a help text."""
    help_text = HelpText([], [Section("")])
    in_usage = False
    for line in text.splitlines():
        stripped = line.strip()[:_WIDEST]
        if not stripped:
            in_usage = in_usage and not help_text.usage  # "Usage:" alone, then a blank line, then the usage
            continue
        if found := _USAGE.match(line):
            in_usage = True
            rest = line[found.end() :].strip()
            help_text.usage += [rest] if rest else []
        elif in_usage and _continues_usage(line, help_text):
            help_text.usage.append(stripped)
        else:
            in_usage = False
            _add(help_text.sections, line, stripped)
    return help_text


def _continues_usage(line: str, help_text: HelpText) -> bool:
    return line[0] in " \t" and not (help_text.usage and line.lstrip().startswith("-"))


def _add(sections: list[Section], line: str, stripped: str) -> None:
    indent = len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
    heading = _HEADING.match(line.rstrip())
    section = sections[-1]
    if heading is not None:
        sections.append(Section((heading["text"] or heading["caps"]).strip().lower()))
    elif _is_row(section, stripped):
        _add_row(section, stripped.split())
    elif indent == 0 and not stripped.startswith("-") and not (section.heading and _COLON_ENTRY.fullmatch(stripped)):
        # A line of prose. Below it entries may begin that belong to it, as in git's list of commands.
        sections.append(Section("", prose=[stripped]))
    elif _continues_entry(section, indent, stripped):
        last = section.entries[-1]
        last.text = f"{last.text} {stripped}".strip()
    else:
        section.entries.append(_entry(indent, stripped))


def _is_row(section: Section, stripped: str) -> bool:
    if _COLUMNS.fullmatch(stripped):
        return all(not entry.text for entry in section.entries)
    return section.columns and _LEFT_OVER.fullmatch(stripped) is not None


def _add_row(section: Section, names: list[str]) -> None:
    """The line of prose above the first row is what the names are."""
    if section.prose and not section.heading:
        section.heading = section.prose.pop().lower()
    section.columns = True
    section.entries += [Entry(0, name) for name in names]


def _continues_entry(section: Section, indent: int, stripped: str) -> bool:
    """Deeper than the entry above. What looks like a flag is an entry of its own unless it stands far to the right."""
    if not section.entries or section.entries[-1].what.startswith("{"):  # argparse: names first, then each of them
        return False
    return indent > section.entries[-1].indent + (12 if stripped.startswith("-") else 0)


def _entry(indent: int, stripped: str) -> Entry:
    gap = _ENTRY_GAP.search(stripped)
    if gap is not None and _SENTENCE.fullmatch(stripped[: gap.start()]):
        gap = None
    if gap is None and (dashed := _DASHED.fullmatch(stripped)):  # as apt lists its commands
        return Entry(indent, dashed["what"], dashed["text"])
    if gap is None:
        return Entry(indent, stripped.rstrip(":") if stripped.startswith("-") else stripped)
    return Entry(indent, stripped[: gap.start()], stripped[gap.end() :])


def opening(help_text: HelpText) -> str:
    """The line that says what the program is for: the first prose before any option is described."""
    for line in _prose(help_text.sections):
        if len(line) > 8 and " " in line and not _NOT_AN_OPENING.match(line):
            return line[:200]
    return ""


def _prose(sections: list[Section]) -> Iterator[str]:
    for section in sections:
        if section.heading and any(entry.text for entry in section.entries):
            return
        # Above a list of commands, a line is the label of a group.
        if not any(entry.text and not entry.what.startswith("-") for entry in section.entries):
            yield from section.prose
            yield from (entry.what for entry in section.entries if not section.heading)
        if any(entry.what.startswith("-") for entry in section.entries):
            return
