"""Files, made here."""

import io
import zipfile
from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw, ImageFont

MakePdf = Callable[..., bytes]


def pdf_of(*pages: str) -> bytes:
    """A PDF with a line of text on each page."""
    count = len(pages)
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {count} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for n, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET"
        resources = "<< /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {resources} /Contents {5 + 2 * n} 0 R >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return written(objects)


def written(objects: list[str]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places: list[int] = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)


def endless_pdf(pages: int) -> bytes:
    """Many pages in few bytes: they are all the same one."""
    kids = "4 0 R " * pages
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"
    return written(
        ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>", "null", page]
    )


def picture_of(text: str, *, kind: str = "PNG", **options: object) -> bytes:
    image = Image.new("RGB", (900, 200), "white")
    ImageDraw.Draw(image).text((30, 60), text, fill="black", font=ImageFont.load_default(48))
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def zip_of(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def make_pdf() -> MakePdf:
    return pdf_of


@pytest.fixture
def make_endless_pdf() -> Callable[[int], bytes]:
    return endless_pdf


@pytest.fixture
def make_picture() -> Callable[..., bytes]:
    return picture_of


@pytest.fixture
def make_zip() -> Callable[..., bytes]:
    return zip_of
