"""The owner's word: a question that outlives restarts, a yes that is used once, and "always" that can be taken back."""

import asyncio
import hashlib
import logging
from collections.abc import Mapping
from typing import cast

from prime.core.canonical import canonical_json
from prime.core.clock import Clock, iso
from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.core.redaction import cut, redact_for_yes
from prime.core.visible import visible
from prime.rooms.queries import ROOMS, read_names
from prime.rooms.questions import Asking, Questions
from prime.rooms.records import HUB, OWNER, PRIME, Question
from prime.store.message import NewMessage
from prime.store.store import Store
from prime.tools.pipeline.approving import Approval, ApprovalPending, ApprovalRefused, ApprovalRequest, ApprovalStale
from prime.tools.pipeline.binding import line_of
from prime.tools.pipeline.call import CallSession, ToolCall
from prime.tools.pipeline.patterns import ASK_EACH_TIME, LOOK_AT_EACH, literal, matches, parse_pattern
from prime.tools.pipeline.stored import shown_arguments
from prime.tools.queries import TOOLS, AskedCall, StandingApproval, read_asked, read_rules, read_waiting

log = logging.getLogger(__name__)

LIFETIME_S = 24 * 3600.0
_LOOK_S = 30.0
_RULE = "rule:"


class OwnerApprover:
    """Asks the owner through `Questions`. `lifetime_s`: after that long without an answer it is a no."""

    def __init__(self, store: Store, questions: Questions, clock: Clock, *, lifetime_s: float = LIFETIME_S) -> None:
        self._store = store
        self._questions = questions
        self._clock = clock
        self._lifetime_ms = round(lifetime_s * 1000)
        # Two identical calls at once are one question.
        self._asking: dict[str, asyncio.Lock] = {}

    # --- for the pipeline ---

    async def approve(self, request: ApprovalRequest) -> Approval:
        """A standing approval, the answer to this question if it was asked before, else the answer to a new one."""
        standing = await self._standing(request)
        if standing is not None:
            by = f"{_RULE}{standing.id}"
            return Approval(id=standing.id, binding=request.binding, by=by, call_id=request.call_id)
        asked = await self._asked(request)
        await self._answered(request, asked)
        return Approval(id=asked.question_id, binding=request.binding, by=OWNER, call_id=request.call_id)

    async def use(self, approval: Approval, session: CallSession) -> None:
        """Spend it. A standing one is checked once more: it may have been taken back a moment ago."""
        if approval.by.startswith(_RULE):
            if not any(rule.id == approval.id for rule in await self.rules()):
                raise _stale("The standing approval was taken back.")
            await self._append({"op": "applied", "ruleId": approval.id, **_used(approval)}, None)
            return
        spent = {"op": "used", "questionId": approval.id, **_used(approval)}
        if not await self._append(spent, f"approval/{approval.id}/used"):
            raise _stale("This yes was used already.")

    # --- for the owner ---

    async def rules(self) -> list[StandingApproval]:
        """What is approved always, newest first."""
        return await self._store.projector.read(read_rules, TOOLS)

    async def change_rule(self, rule_id: str, pattern: str) -> StandingApproval:
        """Let a standing approval cover what a pattern covers; it still names the same tool."""
        rule = await self._rule(rule_id)
        words = parse_pattern(pattern)
        if words[0] != parse_pattern(rule.line)[0]:
            hint = f"Begin with: {literal(parse_pattern(rule.line)[:1])}"
            raise InvalidInput("The pattern names another tool.", code="invalid_pattern", hint=hint, field="pattern")
        await self._append({"op": "changed", "ruleId": rule.id, "pattern": pattern, "by": OWNER}, None)
        return await self._rule(rule_id)

    async def revoke_rule(self, rule_id: str) -> None:
        """Ask again from now on."""
        rule = await self._rule(rule_id)
        await self._append({"op": "revoked", "ruleId": rule.id, "by": OWNER}, None)

    def check_pattern(self, question: Question, pattern: str) -> None:
        """`InvalidInput` unless the pattern can be read and covers the very call that is asked about."""
        words = tuple(cast("list[str]", (question.call or {}).get("words", [])))
        if not matches(parse_pattern(pattern), words):
            raise InvalidInput(
                "The pattern does not cover this call itself.",
                code="invalid_pattern",
                hint=f"Begin with: {literal(words)}",
                field="pattern",
            )

    # --- time ---

    async def expire_due(self) -> int:
        """Turn what nobody answered in time into a no; how many."""
        now = self._clock.now_ms()
        waiting = await self._store.projector.read(read_waiting, TOOLS)
        due = [asked for asked in waiting if asked.expires_at <= now]
        for asked in due:
            await self._expire(asked.question_id)
        return len(due)

    async def keep_expiring(self) -> None:
        """For ever, also what waits since before a restart."""
        while True:
            try:
                await self.expire_due()
            except Exception:  # the database may be away for a moment
                log.exception("what waits for a yes could not be looked at; trying again")
            await self._clock.sleep(_LOOK_S)

    # --- asking ---

    async def _asked(self, request: ApprovalRequest) -> AskedCall:
        lock = self._asking.setdefault(request.binding, asyncio.Lock())
        try:
            async with lock:
                asked = await self._last(request.binding)
                if asked is None or asked.used or self._left(asked, request):
                    await self._ask(request)
                    asked = await self._last(request.binding)
                assert asked is not None
                return asked
        finally:
            if not lock.locked():
                self._asking.pop(request.binding, None)

    def _left(self, asked: AskedCall, request: ApprovalRequest) -> bool:
        """Whether an earlier question is over for this call. Whoever waited for it hears that nobody answered instead."""
        late = asked.expires_at <= self._clock.now_ms()
        if asked.status in {"yes", "no"}:
            return late
        return (late or asked.status == "expired") and asked.call.get("callId") != request.call_id

    async def _ask(self, request: ApprovalRequest) -> None:
        session = request.session
        reasons = " ".join(dict.fromkeys(reason.text for reason in request.reasons))
        await self._questions.ask(
            Asking(
                kind="approval",
                channel_id=session.channel_id or HUB,
                text=await self._question(session.agent_id, request.tool),
                context=cut(visible(line_of(_without_secrets(request.words))), 4000),
                reason=reasons[:2000],
                suggestions=("yes", "no", "always"),
                call=self._shown(request),
            )
        )

    async def _question(self, agent_id: str, tool: str) -> str:
        """Who asks goes by the name that the owner knows; somebody from outside as they call themselves."""
        if agent_id == OWNER:
            return f"Run {tool} now?"
        names = dict(await self._store.projector.read(read_names, ROOMS))
        name = " ".join(visible(names.get(agent_id, agent_id)).split())[:80]
        return f"May {name} run {tool}?"

    def _shown(self, request: ApprovalRequest) -> dict[str, object]:
        expires = self._clock.now_ms() + self._lifetime_ms
        words = _without_secrets(request.words)
        return {
            "callId": request.call_id,
            "tool": request.tool,
            "digest": request.digest,
            "binding": request.binding,
            "exact": exact_key(request.digest, request.arguments, str(request.cwd)),
            "arguments": shown_arguments(ToolCall(name=request.tool, arguments=request.arguments), redact_for_yes),
            "words": list(words),
            "line": line_of(words),
            "pattern": literal(words),
            "folder": str(request.cwd),
            "agentId": request.session.agent_id[:200],
            "sessionId": request.session.session_id[:200],
            "reasons": [reason.as_json() for reason in request.reasons],
            "expiresAt": expires,
            "expires": iso(expires),
        }

    async def _answered(self, request: ApprovalRequest, asked: AskedCall) -> None:
        """Wait for a yes; anything else is raised."""
        wait_s, now = request.session.wait_s, self._clock.now_ms()
        until = asked.expires_at if wait_s is None else min(asked.expires_at, now + round(wait_s * 1000))
        question = await self._settled(asked.question_id, until)
        if question.status == "answered" and question.answer.get("choice") in {"yes", "always"}:
            return
        if question.status in {"answered", "expired"}:
            raise _refused(request, question)
        if self._clock.now_ms() >= asked.expires_at:
            raise _refused(request, await self._expire(asked.question_id))
        raise ApprovalPending(
            f"{request.tool} waits for the owner's yes.",
            hint="Repeat exactly this call in this session when the owner has answered.",
            questionId=asked.question_id,
            callId=request.call_id,
            line=cut(visible(line_of(_without_secrets(request.words))), 2000),
            reasons=[reason.as_json() for reason in request.reasons],
            expiresAt=iso(asked.expires_at),
        )

    async def _settled(self, question_id: str, until_ms: int) -> Question:
        """The question when it is answered or expired, or as it is when the time is over."""
        while True:
            head = self._store.heads.head
            question = await self._questions.get(question_id)
            left = (until_ms - self._clock.now_ms()) / 1000
            if question.status in {"answered", "expired"} or left <= 0:
                return question
            moved = asyncio.ensure_future(self._store.heads.wait_beyond(head))
            late = asyncio.ensure_future(self._clock.sleep(left))
            try:
                await asyncio.wait({moved, late}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                moved.cancel()
                late.cancel()

    async def _expire(self, question_id: str) -> Question:
        try:
            return await self._questions.expire(question_id)
        except Conflict:
            return await self._questions.get(question_id)  # answered at the last moment

    # --- reading and writing ---

    async def _standing(self, request: ApprovalRequest) -> StandingApproval | None:
        codes = {reason.code for reason in request.reasons}
        if codes & ASK_EACH_TIME:
            return None
        exact = exact_key(request.digest, request.arguments, str(request.cwd))
        rules = await self._store.projector.read(lambda c: read_rules(c, request.tool), TOOLS)
        for rule in rules:
            if rule.digest != request.digest or rule.folder != str(request.cwd):
                continue  # another description or another place: the owner was told something else
            if rule.exact == exact:
                return rule
            if rule.pattern and not codes & LOOK_AT_EACH and matches(parse_pattern(rule.pattern), request.words):
                return rule
        return None

    async def _last(self, binding: str) -> AskedCall | None:
        return await self._store.projector.read(lambda c: read_asked(c, binding), TOOLS)

    async def _rule(self, rule_id: str) -> StandingApproval:
        found = next((rule for rule in await self.rules() if rule.id == rule_id), None)
        if found is None:
            raise NotFound(f"There is no standing approval {rule_id[:80]}.", hint="It may have been taken back.")
        return found

    async def _append(self, body: Mapping[str, object], key: str | None) -> bool:
        """Whether it is new: of two with one key only the first is."""
        message = NewMessage(
            channel_id=HUB, actor_id=PRIME, kind="approval", audience="hub", body=body, idempotency_key=key
        )
        [appended] = await self._store.log.append(message)
        return appended.id == message.id


def exact_key(digest: str, arguments: Mapping[str, object], folder: str) -> str:
    """What "always" without a pattern covers: this tool as described, these arguments, this folder."""
    return hashlib.sha256(canonical_json([digest, dict(arguments), folder]).encode()).hexdigest()


def _without_secrets(words: tuple[str, ...]) -> tuple[str, ...]:
    """The log is read by more eyes than a command line; who says yes sees all that could run."""
    return tuple(redact_for_yes(word) for word in words)


def _used(approval: Approval) -> dict[str, object]:
    return {"callId": approval.call_id, "binding": approval.binding, "by": approval.by}


def _refused(request: ApprovalRequest, question: Question) -> ApprovalRefused:
    late = question.status == "expired"
    why = "nobody answered in time, which means no" if late else "the owner said no"
    text = str(question.answer.get("text") or "")
    return ApprovalRefused(
        f"{request.tool}: {why}.{f' {text}' if text else ''}",
        code="approval_expired" if late else "approval_refused",
        hint="Ask again later." if late else "Do something else, or talk to the owner about it.",
        tool=request.tool,
        questionId=question.id,
    )


def _stale(message: str) -> ApprovalStale:
    return ApprovalStale(message, hint="Make the call again; the owner is asked about it as it is now.")
