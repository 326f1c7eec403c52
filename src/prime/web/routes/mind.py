"""Which mind Prime has, and connecting a model."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from prime.web.logs import hide
from prime.web.models import Given, Hidden, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api/mind", tags=["mind"])


class ModelGiven(Given):
    """`provider:model`, with a key where the provider wants one and an address where it is not the usual one."""

    model: Annotated[str, Field(min_length=3, max_length=200)]
    key: Annotated[Hidden, Field(max_length=1000)] | None = None
    base_url: Annotated[str, Field(max_length=500)] | None = None

    def secret(self) -> str | None:
        value = self.key.get_secret_value() if self.key else ""
        if value:
            hide(value)
        return value or None


class MindShown(Shown):
    name: str
    reason: str


class TriedShown(Shown):
    name: str
    ok: bool
    text: str


@router.get("")
async def get_mind(parts: PartsNeeded) -> MindShown:
    """The mind of the moment, and why it is this one."""
    return _shown(parts)


@router.post("/try")
async def try_model(given: ModelGiven, parts: PartsNeeded) -> TriedShown:
    """One live call to a model. Nothing is saved."""
    tried = await parts.model.attempt(given.model, given.secret(), given.base_url)
    return TriedShown(name=tried.name, ok=tried.ok, text=tried.text)


@router.put("")
async def connect_model(given: ModelGiven, parts: PartsNeeded) -> MindShown:
    """Try it, and use it from now on if it answers."""
    await parts.model.connect(given.model, given.secret(), given.base_url)
    return _shown(parts)


@router.delete("")
async def disconnect_model(parts: PartsNeeded) -> MindShown:
    """Go back to what the environment says, or to the offline engine."""
    await parts.model.disconnect()
    return _shown(parts)


def _shown(parts: Parts) -> MindShown:
    return MindShown(name=parts.model.present.name, reason=parts.model.present.told)
