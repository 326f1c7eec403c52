"""The pair of keys that says to push services who is sending (VAPID)."""

import base64
import binascii
import logging
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from prime.core.errors import InvalidInput
from prime.core.secret_box import SealBroken
from prime.store.secrets import Secrets

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

log = logging.getLogger(__name__)

SECRET_NAME = "push:vapid"  # noqa: S105 - the name, not the secret

_HINT = "Leave both variables out and Prime makes a pair of its own."


@dataclass(frozen=True, slots=True)
class VapidKeys:
    # As browsers take it: base64url of the uncompressed point.
    public: str
    private_pem: bytes = field(repr=False)
    public_pem: bytes = field(repr=False)


async def open_keys(public: str | None, private: str | None, secrets: Secrets) -> VapidKeys:
    """The environment's keys, else a pair that is made once and kept: subscriptions hang on it."""
    if private:
        return _from_environment(public, private)
    if public:
        raise InvalidInput("PRIME_VAPID_PUBLIC is set without PRIME_VAPID_PRIVATE.", hint=_HINT)
    name = SECRET_NAME
    for number in count(1):
        try:
            return _keys(_read_pem((await _kept(name, secrets)).encode()))
        except SealBroken:
            # A backup without the key that it was made with. Prime must come up; whoever subscribed has to do it again,
            # unless the key comes back: so the old pair stays where it is.
            name = f"{SECRET_NAME}/{number}"
            if not await secrets.facts(name):
                log.warning(
                    "the keys for notifications were sealed with another key; every device has to subscribe anew"
                )
    raise AssertionError


async def _kept(name: str, secrets: Secrets) -> str:
    kept = await secrets.find(name)
    if kept is None:
        await secrets.put_new(name, _pem(_new_key()).decode())
        kept = await secrets.use(name)  # another replica may have been first
    return kept


def _from_environment(public: str | None, private: str) -> VapidKeys:
    keys = _keys(_read(private))
    if public and public.strip().rstrip("=") != keys.public:
        raise InvalidInput("PRIME_VAPID_PUBLIC does not belong to PRIME_VAPID_PRIVATE.", hint=_HINT)
    return keys


def _read(private: str) -> "EllipticCurvePrivateKey":
    if "BEGIN" in private:
        return _read_pem(private.replace("\\n", "\n").encode())
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        raw = base64.urlsafe_b64decode(private.strip() + "=" * (-len(private.strip()) % 4))
        return ec.derive_private_key(int.from_bytes(raw, "big"), ec.SECP256R1())
    except (ValueError, binascii.Error):
        raise _unreadable() from None


def _read_pem(pem: bytes) -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError):
        raise _unreadable() from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise _unreadable()
    return key


def _unreadable() -> InvalidInput:
    return InvalidInput("PRIME_VAPID_PRIVATE is not a P-256 key (base64url of 32 bytes, or PEM).", hint=_HINT)


def _new_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _pem(key: "EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _keys(key: "EllipticCurvePrivateKey") -> VapidKeys:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = key.public_key()
    point = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    shown = base64.urlsafe_b64encode(point).rstrip(b"=").decode()
    return VapidKeys(shown, _pem(key), public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
