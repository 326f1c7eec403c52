"""What is wrong with a document: where in it, what was expected, what to do."""

from collections.abc import Sequence
from dataclasses import dataclass

from prime.core.errors import InvalidInput

Pointer = tuple[str | int, ...]


def json_pointer(path: Pointer) -> str:
    """RFC 6901: `/commands/pr/options/0`; the whole document is the empty string."""
    return "".join("/" + _printable(str(part)).replace("~", "~0").replace("/", "~1") for part in path)


def _printable(part: str) -> str:
    """Hostile names are shown, not obeyed: no lone surrogates or control characters, and not without end."""
    safe = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in part[:100])
    return safe if len(part) <= 100 else safe + "…"


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule."""

    pointer: str
    message: str
    hint: str

    def as_json(self) -> dict[str, str]:
        return {"pointer": self.pointer, "message": self.message, "hint": self.hint}


class InvalidDocument(InvalidInput):
    """A document that breaks a MUST; `problems` has all that were found, `where` the file or program it came from."""

    code = "invalid_document"

    def __init__(self, where: str, problems: Sequence[Problem]) -> None:
        first = problems[0]
        more = f" ({len(problems) - 1} more.)" if len(problems) > 1 else ""
        super().__init__(
            f"{where}: at {first.pointer or 'the top'}: {first.message}",
            hint=first.hint + more,
            file=where,
            pointer=first.pointer,
            problems=[problem.as_json() for problem in problems],
        )
        self.where = where
        self.pointer = first.pointer
        self.problems = tuple(problems)
