"""What was read out of a file. Nothing heavy is imported here: the server needs it, too."""

from dataclasses import dataclass
from typing import Literal

Family = Literal["image", "pdf", "table", "document", "mail", "archive", "audio", "other"]

MAX_TEXT = 200_000  # characters that are read out of one file


class Refused(Exception):
    """The file is not read, and why, as a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`facts` are certain (size, pages, columns); `text` is what the file says; `refused` why it was not read further."""

    family: Family
    facts: tuple[str, ...] = ()
    text: str = ""
    refused: str | None = None


def cut(text: str, most: int = MAX_TEXT) -> str:
    """The beginning of a text, at most so many characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def count(number: int, what: str) -> str:
    """`1 page`, `2,000 pages`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
