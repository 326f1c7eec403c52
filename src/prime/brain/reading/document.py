"""Documents: plain text, Markdown, JSON, HTML, XML, and the office formats that are zipped XML."""

import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import cast
from xml.etree import ElementTree as ET

from prime.brain.reading.reading import Reading, Refused, count, cut
from prime.brain.reading.zipped import check_zip, macros_in, read_part
from prime.core.media import decoded, decoded_anyhow

_UNSPOKEN = frozenset({"script", "style"})
_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "head"})
_BREAKS = frozenset(
    {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "td", "th"}
)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def read_text(content: bytes) -> Reading:
    """Text and Markdown."""
    text = decoded_anyhow(content)
    headings = [" ".join(h.split())[:80] for h in _HEADING.findall(text[:200_000])]
    facts = [
        "Markdown" if headings else "text",
        count(len(text.splitlines()), "line"),
        count(len(text.split()), "word"),
    ]
    if headings:
        facts.append(f"headings: {', '.join(headings[:12])}")
    return Reading(family="document", facts=tuple(facts), text=cut(text.strip()))


def read_json(content: bytes) -> Reading:
    text = decoded(content) or ""
    try:
        value = cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return read_text(content)  # it only began like JSON
    if isinstance(value, dict):
        keys = [str(key)[:40] for key in cast("dict[object, object]", value)]
        shape = [f"{count(len(keys), 'key')}: {', '.join(keys[:20])}"]
    elif isinstance(value, list):
        items = cast("list[object]", value)
        shape = [count(len(items), "item"), *_item_keys(items)]
    else:
        shape = [type(value).__name__]
    return Reading(family="document", facts=("JSON", *shape), text=cut(text.strip()))


def _item_keys(items: list[object]) -> list[str]:
    first = items[0] if items else None
    if not isinstance(first, dict):
        return []
    return [f"each with {', '.join(str(key)[:40] for key in list(cast('dict[object, object]', first))[:20])}"]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.pieces: list[str] = []
        self._silent = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        self._silent += tag in _SILENT
        if tag in _BREAKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if tag in _SILENT and self._silent:
            self._silent -= 1

    def end(self) -> None:
        """What is left when all was fed. Unlike `close`, this looks for no end of a tag anew at each letter: a tag or a comment
        without one is no text."""
        if not self.rawdata.startswith("<") or self.rawdata == "<":
            self.handle_data(html.unescape(self.rawdata))

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            self.pieces.append(data)


def html_text(text: str) -> tuple[str, str]:
    """The title and the words of a page, without its scripts and styles."""
    page = _Page()
    page.feed(text)
    page.end()
    lines = (" ".join(line.split()) for line in "".join(page.pieces).split("\n"))
    return " ".join(page.title.split()), "\n".join(line for line in lines if line)


def read_html(content: bytes) -> Reading:
    title, words = html_text(decoded(content) or content.decode("latin-1"))
    facts = ["HTML page", *([f"title {title[:200]}"] if title else []), count(len(words.split()), "word")]
    return Reading(family="document", facts=tuple(facts), text=cut(words))


def read_xml(content: bytes) -> Reading:
    """XML and SVG: the words between the tags."""
    root = _parsed(content)
    words = [" ".join(piece.split()) for piece in _spoken(root)]
    name = root.tag.rpartition("}")[2]
    shape = (f"XML, {name}", count(sum(1 for _ in root.iter()), "element"))
    return Reading(family="document", facts=shape, text=cut("\n".join(word for word in words if word)))


def _spoken(element: ET.Element) -> Iterator[str]:
    """The text of an element and of all within it, but for what is written for programs: scripts and styles."""
    waiting: list[ET.Element | str] = [element]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
            continue
        if part is not element:
            waiting.append(part.tail or "")
        if str(part.tag).rpartition("}")[2].lower() not in _UNSPOKEN:
            waiting += reversed(list(part))
            waiting.append(part.text or "")


def read_word(content: bytes) -> Reading:
    """DOCX."""
    archive = check_zip(content)
    root = _parsed(read_part(archive, "word/document.xml"))
    paragraphs = [_joined(p, f"{_WORD}t") for p in root.iter(f"{_WORD}p")]
    text = "\n".join(p for p in paragraphs if p)
    tables = sum(1 for _ in root.iter(f"{_WORD}tbl"))
    facts = ["DOCX document", count(len(text.split()), "word"), *([count(tables, "table")] if tables else [])]
    facts += macros_in(archive)
    return Reading(family="document", facts=tuple(facts), text=cut(text))


def read_slides(content: bytes) -> Reading:
    """PPTX: slide by slide."""
    archive = check_zip(content)
    numbers = sorted(int(m[1]) for name in archive.namelist() if (m := _SLIDE.fullmatch(name)))
    texts = [_slide(read_part(archive, f"ppt/slides/slide{number}.xml"), number) for number in numbers[:500]]
    facts = ("PPTX deck", count(len(numbers), "slide"), *macros_in(archive))
    return Reading(family="document", facts=facts, text=cut("\n\n".join(texts)))


def _slide(content: bytes, number: int) -> str:
    lines = [_joined(p, f"{_DRAWING}t") for p in _parsed(content).iter(f"{_DRAWING}p")]
    return "\n".join([f"Slide {number}", *(line for line in lines if line)])


def read_open_text(content: bytes) -> Reading:
    """ODT."""
    root = _parsed(read_part(check_zip(content), "content.xml"))
    kept = (e for e in root.iter() if e.tag in {f"{_OFFICE}p", f"{_OFFICE}h"})
    text = "\n".join(line for e in kept if (line := " ".join("".join(e.itertext()).split())))
    return Reading(family="document", facts=("ODT document", count(len(text.split()), "word")), text=cut(text))


def _joined(element: ET.Element, tag: str) -> str:
    return " ".join("".join(_said(element, tag)).split())


def _said(element: ET.Element, tag: str) -> Iterator[str]:
    return (part.text for part in element.iter(tag) if part.text)


def _parsed(content: bytes) -> ET.Element:
    if b"<!ENTITY" in content:  # nothing honest needs it, and it is how a small file becomes a large one
        raise Refused("The XML declares entities of its own: it is not read.")
    try:
        return ET.fromstring(content)  # noqa: S314 - without entities, in a process with limits
    except (ET.ParseError, ValueError) as error:
        raise Refused(f"The XML is damaged: {error}.") from error
