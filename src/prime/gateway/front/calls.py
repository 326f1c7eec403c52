"""`tools/call`: one call of one client through the one pipeline."""

import asyncio
from collections.abc import Mapping
from typing import cast

from prime.core.errors import Conflict, InvalidInput, JsonValue, PrimeError
from prime.core.settings import McpSurface
from prime.gateway.front.listing import CALL_TOOL, Listing
from prime.gateway.front.results import Result, call_result, refusal
from prime.gateway.front.sessions import Session
from prime.gateway.link import LINK, ClientLink
from prime.tools.catalog import ToolAway, UnknownTool
from prime.tools.pipeline import CallSession, ToolCall, ToolResult
from prime.tools.pipeline.stages import PRIME
from prime.tools.workshop import Workshop

# Clients give up after about a minute; before that they are told that the owner has not answered yet.
WAIT_S = 50.0
# Wrong calls, as opposed to calls that go wrong: these are the client's mistake and answered as an error.
_WRONG = frozenset({"invalid_arguments", "arguments_too_large", "invalid_schema"})

Arguments = Mapping[str, JsonValue]


class Calls:
    def __init__(self, workshop: Workshop, listing: Listing, surface: McpSurface) -> None:
        self._workshop = workshop
        self._listing = listing
        self._surface = surface

    async def call(
        self, session: Session, link: ClientLink, name: str, arguments: Arguments, *, cancelled_once: bool = False
    ) -> Result:
        """The result on the wire. `InvalidInput` and `UnknownTool` are for the caller to send as errors.

        `cancelled_once`: whoever cancels this does so once and waits, which the pipeline needs to write down what happened.
        """
        if name == CALL_TOOL["name"] and self._surface == "search":
            name, arguments = _inner(arguments)
        call = ToolCall(name=name, arguments=arguments)
        try:
            if name == PRIME:
                result = await self._prime(session, call)
            elif cancelled_once:
                LINK.set(link)
                result = await self._workshop.pipeline.call(call, self._session(session))
            else:
                result = await self._run(session, call, link)
        except ToolAway as error:
            return refusal(error)
        except UnknownTool:
            raise
        except PrimeError as error:
            if error.error_code in _WRONG:
                raise
            return refusal(error)
        return call_result(result, structured=self._promises(name))

    async def run(self, session: Session, name: str, arguments: Arguments) -> JsonValue:
        """The JSON of a tool of Prime's own; a failure is raised."""
        result = await self._workshop.pipeline.call(ToolCall(name=name, arguments=arguments), self._session(session))
        if result.error is not None:
            code, message = str(result.error.get("code")), str(result.error.get("message"))
            raise Conflict(message, code=code, hint=cast("str | None", result.error.get("hint")))
        return result.structured

    def learn(self, session: Session, name: str) -> bool:
        """Note that a tool was used; whether that changes what is listed."""
        if self._surface != "search" or name in {PRIME, "find_tools", "call_tool"} or name in session.used:
            return False
        session.used[name] = None
        return True

    async def _run(self, session: Session, call: ToolCall, link: ClientLink) -> ToolResult:
        """In a task of its own: the SDK cancels a request again and again until it ends."""
        LINK.set(link)
        task = asyncio.create_task(self._workshop.pipeline.call(call, self._session(session)))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def _prime(self, session: Session, call: ToolCall) -> ToolResult:
        """What is primed is the session that the call came in by, whatever the client calls it (D-DIR-4)."""
        agent, named = call.arguments.get("agentId"), call.arguments.get("sessionId")
        if not isinstance(agent, str) or not isinstance(named, str):
            return await self._workshop.pipeline.call(call, self._session(session))  # refused by the schema
        before, session.agent_id = session.agent_id, agent
        own = ToolCall(name=call.name, arguments={**call.arguments, "sessionId": session.key}, id=call.id)
        try:
            result = await self._workshop.pipeline.call(own, self._session(session))
        except PrimeError:
            session.agent_id = before
            raise
        session.named = named
        return _renamed(result, named)

    def _session(self, session: Session) -> CallSession:
        return CallSession(
            session_id=session.key,
            agent_id=session.agent_id,
            cwd=self._workshop.folder,
            delegation=session.client.delegation if session.client else None,
            wait_s=WAIT_S,
        )

    def _promises(self, name: str) -> bool:
        try:
            return "outputSchema" in self._listing.one(self._workshop.catalog.get(name))
        except UnknownTool:
            return False


def _inner(arguments: Arguments) -> tuple[str, Arguments]:
    name, given = arguments.get("name"), arguments.get("arguments", {})
    if not isinstance(name, str) or name == CALL_TOOL["name"]:
        raise InvalidInput("call_tool needs the exact name of a tool.", code="invalid_arguments", pointer="/name")
    if not isinstance(given, dict):
        raise InvalidInput("arguments must be an object.", code="invalid_arguments", pointer="/arguments")
    return name, cast("Arguments", given)


def _renamed(result: ToolResult, named: str) -> ToolResult:
    """The answer with the name that the client gave its session."""
    from dataclasses import replace

    if not isinstance(result.structured, dict):
        return result
    answer = dict(cast("Arguments", result.structured))
    session = answer.get("session")
    answer["session"] = {**(cast("Arguments", session) if isinstance(session, dict) else {}), "sessionId": named}
    return replace(result, structured=answer, content=({"type": "json", "json": answer},))
