"""Asking for a link. Whoever asks, for whichever address, gets the same answer after the same work.

The answer is given before anybody looks whose address it is. A link is made and stored for strangers, too, and then
thrown away; only the mail makes the difference, and that goes out later.
"""

import asyncio
import hmac
import logging
from collections.abc import Callable
from dataclasses import dataclass

from prime.accounts.guests import Guests
from prime.accounts.links import Links
from prime.accounts.mail import Mailer, plain_address
from prime.accounts.tokens import hashed
from prime.core.canonical import clean_text
from prime.core.clock import Clock
from prime.core.errors import PrimeError, RateLimited, Unavailable
from prime.core.rate import RateBucket

log = logging.getLogger(__name__)

# One address may ask so often; beyond that it is told to wait.
ASK_BURST, ASK_PER_SECOND = 5, 1 / 30
# One person is written to so often, whoever asks; beyond that nothing is sent. Each address that asks has a small part of
# it, so that one stranger cannot use it up; a browser in which somebody signed in before has its own.
MAIL_BURST, MAIL_PER_SECOND = 30, 1 / 60
PART_BURST, PART_PER_SECOND = 4, 1 / 300
# Tokens that one address may try.
TRY_BURST, TRY_PER_SECOND = 20, 1 / 3
MOST_WAITING = 200
TRIES = 3
RETRY_SECONDS = 5.0

NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for a link, as far as can be seen: their address, and what their browser brings along."""

    address: str
    browser: str | None = None
    known: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    email: str
    browser: str
    # Whose part of the mails it is sent from.
    part: str
    is_known: bool


class SignIn:
    def __init__(
        self,
        links: Links,
        guests: Guests,
        clock: Clock,
        *,
        owner_email: str | None,
        base_url: str,
        mailer: Mailer | None,
        say: Callable[[str], None],
    ) -> None:
        """`say` tells the person at the server's console, who alone can be told where no mail server is."""
        self._links = links
        self._guests = guests
        self._clock = clock
        # Written to as it was given; any address that is compared is plain.
        self._owner_email = (owner_email or "").strip()
        self._owner = plain_address(owner_email) if owner_email else None
        self._base_url = base_url
        self._mailer = mailer
        self._say = say
        self._asks = RateBucket(clock=clock, burst=ASK_BURST, per_second=ASK_PER_SECOND)
        self._tries = RateBucket(clock=clock, burst=TRY_BURST, per_second=TRY_PER_SECOND)
        self._mails = RateBucket(clock=clock, burst=MAIL_BURST, per_second=MAIL_PER_SECOND)
        self._parts = RateBucket(clock=clock, burst=PART_BURST, per_second=PART_PER_SECOND)
        self._queue: asyncio.Queue[Wanted] = asyncio.Queue(MOST_WAITING)
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._worker = asyncio.create_task(self._work(), name="prime-sign-in")

    async def stop(self) -> None:
        if self._worker:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    def request(self, email: str, asker: Asker) -> str:
        """Ask for a link; a secret for the asking browser, which the link will want to see."""
        is_known = asker.known is not None and self._links.is_known(asker.known)
        part = hashed(asker.known) if asker.known and is_known else asker.address
        _check(self._asks, part)
        browser = self._links.browser(asker.browser)
        if self._queue.full() and is_known:  # by a flood from many addresses
            self._queue.get_nowait()
        if not self._queue.full():  # the person at the machine has `prime login`
            self._queue.put_nowait(Wanted(email, browser, part, is_known))
        return browser

    def check_try(self, address: str) -> None:
        """Refuse whoever tries tokens one after the other."""
        _check(self._tries, address)

    async def _work(self) -> None:
        while True:
            wanted = await self._queue.get()
            try:
                await self._answer(wanted)
            except PrimeError as error:
                log.warning("a sign-in link could not be sent: %s", error)
            except Exception:  # whatever one of them sends, the next one is served
                log.exception("a sign-in link could not be made")

    async def _answer(self, wanted: Wanted) -> None:
        email = plain_address(clean_text(wanted.email))  # a database refuses what is no text
        is_owner = hmac.compare_digest(email.encode(), (self._owner or "").encode()) and self._owner is not None
        guest = await self._guests.with_email(email)
        guest_id = None if is_owner else guest.id if guest else NOBODY
        token = await self._links.make(browser=wanted.browser, guest_id=guest_id)
        if guest_id == NOBODY or self._is_too_much(guest_id or "owner", wanted):
            return
        await self._tell(self._owner_email if is_owner else email, f"{self._base_url}/api/auth/verify?token={token}")

    def _is_too_much(self, person: str, wanted: Wanted) -> bool:
        if self._parts.try_take(f"{person} {wanted.part}"):
            return True
        return not wanted.is_known and bool(self._mails.try_take(person))

    async def _tell(self, email: str, url: str) -> None:
        if self._mailer is None:
            self._say(f"Sign-in link for {email} (15 minutes, once, in the browser that asked): {url}")
            return
        text = f"Open this link to sign in to Prime:\n\n{url}\n\n{_CONDITIONS}"
        for left in reversed(range(TRIES)):
            try:
                await self._mailer.send(email, "Sign in to Prime", text)
                return
            except Unavailable:
                if not left:
                    raise
            await self._clock.sleep(RETRY_SECONDS)


_CONDITIONS = (
    "It works once, within fifteen minutes, in the browser that asked for it.\n"
    "If you did not ask for it, you need not do anything.\n"
)


def _check(bucket: RateBucket, key: str) -> None:
    wait = bucket.try_take(key)
    if wait:
        seconds = max(1, round(wait))
        raise RateLimited("Too many tries.", hint=f"Try again in {seconds} s.", retryAfter=seconds)
