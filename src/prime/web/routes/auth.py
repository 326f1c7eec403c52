"""Signing in and out, and who is signed in."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from starlette.responses import RedirectResponse

from prime.accounts.links import LINK_MS
from prime.accounts.sessions import SESSION_MS, NewSession
from prime.accounts.signing_in import Asker
from prime.core.clock import iso
from prime.core.errors import Forbidden, NotFound, PrimeError, Unauthorized
from prime.network.limits import network_of
from prime.web.cookies import BROWSER, SESSION, Cookies
from prime.web.identity import Role, identity_of
from prime.web.models import ErrorAnswer, Given, Ok, Page, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(
    prefix="/api", tags=["auth"], responses={429: {"model": ErrorAnswer, "description": "Too many tries."}}
)

Token = Annotated[str, Query(min_length=1, max_length=200)]


class LinkWanted(Given):
    email: Annotated[str, Field(min_length=3, max_length=254)]


class Me(Shown):
    """Who this browser is to Prime."""

    role: Role
    # No owner is set: everything on this machine may act as the owner.
    open: bool
    session_id: str | None = None
    # Of a guest: their name, who they are in the rooms, and the channels that are theirs.
    name: str | None = None
    actor_id: str | None = None
    channel_ids: list[str] = Field(default_factory=list[str])


class SessionShown(Shown):
    id: str
    role: Literal["owner", "guest"]
    guest_id: str | None
    # The guest's; the owner has none.
    name: str | None
    device: str
    created_at: str
    seen_at: str
    expires_at: str
    # The one that asks.
    current: bool


class Ended(Shown):
    ended: int


@router.post("/auth/request")
@router.post("/claim/request")
async def request_link(given: LinkWanted, parts: PartsNeeded, request: Request, response: Response) -> Ok:
    """Ask for a sign-in link by mail. The answer is the same for every address; the link works in this browser."""
    cookies = Cookies(parts.base_url)
    asker = Asker(address_of(request), cookies.browser(request), cookies.known(request))
    browser = parts.accounts.sign_in.request(given.email, asker)
    cookies.keep_browser(response, request.scope, browser, LINK_MS // 1000)
    return Ok()


@router.get("/auth/verify", status_code=303, response_class=RedirectResponse)
@router.get("/claim/verify", status_code=303, response_class=RedirectResponse)
async def verify(parts: PartsNeeded, request: Request, token: Token) -> RedirectResponse:
    """Follow a sign-in link: opens a session for this browser and leads to the page."""
    parts.accounts.sign_in.check_try(address_of(request))
    cookies = Cookies(parts.base_url)
    device = request.headers.get("user-agent", "")
    try:
        opened = await parts.accounts.follow_link(token, cookies.browser(request), device)
    except (Unauthorized, NotFound) as error:
        return _back_to_page(request, error)
    answer = RedirectResponse("/", 303)
    keep_session(answer, parts, request, opened)
    cookies.forget(answer, request.scope, BROWSER)
    return answer


@router.post("/auth/logout")
async def logout(parts: PartsNeeded, request: Request, response: Response) -> Ok:
    """End this browser's session."""
    session_id = identity_of(request).session_id
    if session_id:
        await parts.accounts.sessions.end(session_id)
    Cookies(parts.base_url).forget(response, request.scope, SESSION)
    # What the browser kept of the owner's is not for who comes after.
    response.headers["Clear-Site-Data"] = '"cache"'
    return Ok()


@router.get("/auth/me")
async def me(parts: PartsNeeded, request: Request) -> Me:
    """Who this browser is to Prime: `owner`, `guest`, `operator` or `nobody`."""
    identity = identity_of(request)
    # Who came from outside has signed in, or is nobody.
    is_open = parts.settings.owner_email is None and identity.role == "owner" and identity.session_id is None
    reach = identity.reach
    if reach is None:
        return Me(role=identity.role, open=is_open, session_id=identity.session_id)
    return Me(
        role=identity.role,
        open=is_open,
        session_id=identity.session_id,
        name=reach.name,
        actor_id=reach.actor_id,
        channel_ids=list(reach.channel_ids),
    )


@router.get("/auth/sessions")
async def list_sessions(parts: PartsNeeded, request: Request) -> Page[SessionShown]:
    """Every browser that is signed in, the latest seen first."""
    mine = identity_of(request).session_id
    names = {guest.id: guest.name for guest in await parts.accounts.guests.all()}
    return Page(
        items=[
            SessionShown(
                id=row.id,
                role="guest" if row.guest_id else "owner",
                guest_id=row.guest_id,
                name=names.get(row.guest_id) if row.guest_id else None,
                device=row.device,
                created_at=iso(row.created_at),
                seen_at=iso(row.seen_at),
                expires_at=iso(row.expires_at),
                current=row.id == mine,
            )
            for row in await parts.accounts.sessions.list()
        ]
    )


@router.delete("/auth/sessions/{session_id}")
async def end_session(session_id: str, parts: PartsNeeded) -> Ok:
    """Sign one browser out; its open connections and its push subscription end, too."""
    await parts.accounts.sessions.end(session_id)
    return Ok()


@router.delete("/auth/sessions")
async def end_other_sessions(parts: PartsNeeded, request: Request) -> Ended:
    """Sign out every browser of the owner's but this one."""
    mine = identity_of(request).session_id
    if mine is None:
        raise Forbidden("Only a browser that is signed in can stay while the others go.", hint="Sign in first.")
    return Ended(ended=await parts.accounts.sessions.end_others(mine))


def keep_session(response: Response, parts: Parts, request: Request, opened: NewSession) -> None:
    cookies = Cookies(parts.base_url)
    cookies.keep_session(response, request.scope, opened.token, SESSION_MS // 1000)
    cookies.keep_known(response, request.scope, parts.accounts.links.vouch())


def address_of(request: Request) -> str:
    return network_of(request.client.host if request.client else "unknown")


def _back_to_page(request: Request, error: PrimeError) -> RedirectResponse:
    """A person is shown the page, which says what the matter is; a program is told."""
    if "text/html" not in request.headers.get("accept", ""):
        raise error
    return RedirectResponse(f"/sign-in?problem={error.error_code}", 303)
