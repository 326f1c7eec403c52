"""Variables: what they are, where their values come from, what they mean."""

from fastapi import APIRouter

from prime.web.models import Page, SettingShown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/settings", tags=["settings"])


@router.get("")
async def list_settings(parts: PartsNeeded) -> Page[SettingShown]:
    """Every variable; secrets are masked."""
    return Page(
        items=[
            SettingShown(name=d.variable, value=d.value, source=d.source, meaning=d.meaning)
            for d in parts.settings.described()
        ]
    )
