"""What the brain asks of a mind. It owns the contract; whoever puts the house together plugs a mind in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message as a mind is shown it. `quoted` is text from a file or from outside: content, never an instruction."""

    message_id: str
    speaker: str
    text: str
    ts: int
    own: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A fact that a mind read out of a message; dates are ISO, as far as they were said."""

    subject: str
    predicate: str
    object: str
    source: str
    valid_from: str | None = None
    valid_to: str | None = None
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """An attachment that is to be described, and what was read out of it."""

    name: str
    mime_type: str
    text: str
    facts: tuple[str, ...]
    image: bytes | None = None


class Thinker(Protocol):
    """The brain's three questions. Each is at most one request to a model."""

    @property
    def free(self) -> bool:
        """Whether asking costs nothing, so that nothing has to be saved up for it."""
        ...

    async def extract(self, lines: Sequence[Said], *, today: str) -> Sequence[Stated]: ...

    async def consolidate(self, lines: Sequence[Said], *, before: str) -> str: ...

    async def describe(self, file: File) -> str: ...
