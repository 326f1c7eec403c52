"""A push service in this process that decrypts what it is sent, as a browser would."""

import asyncio
import base64
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Receiver:
    """One browser's keys."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = os.urandom(16)
        self.point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def keys(self) -> dict[str, str]:
        return {"p256dh": b64(self.point), "auth": b64(self._auth)}

    def decrypt(self, body: bytes) -> bytes:
        """RFC 8291, from the receiver's side."""
        salt, length = body[:16], body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        shared = self._key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        secret = _hkdf(self._auth, b"WebPush: info\0" + self.point + sender, 32, shared)
        key = _hkdf(salt, b"Content-Encoding: aes128gcm\0", 16, secret)
        nonce = _hkdf(salt, b"Content-Encoding: nonce\0", 12, secret)
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        assert plain.rstrip(b"\0").endswith(b"\2")
        return plain.rstrip(b"\0")[:-1]


def _hkdf(salt: bytes, info: bytes, length: int, secret: bytes) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)


@dataclass
class Delivery:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class PushService:
    url: str = ""
    deliveries: "asyncio.Queue[Delivery]" = field(default_factory=asyncio.Queue[Delivery])
    # What to answer, by path; 201 otherwise. A list is answered one after the other.
    answers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    receivers: dict[str, Receiver] = field(default_factory=dict[str, Receiver])

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncGenerator["PushService"]:
        service = cls()
        server = await asyncio.start_server(service.talk, "127.0.0.1", 0)
        service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield service
        server.close()

    def subscription(self, path: str = "/phone") -> dict[str, Any]:
        """As a browser's `PushSubscription.toJSON()`."""
        receiver = self.receivers.setdefault(path, Receiver())
        return {"endpoint": f"{self.url}{path}", "expirationTime": None, "keys": receiver.keys()}

    async def next(self) -> tuple[Delivery, dict[str, Any]]:
        delivery = await asyncio.wait_for(self.deliveries.get(), 10)
        return delivery, json.loads(self.receivers[delivery.path].decrypt(delivery.body))

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode().split("\r\n")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                path = first.split()[1]
                self.deliveries.put_nowait(Delivery(path, headers, body))
                planned = self.answers.get(path, [])
                status = planned.pop(0) if planned else 201
                writer.write(f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n".encode())
                await writer.drain()
        except asyncio.IncompleteReadError:
            writer.close()


@pytest.fixture
async def push_service() -> AsyncIterator[PushService]:
    async with PushService.running() as service:
        yield service
