"""How MTProto's bytes lie on the wire: packets of the full transport, and messages that a shared key encrypts."""

import asyncio
import hashlib
import os
import struct
import time
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from tests.connectors.profiles.mtproto.telethons import AES, AuthKey, BinaryReader, GzipPacked

CONTAINER = 0x73F1F8DC
RPC_RESULT = 0xF35C6D01
ZIPPED_FROM = 512


class Packets:
    """The full transport: a length, a running number, the content and a checksum."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._written = 0

    async def read(self) -> bytes:
        head = await self._reader.readexactly(8)
        [length, _] = struct.unpack("<ii", head)
        rest = await self._reader.readexactly(length - 8)
        assert crc32(head + rest[:-4]) == struct.unpack("<I", rest[-4:])[0], "the checksum is wrong"
        return rest[:-4]

    def write(self, content: bytes) -> None:
        packet = struct.pack("<ii", len(content) + 12, self._written) + content
        self._written += 1
        self._writer.write(packet + struct.pack("<I", crc32(packet)))

    def cut(self) -> None:
        self._writer.transport.abort()


@dataclass(frozen=True, slots=True)
class Received:
    """A message of the client: who it is, and what it asks."""

    key: bytes
    salt: int
    session: int
    id: int
    number: int
    content: Any


class Ids:
    """Numbers of the server's messages: of the time, rising, and odd."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        self._last = max(self._last + 4, int(time.time() * 2**32) & ~3)
        return self._last | 1


def opened(packet: bytes, key: bytes) -> Received:
    """A packet of the client, decrypted and checked."""
    digest = packet[8:24]
    plain = AES.decrypt_ige(packet[24:], *_cipher(key, digest, 0))
    assert hashlib.sha256(key[88:120] + plain).digest()[8:24] == digest, "the message was changed on its way"
    salt, session, id_, number, length = struct.unpack("<qqqii", plain[:32])
    return Received(key, salt, session, id_, number, parsed(plain[32 : 32 + length]))


def sealed(key: bytes, salt: int, session: int, messages: list[tuple[int, int, bytes]]) -> bytes:
    """Messages of the server in one packet; several of them in a container."""
    if len(messages) > 1:
        inner = b"".join(struct.pack("<qii", i, n, len(body)) + body for i, n, body in messages)
        body = struct.pack("<Ii", CONTAINER, len(messages)) + inner
        messages = [(messages[-1][0] + 4, 0, body)]
    [(id_, number, body)] = messages
    plain = struct.pack("<qqqii", salt, session, id_, number, len(body)) + body
    plain += os.urandom(-(len(plain) + 12) % 16 + 12)
    digest = hashlib.sha256(key[96:128] + plain).digest()[8:24]
    return key_id(key) + digest + AES.encrypt_ige(plain, *_cipher(key, digest, 8))


def result(asked: int, content: bytes) -> bytes:
    """The answer to a request; a long one is packed."""
    packed = bytes(GzipPacked(content)) if len(content) > ZIPPED_FROM else content
    return struct.pack("<Iq", RPC_RESULT, asked) + packed


def parsed(content: bytes) -> Any:
    with BinaryReader(content) as reader:
        found: Any = reader.tgread_object()
    return parsed(found.data) if isinstance(found, GzipPacked) else found


def key_id(key: bytes) -> bytes:
    return struct.pack("<Q", AuthKey(key).key_id)


def _cipher(key: bytes, digest: bytes, at: int) -> tuple[bytes, bytes]:
    one = hashlib.sha256(digest + key[at : at + 36]).digest()
    two = hashlib.sha256(key[at + 40 : at + 76] + digest).digest()
    return one[:8] + two[8:24] + one[24:], two[:8] + one[8:24] + two[24:]
