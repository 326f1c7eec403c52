"""The two-step password as Telegram checks it: by SRP, so that the password itself is never sent."""

import functools
import os
from typing import Any

from tests.connectors.profiles.mtproto.exchange import PRIME, G
from tests.connectors.profiles.mtproto.telethons import srp, types

P = int.from_bytes(PRIME, "big")
ALGORITHM = types.PasswordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow(
    salt1=b"first salt", salt2=b"second salt", g=G, p=PRIME
)


class TwoStep:
    """One question for the password, and whether an answer shows that it is known."""

    def __init__(self, password: str) -> None:
        self._verifier = _verifier(password)
        self._secret = int.from_bytes(os.urandom(256), "big")
        multiplier = int.from_bytes(srp.sha256(PRIME, srp.big_num_for_hash(G)), "big")
        self._public = srp.big_num_for_hash((multiplier * self._verifier + pow(G, self._secret, P)) % P)

    def question(self) -> Any:
        return types.account.Password(
            new_algo=types.PasswordKdfAlgoUnknown(),
            new_secure_algo=types.SecurePasswordKdfAlgoUnknown(),
            secure_random=os.urandom(8),
            has_password=True,
            current_algo=ALGORITHM,
            srp_B=self._public,
            srp_id=1,
        )

    def accepts(self, answer: Any) -> bool:
        theirs = int.from_bytes(answer.A, "big")
        mixed = int.from_bytes(srp.sha256(srp.big_num_for_hash(theirs), self._public), "big")
        shared = pow(theirs * pow(self._verifier, mixed, P), self._secret, P)
        proof = srp.sha256(
            srp.xor(srp.sha256(PRIME), srp.sha256(srp.big_num_for_hash(G))),
            srp.sha256(ALGORITHM.salt1),
            srp.sha256(ALGORITHM.salt2),
            srp.big_num_for_hash(theirs),
            self._public,
            srp.sha256(srp.big_num_for_hash(shared)),
        )
        return proof == answer.M1


@functools.cache
def _verifier(password: str) -> int:
    return pow(G, int.from_bytes(srp.compute_hash(ALGORITHM, password), "big"), P)
