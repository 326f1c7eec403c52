"""What of a tool's output goes on to a model (RFC 11.3): secrets out first, then cut to size (D-ATIP-15)."""

import re
from collections.abc import Callable, Iterable

from prime.core.redaction import Redactor, cut

DEFAULT_LIMIT = 64 * 1024
# No secret is longer: what is this far before the end of a piece has been seen whole.
_LONGEST_SECRET = 64 * 1024
# Terminal sequences would hide text from a reader, or split a secret so that no pattern finds it.
_SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class ResultFilter:
    """`limit` is in bytes of UTF-8; `secrets` are values that Prime holds, asked for anew each time when a function,
    or the redactor that knows them.
    """

    def __init__(
        self, *, limit: int = DEFAULT_LIMIT, secrets: Iterable[str] | Callable[[], Iterable[str]] | Redactor = ()
    ) -> None:
        self.limit = limit
        self._redactor = secrets if isinstance(secrets, Redactor) else Redactor(secrets)

    def text(self, output: str | bytes) -> str:
        """The output as a model may see it: readable text, redacted, then at most `limit` bytes."""
        text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
        text = _CONTROLS.sub("", _SEQUENCES.sub("", text))
        size = self.limit + 2 * _LONGEST_SECRET
        while True:
            redacted = self._redactor.redact(text[:size])
            # Of a long output only as much is redacted as is shown, and more when redaction made it short.
            if size >= len(text) or len(redacted) - _LONGEST_SECRET > self.limit:
                break
            size *= 4
        # Blanks stand for what was not looked at, so that the mark at the cut counts all of it.
        return cut(redacted + " " * max(0, len(text) - size), self.limit)
