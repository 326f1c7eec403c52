"""SQL that destroys, in the words given to a database client."""

import re
from collections.abc import Iterator

from prime.tools.policy.shapes.danger import Danger, destroys, launches, may_destroy, reads_unnamed
from prime.tools.policy.shapes.words import Words

CLIENTS = frozenset({
    "psql", "pgcli", "sqlite3", "sqlite", "litecli", "mysql", "mariadb", "mycli", "duckdb", "clickhouse-client",
    "clickhouse", "cockroach", "usql", "sqlcmd", "isql", "bq", "snowsql", "trino", "cqlsh",
})  # fmt: skip

# Clients differ on where a comment or a text ends, so each way of reading gives a view, and every view is searched. The last
# takes the signs of comments away and leaves what is in them: MySQL runs `/*!DROP*/ /*!TABLE*/ t`. Nested comments are cut out
# whole (`_nested`).
# What is never closed goes on to the end in its view: nothing is looked at again from a later place, however often it begins.
_COMMENTS = (
    re.compile(r"(?!)"),
    re.compile(r"/\*(?!!).*?(?:\*/|\Z)", re.DOTALL),
    re.compile(r"/\*(?!!).*?(?:\*/|\Z)|--[^\n]*", re.DOTALL),
    re.compile(r"/\*(?!!).*?(?:\*/|\Z)|--[^\n]*|#[^\n]*", re.DOTALL),
    re.compile(r"/\*M?!?\d*|\*/"),
)
_LINES = re.compile(r"--[^\n]*")
_TEXTS = (
    re.compile(r"(?!)"),
    re.compile(r"'(?:[^']|'')*+(?:'|\Z)"),
    re.compile(r"'(?:[^'\\]|\\.|'')*+(?:'|\\?\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)", re.DOTALL),
)
# What can be made and removed.
_KINDS = (
    r"(?:(?:temp|temporary|external|foreign|unlogged|virtual|materialized|global|local|public|event|text\s+search|access|"
    r"user|row\s+access|hybrid|dynamic|transient|clustered|unique|fulltext|spatial)\s+)*"
    r"(?:tables?|databases?|schemas?|views?|index|indexes|sequences?|functions?|procedures?|proc|routines?|triggers?|users?|"
    r"roles?|logins?|groups?|types?|domains?|extensions?|columns?|constraints?|partitions?|primary|foreign|key|keys|check|"
    r"default|not\s+null|keyspaces?|dictionary|streams?|stages?|warehouses?|pipes?|tasks?|policy|policies|rules?|owned|"
    r"aggregates?|casts?|collations?|conversions?|events?|languages?|operators?|publications?|subscriptions?|servers?|"
    r"statistics|tablespaces?|configuration|dictionaries|parsers?|templates?|transforms?|methods?|mapping|synonyms?|"
    r"packages?|macros?|secrets?|catalogs?|assembly|certificates?|credentials?|endpoints?|tags?|shares?|models?|snapshots?|"
    r"stores?|quotas?|profiles?|identity|expression|if\s+exists)\b"
)
_FROM_A_STATEMENT_ON = r"(?:\A|;|\b(?:begin|then|else|do|as|loop|explain|analyze|go))[\s(]*"
# Removed with all that is in it. A column, a file or a text may be called `drop`, and TRUNCATE(x, 2) is a number.
_ALWAYS = re.compile(
    rf"{_FROM_A_STATEMENT_ON}(?:(DROP)\s|(TRUNCATE)(?=[\s\"`\[])(?!\s*\())|\b(DROP)\s+{_KINDS}|"
    r"\b(TRUNCATE)\s+TABLE\b",
    re.IGNORECASE,
)
# Two words of one statement, in this order: looked for one after the other, because a pattern over both takes the square of
# the time.
_Pair = tuple[re.Pattern[str], re.Pattern[str]]


def _pair(first: str, then: str) -> _Pair:
    return re.compile(rf"\b{first}\b", re.IGNORECASE), re.compile(rf"\b{then}\b", re.IGNORECASE)


