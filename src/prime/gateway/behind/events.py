"""Server-sent events as they come in: which event, what data, bounded."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from prime.core.errors import Unavailable

LARGEST = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    data: str


async def events(chunks: AsyncIterator[bytes], source: str) -> AsyncIterator[Event]:
    """The events in a stream of bytes; one that is too large ends it with `Unavailable`."""
    buffer = bytearray()
    name, lines, size = "message", list[bytes](), 0
    async for chunk in chunks:
        buffer += chunk
        while (end := buffer.find(b"\n")) >= 0:
            line = bytes(buffer[:end]).rstrip(b"\r")
            del buffer[: end + 1]
            if not line:
                if lines:
                    yield Event(name, b"\n".join(lines).decode("utf-8", "replace"))
                name, lines, size = "message", [], 0
            elif line.startswith(b"event:"):
                name = line[6:].strip().decode("utf-8", "replace")
            elif line.startswith(b"data:"):
                size += len(line)
                lines.append(line[6:] if line[5:6] == b" " else line[5:])
        if len(buffer) > LARGEST or size > LARGEST:
            raise Unavailable(f"{source} sent an event of more than {LARGEST // 1024 // 1024} MiB.", code="too_large")
