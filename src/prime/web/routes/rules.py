"""Learned rules: looked at, edited, revoked."""

from fastapi import APIRouter

from prime.web.models import Page
from prime.web.parts import PartsNeeded
from prime.web.rule_models import RuleChange, RuleShown

router = APIRouter(prefix="/api/rules", tags=["rules"])


@router.get("")
async def list_rules(parts: PartsNeeded) -> Page[RuleShown]:
    """All rules, oldest first, with how often each has fired; revoked ones are not active."""
    return Page(items=[RuleShown.of(rule) for rule in await parts.hub.learning.rules()])


@router.patch("/{rule_id}")
async def change_rule(rule_id: str, given: RuleChange, parts: PartsNeeded) -> RuleShown:
    """Reword a rule, revoke it or bring it back."""
    return RuleShown.of(await parts.hub.learning.change(rule_id, text=given.text, active=given.active))


@router.delete("/{rule_id}")
async def revoke_rule(rule_id: str, parts: PartsNeeded) -> RuleShown:
    """Revoke a rule; what it has settled stays settled."""
    return RuleShown.of(await parts.hub.learning.change(rule_id, active=False))
