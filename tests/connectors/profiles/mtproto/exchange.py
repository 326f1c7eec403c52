"""How a client and the server come to a shared key: a riddle, RSA, and Diffie-Hellman."""

import os
import struct
import time
from hashlib import sha1
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa as made_rsa
from tests.connectors.profiles.mtproto.telethons import (
    AES,
    AuthKey,
    functions,
    helpers,
    rsa,
    types,
)
from tests.connectors.profiles.mtproto.wire import Ids, parsed

# The prime that Telegram uses; its clients take the checks of any other for too long.
PRIME = bytes.fromhex(
    "c71caeb9c6b1c9048e6c522f70f13f73980d40238e3e21c14934d037563d930f48198a0aa7c14058229493d22530f4dbfa336f6e0ac92513"
    "9543aed44cce7c3720fd51f69458705ac68cd4fe6b6b13abdc9746512969328454f18faf8c595f642477fe96bb2a941d5bcd1d4ac8cc4988"
    "0708fa9b378e3c4f3a9060bee67cf9a4a4a695811051907e162753b56b0f6b410dba74d8a84b2a14b3144e0ef1284754fd17ed950d5965b4"
    "b9dd46582db1178d169c6bc465b0d6ff9ca3928fef5b9ae4e418fc15e83ebea0f87fa9ff5eed70050ded2849f47bf959d956850ce929851f"
    "0d8115f635b105ee2e4e15d04b2454bf6f4fadf034b10403119cd8e3b92fcc5b"
)
G = 3
RIDDLE = (1_000_003 * 1_000_033).to_bytes(8, "big")


class ServerKey:
    """The server's own RSA key; clients must know its public half."""

    def __init__(self) -> None:
        self._key = made_rsa.generate_private_key(65537, 2048)
        shape = (serialization.Encoding.PEM, serialization.PublicFormat.PKCS1)
        self.public = self._key.public_key().public_bytes(*shape).decode()
        numbers = self._key.public_key().public_numbers()
        parts = [types.TLObject.serialize_bytes(rsa.get_byte_array(n)) for n in (numbers.n, numbers.e)]
        [self.fingerprint] = struct.unpack("<q", sha1(b"".join(parts)).digest()[-8:])

    def decrypted(self, content: bytes) -> bytes:
        numbers = self._key.private_numbers()
        return pow(int.from_bytes(content, "big"), numbers.d, numbers.public_numbers.n).to_bytes(255, "big")


class Exchange:
    """One client's way to a key, over messages that are not encrypted yet."""

    def __init__(self, server_key: ServerKey) -> None:
        self._server_key = server_key
        self._ids = Ids()
        self._secret = int.from_bytes(os.urandom(256), "big")
        self._nonce = int.from_bytes(os.urandom(16), "little", signed=True)
        self._new_nonce = 0
        self.key: bytes | None = None

    def answer(self, packet: bytes) -> bytes:
        request = parsed(packet[20:])
        if isinstance(request, functions.ReqPqMultiRequest):
            said: Any = types.ResPQ(request.nonce, self._nonce, RIDDLE, [self._server_key.fingerprint])
        elif isinstance(request, functions.ReqDHParamsRequest):
            said = self._offer(request)
        else:
            assert isinstance(request, functions.SetClientDHParamsRequest), request
            said = self._agree(request)
        body = bytes(said)
        return struct.pack("<qqi", 0, self._ids.next(), len(body)) + body

    def _offer(self, request: Any) -> Any:
        plain = self._server_key.decrypted(request.encrypted_data)
        told = parsed(plain[20:])
        assert plain[:20] == sha1(bytes(told)).digest(), "the client's words were changed on their way"
        assert int.from_bytes(told.p, "big") * int.from_bytes(told.q, "big") == int.from_bytes(RIDDLE, "big")
        self._new_nonce = told.new_nonce
        public = pow(G, self._secret, int.from_bytes(PRIME, "big")).to_bytes(256, "big")
        inner = bytes(types.ServerDHInnerData(request.nonce, self._nonce, G, PRIME, public, int(time.time())))
        hashed = sha1(inner).digest() + inner
        hashed += os.urandom(-len(hashed) % 16)
        return types.ServerDHParamsOk(request.nonce, self._nonce, AES.encrypt_ige(hashed, *self._cipher()))

    def _agree(self, request: Any) -> Any:
        theirs = parsed(AES.decrypt_ige(request.encrypted_data, *self._cipher())[20:])
        shared = pow(int.from_bytes(theirs.g_b, "big"), self._secret, int.from_bytes(PRIME, "big"))
        key = AuthKey(rsa.get_byte_array(shared))
        if shared.bit_length() <= 255 * 8:  # Telethon leaves a leading zero out, and another key comes of it
            return types.DhGenRetry(request.nonce, self._nonce, key.calc_new_nonce_hash(self._new_nonce, 2))
        self.key = shared.to_bytes(256, "big")
        return types.DhGenOk(request.nonce, self._nonce, key.calc_new_nonce_hash(self._new_nonce, 1))

    def _cipher(self) -> tuple[bytes, bytes]:
        return helpers.generate_key_data_from_nonce(self._nonce, self._new_nonce)
