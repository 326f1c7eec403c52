"""What billable calls may cost together, and have cost: charged right before they run, and kept in the log."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from prime.core.errors import Forbidden, PrimeError
from prime.rooms.records import HUB, PRIME
from prime.rooms.tier import Tier
from prime.store.message import NewMessage
from prime.store.store import Store
from prime.tools.pipeline.call import ToolCall
from prime.tools.policy import Budget, Ledger, Spending
from prime.tools.policy.decision import Decision
from prime.tools.policy.effects import over_budget
from prime.tools.queries import TOOLS, Charged, ChargedMeanwhile, read_charged, refuse_charged_since
from prime.tools.tool import Tool


class Costs(Ledger, Protocol):
    """A ledger that is kept somewhere. `spent` answers with what `look` saw last."""

    async def look(self) -> None: ...

    async def charge(self, tool: Tool, call: ToolCall, budget: Budget) -> None:
        """Take the call's price off the budget; Forbidden (`budget_exceeded`) when that is used up by now."""
        ...


@dataclass(frozen=True, slots=True)
class BudgetLeft:
    """A budget of the policy, and what billable calls have used of it."""

    limit: float
    spent: float

    @property
    def left(self) -> float:
        return max(self.limit - self.spent, 0.0)

    def __str__(self) -> str:
        return f"{self.left:g} of the budget of {self.limit:g} is left."


def without_sums(refusal: PrimeError, tier: Tier) -> PrimeError:
    """A refusal as a channel of this tier may hear it: what the budget is, and what others used of it, is the owner's and
    their team's."""
    if tier == "team" or refusal.error_code != "budget_exceeded":
        return refusal
    return Forbidden("It may cost more than there is left for such calls.", code=refusal.error_code)


class CostsInMemory(Spending):
    """For as long as the process lives."""

    async def look(self) -> None:
        """It is always up to date."""

    async def charge(self, tool: Tool, call: ToolCall, budget: Budget) -> None:
        self.add(_price(tool, budget, self.spent()))


class StoredCosts:
    """In the log, so that a restart gives nothing back, and no two replicas have the last of it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = Charged(0.0, 0)
        # Calls of this process take turns: each would otherwise find that another was charged, and look again.
        self._charging = asyncio.Lock()

    def spent(self) -> float:
        return self._seen.spent

    async def look(self) -> None:
        self._seen = await self._store.projector.read(read_charged, TOOLS)

    async def charge(self, tool: Tool, call: ToolCall, budget: Budget) -> None:
        async with self._charging:
            while not await self._charged(tool, call, budget):
                pass  # somebody was: there is less left now

    async def _charged(self, tool: Tool, call: ToolCall, budget: Budget) -> bool:
        """Whether it was, by what is left at this moment; False when another replica came between."""
        await self.look()
        seen = self._seen
        price = _price(tool, budget, seen.spent)
        body = {"op": "charged", "callId": call.id, "tool": tool.name, "price": price}
        message = NewMessage(channel_id=HUB, actor_id=PRIME, kind="approval", audience="hub", body=body)
        try:
            await self._store.log.append(message, also=lambda c: refuse_charged_since(c, seen.seq, message))
        except ChargedMeanwhile:
            return False
        return True


def _price(tool: Tool, budget: Budget, spent: float) -> float:
    refused = over_budget(budget, tool.effects, spent)
    if refused is not None:
        raise Decision.of([refused]).error(tool.name)
    return budget.price(tool.effects.cost.estimate)
