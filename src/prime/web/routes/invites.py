"""Guests: inviting them, letting a contact claim their profile, and coming in."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from prime.accounts.guest.queries import GuestRow
from prime.core.clock import iso
from prime.core.errors import Conflict
from prime.web.identity import identity_of
from prime.web.models import ErrorAnswer, Given, Id, Name, Ok, Page, Shown
from prime.web.parts import Parts, PartsNeeded
from prime.web.routes.auth import address_of, keep_session

router = APIRouter(
    prefix="/api", tags=["guests"], responses={429: {"model": ErrorAnswer, "description": "Too many tries."}}
)

ChannelIds = Annotated[list[Id], Field(min_length=1, max_length=100)]
Email = Annotated[str, Field(min_length=3, max_length=254, pattern=r"^[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+$")]


class InviteGiven(Given):
    name: Name
    channel_ids: ChannelIds
    # Where the link is sent, and what they can sign in with later. Without it, pass the link on yourself.
    email: Email | None = None


class GhostGiven(Given):
    """A contact who may claim their profile with this address."""

    actor_id: Id
    email: Email
    channel_ids: ChannelIds


class ChannelsGiven(Given):
    channel_ids: ChannelIds


class GuestShown(Shown):
    id: str
    name: str
    email: str | None
    actor_id: str
    # A contact that was there before the person came.
    ghost: bool
    channel_ids: list[str]
    created_at: str
    accepted_at: str | None
    link_expires_at: str | None

    @classmethod
    def of(cls, row: GuestRow) -> "GuestShown":
        return cls(
            id=row.id,
            name=row.name,
            email=row.email,
            actor_id=row.actor_id,
            ghost=row.ghost,
            channel_ids=list(row.channel_ids),
            created_at=iso(row.created_at),
            accepted_at=iso(row.accepted_at) if row.accepted_at else None,
            link_expires_at=iso(row.link_expires_at) if row.link_expires_at else None,
        )


class Invited(Shown):
    guest: GuestShown
    # Shown only here. It works once, for seven days.
    url: str
    mailed: bool


class InviteTaken(Given):
    token: Annotated[str, Field(min_length=1, max_length=200)]


class CameIn(Shown):
    channel_ids: list[str]


@router.get("/invites")
async def list_guests(parts: PartsNeeded) -> Page[GuestShown]:
    """Everyone who was invited, and contacts who may claim their profile."""
    return Page(items=[GuestShown.of(row) for row in await parts.accounts.guests.all()])


@router.post("/invites", status_code=201)
async def invite(given: InviteGiven, parts: PartsNeeded) -> Invited:
    """Invite somebody to read and write these channels, and nothing else."""
    row, token = await parts.accounts.guests.invite(given.name, given.channel_ids, given.email)
    return await _invited(parts, row, token)


@router.post("/invites/{guest_id}/link", status_code=201)
async def renew(guest_id: str, parts: PartsNeeded) -> Invited:
    """A new link for the same guest, for another device; one that was not used yet stops working."""
    row, token = await parts.accounts.guests.renew(guest_id)
    return await _invited(parts, row, token)


@router.put("/invites/{guest_id}/channels")
async def grant(guest_id: str, given: ChannelsGiven, parts: PartsNeeded) -> GuestShown:
    """The channels that are theirs from now on."""
    return GuestShown.of(await parts.accounts.guests.grant(guest_id, given.channel_ids))


@router.delete("/invites/{guest_id}")
async def remove(guest_id: str, parts: PartsNeeded) -> Ok:
    """End a guest's sessions, links and memberships."""
    await parts.accounts.guests.remove(guest_id)
    return Ok()


@router.post("/ghosts", status_code=201)
async def model(given: GhostGiven, parts: PartsNeeded) -> GuestShown:
    """Let a contact claim their profile: they ask for a link with this address (`/api/claim/request`)."""
    return GuestShown.of(await parts.accounts.guests.model(given.actor_id, given.email, given.channel_ids))


@router.post("/invite/accept")
async def accept(given: InviteTaken, parts: PartsNeeded, request: Request, response: Response) -> CameIn:
    """Come in by an invitation's link."""
    parts.accounts.sign_in.check_try(address_of(request))
    if identity_of(request).role == "owner":
        raise Conflict(
            "You are the owner here, and would sign yourself out of that.", hint="Open the link in another browser."
        )
    opened = await parts.accounts.accept_invite(given.token, request.headers.get("user-agent", ""))
    keep_session(response, parts, request, opened)
    visitor = await parts.accounts.find(opened.token)
    assert visitor is not None
    return CameIn(channel_ids=list(visitor.reach.channel_ids) if visitor.reach else [])


async def _invited(parts: Parts, row: GuestRow, token: str) -> Invited:
    # Behind the hash, which browsers do not send: the token shows in no server's log.
    url = f"{parts.base_url}/invite#{token}"
    mailed = await parts.accounts.mail_invitation(row, url)
    return Invited(guest=GuestShown.of(row), url=url, mailed=mailed)
