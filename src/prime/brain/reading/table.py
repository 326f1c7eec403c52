"""Tables (CSV, TSV, XLSX): columns with their types, how many rows, ranges, totals, and the first rows."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, Protocol, cast

from prime.brain.reading.reading import Reading, Refused, count, cut
from prime.brain.reading.zipped import check_zip, macros_in
from prime.core.media import decoded_anyhow, table_separator

MAX_ROWS = 7_000_000  # more than the largest attachment can hold
_MAX_COLUMNS = 200
_SHOWN_COLUMNS = 40
_SHOWN_ROWS = 60
_MAX_SHEETS = 20
_DISTINCT = 6  # a column with no more different words is told with all of them

Kind = Literal["number", "date", "text"]
_NUMBER = re.compile(r"[-+(]?\s*[$€£¥]?\s*(\d{1,3}(?:[,' ]\d{3})+|\d+)?(\.\d+)?\s*(?:[%€$£¥]|EUR|USD|CNY)?\)?")
_TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2})?.*)?"
_DATE = re.compile(rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}}){_TIME}")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}}){_TIME}")  # with slashes it may be the month
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_AT_ONCE = 1 << 20
_MARK = 64  # bytes that the beginning of a formula may have
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>]")
_COMMA_AS_POINT = str.maketrans(",.", ".,")


@dataclass(slots=True)
class _Numbers:
    count: int = 0
    least: float = float("inf")
    most: float = float("-inf")
    total: float = 0.0

    def add(self, number: float | None) -> None:
        if number is not None:
            self.count += 1
            self.total += number
            self.least = min(self.least, number)
            self.most = max(self.most, number)


class _Formula(str):
    """What a cell computes, where no program has done so yet: a file that was made by another one than a spreadsheet's."""

    __slots__ = ()


@dataclass(slots=True)
class _Column:
    name: str
    filled: int = 0
    formulas: list[str] = field(default_factory=list[str])  # that were never computed, the first of them
    uncomputed: int = 0
    # Read as `1,234.50` and as `1.234,50`: which of them it is shows when all are read.
    points: _Numbers = field(default_factory=_Numbers)
    commas: _Numbers = field(default_factory=_Numbers)
    dates: int = 0
    first_day: str = "9999"
    last_day: str = ""
    words: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, value: object) -> None:
        text = str(value).strip() if value is not None else ""
        if not text:
            return
        if isinstance(value, _Formula):
            self.uncomputed += 1
            self.formulas += [text[:60]] if not self.formulas else []
            return
        self.filled += 1
        number = number_of(value, text)
        self.points.add(number)
        plain = number is not None and "." not in text and "," not in text
        self.commas.add(number if plain else number_of(value, text.translate(_COMMA_AS_POINT)))
        if number is None and (day := _day(value, text)) is not None:
            self.dates += 1
            self.first_day, self.last_day = min(self.first_day, day), max(self.last_day, day)
        if len(self.words) <= _DISTINCT:
            self.words[text[:60]] = None

    @property
    def numbers(self) -> _Numbers | None:
        return next((read for read in (self.points, self.commas) if read.count == self.filled), None)

    @property
    def kind(self) -> Kind | None:
        if not self.filled:
            return None
        return "number" if self.numbers else "date" if self.dates == self.filled else "text"

    def told(self) -> str:
        if not self.uncomputed:
            return self._told()
        formulas = f"{count(self.uncomputed, 'formula')} never computed, as {self.formulas[0]}"
        return f"{self._told()}, {formulas}" if self.filled else f"{self.name} ({formulas})"

    def _told(self) -> str:
        if self.filled and (read := self.numbers):
            return f"{self.name} (number, {_plain(read.least)} to {_plain(read.most)}, total {_plain(read.total)})"
        if self.kind == "date":
            return f"{self.name} (date, {self.first_day} to {self.last_day})"
        if self.kind is None:
            return f"{self.name} (empty)"
        few = f": {', '.join(self.words)}" if len(self.words) <= _DISTINCT else ""
        return f"{self.name} (text{few})"


def read_separated(content: bytes) -> Reading:
    """CSV and TSV."""
    text = decoded_anyhow(content)
    separator = table_separator(text[:65536]) or ","
    csv.field_size_limit(1_000_000)
    try:
        facts, said = _sheet(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise Refused(f"The table is damaged: {error}.") from error
    name = "TSV" if separator == "\t" else "CSV"
    return Reading(family="table", facts=(f"{name} table", *facts), text=cut(said))


class _Sheet(Protocol):
    title: str

    def reset_dimensions(self) -> None: ...
    def iter_rows(self, *, values_only: bool, max_col: int) -> Iterator[Sequence[object]]: ...


class _Book(Protocol):
    worksheets: list[_Sheet]


_Rows = Iterator[Sequence[object]]


def read_workbook(content: bytes) -> Reading:
    """XLSX: every sheet, with the values that were last computed, and formulas where there are none."""
    archive = check_zip(content)
    import openpyxl

    try:
        book = cast("_Book", openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True))
        written = book
        if _has_formulas(archive):  # to be looked at beside their values: a workbook is read for one of them only
            written = cast("_Book", openpyxl.load_workbook(io.BytesIO(content), read_only=True))
        facts = ["XLSX workbook", count(len(book.worksheets), "sheet"), *macros_in(archive)]
        texts: list[str] = []
        for sheet, formulas in zip(book.worksheets[:_MAX_SHEETS], written.worksheets, strict=False):
            rows = _rows(sheet)
            told, said = _sheet(rows if formulas is sheet else _with_formulas(rows, _rows(formulas)))
            facts += [f"sheet {sheet.title}: {'; '.join(told)}"]
            texts.append(f"{sheet.title}\n{said}")
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        zipfile.BadZipFile,
        SyntaxError,
    ) as error:
        raise Refused(f"The workbook is damaged: {error}.") from error
    return Reading(family="table", facts=tuple(facts), text=cut("\n\n".join(texts)))


