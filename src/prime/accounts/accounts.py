"""Signing in: a link that works once, and the session that it opens."""

import hashlib
from dataclasses import dataclass

from prime.accounts import queries
from prime.core.canonical import clean_text
from prime.core.clock import Clock
from prime.core.errors import Unauthorized
from prime.core.ids import new_id, new_secret
from prime.store.database import Database

LINK_MS = 15 * 60 * 1000
SESSION_MS = 30 * 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that was just opened; its token is shown this once, to the browser that gets the cookie."""

    id: str
    token: str


class Accounts:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def make_link_token(self) -> str:
        """A token for one sign-in within fifteen minutes."""
        token = new_secret()
        now = self._clock.now_ms()
        await self._database.write(lambda c: queries.add_link(c, _hash(token), now + LINK_MS, now))
        return token

    async def sign_in(self, link_token: str, device: str) -> NewSession:
        """Open a session with a link's token, which is used up by it."""
        now = self._clock.now_ms()
        if not await self._database.write(lambda c: queries.use_link(c, _hash(link_token), now)):
            raise Unauthorized("This link has been used or has run out.", hint="Ask for a new one.", code="link_spent")
        opened = NewSession(new_id("ses"), new_secret())
        values: dict[str, object] = {
            "id": opened.id,
            "token_hash": _hash(opened.token),
            "created_at": now,
            "expires_at": now + SESSION_MS,
            "device": clean_text(device[:200]),
        }
        await self._database.write(lambda c: queries.add_session(c, values))
        return opened

    async def find(self, token: str) -> str | None:
        """The id of the session that a cookie's token opens."""
        now = self._clock.now_ms()
        return await self._database.read(lambda c: queries.find_session(c, _hash(token), now))

    async def sign_out(self, session_id: str) -> None:
        await self._database.write(lambda c: queries.end_session(c, session_id))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
