"""SQL that destroys, in the words given to a database client."""

import re
from collections.abc import Iterator

from prime.tools.policy.shapes.danger import Danger, destroys, launches, may_destroy
from prime.tools.policy.shapes.words import Words

CLIENTS = frozenset({
    "psql", "pgcli", "sqlite3", "sqlite", "litecli", "mysql", "mariadb", "mycli", "duckdb", "clickhouse-client",
    "clickhouse", "cockroach", "usql", "sqlcmd", "isql", "bq", "snowsql", "trino", "cqlsh",
})  # fmt: skip

_COMMENT = re.compile(r"/\*(?!!).*?(?:\*/|\Z)|--[^\n]*|#[^\n]*", re.DOTALL)
_TEXT = re.compile(r"'(?:[^']|'')*'")
_ALWAYS = re.compile(r"\b(DROP|TRUNCATE)\b", re.IGNORECASE)
_ROWS = re.compile(r"\b(?:DELETE\s+FROM|UPDATE)\b(?P<rest>[^;]*)", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b(?P<condition>.*)", re.IGNORECASE | re.DOTALL)
_ALL_ROWS = re.compile(r"\s*\(*\s*(?:TRUE\b|NOT\s+FALSE\b|1\b(?!\s*[<>+*/-])|'?(\w+)'?\s*=\s*'?\1\b)", re.IGNORECASE)
_CHANGES = re.compile(r"\b(INSERT|REPLACE|ALTER|GRANT|REVOKE|MERGE|VACUUM|DELETE|UPDATE|REINDEX|CREATE)\b", re.IGNORECASE)
# What runs programs, or SQL that cannot be seen here.
_HIDDEN = re.compile(
    r"\\!|\\i[r]?\b|\\o\b|\\g(?:exec)?\b|\\copy\b|\\w\b|\\setenv\b|^\s*\.(?:sh|sy|read|imp|load|out|once|excel|open|edit)|"
    r"\bPROGRAM\b|\bEXECUTE\b|\bDO\s*(?:\$|'|LANGUAGE)|\bload_extension\b|\bwritefile\b|\bedit\s*\(|\blo_export\b|"
    r"\bINTO\s+(?:OUT|DUMP)FILE\b|\bLOAD\s+DATA\b|\bxp_cmdshell\b|\bATTACH\b|\bsystem\s|\bsource\s",
    re.IGNORECASE | re.MULTILINE,
)
_FILES = ("file", "init")


def dangers(words: Words) -> Iterator[Danger]:
    """What the SQL among these words is known to do. A value may be attached to its option (`-c…`, `--command=…`)."""
    for word in words.all:
        yield from statement_dangers(word)
    if words.long(*_FILES) or words.begins("-f", "-init", "<"):
        yield launches("It runs SQL from a file, which is not looked into here.")


def statement_dangers(text: str) -> Iterator[Danger]:
    """The same for one piece of SQL. Comments are blanks; text in quotes counts, since clients differ on its end."""
    bare = _COMMENT.sub(" ", text)
    for seen in {text, bare}:
        if found := _ALWAYS.search(seen):
            yield destroys(f"{found[1].upper()} removes tables or all their rows.")
        if _HIDDEN.search(seen):
            yield launches("This SQL can run programs, or statements that cannot be seen here.")
    # A `where` in quotes is no condition, and one in a comment neither.
    for rows in _ROWS.finditer(_TEXT.sub("''", bare)):
        condition = _WHERE.search(rows["rest"])
        if condition is None or _ALL_ROWS.match(condition["condition"]):
            yield destroys("DELETE or UPDATE without a condition reaches every row.")
    if _CHANGES.search(bare):
        yield may_destroy("It changes what is in the database.")
