"""What a file is, told by its bytes and never by its name. Nothing is parsed here: it is a look, and cheap."""

import codecs
import csv
import re
from itertools import islice

BINARY = "application/octet-stream"
PLAIN = "text/plain"
CSV = "text/csv"
TSV = "text/tab-separated-values"

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/vnd.microsoft.icon"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"MThd", "audio/midi"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
_ZIPPED: tuple[tuple[bytes, str], ...] = (
    (b"word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"xl/workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (b"ppt/presentation.xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
)
_BOXES = {
    b"M4A ": "audio/mp4",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"avif": "image/avif",
    b"mif1": "image/heic",
}
_HTML = ("<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<title", "<meta", "<style", "<div", "<p>")
_TAG = re.compile(r"<(?:\w{1,40}:)?svg\b", re.IGNORECASE)
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*:[ \t]")
_MAIL = re.compile(
    r"^(?:from|to|date|subject|message-id|received|mime-version|return-path):", re.IGNORECASE | re.MULTILINE
)
# Texts whose type the sender may name: none of them can run as a page.
_NAMED_TEXTS = frozenset({"text/markdown", "text/csv", TSV, "text/calendar", "text/vcard", "text/x-python"})
_LOOK = 64 * 1024
_KANA = re.compile("[\u3041-\u30fe]")
_HALF_KANA = re.compile("[\uff61-\uff9f]")
_UNPRINTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


def media_type(content: bytes, claimed: str = "") -> str:
    """The type by content. What was claimed counts only between texts that a browser would merely show."""
    for found in (_binary(content), _text(content, claimed)):
        if found:
            return found
    return BINARY


def decoded(content: bytes) -> str | None:
    """The text of a text file, in UTF-8 or with a byte order mark; None when it is none."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return _decode(content, name)
    return _bare_utf16(content) if b"\0" in content else _decode(content, "utf-8")


def decoded_anyhow(content: bytes) -> str:
    """The text of what is known to be one, also in the encodings of older programs."""
    text = decoded(content)
    if text is not None:
        return text
    japanese = _decode(content, "shift_jis")
    if japanese is not None and len(_KANA.findall(japanese)) > 1 and not _HALF_KANA.search(japanese):
        return japanese
    chinese = _decode(content, "gb18030")
    if chinese is not None and _comes_in_pairs(content):
        return chinese
    # What calls itself Latin-1 is Windows' as a rule, which has the euro and curved quotes where Latin-1 has nothing.
    return _decode(content, "cp1252") or content.decode("latin-1")


def _comes_in_pairs(content: bytes) -> bool:
    """Chinese bytes do; Latin-1 has single ones between plain letters."""
    runs = re.findall(rb"[\x81-\xfe]+", content[:100_000])
    pairs = sum(len(run) % 2 == 0 for run in runs)
    return sum(map(len, runs)) >= 3 * len(runs) and pairs * 10 >= len(runs) * 8


def _bare_utf16(content: bytes) -> str | None:
    """UTF-16 without a mark: every other byte is zero, and what it says can be printed."""
    head = content[: 2 * _LOOK]
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) * 2 > len(zeros):
            text = _decode(content, name)
            return text if text and not _UNPRINTED.search(text) else None
    return None


def _decode(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _binary(content: bytes) -> str | None:
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return next((found for mark, found in _ZIPPED if mark in content), "application/zip")
    if b"%PDF-" in content[:1024]:
        return "application/pdf"
    if content[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(content[8:12])
    if content[4:8] == b"ftyp":
        return _BOXES.get(content[8:12], "video/mp4")
    if content[257:262] == b"ustar":
        return "application/x-tar"
    return next((found for start, found in _STARTS if content.startswith(start)), None)


def _text(content: bytes, claimed: str) -> str | None:
    text = decoded(content)
    if text is None:
        # Older files are often Latin-1 or GBK: no control characters, and nothing that says what else they are.
        if not content or re.search(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]", content[:_LOOK]):
            return None
        head = content[:_LOOK]
        return _plain_or_table(decoded_anyhow(head[: head.rfind(b"\n") + 1] or head))
    head = text[:_LOOK]
    marked = _markup(head)
    if marked:
        return marked
    if looks_like_mail(head):
        return "message/rfc822"
    if head.lstrip()[:1] in {"{", "["} and text.rstrip()[-1:] in {"}", "]"}:
        return "application/json"
    if claimed in _NAMED_TEXTS:
        return claimed
    return _plain_or_table(head)


def _plain_or_table(head: str) -> str:
    separator = table_separator(head)
    return PLAIN if separator is None else TSV if separator == "\t" else CSV


def _markup(head: str) -> str | None:
    bare = _without_prologue(head)
    if _TAG.match(bare):
        return "image/svg+xml"
    if bare[:20].lower().startswith(_HTML):
        return "text/html"
    return "application/xml" if head.lstrip().startswith("<?xml") else None


def _without_prologue(head: str) -> str:
    """From the first tag on: what stands before it hides what a file is."""
    rest = head.lstrip()
    ends = {"<!--": "-->", "<?": "?>", "<!DOCTYPE svg": ">"}
    while end := next((end for start, end in ends.items() if rest.startswith(start)), None):
        found = rest.find(end)
        if found < 0:
            break
        rest = rest[found + len(end) :].lstrip()
    return rest


def looks_like_mail(head: str) -> bool:
    lines = head.splitlines()
    top = "\n".join(islice(lines, 40)).split("\n\n")[0]
    return bool(lines) and bool(_HEADER.match(lines[0])) and len({m.lower() for m in _MAIL.findall(top)}) >= 2


def table_separator(head: str) -> str | None:
    """What parts the columns, when the first lines all have as many; None when it is no table."""
    lines = [line for line in head.splitlines()[:20] if line.strip()]
    if len(head) >= _LOOK:
        lines = lines[:-1]
    for separator in ("\t", ",", ";", "|"):
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=separator)}
        except csv.Error:
            continue
        if len(lines) > 1 and len(widths) == 1 and widths.pop() > 1:
            return separator
    return None
