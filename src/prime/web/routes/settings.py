"""Variables: what they are, where their values come from, what they mean; some may be changed while Prime runs."""

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from prime.core.settings import Described, SettingKind
from prime.web.models import Given, Page, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api/settings", tags=["settings"])

Value = bool | int | float | Annotated[str, Field(max_length=2000)] | None


class SettingShown(Shown):
    name: str
    # A secret's is masked.
    value: str | int | float | bool | None
    source: Literal["default", "environment", "command", "live"]
    meaning: str
    kind: SettingKind
    choices: list[str]
    # Whether it may be changed while Prime runs.
    live: bool

    @classmethod
    def of(cls, found: Described) -> "SettingShown":
        return cls(
            name=found.variable,
            value=found.value,
            source=found.source,
            meaning=found.meaning,
            kind=found.kind,
            choices=list(found.choices),
            live=found.live,
        )


class SettingsGiven(Given):
    """Variables by name; null goes back to what the environment says."""

    values: Annotated[dict[Annotated[str, Field(max_length=60)], Value], Field(min_length=1, max_length=60)]


@router.get("")
async def list_settings(parts: PartsNeeded) -> Page[SettingShown]:
    """Every variable; secrets are masked."""
    return await _all(parts)


@router.put("")
async def change_settings(given: SettingsGiven, parts: PartsNeeded) -> Page[SettingShown]:
    """Change those that are `live`, all of them or none; it works at once and stays."""
    await parts.tuning.change(given.values)
    return await _all(parts)


async def _all(parts: Parts) -> Page[SettingShown]:
    return Page(items=[SettingShown.of(found) for found in await parts.tuning.described()])
