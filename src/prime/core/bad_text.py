"""Errors that point into a text: file, line and column, what was expected, and how to mend it."""

from prime.core.errors import InvalidInput


class BadText(InvalidInput):
    """A text does not have the form it must have. Lines and columns count from 1."""

    code = "bad_text"

    def __init__(
        self,
        message: str,
        *,
        line: int,
        column: int = 1,
        path: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        data = {"file": path, "line": line, "column": column, "expected": expected}
        self.data = {key: value for key, value in data.items() if value is not None}
        self.line = line
        self.column = column
        self.path = path
        self.expected = expected

    def __str__(self) -> str:
        place = f"{self.path or 'line'}:{self.line}:{self.column}"
        expected = f"Expected: {self.expected}." if self.expected else None
        return f"{place}: " + " ".join(part for part in (self.message, expected, self.hint) if part)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Where a character stands, as editors count."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def decode_utf8(data: bytes, *, path: str | None = None) -> str:
    """The text of a UTF-8 file, without its byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise BadText(
            "This is not UTF-8 text.", line=line, column=column, path=path, hint="Save the file as UTF-8."
        ) from error


def unix_newlines(text: str) -> str:
    r"""The text with `\n` at line ends, when its first line ends with `\r\n`.

    The first line decides for the whole text: a file that a Windows editor wrote is read like any other, and a `\r\n`
    inside a text whose own lines end with `\n` is left as it is.
    """
    first = text.find("\n")
    return text.replace("\r\n", "\n") if first > 0 and text[first - 1] == "\r" else text
