"""Work images, drawn as PNG: a bar chart of the numbers mentioned, or a card with what was said."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prime.mind.jobs.keeping import Picture, PictureRequest
from prime.mind.jobs.lines import Line
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.judging.page import points_of, sums_by
from prime.mind.offline.words.language import first_sentence, shortened

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

_WIDTH, _HEIGHT, _EDGE = 960, 540, 56
_PAPER, _INK, _QUIET = (250, 248, 243), (32, 34, 38), (120, 124, 132)
_BARS = ((46, 94, 170), (214, 120, 48), (64, 140, 96), (150, 80, 150), (180, 60, 70), (90, 110, 120))
_MOST_BARS = 6
# The first that the machine has; all but the last know Chinese.
_FONTS = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "NotoSansSC-Regular.otf",
    "wqy-zenhei.ttc",
    "wqy-microhei.ttc",
    "DroidSansFallbackFull.ttf",
    "PingFang.ttc",
    "msyh.ttc",
    "simhei.ttf",
    "DejaVuSans.ttf",
)
_NO_LETTER = "\U0010fffd"


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    value: float
    shown: str


def drawn(request: PictureRequest) -> Picture | None:
    """A chart where at least two sums of one currency were named; else a card; nothing where nothing was said."""
    said = [line for line in request.lines if line.text.strip()]
    if not said and not request.title.strip():
        return None
    bars = bars_in(said)
    if not _is_drawable(
        " ".join([request.title, *(line.text for line in said[-5:]), *(line.speaker for line in said)])
    ):
        return None  # boxes for letters show nothing
    title = shortened(" ".join(request.title.split()) or first_sentence(said[0].text), 60)
    if len(bars) >= 2:
        return Picture(data=_chart(title, bars), mime_type="image/png", caption=_caption(title, bars))
    points = points_of(request) or [f"{line.speaker}: {first_sentence(line.text, 90)}" for line in said[-5:]]
    return Picture(data=_card(title, points), mime_type="image/png", caption=f"{title}. {' '.join(points)}".strip())


def bars_in(lines: Sequence[Line]) -> list[Bar]:
    """One bar per counterpart: the largest sum each named, in the currency named most. What Prime says after them is none."""
    named = [(who, money) for who, sums in sums_by(lines).items() for money in amounts("; ".join(sums))]
    currencies = [money.currency for _, money in named]
    if not currencies:
        return []
    common = max(sorted(set(currencies)), key=currencies.count)
    best: dict[str, Bar] = {}
    for speaker, money in named:
        known = best.get(speaker)
        if money.currency == common and (known is None or money.value > known.value):
            best[speaker] = Bar(speaker, money.value, money.text)
    return list(best.values())[:_MOST_BARS]


def _caption(title: str, bars: Sequence[Bar]) -> str:
    return f"{title}: " + ", ".join(f"{bar.label} {bar.shown}" for bar in bars)


def _chart(title: str, bars: Sequence[Bar]) -> bytes:
    image, draw = _sheet(title)
    most = max(bar.value for bar in bars) or 1.0
    room = (_HEIGHT - 2 * _EDGE - 60) / len(bars)
    for number, bar in enumerate(bars):
        top = _EDGE + 60 + number * room
        length = max(4.0, bar.value / most * (_WIDTH - 2 * _EDGE - 380))
        draw.text((_EDGE, top + room / 2 - 12), shortened(bar.label, 22), font=_font(20), fill=_INK)
        begin = _EDGE + 250
        draw.rectangle((begin, top + room * 0.2, begin + length, top + room * 0.8), fill=_BARS[number % len(_BARS)])
        draw.text((begin + length + 12, top + room / 2 - 12), bar.shown, font=_font(20), fill=_QUIET)
    return _png(image)


def _card(title: str, points: Sequence[str]) -> bytes:
    rows = [rows_of(point) for point in points]
    needed = _EDGE + 80 + sum(len(each) * _LINE + _GAP for each in rows) + _EDGE
    image, draw = _sheet(title, max(_HEIGHT, needed))
    top = _EDGE + 80
    for point in rows:
        for row in point:
            draw.text((_EDGE, top), row, font=_font(22), fill=_INK)
            top += _LINE
        top += _GAP
    return _png(image)


_LINE, _GAP = 30, 14


def _sheet(title: str, height: int = _HEIGHT) -> "tuple[Image.Image, ImageDraw.ImageDraw]":
    # Pillow is heavy and seldom needed.
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (_WIDTH, height), _PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 14, height), fill=_BARS[0])
    draw.text((_EDGE, _EDGE - 14), title, font=_font(34), fill=_INK)
    return image, draw


_COLUMNS, _MOST_ROWS = 72, 4
# A word with the blank behind it; a Chinese sign is a word of two columns.
_PIECES = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+\s*|\s+")


def rows_of(text: str) -> list[str]:
    """The text in rows that break between words; a word that is longer than a row is cut."""
    rows, row, width = list[str](), "", 0
    for piece in (cut for word in _PIECES.findall(text) for cut in _cut(word)):
        if width + _columns(piece.rstrip()) > _COLUMNS and row:
            rows, row, width = [*rows, row.rstrip()], "", 0
        row, width = row + piece, width + _columns(piece)
    rows = [each for each in [*rows, row.rstrip()] if each]
    return rows if len(rows) <= _MOST_ROWS else [*rows[: _MOST_ROWS - 1], f"{rows[_MOST_ROWS - 1]} …"]


def _cut(word: str) -> list[str]:
    return [word[at : at + _COLUMNS] for at in range(0, len(word), _COLUMNS)]


def _columns(text: str) -> int:
    return sum(2 if "\u2e80" <= each <= "\u9fff" or "\uff00" <= each <= "\uffef" else 1 for each in text)


def _font(size: int) -> "ImageFont.FreeTypeFont | ImageFont.ImageFont":
    """Where the machine has a font for Chinese it is taken; Pillow's own knows Latin letters only."""
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def _is_drawable(text: str) -> bool:
    """Whether the font has every letter, as far as one sees from the first of those that are not Latin."""
    letters = sorted({each for each in text if each.isalpha() and ord(each) > _LATIN})[:20]
    return not letters or _shape(_NO_LETTER) not in map(_shape, letters)


def _shape(letter: str) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("L", (40, 40))
    ImageDraw.Draw(image).text((4, 4), letter, font=_font(20), fill=255)
    return image.tobytes()


_LATIN = 0x24F


def _png(image: "Image.Image") -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
