"""Who may come in, as one part of the house."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from prime.accounts.guest.queries import GuestRow
from prime.accounts.guests import Guests, Reach
from prime.accounts.links import Links
from prime.accounts.mail import Mailer
from prime.accounts.places import Places
from prime.accounts.sessions import NewSession, Sessions
from prime.accounts.signing_in import SignIn
from prime.accounts.tokens import Tokens
from prime.core.clock import Clock
from prime.core.errors import Unavailable
from prime.rooms.rooms import Rooms
from prime.store.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountsSetup:
    """What accounts need to know of the instance they are in."""

    owner_email: str | None
    base_url: str
    # The same at every start; tokens are stamped with it.
    key: bytes
    mailer: Mailer | None = None
    # Tells the person at the server's console.
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whom a session's token belongs to."""

    session_id: str
    role: Literal["owner", "guest"]
    expires_at: int
    reach: Reach | None = None
    new_token: str | None = None


class Accounts:
    """Use `start`; `stop` in the end."""

    def __init__(self, store: Store, rooms: Rooms, clock: Clock, setup: AccountsSetup) -> None:
        tokens = Tokens(setup.key)
        self.base_url = setup.base_url
        self.places = Places(setup.key)
        self.mailer = setup.mailer
        self.sessions = Sessions(store.database, store.whispers, clock, tokens)
        self.links = Links(store.database, clock, tokens)
        self.guests = Guests(store, rooms, clock, tokens, self.sessions, setup.owner_email)
        self.sign_in = SignIn(
            self.links,
            self.guests,
            clock,
            owner_email=setup.owner_email,
            base_url=setup.base_url,
            mailer=setup.mailer,
            say=setup.say,
        )

    def start(self) -> None:
        self.sign_in.start()

    async def stop(self) -> None:
        await self.sign_in.stop()

    async def find(self, token: str) -> Visitor | None:
        """Who shows this token; a guest comes with what they may reach now."""
        session = await self.sessions.find(token)
        if session is None:
            return None
        if session.guest_id is None:
            return Visitor(session.id, "owner", session.expires_at, None, session.new_token)
        reach = await self.guests.reach(session.guest_id)
        return Visitor(session.id, "guest", session.expires_at, reach, session.new_token) if reach else None

    async def follow_link(self, token: str, browser: str | None, device: str) -> NewSession:
        """Sign in with a link's token, which is used up by it."""
        guest_id = await self.links.use(token, browser)
        if guest_id is not None:
            await self.guests.come_in(guest_id)
        return await self.sessions.open(device, guest_id=guest_id)

    async def mail_invitation(self, guest: GuestRow, url: str) -> bool:
        """Whether it was sent; without a mail server or an address the owner passes the link on."""
        if self.mailer is None or guest.email is None:
            return False
        text = f"{guest.name}, you are invited to talk in Prime:\n\n{url}\n\nThe link works once, for seven days.\n"
        try:
            await self.mailer.send(guest.email, "An invitation to Prime", text)
        except Unavailable as error:
            log.warning("an invitation could not be sent: %s", error)
            return False
        return True

    async def accept_invite(self, token: str, device: str) -> NewSession:
        guest = await self.guests.accept(token)
        return await self.sessions.open(device, guest_id=guest.id)
