"""Pictures: format, size, when and with what it was taken, and the words in it where tesseract is installed."""

import io
import shutil
import warnings
from functools import cache
from typing import Protocol, cast

from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.ExifTags import Base

from prime.brain.reading.reading import Reading, Refused, cut

MAX_PIXELS = 60_000_000
_OCR_SIDE = 3000  # pixels; larger pictures are made smaller before they are read
_OCR_SECONDS = 25
_EXIF = 0x8769
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "AVIF")


class _Tesseract(Protocol):
    def get_languages(self, config: str = "") -> list[str]: ...
    def image_to_string(self, image: Image.Image, lang: str, timeout: float) -> str: ...


def read_image(content: bytes) -> Reading:
    """Refuses what is damaged, or would take too much room when it is unpacked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about bombs: the bound below is ours
        Image.MAX_IMAGE_PIXELS = None
        try:
            with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
                return _read(image)
        except UnidentifiedImageError:
            raise Refused("It is damaged, or no picture of a kind that can be read.") from None
        except (OSError, ValueError, SyntaxError, EOFError, TypeError, IndexError, KeyError, OverflowError) as error:
            raise Refused(f"The picture is damaged: {error}.") from error


def _read(image: Image.Image) -> Reading:
    width, height = image.size
    shape = f"{image.format} image, {width} x {height} pixels"
    if width * height > MAX_PIXELS:
        raise Refused(f"The picture claims {width:,} x {height:,} pixels; {MAX_PIXELS:,} together are the most.")
    facts = [shape]
    frames = cast("int", getattr(image, "n_frames", 1))
    if frames > 1:
        facts.append(f"{frames} frames")
    facts += _taken(image)
    image.load()
    return Reading(family="image", facts=tuple(facts), text=words_in(image))


def _taken(image: Image.Image) -> list[str]:
    exif = image.getexif()
    inner = exif.get_ifd(_EXIF)
    moment = inner.get(Base.DateTimeOriginal) or exif.get(Base.DateTime)
    camera = " ".join(str(part).strip("\0 ") for part in (exif.get(Base.Make), exif.get(Base.Model)) if part)
    facts: list[str] = []
    if isinstance(moment, str) and moment.strip("\0 "):
        day, _, time = moment.strip("\0 ").partition(" ")
        facts.append(f"taken {day.replace(':', '-')} {time}".strip())
    return [*facts, f"camera {camera}"] if camera else facts


def words_in(image: Image.Image) -> str:
    """The text in a picture; nothing where no OCR is installed."""
    languages = _languages()
    if not languages:
        return ""
    plain = ImageOps.exif_transpose(image).convert("L")
    plain.thumbnail((_OCR_SIDE, _OCR_SIDE))
    if max(plain.size) < 1000:  # small print is read better when it is larger
        plain = ImageOps.scale(plain, 2)
    try:
        text = _tesseract().image_to_string(plain, lang=languages, timeout=_OCR_SECONDS)
    except RuntimeError:  # it took too long, or gave up
        return ""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return cut("\n".join(line for line in lines if line))


def _tesseract() -> _Tesseract:
    import pytesseract  # late: only where the program is

    return cast("_Tesseract", pytesseract)


@cache
def _languages() -> str:
    """What tesseract can read here, as it wants to be told; empty when it is not installed."""
    if shutil.which("tesseract") is None:
        return ""
    known = set(_tesseract().get_languages())
    return "+".join(name for name in ("eng", "chi_sim", "deu", "fra", "jpn") if name in known)
