"""What tools may do, and what is left to whom, as a document that the owner edits."""

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, JsonValue

from prime.rooms.records import HUB, OWNER
from prime.rooms.tier import Tier
from prime.store.message import NewMessage
from prime.tools.policy.delegation import Delegation
from prime.tools.policy.policy import Policy
from prime.tools.policy.tiers import tier_delegation
from prime.tools.policy.writing import KeptPolicy, read_policy, write_policy
from prime.web.models import Given, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api/policy", tags=["policy"])


class BudgetShown(Shown):
    """What billable calls may cost together, have cost, and may still cost."""

    limit: float
    spent: float
    left: float


class PolicyShown(Shown):
    """`problem` says why the file cannot be used; until it is mended no tool runs."""

    document: dict[str, object]
    version: str
    problem: str | None
    file: str
    # What each tier leaves of the tools, always; a delegation of the document takes away further.
    tiers: dict[str, object]
    # None where the document has no budget.
    budget: BudgetShown | None


class PolicyGiven(Given):
    document: dict[str, JsonValue]
    # The version that the change was made from.
    version: Annotated[str, Field(max_length=64)]


class DocumentGiven(Given):
    document: dict[str, JsonValue]


class LeftShown(Shown):
    """How many tools a delegation leaves, and some that it takes away."""

    left: int
    of: int
    taken: list[str]


MOST_NAMED = 8
_NARROWED: tuple[Tier, ...] = ("business_relation", "external")


@router.get("")
async def get_policy(parts: PartsNeeded) -> PolicyShown:
    """What the owner lets tools do: allowed, asked about or refused, by effect; lists, folders, budget, delegation."""
    return await _shown(parts, await asyncio.to_thread(read_policy, _file(parts)))


@router.put("")
async def put_policy(given: PolicyGiven, parts: PartsNeeded) -> PolicyShown:
    """Keep a policy. It holds from the next call on; approvals that were given under another one are asked anew."""
    kept = await asyncio.to_thread(write_policy, _file(parts), given.document, version=given.version)
    changed = NewMessage(
        channel_id=HUB,
        actor_id=OWNER,
        kind="policy",
        audience="hub",
        text="The policy for tools was changed.",
        body={"key": "tools.policy", "document": given.document},
    )
    await parts.store.log.append(changed)
    return await _shown(parts, kept)


@router.post("/preview")
async def preview_policy(given: DocumentGiven, parts: PartsNeeded) -> LeftShown:
    """Whether a document is right, and what its delegation leaves of the tools. Changes nothing."""
    policy = Policy.from_json(given.document)
    tools = parts.workshop.catalog.tools()
    delegation = policy.delegation or Delegation()
    taken = [
        tool.name
        for tool in tools
        if any(reason.verdict == "deny" for reason in delegation.reasons(tool.name, [tool.command], tool.effects))
    ]
    return LeftShown(left=len(tools) - len(taken), of=len(tools), taken=taken[:MOST_NAMED])


def _file(parts: Parts) -> Path:
    return parts.settings.config_folder / "policy.json"


async def _shown(parts: Parts, kept: KeptPolicy) -> PolicyShown:
    left = None if kept.problem else await parts.workshop.pipeline.budget()
    tiers: dict[str, object] = {tier: (tier_delegation(tier) or Delegation()).to_json() for tier in _NARROWED}
    return PolicyShown(
        document=dict(kept.document),
        version=kept.version,
        problem=kept.problem,
        file=str(_file(parts)),
        tiers=tiers,
        budget=left and BudgetShown(limit=left.limit, spent=left.spent, left=left.left),
    )