def _rows(sheet: _Sheet) -> _Rows:
    sheet.reset_dimensions()  # what the file claims of itself may be millions of rows
    return sheet.iter_rows(values_only=True, max_col=_MAX_COLUMNS + 1)


def _has_formulas(archive: zipfile.ZipFile) -> bool:
    for name in archive.namelist():
        if _SHEET.fullmatch(name):
            with archive.open(name) as file:
                before = b""
                while piece := file.read(_AT_ONCE):
                    if _FORMULA.search(before + piece):
                        return True
                    before = piece[-_MARK:]
    return False


def _with_formulas(computed: _Rows, written: _Rows) -> _Rows:
    for values, sources in zip(computed, written, strict=False):
        yield [
            _Formula(source) if value is None and isinstance(source, str) and source.startswith("=") else value
            for value, source in zip(values, sources, strict=False)
        ]


def _sheet(rows: Iterable[Sequence[object]]) -> tuple[list[str], str]:
    """Facts of a table, and its first rows as text."""
    filled = (row for row in rows if any(value is not None and str(value).strip() for value in row))
    first = list(next(filled, ()))
    if not first:
        return ["no rows"], ""
    named = all(
        isinstance(value, str) and number_of(value, value.strip()) is None for value in first if value is not None
    )
    names = [_name(value, at) if named else f"column {at + 1}" for at, value in enumerate(first[:_MAX_COLUMNS])]
    columns = [_Column(name) for name in names]
    shown = [_line(first)]
    number = 0
    is_wider = any(map(_cell, first[_MAX_COLUMNS:]))
    for row in filled if named else _chained(first, filled):
        number += 1
        is_wider = is_wider or any(map(_cell, row[_MAX_COLUMNS:]))
        if number > MAX_ROWS:
            raise Refused(f"The table has more than {MAX_ROWS:,} rows.")
        for column, value in zip(columns, row, strict=False):
            column.add(value)
        if len(shown) < _SHOWN_ROWS:
            shown.append(_line(row))
    columns = [
        column
        for column, value in zip(columns, first, strict=False)
        if column.filled or column.uncomputed or _cell(value)
    ]
    told = "; ".join(column.told() for column in columns[:_SHOWN_COLUMNS])
    wide = [f"wider than the {_MAX_COLUMNS} columns that are read"] if is_wider else []
    return [count(number, "row"), *wide, f"{count(len(columns), 'column')}: {told}"], "\n".join(shown)


def _chained(first: Sequence[object], rest: Iterable[Sequence[object]]) -> Iterator[Sequence[object]]:
    yield first
    yield from rest


def _name(value: object, at: int) -> str:
    return " ".join(str(value).split())[:60] if value is not None and str(value).strip() else f"column {at + 1}"


def _line(row: Sequence[object]) -> str:
    """The cells of a row up to the last that holds something: a sheet's rows come as wide as a sheet may be."""
    return re.sub(r"(?: \| )+\Z", "", " | ".join(_cell(value) for value in row[:_SHOWN_COLUMNS]))


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())[:200]


def number_of(value: object, text: str) -> float | None:
    """The number that a cell holds, also as `1,234.50 EUR` or `(12)`; None when it holds another thing."""
    if text.isdigit() and text.isascii() and len(text) < 40:  # most numbers, and there may be millions
        return float(text)
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    found = _NUMBER.fullmatch(text) if isinstance(value, str) and len(text) < 40 else None
    if not found or not (found[1] or found[2]):
        return None
    plain = float(re.sub(r"[,' ]", "", found[1] or "0") + (found[2] or ""))
    return -plain if text.startswith(("-", "(")) else plain


def _day(value: object, text: str) -> str | None:
    if isinstance(value, datetime | date):
        return value.isoformat()[:10]
    found = _DATE.fullmatch(text) if len(text) < 40 else None
    if found:
        return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"
    found = _DAY_FIRST.fullmatch(text) if len(text) < 40 else None
    return f"{found[3]}-{int(found[2]):02}-{int(found[1]):02}" if found else None


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e15 else f"{number:,.2f}"
