"""What the pipeline asks of whoever asks the owner. The real one is `approvals.OwnerApprover`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prime.core.errors import Conflict, Forbidden, JsonValue
from prime.tools.pipeline.call import CallSession
from prime.tools.policy.decision import Reason


class ApprovalRefused(Forbidden):
    """The owner said no, or nobody answered in time."""

    code = "approval_refused"


class ApprovalPending(Conflict):
    """The owner has not answered yet. The same call, repeated in the same session, goes on from there."""

    code = "approval_pending"


class ApprovalStale(Forbidden):
    """What would run is no longer what the owner said yes to, or the yes was used already."""

    code = "approval_stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A call as the owner is shown it. `words` is its command line, or name and arguments as words."""

    call_id: str
    tool: str
    digest: str
    binding: str
    arguments: Mapping[str, JsonValue]
    words: tuple[str, ...]
    cwd: Path
    session: CallSession
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A yes to exactly what `binding` names. `by` is who gave it: an actor, or `rule:…` for a standing one."""

    id: str
    binding: str
    by: str
    call_id: str


class Approver(Protocol):
    async def approve(self, request: ApprovalRequest) -> Approval:
        """Ask, and wait. Raises `ApprovalRefused` and `ApprovalPending`."""
        ...

    async def use(self, approval: Approval, session: CallSession) -> None:
        """Spend the yes, right before the call runs; `ApprovalStale` when it was spent before."""
        ...


class NobodyToAsk:
    """Where no owner can be reached, what needs one is refused."""

    async def approve(self, request: ApprovalRequest) -> Approval:
        raise ApprovalRefused(
            f"{request.tool}: {request.reasons[0].text} Nobody can be asked here.",
            code="confirmation_required",
            hint="Allow it in policy.json, or call it through `prime serve`.",
            tool=request.tool,
        )

    async def use(self, approval: Approval, session: CallSession) -> None:
        raise ApprovalStale("There is no approval to use.", hint="Ask again.")
