"""PDF: its text page by page, what is known of it, and the words of pages that were scanned."""

from collections.abc import Iterator
from typing import Protocol, cast

from PIL import Image

from prime.brain.reading.image import words_in
from prime.brain.reading.reading import MAX_TEXT, Reading, Refused, count, cut

MAX_PAGES = 5000
_READ_PAGES = 300
_SCANNED_PAGES = 12  # read by OCR, which takes seconds for each
_LEAST_TEXT = 20  # characters; a page with less is a picture of a page
_SIDE = 2400  # pixels of the longer side of a page that is drawn for OCR
_KNOWN = (("Title", "title"), ("Author", "author"), ("CreationDate", "made"))


class _Bitmap(Protocol):
    def to_pil(self) -> Image.Image: ...


class _TextPage(Protocol):
    def get_text_bounded(self) -> str: ...


class _Page(Protocol):
    def get_textpage(self) -> _TextPage: ...
    def get_size(self) -> tuple[float, float]: ...
    def render(self, *, scale: float) -> _Bitmap: ...


class _Document(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> _Page: ...
    def get_metadata_dict(self, *, skip_empty: bool) -> dict[str, str]: ...


def read_pdf(content: bytes) -> Reading:
    document = _open(content)
    pages = len(document)
    if pages > MAX_PAGES:
        raise Refused(f"The PDF has {pages:,} pages; {MAX_PAGES:,} are the most that is read.")
    facts = ["PDF", count(pages, "page"), *_known(document)]
    texts, scanned = _texts(document)
    if scanned:
        facts.append(f"{count(scanned, 'scanned page')} read by OCR" if any(texts) else count(scanned, "scanned page"))
    if pages > _READ_PAGES:
        facts.append(f"the first {_READ_PAGES} pages are read")
    return Reading(family="pdf", facts=tuple(facts), text=cut("\n\n".join(text for text in texts if text)))


def _open(content: bytes) -> _Document:
    import pypdfium2

    try:
        return cast("_Document", pypdfium2.PdfDocument(content))
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Refused("The PDF is locked with a password.") from None
        raise Refused("The PDF is damaged.") from error


def _known(document: _Document) -> Iterator[str]:
    known = document.get_metadata_dict(skip_empty=True)
    for key, what in _KNOWN:
        value = " ".join(known.get(key, "").split())[:200]
        if what == "made" and value.startswith("D:"):
            value = f"{value[2:6]}-{value[6:8]}-{value[8:10]}" if value[2:10].isdigit() else ""
        if value:
            yield f"{what} {value}"


def _texts(document: _Document) -> tuple[list[str], int]:
    """The pages' texts, and how many had to be looked at as pictures."""
    texts: list[str] = []
    scanned = length = 0
    for number in range(min(len(document), _READ_PAGES)):
        text = _page_text(document, number)
        if len(text) < _LEAST_TEXT and scanned < _SCANNED_PAGES and _has_picture(document, number):
            scanned += 1
            text = _seen(document, number) or text
        texts.append(text)
        length += len(text)
        if length > MAX_TEXT:
            break
    return texts, scanned


def _page_text(document: _Document, number: int) -> str:
    import pypdfium2

    try:
        text = document[number].get_textpage().get_text_bounded()
    except pypdfium2.PdfiumError:
        return ""  # one damaged page does not make the others unreadable
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def _has_picture(document: _Document, number: int) -> bool:
    """An empty page is no scan."""
    small = _drawn(document, number, 64)
    return small is not None and small.convert("L").getextrema() != (255, 255)


def _seen(document: _Document, number: int) -> str:
    picture = _drawn(document, number, _SIDE)
    return words_in(picture) if picture is not None else ""


def _drawn(document: _Document, number: int, side: int) -> Image.Image | None:
    import pypdfium2

    try:
        page = document[number]
        longest = max(*page.get_size(), 1.0)
        return page.render(scale=side / longest).to_pil()
    except (pypdfium2.PdfiumError, ValueError, MemoryError):
        return None
