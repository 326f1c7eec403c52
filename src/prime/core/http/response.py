"""What came back."""

from collections.abc import Mapping
from dataclasses import dataclass

from prime.core.canonical import JSON, parse_json


@dataclass(frozen=True)
class Response:
    """A whole answer: header names in lower case, several values of one name joined by `, `; `url` after redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> JSON:
        """The body as JSON; `InvalidInput` when it is none or nested too deep."""
        return parse_json(self.body, max_bytes=len(self.body))

    def text(self) -> str:
        return self.body.decode("utf-8", "replace")
