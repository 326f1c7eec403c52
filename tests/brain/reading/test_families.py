"""What is read out of whole files, family by family."""

import io
import json
import shutil
import tarfile
import wave
from collections.abc import Callable
from datetime import date
from email.message import EmailMessage

import openpyxl
import pytest
from PIL import Image

from prime.brain.reading.families import read
from prime.brain.reading.reading import Reading
from prime.core.media import media_type

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
Make = Callable[..., bytes]


def read_file(content: bytes) -> Reading:
    found = read(content, media_type(content))
    assert found.refused is None, found.refused
    return found


@needs_tesseract
def test_words_in_a_picture(make_picture: Make) -> None:
    found = read_file(make_picture("Invoice 4711 Total 980 EUR"))
    assert found.facts[0] == "PNG image, 900 x 200 pixels"
    assert "4711" in found.text
    assert any("980 EUR" in fact for fact in found.facts if fact.startswith("figures"))


def test_when_a_photo_was_taken() -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Acme", "Snap 3"
    exif.get_ifd(0x8769)[0x9003] = "2026:03:14 15:09:26"
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "blue").save(out, "JPEG", exif=exif)
    found = read_file(out.getvalue())
    assert found.facts[:3] == ("JPEG image, 40 x 30 pixels", "taken 2026-03-14 15:09:26", "camera Acme Snap 3")


def test_a_pdf_with_figures_names_and_dates(make_pdf: Make) -> None:
    found = read_file(make_pdf("Revenue of Acme Holding was 4,200,000 EUR", "Signed by Ann Lee on 3 March 2026"))
    assert found.facts[:2] == ("PDF", "2 pages")
    assert "4,200,000 EUR" in found.text
    told = " | ".join(found.facts)
    assert "figures: 4,200,000 EUR" in told
    assert "3 March 2026" in told
    assert "Ann Lee" in told


def test_how_a_letter_begins_is_no_name() -> None:
    assert "names: Ms Okafor" in read_file(b"Dear Ms Okafor, the lease ends soon. Kind regards").facts


@needs_tesseract
def test_a_scanned_pdf_is_looked_at() -> None:
    image = Image.open(io.BytesIO(_scan()))
    out = io.BytesIO()
    image.convert("RGB").save(out, "PDF")
    found = read_file(out.getvalue())
    assert "scanned page read by OCR" in " ".join(found.facts)
    assert "8123" in found.text


def _scan() -> bytes:
    from PIL import ImageDraw, ImageFont

    image = Image.new("RGB", (1200, 1600), "white")
    ImageDraw.Draw(image).text((100, 200), "Contract number 8123", fill="black", font=ImageFont.load_default(60))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def test_a_table() -> None:
    rows = 'region,revenue,since\nNorth,"1,200.50",2026-01-03\nSouth,300,2026-02-01\nNorth,-12,2025-12-31\n'
    found = read_file(rows.encode())
    assert found.family == "table"
    assert found.facts[:2] == ("CSV table", "3 rows")
    assert "region (text: North, South)" in found.facts[2]
    assert "revenue (number, -12 to 1,200.50, total 1,488.50)" in found.facts[2]
    assert "since (date, 2025-12-31 to 2026-02-01)" in found.facts[2]
    assert read_file(b"a\tb\n1\t2\n3\t4\n").facts[0] == "TSV table"


def test_a_table_with_commas_for_points_and_the_day_first() -> None:
    rows = "Datum;Kunde;Betrag;Menge\n01.02.2026;Müller;1.234,50 €;3\n28.02.2026;Groß;-99,90 €;1.000\n"
    [told] = read_file(rows.encode("cp1252")).facts[2:3]
    assert "Datum (date, 2026-02-01 to 2026-02-28)" in told
    assert "Betrag (number, -99.90 to 1,234.50, total 1,134.60)" in told
    assert "Menge (number, 1 to 3, total 4)" in told  # nothing here says that the point is none
    assert "(text: 1,5, 2.5)" in read_file(b"a;b\n1,5;1\n2.5;2\n").facts[2]  # not both at once


