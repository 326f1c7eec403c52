"""The swarm's switch."""

from fastapi import APIRouter

from prime.web.models import StatusShown
from prime.web.parts import PartsNeeded
from prime.web.routes.status import status

router = APIRouter(prefix="/api/swarm", tags=["swarm"])


@router.post("/pause")
async def pause(parts: PartsNeeded) -> StatusShown:
    """Stop at once: whoever is speaking is not heard any more."""
    await parts.hub.swarm.pause("owner", "Paused by you.")
    return await status(parts)


@router.post("/resume")
async def resume(parts: PartsNeeded) -> StatusShown:
    """Go on where it stopped. Refused with 409 while nothing is left to spend."""
    await parts.hub.swarm.resume()
    return await status(parts)
