"""SQL that destroys, in the words given to a database client."""

import re
from collections.abc import Iterator

from prime.tools.policy.shapes.danger import Danger, destroys, launches, may_destroy
from prime.tools.policy.shapes.words import Words

CLIENTS = frozenset({
    "psql", "pgcli", "sqlite3", "sqlite", "litecli", "mysql", "mariadb", "mycli", "duckdb", "clickhouse-client",
    "clickhouse", "cockroach", "usql", "sqlcmd", "isql", "bq", "snowsql", "trino", "cqlsh",
})  # fmt: skip

# Clients differ on where a comment or a text ends, so each way of reading gives a view, and every view is searched.
# What is never closed goes on to the end in its view: nothing is looked at again from a later place, however often it begins.
_COMMENTS = (
    re.compile(r"(?!)"),
    re.compile(r"/\*(?!!).*?(?:\*/|\Z)", re.DOTALL),
    re.compile(r"/\*(?!!).*?(?:\*/|\Z)|--[^\n]*", re.DOTALL),
    re.compile(r"/\*(?!!).*?(?:\*/|\Z)|--[^\n]*|#[^\n]*", re.DOTALL),
    re.compile(r"/\*(?:.*\*/|.*)|--[^\n]*", re.DOTALL),
)
_TEXTS = (
    re.compile(r"(?!)"),
    re.compile(r"'(?:[^']|'')*+(?:'|\Z)"),
    re.compile(r"'(?:[^'\\]|\\.|'')*+(?:'|\\?\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)", re.DOTALL),
)
_ALWAYS = re.compile(r"\b(DROP|TRUNCATE)\b", re.IGNORECASE)
_ROWS = re.compile(r"\b(?:DELETE\s+FROM|UPDATE)\b(?P<rest>[^;]*)", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b(?P<condition>.*)", re.IGNORECASE | re.DOTALL)
_ALL_ROWS = re.compile(
    r"\s*+\(*+\s*+(?:TRUE\b|NOT\s+FALSE\b|1\b(?!\s*[<>+*/-])|'?(\w++)'?\s*+=\s*+'?\1\b)", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\b(INSERT|REPLACE|ALTER|GRANT|REVOKE|MERGE|VACUUM|DELETE|UPDATE|REINDEX|CREATE)\b|\bPRAGMA\s++(?:(?:(?!\bPRAGMA\b)[^;=])*+=|writable_)",
    re.IGNORECASE,
)
# What runs programs, or SQL that cannot be seen here.
_HIDDEN = re.compile(
    r"\\(?:[!.PT]|(?:i|ir|include\w*|o|out|g\w*|copy|w|write|setenv|e|ef|ev|edit|s|lo_\w+)\b)|^[^\S\n]*(?:pager|tee)\s|"
    r"\bPROGRAM\b|\bEXECUTE\b|\bDO\s*(?:\$|'|LANGUAGE)|\bload_extension\b|\bwritefile\b|\bedit\s*\(|\blo_export\b|"
    r"\bINTO\s+(?:OUT|DUMP)FILE\b|\bLOAD\s+DATA\b|\bxp_cmdshell\b|\bATTACH\b|\bsystem\s|\bsource\s",
    re.IGNORECASE | re.MULTILINE,
)
# SQLite's shell takes the beginning of a command for the whole (`.rea`), so what is not known to be harmless is not.
_DOT_COMMAND = re.compile(r"^[^\S\n]*\.([a-z]+)", re.IGNORECASE | re.MULTILINE)
_HARMLESS_DOTS = frozenset(
    [
        "tables",
        "schema",
        "headers",
        "header",
        "mode",
        "width",
        "dump",
        "indexes",
        "indices",
        "databases",
        "show",
        "stats",
        "timer",
        "nullvalue",
        "separator",
        "echo",
        "help",
        "print",
        "quit",
        "exit",
        "explain",
        "eqp",
        "fullschema",
        "lint",
        "changes",
        "bail",
        "prompt",
        "version",
        "limit",
        "dbinfo",
        "dbconfig",
        "sha3sum",
        "timeout",
    ]
)
_FILES = ("file", "init")


def dangers(words: Words) -> Iterator[Danger]:
    """What the SQL among these words is known to do."""
    for word in words.all:
        for text in _values(word):
            yield from statement_dangers(text)
    if words.long(*_FILES) or words.begins("-f", "-init", "<"):
        yield launches("It runs SQL from a file, which is not looked into here.")


def _values(word: str) -> list[str]:
    """The word, and what may be attached to its option: `-cDROP …`, `-Atc…`, `--command=…`."""
    if word.startswith("--"):
        return [word, word.partition("=")[2]]
    if word.startswith("-"):
        return [word, *(word[cut:] for cut in range(2, 9))]
    return [word]


def statement_dangers(text: str) -> Iterator[Danger]:
    """The same for one piece of SQL."""
    views = {strings.sub("''", comments.sub(" ", text)) for comments in _COMMENTS for strings in _TEXTS}
    for seen in sorted(views):
        if found := _ALWAYS.search(seen):
            yield destroys(f"{found[1].upper()} removes tables or all their rows.")
        if _HIDDEN.search(seen) or any(dot.lower() not in _HARMLESS_DOTS for dot in _DOT_COMMAND.findall(seen)):
            yield launches("This SQL can run programs, or statements that cannot be seen here.")
        if any(_every_row(rows["rest"]) for rows in _ROWS.finditer(seen)):
            yield destroys("DELETE or UPDATE without a condition reaches every row.")
        if _CHANGES.search(seen):
            yield may_destroy("It changes what is in the database.")


def _every_row(rest: str) -> bool:
    condition = _WHERE.search(rest)
    return condition is None or _ALL_ROWS.match(condition["condition"]) is not None