def test_money_keeps_its_currency() -> None:
    text = "Market of EUR 4.2 billion, we raise USD 3,500,000 in 2026 and keep CHF 20262 and USD 5; $1250 were spent."
    [figures] = [fact for fact in read_file(text.encode()).facts if fact.startswith("figures")]
    assert figures == "figures: EUR 4.2 billion, USD 3,500,000, CHF 20262, USD 5, $1250"


def test_a_workbook() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Prices"
    for row in (("item", "price", "from"), ("pump", 40, date(2026, 3, 1)), ("valve", 12.5, date(2026, 4, 1))):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    found = read_file(out.getvalue())
    assert found.facts[:2] == ("XLSX workbook", "1 sheet")
    assert "price (number, 12.50 to 40, total 52.50)" in found.facts[2]
    assert found.text.splitlines()[1] == "item | price | from"
    assert "from (date, 2026-03-01 to 2026-04-01)" in found.facts[2]
    assert "pump | 40" in found.text


def test_formulas_that_nobody_computed_are_told() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ("item", "price", "total"),
        ("pump", 40, "=B2*3"),
        ("valve", 12, "=B3*3"),
        ("both", "=SUM(B2:B3)", None),
    ):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    found = read_file(out.getvalue())
    assert "price (number, 12 to 40, total 52), 1 formula never computed, as =SUM(B2:B3)" in found.facts[2]
    assert "total (2 formulas never computed, as =B2*3)" in found.facts[2]
    assert "pump | 40 | =B2*3" in found.text


def test_a_drawing_is_found_by_its_words_alone() -> None:
    found = read_file(
        b'<svg xmlns="http://www.w3.org/2000/svg"><title>Sales</title><script>steal()</script>'
        b"<style>text { fill: red }</style><text>up <tspan>5%</tspan> in May</text></svg>"
    )
    assert found.text == "Sales\nup\n5%\nin May"


def test_documents(make_zip: Make) -> None:
    markdown = read_file(b"# Plan\n\nShip in May.\n\n## Risks\n\nNone.")
    assert "headings: Plan, Risks" in markdown.facts
    data = read_file(json.dumps({"price": 40, "items": [1, 2]}).encode())
    assert data.facts[:2] == ("JSON", "2 keys: price, items")
    page = read_file(
        b"<html><head><title>Offer</title><script>alert(1)</script></head><body><p>40 EUR</p></body></html>"
    )
    assert page.facts[:2] == ("HTML page", "title Offer")
    assert page.text == "40 EUR"
    ns = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    said = "".join(f"<w:r><w:t>{part}</w:t></w:r>" for part in ("Dear ", "Ann"))
    xml = f'<w:document xmlns:w="{ns}"><w:body><w:p>{said}</w:p></w:body></w:document>'
    word = read_file(make_zip(**{"word/document.xml": xml.encode()}))
    assert (word.facts[0], word.text) == ("DOCX document", "Dear Ann")
    a = "http://schemas.openxmlformats.org/drawingml/2006/main"
    slide = f'<s xmlns:a="{a}"><a:p><a:r><a:t>Margin 37 %</a:t></a:r></a:p></s>'
    deck = read_file(make_zip(**{"ppt/presentation.xml": b"<p/>", "ppt/slides/slide1.xml": slide.encode()}))
    assert deck.facts[:2] == ("PPTX deck", "1 slide")
    assert "Margin 37 %" in deck.text


def test_programs_in_an_office_file_are_told_of(make_zip: Make) -> None:
    words = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body/></w:document>'
    parts = {"word/document.xml": words}
    told = "holds macros, which were not run"
    assert told not in read_file(make_zip(**parts)).facts
    assert told in read_file(make_zip(**parts, **{"word/vbaProject.bin": b"Sub AutoOpen()"})).facts


def test_older_encodings() -> None:
    assert "Grüße" in read_file("Viele Grüße aus Köln, bis bald".encode("latin-1")).text
    assert "价格" in read_file("这个产品的价格是四十元".encode("gb18030")).text


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16-le", "name,price\nAnn,40\nBob,50\n"),
        ("utf-16-be", "name;price\nAnn;40\nBob;50\n"),
        ("gb18030", "名称,价格\n台灯,40\n椅子,50\n"),
        ("shift_jis", "なまえ,値段\nすし,40\nそば,50\n"),
        ("latin-1", "Größe\tPreis\ngroß\t40\nöde\t50\n"),
    ],
)
def test_tables_of_older_programs(encoding: str, said: str) -> None:
    found = read_file(said.encode(encoding))
    first = said.split("\n", maxsplit=1)[0].replace(",", " | ").replace(";", " | ").replace("\t", " | ")
    assert found.text.startswith(first)
    assert "2 rows" in found.facts
    assert "total 90" in found.facts[2]


