"""Everything as JSON Lines, and back: the way from one database to the other.

The first line says what follows, each line after it is one row, the last one holds the count and the hash of all lines
before it, so that a file that was cut or changed is noticed before anything is written. Derived tables are left out;
they come back by themselves. Secrets stay sealed.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from sqlalchemy import Connection, LargeBinary, Table, func, insert, inspect, select, tuple_
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.core.secret_box import SealBroken, SecretBox
from prime.store.file_blobs import FileBlobs
from prime.store.foreign_log import ForeignLog
from prime.store.tables import attachment, attachment_blob, class_of, erasure, message, metadata, secret

FORMAT = 1
PAGE = 500
# Four times what the largest content takes in base64, and no row of anything else comes near that.
_LONGEST_LINE = 64 * 1024 * 1024
# What is of the moment or of the database itself.
_LEFT_OUT = frozenset({"lease", "migration"})

Progress = Callable[[int, int], None]


def kept_tables() -> list[Table]:
    """What is exported, the log first."""
    found = [t for t in metadata.sorted_tables if class_of(t) != "derived" and t.name not in _LEFT_OUT]
    return sorted(found, key=lambda t: (class_of(t) != "log", t.name))


# --- out ---


def write_rows(connection: Connection, out: IO[bytes], blobs: FileBlobs | None, progress: Progress) -> int:
    """Write all rows as they are in the connection's transaction; how many. With `blobs`, contents lie there."""
    there = set(inspect(connection).get_table_names())
    tables = [t for t in kept_tables() if t.name in there]
    total = sum(connection.execute(select(func.count()).select_from(t)).scalar_one() for t in tables)
    writer = _Writer(out)
    writer.line({"prime": "export", "format": FORMAT, "rows": total, "tables": {t.name: _names(t) for t in tables}})
    done = 0
    for table in tables:
        for row in _rows(connection, table):
            writer.line([table.name, *map(_plain, row)])
            done += 1
            if done % PAGE == 0:
                progress(done, total)
    if blobs is not None:
        done += _write_contents(connection, writer, blobs)
    writer.end(done)
    progress(done, done)
    return done


class _Writer:
    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._digest = hashlib.sha256()

    def line(self, value: object) -> None:
        data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._digest.update(data)
        self._out.write(data)

    def end(self, rows: int) -> None:
        last = {"end": True, "rows": rows, "sha256": self._digest.hexdigest()}
        self._out.write(json.dumps(last).encode() + b"\n")


def _write_contents(connection: Connection, writer: _Writer, blobs: FileBlobs) -> int:
    done = 0
    for digest in connection.execute(select(attachment.c.sha256).distinct().order_by(attachment.c.sha256)).scalars():
        content = blobs.read(digest)
        if content is not None:
            writer.line([attachment_blob.name, digest, _plain(content)])
            done += 1
    return done


def _rows(connection: Connection, table: Table) -> Iterator[Sequence[object]]:
    """All rows in the order of their key, a page at a time: nothing is held in memory."""
    key = list(table.primary_key.columns)
    place = [list(table.columns).index(column) for column in key]
    last: tuple[object, ...] | None = None
    while True:
        query = select(table).order_by(*key).limit(PAGE)
        if last is not None:
            query = query.where(tuple_(*key) > last)
        page = connection.execute(query).all()
        yield from page
        if len(page) < PAGE:
            return
        last = tuple(cast("object", page[-1][i]) for i in place)


def _plain(value: object) -> object:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


# --- in ---


def check_file(path: Path) -> int:
    """Read an export from end to end without writing anything; how many rows it has."""
    if not path.is_file():
        raise NotFound(f"There is no file {path}.", hint="`prime export FILE` makes one.")
    digest, rows, last = hashlib.sha256(), 0, b""
    looked = _Looked(path)
    with path.open("rb") as file, _as_bad_export(path):
        for number, line in _lines(file, path):
            if last:
                digest.update(last)
                rows += looked.at(last, number - 1)
            last = line
    end = _object(_parsed(last, path, 0))
    if end.get("end") is not True or end.get("sha256") != digest.hexdigest():
        raise _bad(path, "it is cut off, or it was changed")
    if end.get("rows") != rows:
        raise _bad(path, f"it has {rows} of {end.get('rows')} rows")
    looked.over()
    return rows


