"""How far Prime may act as the owner, and what it has learned about that."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, StrictBool

from prime.core.clock import iso
from prime.core.settings import AutonomyMode
from prime.hub.gate.policy import MODES, Policy, Source
from prime.hub.gate.records import ReplyClass
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import Given, Id, Page, Shown
from prime.web.parts import Parts, PartsNeeded
from prime.web.routes.drafts import Cursor, Limit

router = APIRouter(prefix="/api", tags=["autonomy"])

ConnectorName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")]


class SourcesShown(Shown):
    """Where each value comes from: the code, the environment, or the owner's own setting."""

    mode: Source
    allow_cold_contact: Source


class EffectiveShown(Shown):
    """What holds for one connector."""

    connector: str
    mode: AutonomyMode
    source: Source


class AutonomyShown(Shown):
    mode: AutonomyMode
    per_connector: dict[str, AutonomyMode]
    allow_cold_contact: bool
    modes: list[AutonomyMode]
    sources: SourcesShown
    effective: list[EffectiveShown]


class PolicyPatch(Given):
    """What is left out stays; `null` takes the owner's own setting back."""

    mode: AutonomyMode | None = None
    per_connector: Annotated[dict[ConnectorName, AutonomyMode | None], Field(max_length=100)] | None = None
    allow_cold_contact: StrictBool | None = None


class ClassShown(Shown):
    id: str
    connector: str
    scope: str
    text: str
    # What was answered with it.
    trigger: str
    from_draft_id: str
    taught_at: str
    hits: int
    active: bool

    @classmethod
    def of(cls, learned: ReplyClass) -> "ClassShown":
        return cls(
            id=learned.id,
            connector=learned.connector,
            scope=learned.scope,
            text=learned.text,
            trigger=learned.trigger,
            from_draft_id=learned.from_draft_id,
            taught_at=iso(learned.taught_at),
            hits=learned.hits,
            active=learned.active,
        )


@router.get("/autonomy")
async def get_autonomy(parts: PartsNeeded) -> AutonomyShown:
    """The policy that holds, where each value comes from, and the modes there are."""
    return _shown(parts, await parts.gate.policy.resolve())


@router.post("/autonomy/policy")
async def patch_policy(given: PolicyPatch, parts: PartsNeeded) -> AutonomyShown:
    """Merge into the owner's own settings."""
    patch = given.model_dump(by_alias=True, include=given.model_fields_set)
    return _shown(parts, await parts.gate.policy.patch(patch))


@router.get("/autonomy/classes")
async def list_classes(parts: PartsNeeded, limit: Limit = 50, cursor: Cursor = None) -> Page[ClassShown]:
    """What approvals have taught, newest first."""
    found = await parts.gate.classes.page(before=decode_cursor(cursor), limit=limit)
    return Page(
        items=[ClassShown.of(learned) for _, learned in found],
        next_cursor=encode_cursor(found[-1][0]) if len(found) == limit else None,
    )


@router.delete("/autonomy/classes/{class_id}")
async def revoke_class(class_id: Id, parts: PartsNeeded) -> ClassShown:
    """Unlearn it: replies of this kind wait for approval again."""
    return ClassShown.of(await parts.gate.classes.revoke(class_id))


def _shown(parts: Parts, policy: Policy) -> AutonomyShown:
    effective = [
        EffectiveShown(
            connector=name,
            mode=policy.mode_of(name),
            source="live" if name in policy.per_connector else policy.mode_source,
        )
        for name in parts.gate.policy.known()
    ]
    return AutonomyShown(
        mode=policy.mode,
        per_connector=dict(policy.per_connector),
        allow_cold_contact=policy.allow_cold,
        modes=list(MODES),
        sources=SourcesShown(mode=policy.mode_source, allow_cold_contact=policy.cold_source),
        effective=effective,
    )