def test_zeros_are_no_text() -> None:
    assert read_file(bytes(1000)).facts == ("a binary file of unknown kind",)
    assert read_file(b"\x01\x00\x02\x00" * 100).facts == ("a binary file of unknown kind",)


def test_a_mail_of_endless_parts_is_refused_at_once() -> None:
    head = b"From: a@b\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    content = head + b"--x\r\n\r\nhi\r\n" * 50_000
    assert read(content, media_type(content)).refused == "The mail has more than 500 parts."
    assert read_file("价格 40 元".encode("utf-16")).text == "价格 40 元"


def test_mail() -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ann <ann@example.com>", "bob@example.com", "The offer"
    mail["Date"] = "Tue, 03 Mar 2026 10:00:00 +0000"
    mail.set_content("We offer 40 EUR.")
    mail.add_attachment(b"x", maintype="application", subtype="pdf", filename="offer.pdf")
    found = read_file(bytes(mail))
    assert found.family == "mail"
    told = " | ".join(found.facts)
    assert "from Ann <ann@example.com>" in told
    assert "subject The offer" in told
    assert "1 attachment: offer.pdf" in told
    assert found.text == "We offer 40 EUR."


def test_archives_and_sound_get_a_card(make_zip: Make) -> None:
    packed = read_file(make_zip(**{"a.txt": b"1", "b/c.txt": b"22"}))
    assert packed.facts == ("ZIP archive", "2 files", "3 bytes unpacked", "names: a.txt, b/c.txt")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("notes.txt")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"abc"))
    assert read_file(out.getvalue()).facts[1:] == ("1 file", "3 bytes unpacked", "names: notes.txt")
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(16000 * 65))
    assert read_file(out.getvalue()).facts == ("WAV sound", "1:05 minutes", "8,000 Hz", "1 channel")
    assert read_file(b"\x00\x01\x02\x03" * 9).facts == ("a binary file of unknown kind",)
    assert read_file(b"7z\xbc\xaf\x27\x1c" + bytes(40)).facts == ("7z archive",)


@pytest.mark.parametrize(
    ("content", "claimed", "found"),
    [
        (b"<script>alert(1)</script>", "image/png", "text/html"),
        (b" <!-- x --><svg onload=alert(1)>", "text/plain", "image/svg+xml"),
        (b'<?xml version="1.0"?><!-- a --><svg xmlns="x"/>', "image/png", "image/svg+xml"),
        (b"<!DOCTYPE html><p>", "text/plain", "text/html"),
        (b'<?xml version="1.0"?><a/>', "", "application/xml"),
        (b"%PDF-1.7\n", "text/html", "application/pdf"),
        (b"plain words, and more\nof them", "text/html", "text/plain"),
        (b"plain words", "text/markdown", "text/markdown"),
        (b"\x89PNG\r\n\x1a\n....", "text/html", "image/png"),
        (b"\x00\x01\x02", "text/html", "application/octet-stream"),
        (b"", "text/html", "text/plain"),
        (b"From: a@b.c\nSubject: x\nDate: y\n\nhello", "", "message/rfc822"),
        (b"Dear all:\nthe date: tomorrow", "", "text/plain"),
    ],
)
def test_the_type_is_what_the_content_says(content: bytes, claimed: str, found: str) -> None:
    assert media_type(content, claimed) == found


def test_looking_is_quick_whatever_comes() -> None:
    import time

    begin = time.process_time()  # another's work on the machine is no part of it
    for nasty in (
        b"<!--" * 3_000_000,
        b"<!-- -->" * 1_500_000,
        b"," * 12_000_000,
        b"a:" * 6_000_000,
        b'"' * 12_000_000,
    ):
        media_type(nasty)
    assert time.process_time() - begin < 5
