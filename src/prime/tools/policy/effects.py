"""A tool's effects against a policy. What is not declared is treated as if it might be so (D-ATIP-3)."""

from collections.abc import Iterator
from typing import Protocol

from prime.tools.atip.effect import Effects
from prime.tools.policy.decision import Reason, ask, deny
from prime.tools.policy.policy import Access, Budget, Policy

_CHANGE_POLICY = "Allow it in policy.json, or use a tool without this effect."


class Ledger(Protocol):
    """What billable calls have cost so far."""

    def spent(self) -> float: ...


class Spending:
    """A ledger in memory."""

    def __init__(self) -> None:
        self._total = 0.0

    def spent(self) -> float:
        return self._total

    def add(self, amount: float) -> None:
        self._total += amount


def effect_reasons(policy: Policy, effects: Effects, ledger: Ledger) -> Iterator[Reason]:
    """Why these effects are not simply let through."""
    yield from _judged("destructive", "destroys data", effects.destructive, policy.destructive)
    yield from _judged("network", "uses the network", effects.network, policy.network)
    yield from _judged("write", "changes things", changes(effects), policy.write)
    yield from _billable(policy, effects, ledger)
    # What another program does is in no document, so no policy lets it through unseen.
    if effects.subprocess:
        yield ask("launches_programs", "It launches other programs, which its document does not describe.")
    elif effects.subprocess is None:
        yield ask("effect_unknown", "It is not known whether it launches other programs.")


def changes(effects: Effects) -> bool | None:
    """Whether anything is written, made, changed or deleted; None when that is not said."""
    files = effects.filesystem
    if files.write or files.delete or effects.creates or effects.modifies or effects.deletes:
        return True
    return None if files.write is None or files.delete is None else False


def _judged(code: str, what: str, actual: bool | None, access: Access) -> Iterator[Reason]:
    """One effect, as declared or known, against what the policy says of it."""
    if actual is False or access == "allow":
        return
    if actual is None:
        yield ask("effect_unknown", f"It is not known whether it {what}.")
    elif access == "deny":
        yield deny(f"{code}_denied", f"It {what}, which the policy forbids.", _CHANGE_POLICY)
    else:
        yield ask(code, f"It {what}.")


def _billable(policy: Policy, effects: Effects, ledger: Ledger) -> Iterator[Reason]:
    billable, budget = effects.cost.billable, policy.budget
    if billable is None and effects.network is False and effects.subprocess is False:
        return  # what reaches nobody has nobody to pay
    if billable and budget is not None:
        refused = over_budget(budget, effects, ledger.spent())
        if refused is not None:
            yield refused
            return
    yield from _judged("billable", "costs money", billable, policy.billable)


def over_budget(budget: Budget, effects: Effects, spent: float) -> Reason | None:
    """Why a billable call does not run, when `spent` leaves too little for it."""
    price, left = budget.price(effects.cost.estimate), budget.limit - spent
    if price <= left:
        return None
    text = f"It may cost {price:g}, and {max(left, 0):g} of the budget of {budget.limit:g} is left."
    return deny("budget_exceeded", text, "Raise budget.limit in policy.json.")
