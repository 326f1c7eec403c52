"""How commands print: data on stdout, everything else on stderr, colour and bars on a terminal only."""

import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from prime.cli.screen import steer

# Less room than this is none for a column of words.
_LEAST = 28

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
# For what is JSON anyway: programs may say --json to every command that prints.
json_already = click.option("--json", is_flag=True, expose_value=False, help="Print JSON, which this always does.")
data_option = click.option(
    "--data", type=click.Path(path_type=Path), default=None, help="Data folder; else PRIME_DATA or the usual place."
)


def print_json(value: object) -> None:
    """As people read it: letters as they are, and what would steer a terminal by its number, which JSON has for that."""
    written = json.dumps(value, ensure_ascii=False, indent=2)
    if not written.isascii():
        written = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in written)
    click.echo(written)


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> None:
    """Columns as wide as their contents. On a terminal the last one takes what is left, or stands below the others where
    that is too little; elsewhere a row is a line, for programs that read lines.
    """
    table = [list(header), *(list(row) for row in rows)]
    widths = [max(columns(row[column]) for row in table) for column in range(len(header) - 1)]
    before = sum(widths) + 2 * len(widths)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    is_beside = width - before >= _LEAST
    for number, row in enumerate(table):
        cells = [cell + " " * (room - columns(cell)) for cell, room in zip(row, widths, strict=False)]
        if is_beside:
            lines = ("\n" + " " * before).join(broken(row[-1], width - before))
            shown = "  ".join([*cells, lines]).rstrip()
        else:
            above = "  ".join(cells if before <= width else row[:-1]).rstrip()
            shown = "\n    ".join([above, *broken(row[-1], width - 4)]).rstrip()
        click.echo(paint(shown, bold=True) if number == 0 else shown)


def broken(text: str, room: int) -> list[str]:
    """One line as several, between its words, none wider than the room; painted words are as wide as they look."""
    lines, used = [""], 0
    for word in text.split(" "):
        wide = columns(click.unstyle(word))
        if lines[-1] and used + 1 + wide <= room:
            lines[-1], used = f"{lines[-1]} {word}", used + 1 + wide
        elif wide <= room or word != click.unstyle(word):
            lines, used = [*lines, word] if lines[-1] else [word], wide
        else:
            parts = _chopped(word, room)
            lines, used = [*(lines if lines[-1] else []), *parts], columns(parts[-1])
    return lines


def _chopped(word: str, room: int) -> list[str]:
    """A word that is wider than the room, as Chinese sentences are."""
    parts = [""]
    for character in word:
        if parts[-1] and columns(parts[-1] + character) > room:
            parts.append("")
        parts[-1] += character
    return parts


def columns(text: str) -> int:
    """How much room a text takes on a terminal: Chinese and Japanese characters are twice as wide as others."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )


def one_line(text: str) -> str:
    """One line that a terminal only shows: names and descriptions come from strangers."""
    return "".join(character if character.isprintable() else " " for character in text)


def plain(text: str) -> str:
    """A text with its lines, and nothing that would steer the terminal: what is shown may be a stranger's."""
    return "\n".join(one_line(line) for line in text.split("\n"))


def folded(label: str, text: str) -> str:
    """A text behind its label; on a terminal its lines are broken between words and stand under one another."""
    return paint(label, bold=True) + hanging(columns(label), text)


def hanging(indent: int, text: str) -> str:
    """The lines of a text that begins so far from the edge; on a terminal broken between words."""
    room = shutil.get_terminal_size().columns - indent
    lines = plain(text).split("\n")
    if sys.stdout.isatty() and room > 20:
        lines = [part for line in lines for part in broken(line, room)]
    return ("\n" + " " * indent).join(lines)


def paint(text: str, *, bold: bool = False, colour: str | None = None) -> str:
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return click.style(text, bold=bold or None, fg=colour)


def progress_line(what: str) -> Callable[[int, int], None]:
    """A function that shows `done of total` on one line of a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda _done, _of: None

    def show(done: int, of: int) -> None:
        filled = 30 * done // max(of, 1)
        steer("\r", err=True)
        click.echo(f"{what} [{'#' * filled}{' ' * (30 - filled)}] {done:,} of {of:,}", nl=done >= of, err=True)

    return show
