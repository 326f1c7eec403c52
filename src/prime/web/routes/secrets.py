"""Secrets: written, never read back."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from prime.core.clock import iso
from prime.store.secrets import SecretFacts
from prime.web.logs import hide
from prime.web.models import Given, Hidden, Page, Shown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/secrets", tags=["secrets"])

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.:-]{1,120}$")]


class SecretGiven(Given):
    value: Annotated[Hidden, Field(min_length=1, max_length=65_536)]


class SecretShown(Shown):
    """That it is set, since when, and when it was last used; never what it is."""

    name: str
    set: bool
    since: str | None
    last_used: str | None


@router.get("")
async def list_secrets(parts: PartsNeeded) -> Page[SecretShown]:
    return Page(items=[_shown(facts.name, facts) for facts in await parts.secrets.list()])


@router.get("/{name}")
async def get_secret(name: Name, parts: PartsNeeded) -> SecretShown:
    return _shown(name, await parts.secrets.facts(name))


@router.put("/{name}")
async def put_secret(name: Name, given: SecretGiven, parts: PartsNeeded) -> SecretShown:
    hide(given.value.get_secret_value())
    return _shown(name, await parts.secrets.put(name, given.value.get_secret_value()))


@router.delete("/{name}")
async def forget_secret(name: Name, parts: PartsNeeded) -> SecretShown:
    await parts.secrets.forget(name)
    return _shown(name, None)


def _shown(name: str, facts: SecretFacts | None) -> SecretShown:
    if facts is None:
        return SecretShown(name=name, set=False, since=None, last_used=None)
    last_used = iso(facts.last_used) if facts.last_used else None
    return SecretShown(name=name, set=True, since=iso(facts.since), last_used=last_used)
