"""Sign-in links: each works once, for fifteen minutes, in the browser that asked for it."""

import hmac

from prime.accounts import queries
from prime.accounts.tokens import Tokens, hashed
from prime.core.clock import Clock
from prime.core.errors import Unauthorized
from prime.store.database import Database

LINK_MS = 15 * 60 * 1000
PURPOSE = "link"
BROWSER = "browser"
KNOWN = "known"


class Links:
    def __init__(self, database: Database, clock: Clock, tokens: Tokens) -> None:
        self._database = database
        self._clock = clock
        self._tokens = tokens

    def browser(self, known: str | None) -> str:
        """A name for the browser that asks: the one it has, so that an earlier link of its still works, or a new one."""
        return known if known and self._tokens.looks_real(BROWSER, known) else self._tokens.make(BROWSER)

    def vouch(self) -> str:
        """For a browser in which somebody has just signed in. It opens nothing; with it one is heard among strangers."""
        return self._tokens.make(KNOWN)

    def is_known(self, mark: str) -> bool:
        return self._tokens.looks_real(KNOWN, mark)

    async def make(self, *, browser: str | None = None, guest_id: str | None = None) -> str:
        """A token for one sign-in. Without `browser` any browser may use it: for the person at the machine."""
        token, now = self._tokens.make(PURPOSE), self._clock.now_ms()
        values: dict[str, object] = {
            "token_hash": hashed(token),
            "browser_hash": hashed(browser) if browser else None,
            "guest_id": guest_id,
            "expires_at": now + LINK_MS,
        }
        await self._database.write(lambda c: queries.add_link(c, values, now))
        return token

    async def use(self, token: str, browser: str | None) -> str | None:
        """Use the link up; the guest that it signs in, or None for the owner."""
        now, digest = self._clock.now_ms(), hashed(token)
        if not self._tokens.looks_real(PURPOSE, token):
            raise _spent()
        link = await self._database.read(lambda c: queries.read_link(c, digest, now))
        if link is None:
            raise _spent()
        browser_hash, guest_id = link
        if browser_hash is not None and not hmac.compare_digest(hashed(browser or ""), browser_hash):
            # Not used up: mail programs open links to look at them, and the one who asked can still come.
            raise Unauthorized(
                "This link belongs to the browser that asked for it.",
                hint="Open it there, or ask for a new one here.",
                code="other_browser",
            )
        if not await self._database.write(lambda c: queries.use_link(c, digest, now)):
            raise _spent()
        return guest_id


def _spent() -> Unauthorized:
    return Unauthorized("This link has been used or has run out.", hint="Ask for a new one.", code="link_spent")
