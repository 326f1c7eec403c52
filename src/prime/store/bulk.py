"""Many rows into one table, in few statements.

SQLite's driver lets other threads run before every row of an `executemany` and then waits its turn again, which under
load takes longer than the rows themselves. A statement with many rows waits once, and costs two thirds.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from sqlalchemy import Connection, Dialect, Table, insert

Row = tuple[object, ...]

# Rows of the largest statement; all sizes are powers of two, so that there are few of them.
_MOST = 64
_MOST_SHORT = 256  # rows of a few numbers


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows that have their values in the table's order."""
    if connection.dialect.name != "sqlite":
        if rows:
            connection.exec_driver_sql(inserting(connection.dialect, table), list(rows) if len(rows) > 1 else rows[0])
        return
    for statement, values in pieces(connection.dialect, table, rows):
        connection.exec_driver_sql(statement, values)


def insert_columns(connection: Connection, table: Table, columns: Sequence[Sequence[object]]) -> None:
    """The same for very many short rows, given column by column.

    A tuple for each of them would have the garbage collector look through the whole process again and again.
    """
    if connection.dialect.name != "sqlite":
        insert_rows(connection, table, list(zip(*columns, strict=True)))
        return
    driver = connection.connection.cursor()
    at, size, count = 0, _MOST_SHORT, len(columns[0])
    while at < count:
        while size > count - at:
            size //= 2
        some = zip(*(column[at : at + size] for column in columns), strict=True)
        driver.execute(inserting(connection.dialect, table, size), tuple(chain.from_iterable(some)))
        at += size
    driver.close()


def pieces(dialect: Dialect, table: Table, rows: Sequence[Row]) -> Iterator[tuple[str, Row]]:
    """Statements as the driver takes them, and their values: together they insert the rows, in order."""
    at, size = 0, _MOST
    while at < len(rows):
        while size > len(rows) - at:
            size //= 2
        yield inserting(dialect, table, size), tuple(chain.from_iterable(rows[at : at + size]))
        at += size


@cache
def inserting(dialect: Dialect, table: Table, count: int = 1) -> str:
    """The insert of so many rows as the driver takes it, with values in the table's order.

    Going through SQLAlchemy's own execution was measured at three times the cost of the insert itself.
    """
    one = str(insert(table).compile(dialect=dialect))
    head, _, values = one.rpartition(" VALUES ")
    return one if count == 1 else f"{head} VALUES {', '.join([values] * count)}"
