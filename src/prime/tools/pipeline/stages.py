"""The stages of a call, each one object with one method. `pipeline.Pipeline` puts them in order."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import cast

from prime.core.errors import JsonValue, NotFound
from prime.core.redaction import Redactor
from prime.tools.atip.effect import Effects
from prime.tools.catalog import Catalog, UnknownTool, unknown_tool
from prime.tools.pipeline.approving import Approval, ApprovalRequest, ApprovalStale, Approver
from prime.tools.pipeline.binding import binding, tool_digest, words_of
from prime.tools.pipeline.call import CallSession, ToolCall
from prime.tools.pipeline.check import Check, permitted
from prime.tools.policy import Decision
from prime.tools.policy.result import DEFAULT_LIMIT, ResultFilter
from prime.tools.priming.agent import Directives
from prime.tools.priming.sessions import PrimedSessions
from prime.tools.runtime import Identifies, RawResult, RunContext, Runtime
from prime.tools.tool import RuntimeKind, Tool

PRIME = "prime"
_LARGE = 32 * 1024
Block = Mapping[str, JsonValue]


def is_prime(tool: Tool) -> bool:
    """Whether it is Prime's own `prime`, which every session calls first."""
    return tool.runtime == "builtin" and tool.name == PRIME


class Find:
    """From a name to a tool."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def tool(self, call: ToolCall, session: CallSession) -> Tool:
        """`UnknownTool` names only what the session may call: of the rest it is not to learn."""
        try:
            return self._catalog.get(call.name)
        except UnknownTool as error:
            if (session.tier == "team" and session.delegation is None) or _may_hear(error, call.name, session):
                raise
            there = [tool.name for tool in self._catalog.tools() if permitted(tool, session)]
            raise unknown_tool(call.name, there) from None


def _may_hear(why: UnknownTool, name: str, session: CallSession) -> bool:
    """Why a tool is away is for who would have it: whoever was left all tools, or this one by its name."""
    if why.error_code == UnknownTool.code or session.tier != "team" or session.delegation is None:
        return False
    return all(reason.code != "not_delegated" for reason in session.delegation.reasons(name, [], Effects()))


class Primed:
    """Has this session primed Prime? (the tool's side)"""

    def __init__(self, sessions: PrimedSessions) -> None:
        self._sessions = sessions

    async def require(self, tool: Tool, session: CallSession) -> Mapping[str, JsonValue] | None:
        """The directives that go into the first result in mode `auto`; else nothing."""
        if is_prime(tool):
            return None
        return await self._sessions.ready(session.agent_id, session.session_id)


class Briefed:
    """Has the tool said how it wants to be used, and is it this call's turn? (the agent's side)"""

    def __init__(self, directives: Directives) -> None:
        self._directives = directives

    async def follow(self, tool: Tool, session: CallSession) -> list[str]:
        return await self._directives.follow(tool, session.agent_id, session.session_id)


class Runtimes:
    """Who runs which kind of tool."""

    def __init__(self, by_kind: Mapping[RuntimeKind, Runtime]) -> None:
        self._by_kind = dict(by_kind)

    def add(self, kind: RuntimeKind, runtime: Runtime) -> None:
        self._by_kind[kind] = runtime

    def of(self, tool: Tool) -> Runtime:
        runtime = self._by_kind.get(tool.runtime)
        if runtime is None:
            message = f"{tool.name}: nothing here runs tools of the kind {tool.runtime}."
            raise NotFound(message, code="no_runtime", hint="`prime doctor` says what is missing.", tool=tool.name)
        return runtime

    def identity(self, tool: Tool) -> str:
        """Which file would run, as far as its runtime can say."""
        runtime = self.of(tool)
        return runtime.identity(tool) if isinstance(runtime, Identifies) else tool.runtime


class Ask:
    """Get the owner's word for a call that policy does not simply let through."""

    def __init__(self, approver: Approver, check: Check, runtimes: Runtimes) -> None:
        self._approver = approver
        self._check = check
        self._runtimes = runtimes

    async def permit(self, tool: Tool, call: ToolCall, session: CallSession, decision: Decision) -> Approval | None:
        """None when nobody needs to be asked."""
        if decision.allowed:
            return None
        return await self._approver.approve(
            ApprovalRequest(
                call_id=call.id,
                tool=tool.name,
                digest=tool_digest(tool),
                binding=self.bound(tool, call, session),
                arguments=call.arguments,
                words=words_of(tool, call.arguments),
                cwd=session.cwd,
                session=session,
                reasons=decision.reasons,
            )
        )

    async def use(self, approval: Approval, session: CallSession) -> None:
        """Spend a yes."""
        await self._approver.use(approval, session)

    def bound(self, tool: Tool, call: ToolCall, session: CallSession) -> str:
        identity = self._runtimes.identity(tool)
        return binding(tool, call, session, identity=identity, policy_version=self._check.policy_version)


class Run:
    """Run what was allowed, after one more look at whether it is still that."""

    def __init__(self, runtimes: Runtimes, check: Check, ask: Ask, find: Find) -> None:
        self._runtimes = runtimes
        self._check = check
        self._ask = ask
        self._find = find

    async def run(self, tool: Tool, call: ToolCall, session: CallSession, approval: Approval | None) -> RawResult:
        runtime = self._runtimes.of(tool)
        if approval is not None:
            self._compare(tool, call, session, approval)
            await self._ask.use(approval, session)
        await self._check.charge(tool, call)
        if approval is not None:
            self._compare(tool, call, session, approval)  # once more: writing that down took a moment
        context = RunContext(
            session.session_id,
            session.agent_id,
            session.cwd,
            approval is not None,
            {},
            permits=lambda other: permitted(other, session),
            judged=approval is None,
            actor_id=session.actor_id,
            channel_id=session.channel_id,
        )
        return await runtime.run(tool, call.arguments, context)

    def _compare(self, tool: Tool, call: ToolCall, session: CallSession, approval: Approval) -> None:
        """While the owner thought, the program, its description or the policy may have become another."""
        if self._ask.bound(self._find.tool(call, session), call, session) != approval.binding:
            raise ApprovalStale(
                f"{tool.name}: what would run is not what was approved any more.",
                hint="Make the call again; the owner is asked about it as it is now.",
                tool=tool.name,
            )


class Filter:
    """Redact, then cut. All blocks of a result share one limit."""

    def __init__(
        self, *, limit: int = DEFAULT_LIMIT, secrets: Callable[[], Awaitable[Iterable[str]]] | None = None
    ) -> None:
        self._limit = limit
        self._secrets = secrets
        self._held: tuple[str, ...] = ()
        # Knows the forms of every secret, which take longer to write down than to look for.
        self._redactor = Redactor(lambda: self._held)

    async def clean(self, tool: Tool, raw: RawResult) -> RawResult:
        if is_prime(tool):
            return raw  # our own words, and the session's name in them is no secret
        if self._secrets is not None:
            self._held = tuple(await self._secrets())
        if raw.bytes_out > _LARGE:
            return await asyncio.to_thread(self._cleaned, raw)  # megabytes take their time
        return self._cleaned(raw)

    def _cleaned(self, raw: RawResult) -> RawResult:
        left = self._limit
        content: list[Block] = []
        for block in raw.content:
            cleaned = self._block(block, max(left, 0))
            left -= _size(cleaned)
            content.append(cleaned)
        structured = None if raw.structured is None else self._value(raw.structured, self._limit)
        return RawResult(
            content=tuple(content),
            is_error=raw.is_error,
            structured=None if isinstance(structured, _Cut) else structured,
            exit_code=raw.exit_code,
            bytes_out=raw.bytes_out,
            log=self.text(raw.log, self._limit // 8),
        )

    def text(self, text: str, limit: int | None = None) -> str:
        limit = self._limit if limit is None else limit
        return ResultFilter(limit=limit, secrets=self._redactor).text(text) if text else ""

    def _block(self, block: Block, limit: int) -> Block:
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            return {**block, "text": self.text(cast("str", block["text"]), limit)}
        if kind in {"image", "audio"}:
            return block  # not text; bounded by the runtime
        cleaned = self._value(dict(block), limit)
        return {"type": "text", "text": cleaned.text} if isinstance(cleaned, _Cut) else cast("Block", cleaned)

    def _value(self, value: JsonValue, limit: int) -> "JsonValue | _Cut":
        """The value without secrets; text when it is too long, or would be no JSON without them."""
        written = json.dumps(value, ensure_ascii=False)
        shown = self.text(written, limit)
        if shown == written:
            return value
        try:
            return json.loads(shown)
        except ValueError:
            return _Cut(shown)


class _Cut:
    """JSON that is only text now."""

    def __init__(self, text: str) -> None:
        self.text = text


def _size(block: Block) -> int:
    text = block.get("text")
    if isinstance(text, str):
        return len(text.encode("utf-8", "replace"))
    return 0 if block.get("type") in ("image", "audio") else len(json.dumps(block))
