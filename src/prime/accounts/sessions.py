"""Sessions: thirty days of being known, by a token that changes every day."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from prime.accounts import queries
from prime.accounts.queries import SessionRow, TokenRow
from prime.accounts.tokens import Tokens, hashed
from prime.core.canonical import clean_text
from prime.core.clock import Clock
from prime.core.errors import NotFound, Unavailable
from prime.core.ids import new_id
from prime.store.database import Database
from prime.store.whispers import Whisper, Whispers

SESSION_MS = 30 * 24 * 60 * 60 * 1000
ROTATE_MS = 24 * 60 * 60 * 1000
SEEN_MS = 5 * 60 * 1000
PURPOSE = "session"
MAX_DEVICE = 200
_TOPIC = "ended"


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that was just opened; its token is shown this once, to the browser that gets the cookie."""

    id: str
    token: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class FoundSession:
    id: str
    guest_id: str | None
    expires_at: int
    # A token that takes the place of the one that was shown; the browser is to be given it.
    new_token: str | None = None


class Sessions:
    def __init__(self, database: Database, whispers: Whispers, clock: Clock, tokens: Tokens) -> None:
        self._database = database
        self._whispers = whispers
        self._clock = clock
        self._tokens = tokens
        self._watched: dict[str, set[asyncio.Event]] = {}
        whispers.listen(_TOPIC, self._heard)

    async def open(self, device: str, *, guest_id: str | None = None) -> NewSession:
        """A new session, always with a token of its own: what a browser brought along is not taken up."""
        now = self._clock.now_ms()
        opened = NewSession(new_id("ses"), self._tokens.make(PURPOSE), now + SESSION_MS)
        row = SessionRow(opened.id, guest_id, now, opened.expires_at, now, clean_text(device[:MAX_DEVICE]))
        await self._database.write(lambda c: queries.add_session(c, row, hashed(opened.token)))
        return opened

    def is_ours(self, token: str) -> bool:
        """Whether we made it; not whether it still opens anything."""
        return self._tokens.looks_real(PURPOSE, token)

    async def find(self, token: str) -> FoundSession | None:
        """The session that a cookie's token opens. A token older than a day is replaced."""
        if not self.is_ours(token):
            return None
        now, digest = self._clock.now_ms(), hashed(token)
        row = await self._database.read(lambda c: queries.read_token(c, digest, now))
        if row is None:
            return None
        new_token = None
        with contextlib.suppress(Unavailable):  # a full disk does not lock anybody out: it is noted the next time
            if not row.used or row.seen_at <= now - SEEN_MS:
                await self._database.write(lambda c: queries.note_use(c, digest, row, now))
            new_token = await self._rotated(row, now) if row.made_at <= now - ROTATE_MS else None
        return FoundSession(row.session_id, row.guest_id, row.expires_at, new_token)

    async def list(self) -> list[SessionRow]:
        """Everyone who is signed in, the latest seen first."""
        now = self._clock.now_ms()
        return await self._database.read(lambda c: queries.read_sessions(c, now))

    async def end(self, session_id: str) -> None:
        if not await self._database.write(lambda c: queries.end_session(c, session_id)):
            raise NotFound(f"There is no session {session_id}.", hint="It may have ended already.")
        self._tell([session_id])

    async def end_others(self, session_id: str) -> int:
        """End all of the owner's sessions but this one; how many."""
        ids = await self._database.write(lambda c: queries.end_other_sessions(c, session_id))
        self._tell(ids)
        return len(ids)

    async def end_of_guest(self, guest_id: str) -> None:
        self._tell(await self._database.write(lambda c: queries.end_guest_sessions(c, guest_id)))

    async def is_open(self, session_id: str) -> bool:
        return any(row.id == session_id for row in await self.list())

    # --- who holds a connection open hears of the end ---

    def watch(self, session_id: str) -> asyncio.Event:
        """Set when the session is ended, in this process or by what another replica says. Give it back with `unwatch`."""
        ended = asyncio.Event()
        self._watched.setdefault(session_id, set()).add(ended)
        return ended

    def unwatch(self, session_id: str, ended: asyncio.Event) -> None:
        watching = self._watched.get(session_id, set())
        watching.discard(ended)
        if not watching:
            self._watched.pop(session_id, None)

    def _tell(self, ids: Sequence[str]) -> None:
        for session_id in ids:
            self._whispers.tell(f"{_TOPIC}/{session_id}", {"sessionId": session_id})
        self._wake(ids)

    def _heard(self, whisper: Whisper) -> None:
        """Whoever holds such a connection looks for themselves whether it is so."""
        self._wake([str(whisper.get("sessionId"))])

    def _wake(self, ids: Sequence[str]) -> None:
        for session_id in ids:
            for ended in self._watched.get(session_id, ()):
                ended.set()

    async def _rotated(self, row: TokenRow, now: int) -> str | None:
        token = self._tokens.make(PURPOSE)
        made = await self._database.write(
            lambda c: queries.add_token(c, row.session_id, hashed(token), now, row.expires_at)
        )
        return token if made else None
