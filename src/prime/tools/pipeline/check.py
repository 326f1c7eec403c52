"""The check stage: arguments against their schema, the tier of the channel, the owner's policy and delegations."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from prime.core.errors import Forbidden, InvalidInput, JsonValue, PrimeError
from prime.rooms.tier import Tier
from prime.tools.pipeline.call import CallSession, ToolCall
from prime.tools.pipeline.costs import BudgetLeft, Costs, CostsInMemory
from prime.tools.policy import Budget, Decision, Policy, Reason, Validator
from prime.tools.policy.decision import deny
from prime.tools.policy.delegation import Delegation
from prime.tools.runtimes.schema import CompiledSchema
from prime.tools.runtimes.schema import InvalidSchema as NoSchema
from prime.tools.tool import RuntimeKind, Tool

_MOST_ARGUMENTS = 512 * 1024
_MOST_KEPT = 256
_PROCESSES: frozenset[RuntimeKind] = frozenset({"argv", "process", "binary", "python-uv-script"})


class InvalidSchema(InvalidInput):
    """A tool whose parameters are no JSON Schema; it cannot be called."""

    code = "invalid_schema"


class Schemas:
    """JSON Schemas, compiled once."""

    def __init__(self) -> None:
        self._compiled: dict[int, tuple[Tool, CompiledSchema]] = {}

    def check(self, tool: Tool, arguments: Mapping[str, JsonValue]) -> None:
        """Raises `InvalidInput` (`invalid_arguments`) that names the place, `InvalidSchema` for the tool's own mistake."""
        for wrong in self._checker(tool).problems(dict(arguments)):
            place = str(wrong["pointer"])
            raise InvalidInput(
                f"{tool.name}: the arguments are wrong at {place or 'the top'}: {str(wrong['message'])[:300]}.",
                code="invalid_arguments",
                hint=f"`prime tools show {tool.name}` or GET /api/tools/{tool.name} shows its parameters.",
                tool=tool.name,
                pointer=place,
            )

    def _checker(self, tool: Tool) -> CompiledSchema:
        # By identity: two tools are the same only if they are the same object, and keeping it keeps its id.
        known = self._compiled.get(id(tool))
        if known is None:
            if len(self._compiled) >= _MOST_KEPT * 16:
                self._compiled.clear()
            try:
                known = (tool, CompiledSchema(tool.schema))
            except NoSchema as error:
                message = f"{tool.name}: its parameters are not a JSON Schema: {str(error)[:300]}"
                raise InvalidSchema(message, hint="Tell the tool's author.", tool=tool.name) from None
            self._compiled[id(tool)] = known
        return known[1]


