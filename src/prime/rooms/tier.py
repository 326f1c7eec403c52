"""The three tiers, and the order in which they trust."""

from typing import Literal, get_args

from prime.core.errors import InvalidInput

Tier = Literal["external", "business_relation", "team"]

TIERS: tuple[Tier, ...] = get_args(Tier)  # from least to most trusted


def parse_tier(value: str) -> Tier:
    for tier in TIERS:
        if value == tier:
            return tier
    raise InvalidInput(f"There is no tier {value!r}.", hint=f"Use one of {', '.join(TIERS)}.", field="tier")


def is_below(tier: Tier, other: Tier) -> bool:
    """Whether `tier` is trusted less than `other`."""
    return TIERS.index(tier) < TIERS.index(other)
