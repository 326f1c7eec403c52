"""Signing in and out."""

import logging
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from starlette.responses import RedirectResponse

from prime.accounts.accounts import SESSION_MS
from prime.web.gate import SESSION_COOKIE
from prime.web.identity import identity_of
from prime.web.models import Given, Ok, Shown
from prime.web.parts import PartsNeeded

log = logging.getLogger(__name__)

router = APIRouter(prefix="/api/auth", tags=["auth"])


class LinkWanted(Given):
    email: Annotated[str, Field(min_length=3, max_length=254)]


class Me(Shown):
    role: str


@router.post("/request")
async def request_link(given: LinkWanted, parts: PartsNeeded) -> Ok:
    """Ask for a sign-in link. The answer is the same for every address."""
    owner = parts.settings.owner_email
    if owner and given.email.strip().casefold() == owner.strip().casefold():
        token = await parts.accounts.make_link_token()
        # Without a mail server the person at the machine is the only one who can be told.
        log.warning("Sign-in link (15 minutes, once): %s/api/auth/verify?token=%s", parts.base_url, token)
    return Ok()


@router.get("/verify", status_code=303, response_class=RedirectResponse)
async def verify(
    parts: PartsNeeded, request: Request, token: Annotated[str, Query(min_length=1, max_length=200)]
) -> RedirectResponse:
    """Follow a sign-in link: opens a session for this browser and leads to the page."""
    opened = await parts.accounts.sign_in(token, request.headers.get("user-agent", ""))
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        SESSION_COOKIE,
        opened.token,
        max_age=SESSION_MS // 1000,
        httponly=True,
        samesite="lax",
        secure=parts.base_url.startswith("https://"),
    )
    return answer


@router.post("/logout")
async def logout(parts: PartsNeeded, request: Request, response: Response) -> Ok:
    """End this browser's session."""
    session_id = identity_of(request).session_id
    if session_id:
        await parts.accounts.sign_out(session_id)
    response.delete_cookie(SESSION_COOKIE)
    return Ok()


@router.get("/me")
async def me(request: Request) -> Me:
    """Who this browser is to Prime: `owner` or `nobody`."""
    return Me(role=identity_of(request).role)