_ALTERS: _Pair = _pair("ALTER", "DROP")
_ROWS = re.compile(r"\b(?:DELETE\s+FROM|(?P<update>UPDATE)\b)(?P<rest>[^;]*)", re.IGNORECASE)
_SET = re.compile(r"\bSET\b", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b(?P<condition>.*)", re.IGNORECASE | re.DOTALL)
_ALL_ROWS = re.compile(
    r"\s*+\(*+\s*+(?:TRUE\b|NOT\s+FALSE\b|1\b(?!\s*[<>+*/-])|'?(\w++)'?\s*+=\s*+'?\1\b)", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\b(INSERT|REPLACE(?!\s*\()|ALTER|GRANT|REVOKE|MERGE|VACUUM|DELETE|UPDATE|REINDEX|CREATE)\b|"
    r"\bPRAGMA\s++(?:(?:(?!\bPRAGMA\b)[^;=])*+=|writable_)",
    re.IGNORECASE,
)
# What runs programs, or SQL that cannot be seen here.
_HIDDEN = re.compile(
    r"\\(?:[!.PT]|(?:i|ir|include\w*|o|out|g\w*|copy|w|write|setenv|e|ef|ev|edit|s|lo_\w+)\b)|^[^\S\n]*(?:pager|tee)\s|"
    r"\bPROGRAM\b|\bEXECUTE\b|\bDO\s*(?:\$|'|LANGUAGE)|\bload_extension\b|\bwritefile\b|\bedit\s*\(|\blo_export\b|"
    r"\bINTO\s+(?:OUT|DUMP)FILE\b|\bLOAD\s+DATA\b|\bxp_cmdshell\b|\bATTACH\b|\bsystem\s|\bsource\s",
    re.IGNORECASE | re.MULTILINE,
)
# What reads files that are in no word of the command line.
_READS = re.compile(
    r"\b(?:readfile|load_file|fsdir|lo_import|pg_read_(?:binary_)?file|pg_ls_dir|"
    r"read_(?:csv|json|ndjson|parquet|text|blob|xlsx)\w*)\s*\(",
    re.IGNORECASE,
)
# The same where the text may as well be a person's words: only what nobody would write who does not mean SQL.
_MEANT = re.compile(
    rf"\b(?:DROP|CREATE(?:\s+OR\s+REPLACE)?|ALTER)\s+{_KINDS}\s+[\w\"'`\[.]+\s*(?:[;(,]|\Z|\b(?:AS|ADD|DROP|RENAME|SET|CASCADE|ON)\b)|"
    r"\bTRUNCATE\s+(?:TABLE\b|[\w\"`.]+\s*(?:;|\Z))|\b(?:INSERT|REPLACE|MERGE)\s+INTO\s|\bDELETE\s+FROM\s|"
    r"\bUPDATE\s+\S{1,100}\s+SET\s+\S{1,100}\s*=|"
    r"\b(?:load_extension|writefile|lo_export|xp_cmdshell)\b|\bINTO\s+(?:OUT|DUMP)FILE\b|\bTO\s+PROGRAM\b",
    re.IGNORECASE,
)
_MEANT_PAIRS = (_pair("SELECT", "FROM"), _pair("(?:GRANT|REVOKE)", "ON"))
# SQLite's shell takes the beginning of a command for the whole (`.rea`), so what is not known to be harmless is not.
_DOT_COMMAND = re.compile(r"^[^\S\n]*\.([a-z]+)", re.IGNORECASE | re.MULTILINE)
_HARMLESS_DOTS_TEXT = (
    "tables schema headers header mode width dump indexes indices databases show stats timer nullvalue separator "
    "echo help print quit exit explain eqp fullschema lint changes bail prompt version limit dbinfo dbconfig "
    "sha3sum timeout"
)
_HARMLESS_DOTS = frozenset(_HARMLESS_DOTS_TEXT.split())
_FILES = ("file", "init")


def dangers(words: Words) -> Iterator[Danger]:
    """What the SQL among these words is known to do."""
    for word in (*words.all, " ".join(words.plain)):  # bq takes all its words for one statement
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


def is_meant(text: str) -> bool:
    """Whether a text that could be a person's words is SQL all the same."""
    return any(_MEANT.search(seen) or any(_both(seen, pair) for pair in _MEANT_PAIRS) for seen in _views(text))


def statement_dangers(text: str) -> Iterator[Danger]:
    """The same for one piece of SQL."""
    for seen in _views(text):
        if found := _ALWAYS.search(seen):
            word = next(word for word in found.groups() if word)
            yield destroys(f"{word.upper()} removes tables or all their rows.")
        if _both(seen, _ALTERS):
            yield destroys("ALTER … DROP removes a part of a table.")
        if _HIDDEN.search(seen) or any(dot.lower() not in _HARMLESS_DOTS for dot in _DOT_COMMAND.findall(seen)):
            yield launches("This SQL can run programs, or statements that cannot be seen here.")
        if _READS.search(seen):
            yield reads_unnamed("This SQL reads files from wherever it says.")
        if any(_every_row(rows) for rows in _ROWS.finditer(seen)):
            yield destroys("DELETE or UPDATE without a condition reaches every row.")
        if _CHANGES.search(seen):
            yield may_destroy("It changes what is in the database.")


def _views(text: str) -> list[str]:
    plain = {comments.sub(" ", text) for comments in _COMMENTS} | {_nested(text)}
    return sorted({strings.sub("''", seen) for seen in plain for strings in _TEXTS})


def _nested(text: str) -> str:
    """Without what stands between the first beginning of a comment and the last end of one."""
    begin, end = text.find("/*"), text.rfind("*/")
    return _LINES.sub(" ", f"{text[:begin]} {text[end + 2 :]}" if 0 <= begin < end else text)


def _both(text: str, pair: _Pair) -> bool:
    for statement in text.split(";"):
        first = pair[0].search(statement)
        if first is not None and pair[1].search(statement, first.end()):
            return True
    return False


def _every_row(rows: re.Match[str]) -> bool:
    rest = rows["rest"]
    if rows["update"] and not _SET.search(rest):
        return False  # SELECT … FOR UPDATE, ON UPDATE CASCADE
    condition = _WHERE.search(rest)
    return condition is None or _ALL_ROWS.match(condition["condition"]) is not None
