"""Guests: teammates whom the owner invited into named channels, and contacts who claimed their profile.

A guest acts in the rooms as one actor. What they may reach is what the owner granted, as far as that actor is a member
there: the owner can take either away. Nobody becomes a second owner by any of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from prime.accounts.guest import queries
from prime.accounts.guest.pace import GuestPace
from prime.accounts.guest.queries import GuestRow
from prime.accounts.guest.streams import GuestStreams
from prime.accounts.mail import plain_address
from prime.accounts.sessions import Sessions
from prime.accounts.tokens import Tokens, hashed
from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, NotFound, Unauthorized
from prime.core.ids import new_id
from prime.rooms.queries import ROOMS, read_channels_of
from prime.rooms.records import HUB, OWNER, PRIME
from prime.rooms.rooms import Rooms
from prime.store.message import NewMessage
from prime.store.store import Store

INVITE_MS = 7 * 24 * 60 * 60 * 1000
PURPOSE = "invite"
MAX_CHANNELS = 100


@dataclass(frozen=True, slots=True)
class Reach:
    """Who a guest is, and the channels that are theirs."""

    guest_id: str
    actor_id: str
    name: str
    channel_ids: tuple[str, ...]


class Guests:
    def __init__(
        self, store: Store, rooms: Rooms, clock: Clock, tokens: Tokens, sessions: Sessions, owner_email: str | None
    ) -> None:
        self._store = store
        self._database = store.database
        self._rooms = rooms
        self._clock = clock
        self._tokens = tokens
        self._sessions = sessions
        self.pace = GuestPace(clock)
        self.streams = GuestStreams()
        self._owner_email = plain_address(owner_email) if owner_email else None

    # --- the owner's side ---

    async def invite(self, name: str, channel_ids: Sequence[str], email: str | None) -> tuple[GuestRow, str]:
        """Make a guest; the row, and the token of the link that lets them in once."""
        channels = await self._checked(channel_ids)
        await self._refuse_known(email)
        actor = await self._rooms.add_actor(name, "human", "echo")
        return await self._add(actor.name, actor.id, channels, email, ghost=False)

    async def model(self, actor_id: str, email: str, channel_ids: Sequence[str]) -> GuestRow:
        """Let a contact claim their profile: who can read mail at this address may take it over."""
        actor = next((a for a in await self._rooms.actors() if a.id == actor_id), None)
        if actor is None or actor.kind != "human" or actor.id in {OWNER, PRIME}:
            raise InvalidInput(f"{actor_id} is not a contact.", hint="Name a person among the actors.", field="actorId")
        channels = await self._checked(channel_ids)
        await self._refuse_known(email)
        if await self._database.read(lambda c: queries.read_guest_of(c, actor_id)):
            raise Conflict(f"{actor.name} can come in already.", hint="Change their channels instead.")
        return (await self._add(actor.name, actor_id, channels, email, ghost=True))[0]

    async def renew(self, guest_id: str) -> tuple[GuestRow, str]:
        """A new link for the same guest; the one before stops working."""
        await self.get(guest_id)
        token, until = self._tokens.make(PURPOSE), self._clock.now_ms() + INVITE_MS
        await self._database.write(lambda c: queries.put_link(c, guest_id, hashed(token), until))
        return await self.get(guest_id), token

    async def grant(self, guest_id: str, channel_ids: Sequence[str]) -> GuestRow:
        """These channels, and no others."""
        guest, channels = await self.get(guest_id), await self._checked(channel_ids)
        await self._database.write(lambda c: queries.put_channels(c, guest_id, channels))
        if guest.accepted_at is not None:
            await self._join(await self.get(guest_id))
        await self._leave(guest, [c for c in guest.channel_ids if c not in channels])
        return await self.get(guest_id)

    async def remove(self, guest_id: str) -> None:
        """End their sessions and links at once; what they said stays."""
        guest = await self.get(guest_id)
        await self._sessions.end_of_guest(guest_id)
        await self._database.write(lambda c: queries.remove_guest(c, guest_id))
        await self._leave(guest, guest.channel_ids)

    async def all(self) -> list[GuestRow]:
        return await self._database.read(queries.read_guests)

    async def get(self, guest_id: str) -> GuestRow:
        found = await self._database.read(lambda c: queries.read_guest(c, guest_id))
        if found is None:
            raise NotFound(f"There is no guest {guest_id}.", guestId=guest_id)
        return found

    async def with_email(self, email: str) -> GuestRow | None:
        return await self._database.read(lambda c: queries.read_guest_with_email(c, email))

    # --- the guest's side ---

    async def accept(self, token: str) -> GuestRow:
        """Use an invitation's link up; the guest who may now come in."""
        now, digest = self._clock.now_ms(), hashed(token)
        looks_real = self._tokens.looks_real(PURPOSE, token)
        guest = await self._database.read(lambda c: queries.read_invited(c, digest, now)) if looks_real else None
        if guest is None or not await self._database.write(lambda c: queries.use_invite(c, digest, now)):
            raise Unauthorized(
                "This invitation has been used or has run out.", hint="Ask for a new one.", code="link_spent"
            )
        await self.come_in(guest.id)
        return await self.get(guest.id)

    async def come_in(self, guest_id: str) -> None:
        """The guest is here, by an invitation or by claiming their profile; the rooms are told the first time."""
        guest, now = await self.get(guest_id), self._clock.now_ms()
        first = await self._database.write(lambda c: queries.note_accepted(c, guest_id, now))
        await self._join(guest)
        if first and guest.ghost:
            body = {"op": "claimed", "actorId": guest.actor_id}
            claimed = [
                NewMessage(channel_id=channel, actor_id=guest.actor_id, kind="system", body=body)
                for channel in guest.channel_ids
            ]
            await self._store.log.append(*claimed)

    async def reach(self, guest_id: str) -> Reach | None:
        """What this guest may reach now; None when they are no guest any more."""
        guest = await self._database.read(lambda c: queries.read_guest(c, guest_id))
        if guest is None:
            return None
        there = await self._store.projector.read(lambda c: read_channels_of(c, guest.actor_id), ROOMS)
        return Reach(guest.id, guest.actor_id, guest.name, tuple(c for c in guest.channel_ids if c in there))

    async def keep_upload(self, guest_id: str, attachment_id: str) -> None:
        await self._database.write(lambda c: queries.add_upload(c, guest_id, attachment_id))

    async def may_see(self, reach: Reach, attachment_id: str) -> bool:
        """Whether a message of their channels shows it, or they brought it themselves."""
        return await self._database.read(
            lambda c: (
                queries.uploaded(c, reach.guest_id, attachment_id)
                or queries.shown_in(c, reach.channel_ids, attachment_id)
            )
        )

    # --- within ---

    async def _add(
        self, name: str, actor_id: str, channels: tuple[str, ...], email: str | None, *, ghost: bool
    ) -> tuple[GuestRow, str]:
        now, token = self._clock.now_ms(), self._tokens.make(PURPOSE)
        plain = plain_address(email) if email else None
        until = None if ghost else now + INVITE_MS
        row = GuestRow(new_id("gst"), name, plain, actor_id, ghost, now, None, until, channels)
        await self._database.write(lambda c: queries.add_guest(c, row, None if ghost else hashed(token)))
        return row, token

    async def _checked(self, channel_ids: Sequence[str]) -> tuple[str, ...]:
        wanted = tuple(dict.fromkeys(channel_ids))
        if not 1 <= len(wanted) <= MAX_CHANNELS:
            raise InvalidInput(f"Name 1 to {MAX_CHANNELS} channels.", field="channelIds")
        if HUB in wanted:
            raise InvalidInput("Your own room is yours alone.", hint="Name other channels.", field="channelIds")
        for channel_id in wanted:
            if (await self._rooms.channel(channel_id)).closed:
                raise Conflict(f"{channel_id} is closed.", hint="Name an open channel.", channelId=channel_id)
        return wanted

    async def _refuse_known(self, email: str | None) -> None:
        if not email:
            return
        if plain_address(email) == self._owner_email:  # links to it sign the owner in
            raise InvalidInput("This is your own address.", hint="Give theirs, or none.", field="email")
        if await self.with_email(plain_address(email)):
            raise Conflict(f"{email} is a guest already.", hint="Change their channels or send a new link.")

    async def _join(self, guest: GuestRow) -> None:
        for channel_id in guest.channel_ids:
            if guest.actor_id not in (await self._rooms.channel(channel_id)).members:
                await self._rooms.join(channel_id, guest.actor_id)

    async def _leave(self, guest: GuestRow, channel_ids: Sequence[str]) -> None:
        if guest.ghost:
            return
        for channel_id in channel_ids:
            if guest.actor_id in (await self._rooms.channel(channel_id)).members:
                await self._rooms.leave(channel_id, guest.actor_id)
