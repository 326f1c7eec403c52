"""Secrets at rest: sealed with a key, bound to their name. Storing the sealed bytes is the store's work."""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self

from prime.core.errors import InvalidInput, PrimeError, Unavailable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = b"\x01"
_KEY_ID = 8
_NONCE = 12
_TAG = 16
_KEY = 32
_HEAD = len(_VERSION) + _KEY_ID + _NONCE
_SHORTEST_VALUE = 16
_LONGEST_FILE = 1024
_NEW_KEY = "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"


class SealBroken(PrimeError):
    """Sealed bytes do not open: another key, another name, or they were changed."""

    code = "secret_unreadable"


class SecretBox:
    """Seals and opens. It has no way to show its key.

    Make one with `from_value` (PRIME_SECRET_KEY) or `from_file` (the data folder's `secrets.key`).
    """

    __slots__ = ("_key", "_key_id")

    def __init__(self, key_material: bytes) -> None:
        if len(key_material) < _SHORTEST_VALUE:
            raise InvalidInput("The secret key is too short.", hint=_NEW_KEY)
        derived = _derive(key_material)
        self._key, self._key_id = derived[:_KEY], derived[_KEY:]

    @classmethod
    def from_value(cls, value: str) -> Self:
        """The box for the value of PRIME_SECRET_KEY; blanks around it do not count."""
        text = value.strip()
        if len(text) < _SHORTEST_VALUE:
            raise InvalidInput(f"PRIME_SECRET_KEY is shorter than {_SHORTEST_VALUE} characters.", hint=_NEW_KEY)
        return cls(text.encode("utf-8", "surrogatepass"))

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """The box for the key in `path`, which is made (mode 0600) when it is not there."""
        if not path.is_symlink() and not path.exists():
            _make_key_file(path)
        return cls(_read_key_file(path))

    @classmethod
    def from_any_file(cls, path: Path) -> Self:
        """The box for what is in `path`: the key of a data folder, or the value of PRIME_SECRET_KEY."""
        text = _read_plain_file(path)
        return cls(key) if (key := _key_in(text)) else cls.from_value(text.decode("utf-8", "surrogateescape"))

    def seal(self, name: str, value: bytes) -> bytes:
        """`value`, unreadable without the key; opens only under the same `name`."""
        nonce = secrets.token_bytes(_NONCE)
        return _VERSION + self._key_id + nonce + _cipher(self._key).encrypt(nonce, value, _bound(name))

    def open(self, name: str, sealed: bytes) -> bytes:
        """What was sealed; `SealBroken` says whether the key or the content is the matter."""
        if len(sealed) < _HEAD + _TAG or not sealed.startswith(_VERSION):
            raise SealBroken(f"The secret '{name}' is not in a form that this version reads.", hint="Set it again.")
        if sealed[1 : 1 + _KEY_ID] != self._key_id:
            raise SealBroken(
                f"The secret '{name}' was sealed with another key.",
                hint="Start Prime with the PRIME_SECRET_KEY or secrets.key that it was set with, or set it again.",
            )
        from cryptography.exceptions import InvalidTag

        try:
            return _cipher(self._key).decrypt(sealed[_HEAD - _NONCE : _HEAD], sealed[_HEAD:], _bound(name))
        except InvalidTag:
            message = f"The secret '{name}' was changed, or belongs to another name."
            raise SealBroken(message, hint="Set it again.") from None

    def derive(self, purpose: str) -> bytes:
        """A key for something else, the same at every start, that only holders of this box can make."""
        return hmac.new(self._key, b"prime derived\x00" + purpose.encode(), hashlib.sha256).digest()

    def __repr__(self) -> str:
        return "SecretBox(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SecretBox is not copied or sent elsewhere")


def _bound(name: str) -> bytes:
    return b"prime secret\x00" + name.encode("utf-8", "surrogatepass")


def _derive(material: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=_KEY + _KEY_ID, salt=None, info=b"prime secret box 1").derive(material)


def _cipher(key: bytes) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _make_key_file(path: Path) -> None:
    """Whole or not at all, and never over an existing one: two processes that start at once end with one key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(base64.urlsafe_b64encode(secrets.token_bytes(_KEY)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        _link_unless_there(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _link_unless_there(draft: Path, path: Path) -> None:
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return


def _read_key_file(path: Path) -> bytes:
    key = _key_in(_read_plain_file(path))
    if key is None:
        raise Unavailable(
            f"The key file {path} does not hold a key.",
            hint="Put the file back from a backup; if there is none, remove it and set all secrets again.",
        )
    return key


def _read_plain_file(path: Path) -> bytes:
    try:
        # Neither through a link nor waiting for a pipe's writer.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Unavailable(
            f"The key file {path} cannot be read: {error.strerror}.", hint="It must be a plain file that is yours."
        ) from None
    try:
        _check_file(path, os.fstat(handle))
        return os.read(handle, _LONGEST_FILE)
    finally:
        os.close(handle)


def _key_in(text: bytes) -> bytes | None:
    try:
        key = base64.b64decode(text.strip(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == _KEY else None


def _check_file(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Unavailable(f"The key file {path} is not a plain file.", hint="Remove it, or point to another.")
    if found.st_mode & 0o077:
        raise Unavailable(f"The key file {path} can be read by others.", hint=f"Run: chmod 600 {path}")
    if found.st_uid not in (os.geteuid(), 0):
        raise Unavailable(f"The key file {path} belongs to somebody else.", hint=f"Run: chown $USER {path}")