class Check:
    """Judges a call; `policies` is asked each time, so that a changed policy holds from the next call on.

    `executable` says which file would run for a tool, where discovery knows: a file is judged by what it is, not by its name.
    `refuses` raises for a call that its tool would never carry out: the owner is not asked for what cannot be.
    """

    def __init__(
        self,
        policies: Callable[[], Policy],
        executable: Callable[[Tool], str | None] = lambda _tool: None,
        refuses: Callable[[Tool, Mapping[str, JsonValue]], None] = lambda _tool, _arguments: None,
        costs: Costs | None = None,
    ) -> None:
        self._policies = policies
        self._refuses = refuses
        self._executable = executable
        self._costs = costs or CostsInMemory()
        self._schemas = Schemas()
        self._validators: dict[tuple[str, Path, int], tuple[Validator, Delegation | None]] = {}

    @property
    def policy_version(self) -> str:
        return self._policies().version

    async def look(self, tool: Tool) -> None:
        """Before a call is judged: see what is left of the budget, if it could need any."""
        if self._budget(tool) is not None:
            await self._costs.look()

    async def charge(self, tool: Tool, call: ToolCall) -> None:
        """Right before a call runs: take what it costs off the budget. Others may have used that up since it was judged."""
        budget = self._budget(tool)
        if budget is not None:
            await self._costs.charge(tool, call, budget)

    async def left(self, tool: Tool | None = None) -> BudgetLeft | None:
        """What is left of the budget; None when there is none, or the tool uses none of it."""
        budget = self._policies().budget if tool is None else self._budget(tool)
        if budget is None:
            return None
        await self._costs.look()
        return BudgetLeft(budget.limit, self._costs.spent())

    def _budget(self, tool: Tool) -> Budget | None:
        return self._policies().budget if tool.effects.cost.billable else None

    def judge(self, tool: Tool, call: ToolCall, session: CallSession) -> Decision:
        """Allow or ask; a refusal is raised."""
        size = len(call.written)
        if size > _MOST_ARGUMENTS:
            raise InvalidInput(
                f"The arguments have {size} bytes, and {_MOST_ARGUMENTS} is the most.",
                code="arguments_too_large",
                hint="Put what is larger into a file and name it.",
            )
        if tool.runtime != "argv":
            self._schemas.check(tool, call.arguments)
            self._refuses(tool, call.arguments)
        tiers = Decision.of(tier_reasons(tool, session.tier))
        if tiers.denied:
            raise tiers.error(tool.name)
        validator = self._validator(session)
        decision = validator.validate(tool, call.arguments, cwd=session.cwd, executable=self._executable(tool))
        if decision.denied:
            raise _refusal(decision, tool)
        return decision

    def _validator(self, session: CallSession) -> Validator:
        policy = self._policies()
        key = (policy.version, session.cwd, id(session.delegation))
        known = self._validators.get(key)
        if known is None:
            if len(self._validators) >= _MOST_KEPT:
                self._validators.clear()
            judge = Validator(policy, workspace=session.cwd, delegation=session.delegation, ledger=self._costs)
            known = (judge, session.delegation)
            self._validators[key] = known
        return known[0]


def tier_reasons(tool: Tool, tier: Tier) -> Iterator[Reason]:
    """What a channel's tier keeps from it: strangers get no tool that touches files or starts a process."""
    if tier != "external":
        return
    step = "Use a tool that neither reads files nor starts programs."
    if tool.runtime in _PROCESSES:
        yield deny("tier_denied", "Channels with strangers get no tools that are programs.", step)
        return
    effects = tool.effects
    harmless = effects.filesystem.read is False and effects.filesystem.write is False
    if not (harmless and effects.filesystem.delete is False and effects.subprocess is False):
        yield deny("tier_denied", "Channels with strangers get no tools for files or programs.", step)


def permitted(tool: Tool, session: CallSession) -> bool:
    """Whether the tool is there for the session: neither its tier nor a delegation keeps it away.

    What is not there is not listed, so that nobody learns of it or tries it in vain.
    """
    reasons = list(tier_reasons(tool, session.tier))
    if session.delegation is not None:
        reasons += session.delegation.reasons(tool.name, [tool.command], tool.effects)
    return not any(reason.verdict == "deny" for reason in reasons)


def _refusal(decision: Decision, tool: Tool) -> PrimeError:
    """Wrong arguments are the caller's mistake, not something forbidden."""
    first = decision.reasons[0]
    if first.code != "invalid_arguments":
        return decision.error(tool.name)
    return InvalidInput(first.text, code=first.code, hint=first.next_step or None, tool=tool.name)


class PolicyFile:
    """The owner's policy, read again when its file changes. A file that cannot be read lets nothing through."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[tuple[int, int] | None, Policy | Forbidden] | None = None

    def __call__(self) -> Policy:
        stamp = self._stamp()
        if self._known is None or self._known[0] != stamp:
            self._known = stamp, self._read()
        found = self._known[1]
        if isinstance(found, Policy):
            return found
        raise found

    def _read(self) -> Policy | Forbidden:
        try:
            return Policy.load(self._path)
        except PrimeError as error:
            hint = f"{error.hint or ''} Until then no tool runs.".strip()
            return Forbidden(error.message, code="invalid_policy", hint=hint, file=str(self._path))

    def _stamp(self) -> tuple[int, int] | None:
        try:
            how = self._path.stat()
        except OSError:
            return None
        return how.st_mtime_ns, how.st_size
