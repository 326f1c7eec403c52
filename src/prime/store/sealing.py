"""Files sealed with a passphrase, written and read as a stream.

The key comes from the passphrase by scrypt. The stream is cut into parts, each sealed with AES-GCM under a nonce that
holds its number and whether it is the last: a part that is changed, moved or missing is noticed.
"""

import secrets
from pathlib import Path
from typing import IO

from prime.core.errors import InvalidInput

MAGIC = b"PRIMESEAL1\n"
PART = 1024 * 1024
_SALT, _PREFIX, _TAG = 16, 7, 16
_HEAD = len(MAGIC) + _SALT + _PREFIX


def is_sealed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


class SealedWriter:
    """A file to write to; `close` completes it."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        head = MAGIC + secrets.token_bytes(_SALT + _PREFIX)
        file.write(head)
        self._file = file
        self._seal = _Parts(head, passphrase)
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        self._waiting += data
        while len(self._waiting) > PART:
            self._file.write(self._seal.sealed(bytes(self._waiting[:PART]), last=False))
            del self._waiting[:PART]
        return len(data)

    def close(self) -> None:
        self._file.write(self._seal.sealed(bytes(self._waiting), last=True))


class SealedReader:
    """A file to read from, front to back."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        self._file = file
        self._seal = _Parts(_exactly(file, _HEAD), passphrase)
        self._next = file.read(PART + _TAG)
        self._waiting = bytearray()

    def read(self, size: int) -> bytes:
        while len(self._waiting) < size and self._next:
            following = self._file.read(PART + _TAG)
            self._waiting += self._seal.opened(self._next, last=not following)
            self._next = following
        taken = bytes(self._waiting[:size])
        del self._waiting[:size]
        return taken


class _Parts:
    def __init__(self, head: bytes, passphrase: str) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        salt = head[len(MAGIC) : len(MAGIC) + _SALT]
        key = Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(passphrase.encode("utf-8", "surrogatepass"))
        self._cipher = AESGCM(key)
        self._head = head
        self._number = 0

    def sealed(self, data: bytes, *, last: bool) -> bytes:
        return self._cipher.encrypt(self._nonce(last=last), data, self._head)

    def opened(self, data: bytes, *, last: bool) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(self._nonce(last=last), data, self._head)
        except InvalidTag:
            raise InvalidInput(
                "The passphrase is wrong, or the file is damaged.", hint="Try the passphrase again.", code="bad_backup"
            ) from None

    def _nonce(self, *, last: bool) -> bytes:
        nonce = self._head[-_PREFIX:] + self._number.to_bytes(4, "big") + bytes([last])
        self._number += 1
        return nonce


def _exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise InvalidInput("The file is cut off.", code="bad_backup")
    return data