class _Looked:
    """An export on its way past, line by line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._columns: dict[str, list[str]] = {}
        self._log = ForeignLog()
        self._erased: set[str] = set()

    def at(self, line: bytes, number: int) -> int:
        """How many rows the line is."""
        value = _parsed(line, self._path, number)
        if number == 1:
            self._head(_object(value))
            return 0
        row = cast("list[object]", value) if isinstance(value, list) else []
        name = row[0] if row else None
        columns = self._columns.get(name) if isinstance(name, str) else None
        if columns is None or len(columns) != len(row) - 1:
            raise _bad(self._path, f"line {number} is no row of a table that it has")
        found = dict(zip(columns, row[1:], strict=True))
        if name == message.name and (fault := self._log.fault(found)):
            raise _bad(self._path, fault)
        if name == erasure.name:
            self._erased.add(str(found["message_id"]))
        return 1

    def over(self) -> None:
        """Nothing comes any more."""
        if changed := self._log.changed(frozenset(self._erased)):
            raise _bad(self._path, changed)

    def _head(self, head: dict[str, object]) -> None:
        if head.get("prime") != "export" or head.get("format") != FORMAT:
            raise _bad(self._path, "it is no export of Prime that this version reads")
        known = {table.name: _names(table) for table in kept_tables()}
        for name, columns in {**_object(head.get("tables")), attachment_blob.name: _names(attachment_blob)}.items():
            if not isinstance(columns, list):
                raise _bad(self._path, f"it does not say what {name} holds")
            self._columns[name] = names = [str(column) for column in cast("list[object]", columns)]
            if unknown := [column for column in names if column not in known.get(name, ())]:
                raise InvalidInput(
                    f"This version does not know {name}.{unknown[0]}.", hint="Use the version that exported it."
                )
            if len(set(names)) < len(names):
                raise _bad(self._path, f"it does not say what {name} holds")
        for table in (message, erasure):
            if len(self._columns.get(table.name, ())) != len(table.columns):
                raise _bad(self._path, "it has no messages as this version knows them")


def read_rows(connection: Connection, path: Path, blobs: FileBlobs | None, total: int, progress: Progress) -> None:
    """Put an export that was checked into empty tables, in the connection's transaction."""
    if connection.execute(select(func.count()).select_from(message)).scalar_one():
        raise Conflict(
            "There are messages already.", hint="Import into an empty data folder or database.", code="not_empty"
        )
    known = {table.name: table for table in kept_tables()}
    with path.open("rb") as file, _as_bad_export(path):
        lines = _lines(file, path)
        head = cast("dict[str, dict[str, list[str]]]", _parsed(next(lines)[1], path, 1))
        listed = {**head["tables"], attachment_blob.name: _names(attachment_blob)}
        filling = _Filling(connection, blobs, path)
        for number, line in lines:
            value = _parsed(line, path, number)
            if isinstance(value, dict):
                break
            name, *row = cast("list[object]", value)
            table = known[str(name)]
            filling.add(table, _typed(table, dict(zip(listed[table.name], row, strict=True))))
            if number % PAGE == 0:
                progress(number, total)
        filling.flush()
        progress(total, total)


class _Filling:
    """Rows on their way in, many to a statement."""

    def __init__(self, connection: Connection, blobs: FileBlobs | None, path: Path) -> None:
        self._connection = connection
        self._blobs = blobs
        self._path = path
        self._table: Table | None = None
        self._waiting: list[dict[str, object]] = []

    def add(self, table: Table, values: dict[str, object]) -> None:
        if table is attachment_blob:
            content = _content(values, self._path)
            if self._blobs is not None:
                self._blobs.write(str(values["sha256"]), content)
                return
        if table is not self._table or len(self._waiting) >= PAGE:
            self.flush()
        self._table = table
        self._waiting.append(values)

    def flush(self) -> None:
        if self._table is not None and self._waiting:
            self._connection.execute(insert(self._table), self._waiting)
            self._waiting = []


def _content(values: dict[str, object], path: Path) -> bytes:
    content = cast("bytes", values["content"])
    if hashlib.sha256(content).hexdigest() != values["sha256"]:
        raise _bad(path, "the content of an attachment has changed")
    return content


def _typed(table: Table, values: dict[str, object]) -> dict[str, object]:
    binary = [c.name for c in table.columns if isinstance(c.type, LargeBinary)]
    return values | {name: base64.b64decode(str(values[name])) for name in binary if values.get(name) is not None}


def reseal(connection: Connection, before: SecretBox, now: SecretBox) -> int:
    """Seal every secret anew with another key; how many."""
    rows = connection.execute(select(secret.c.name, secret.c.sealed)).all()
    for name, sealed in rows:
        value = before.open(name, sealed)
        connection.execute(secret.update().where(secret.c.name == name).values(sealed=now.seal(name, value)))
    return len(rows)


def unreadable_secrets(connection: Connection, box: SecretBox) -> list[str]:
    """Names of secrets that were sealed with another key."""
    found: list[str] = []
    for name, sealed in connection.execute(select(secret.c.name, secret.c.sealed)):
        try:
            box.open(name, sealed)
        except SealBroken:
            found.append(name)
    return found


def _names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _lines(file: IO[bytes], path: Path) -> Iterator[tuple[int, bytes]]:
    """Each with its number. One that nobody writes is not read to its end: it need not have one."""
    number = 0
    while line := file.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise _bad(path, f"line {number} is longer than any that is written")
        yield number, line


def _parsed(line: bytes, path: Path, number: int) -> object:
    try:
        return cast("object", json.loads(line))
    except (ValueError, RecursionError):
        raise _bad(path, f"line {number} is not JSON" if number else "it is cut off") from None


@contextmanager
def _as_bad_export(path: Path) -> Generator[None]:
    """What no column takes is the file's fault: a number beyond all bounds, half a character, two rows with one key."""
    try:
        yield
    except (IntegrityError, DataError) as error:
        raise _bad(path, str(error.orig)) from error
    except (ValueError, TypeError, OverflowError, StatementError) as error:
        if isinstance(error, DBAPIError):
            raise
        raise _bad(path, str(error)[:200]) from error


def _bad(path: Path, why: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is not an export of Prime, or it is damaged: {why}.",
        hint="`prime export FILE` makes one; nothing was written.",
        code="bad_export",
    )
