"""What the tier of a channel leaves of the tools to those who act from there."""

from collections.abc import Mapping

from prime.rooms.tier import Tier
from prime.tools.policy.delegation import Delegation

_LEFT: Mapping[Tier, Delegation | None] = {
    "team": None,
    "business_relation": Delegation(restrictions={"destructive": False, "filesystem.delete": False}),
    "external": Delegation(
        restrictions={
            "destructive": False,
            "subprocess": False,
            "filesystem.read": False,
            "filesystem.write": False,
            "filesystem.delete": False,
        }
    ),
}


def tier_delegation(tier: Tier) -> Delegation | None:
    """Partners destroy nothing; strangers touch neither files nor programs; None takes nothing away."""
    return _LEFT[tier]
