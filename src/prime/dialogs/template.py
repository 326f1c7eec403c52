"""The template of the context document: one Markdown file that a person can edit."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

from prime.core.bad_text import BadText, decode_utf8, line_and_column, unix_newlines
from prime.core.errors import TooLarge, Unavailable

FILE = "context.md"
PLACEHOLDERS = (
    "name", "channel", "tier", "members", "manner", "brief", "rules", "facts", "resources", "tools", "safety",
)  # fmt: skip
MOST_BYTES = 256 * 1024

_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_]*)\s*\}\}")
_OPEN, _CLOSE = "<!--", "-->"
_HEADING = re.compile(r"^#{1,2} +(.+?) *$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Part:
    """One section of a document: its heading, and its text with it."""

    title: str
    text: str


def load_template(folder: Path | None) -> str:
    """`context.md` of the folder, else the one that comes with Prime."""
    if folder is None:
        return _packaged()
    path = folder / FILE
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return _packaged()
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Mend or remove it.") from error
    if len(data) > MOST_BYTES:
        raise TooLarge(f"{path} has more than {MOST_BYTES:,} bytes.", hint="Shorten it.", code="bad_template")
    return check_template(unix_newlines(decode_utf8(data, path=str(path))), path=str(path))


@cache
def _packaged() -> str:
    return resources.files("prime.dialogs").joinpath(FILE).read_text("utf-8")


def check_template(template: str, *, path: str | None = None) -> str:
    """The template itself; `BadText` points at a value that nobody fills in."""
    for comment, start, text in _pieces(template):
        for found in () if comment else _PLACEHOLDER.finditer(text):
            if found[1] not in PLACEHOLDERS:
                line, column = line_and_column(template, start + found.start())
                known = ", ".join(PLACEHOLDERS)
                raise BadText(f"There is no value {found[1]!r}.", line=line, column=column, path=path, expected=known)
    return template


def render(template: str, values: Mapping[str, str]) -> tuple[Part, ...]:
    """The parts of the document. Values are put in as they are: what looks like a mark in one stays text."""
    plain = _for_tier(template, values.get("tier", ""))
    starts = [0, *(found.start() for found in _HEADING.finditer(plain)), len(plain)]
    sections = [plain[start:end] for start, end in pairwise(starts)]
    return tuple(part for section in sections if (part := _part(section, values)) is not None)


def _part(section: str, values: Mapping[str, str]) -> Part | None:
    names = [found[1] for found in _PLACEHOLDER.finditer(section)]
    if not section.strip() or (names and not any(values.get(name, "").strip() for name in names)):
        return None
    heading = _HEADING.match(section)
    title = _fill(heading[1] if heading else "", values)
    # Blank lines are the template's to lose, not the values'.
    text = _fill(_BLANK_LINES.sub("\n\n", section), values).strip()
    return Part(title, text)


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), text)


def _for_tier(template: str, tier: str) -> str:
    """What stands outside comments, without what is marked for other tiers."""
    kept: list[str] = []
    shown = True
    for comment, _, text in _pieces(template):
        words = text.split()
        if not comment:
            kept.append(text if shown else "")
        elif words[:1] == ["tier"]:
            shown = words[1:] == [tier]
        elif words == ["/tier"]:
            shown = True
    return "".join(kept)


def _pieces(template: str) -> Iterator[tuple[bool, int, str]]:
    """The template cut at its comments: whether a piece is one, where it begins, and its text."""
    place = 0
    while place < len(template):
        start = template.find(_OPEN, place)
        start = len(template) if start < 0 else start
        yield False, place, template[place:start]
        end = template.find(_CLOSE, start)
        end = len(template) if end < 0 else end
        yield True, start, template[start + len(_OPEN) : end]
        place = end + len(_CLOSE)
