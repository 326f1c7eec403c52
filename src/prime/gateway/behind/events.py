"""Server-sent events as they come in: which event, what data, bounded."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from prime.core.errors import Unavailable

LARGEST = 10 * 1024 * 1024
_AT_ONCE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    data: str


async def events(chunks: AsyncIterator[bytes], source: str) -> AsyncIterator[Event]:
    """The events in a stream of bytes; one that is too large ends it with `Unavailable`."""
    cut = _Lines()
    name, lines, size = "message", list[bytes](), 0
    async for chunk in chunks:
        for begin in range(0, len(chunk), _AT_ONCE):
            await asyncio.sleep(0)  # lines without end are everybody's time
            for line in cut.take(chunk[begin : begin + _AT_ONCE]):
                if not line:
                    if lines:
                        yield Event(name, b"\n".join(lines).decode("utf-8", "replace"))
                    name, lines, size = "message", [], 0
                elif line.startswith(b"event:"):
                    name = line[6:].strip().decode("utf-8", "replace")
                elif line.startswith(b"data:"):
                    size += len(line)
                    lines.append(line[6:] if line[5:6] == b" " else line[5:])
            if cut.begun > LARGEST or size > LARGEST:
                raise Unavailable(
                    f"{source} sent an event of more than {LARGEST // 1024 // 1024} MiB.", code="too_large"
                )


class _Lines:
    """Cuts a stream into lines, looking at each byte once."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        # How much came of a line whose end has not.
        self.begun = 0

    def take(self, piece: bytes) -> list[bytes]:
        first, *others = piece.split(b"\n")
        self._pieces.append(first)
        self.begun += len(first)
        if not others:
            return []
        whole = [b"".join(self._pieces), *others[:-1]]
        self._pieces, self.begun = [others[-1]], len(others[-1])
        return [line.rstrip(b"\r") for line in whole]
