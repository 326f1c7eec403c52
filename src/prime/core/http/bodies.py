"""Bodies with a cap that holds before and after decompression."""

import zlib
from collections.abc import AsyncIterable, Iterable
from typing import Protocol

from prime.core.errors import Unavailable
from prime.core.http.refusal import refuse


class _Decoder(Protocol):
    def feed(self, data: bytes, room: int) -> bytes: ...

    def finish(self) -> None: ...


class _Plain:
    def feed(self, data: bytes, room: int) -> bytes:
        return data[: room + 1]

    def finish(self) -> None:
        return


class _Inflate:
    """gzip (also of several members) and deflate (also the headerless kind that some servers send)."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._stream = zlib.decompressobj(wbits)
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        out = bytearray()
        while data and len(out) <= room:
            if self._stream.eof:
                self._stream = zlib.decompressobj(self._wbits)
            out += self._step(data, room + 1 - len(out))
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
        return bytes(out)

    def finish(self) -> None:
        if self._started and not self._stream.eof:
            raise _broken()

    def _step(self, data: bytes, most: int) -> bytes:
        first, self._started = not self._started, True
        try:
            return self._stream.decompress(data, most)
        except zlib.error:
            if not first or self._wbits != zlib.MAX_WBITS:
                raise _broken() from None
        self._wbits = -zlib.MAX_WBITS
        self._stream = zlib.decompressobj(self._wbits)
        return self._step(data, most)


def _broken() -> Unavailable:
    return Unavailable("The other side sent a compressed body that is broken.", hint="Try again later.")


def _decoder(encoding: str) -> _Decoder:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _Plain()
    if name in ("gzip", "x-gzip"):
        return _Inflate(zlib.MAX_WBITS | 16)
    if name == "deflate":
        return _Inflate(zlib.MAX_WBITS)
    raise refuse(f"content encoding {name[:40]!r} was not asked for")


async def read_capped(parts: AsyncIterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """The decoded body; `Refused` as soon as the wire or the decoded bytes pass the cap."""
    decoder = _decoder(encoding)
    wire = 0
    body = bytearray()
    async for part in parts:
        wire += len(part)
        if wire > max_bytes:
            raise refuse("body over the size cap")
        body += decoder.feed(part, max_bytes - len(body))
        if len(body) > max_bytes:
            raise refuse("decoded body over the size cap")
    decoder.finish()
    return bytes(body)


def announced_length(values: Iterable[str]) -> int:
    """The largest Content-Length that was announced, 0 when there is none."""
    return max((int(v[:19]) for v in values if v.isascii() and v.isdigit()), default=0)
