"""The swarm's switch."""

from fastapi import APIRouter

from prime.web.models import Given, StatusShown
from prime.web.parts import PartsNeeded
from prime.web.routes.status import status

router = APIRouter(prefix="/api/swarm", tags=["swarm"])


@router.post("/pause")
async def pause(parts: PartsNeeded) -> StatusShown:
    """Stop at once: whoever is speaking is not heard any more."""
    await parts.hub.swarm.pause("owner", "Paused by you.")
    return await status(parts)


class ResumeGiven(Given):
    # Whether requests, images and money are counted from nothing again.
    new_count: bool = False


@router.post("/resume")
async def resume(parts: PartsNeeded, given: ResumeGiven | None = None) -> StatusShown:
    """Go on where it stopped. Refused with 409 while nothing is left to spend, unless `newCount` begins a new count."""
    await parts.hub.swarm.resume(new_count=bool(given and given.new_count))
    return await status(parts)
