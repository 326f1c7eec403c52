"""Prime's own tools: `prime`, which every session calls first, and `find_tools`, to look up the ten of five hundred."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip.effect import Cost, Effects, Filesystem
from prime.tools.atip.model import Trust
from prime.tools.atip.writing import write
from prime.tools.catalog import WANTED, Catalog, Wanted
from prime.tools.priming.directive import DESCRIPTION
from prime.tools.priming.request import PrimeRequest
from prime.tools.priming.schemas import prime_schema
from prime.tools.priming.sessions import PrimedSessions
from prime.tools.runtime import RawResult, RunContext
from prime.tools.tool import Schema, Tool

Work = Callable[[Mapping[str, JsonValue], RunContext], Awaitable[JsonValue]]
# Raises for arguments that can never be right, so that nobody is asked about them.
Refuses = Callable[[Mapping[str, JsonValue]], object]
HARMLESS = Effects(
    filesystem=Filesystem(read=False, write=False, delete=False),
    network=False,
    subprocess=False,
    destructive=False,
    idempotent=True,
    reversible=True,
    cost=Cost(billable=False),
)
_MOST_FOUND = 50
_FIND: Schema = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What the tool should do, in a few words."},
        "effects": {
            "type": "object",
            "description": "Effects that it must have (true) or must be known not to have (false).",
            "properties": {name: {"type": "boolean"} for name in WANTED},
            "additionalProperties": False,
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": _MOST_FOUND, "description": "How many; 10 unless given."},
        "place": {"type": "integer", "minimum": 0, "description": "Where to go on: `nextPlace` of the answer before."},
    },
    "required": ["query"],
    "additionalProperties": False,
}


class Builtins:
    """Tools that are functions of this process: their source and their runtime."""

    def __init__(self) -> None:
        self._work: dict[str, tuple[Tool, Work]] = {}
        self._refusing: dict[str, Refuses] = {}

    @property
    def changed(self) -> int:
        return len(self._work)

    def tools(self) -> list[Tool]:
        return [tool for tool, _ in self._work.values()]

    def add(
        self,
        name: str,
        description: str,
        schema: Schema,
        work: Work,
        *,
        effects: Effects = HARMLESS,
        refuses: Refuses | None = None,
    ) -> None:
        """Offer a function as a tool. It answers with JSON, or raises a `PrimeError`; `refuses` does before anybody is asked."""
        trust = Trust(source="built-in", verified=True)
        tool = Tool(
            name=name,
            command=(name,),
            description=description,
            schema=schema,
            effects=effects,
            trust=trust,
            runtime="builtin",
        )
        self._work[name] = (tool, work)
        if refuses is not None:
            self._refusing[name] = refuses

    def check(self, tool: Tool, arguments: Mapping[str, JsonValue]) -> None:
        """Raises for a call of one of these that can never be right."""
        refuses = self._refusing.get(tool.name) if tool.runtime == "builtin" else None
        if refuses is not None:
            refuses(arguments)

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: RunContext) -> RawResult:
        answer = await self._work[tool.name][1](arguments, context)
        size = len(json.dumps(answer))
        return RawResult(({"type": "json", "json": answer},), False, answer, None, size, "")


def own_tools(catalog: Catalog, sessions: PrimedSessions) -> Builtins:
    """`prime` and `find_tools`."""

    async def prime(arguments: Mapping[str, JsonValue], context: RunContext) -> JsonValue:
        request = PrimeRequest.from_json(dict(arguments))
        if (request.agent_id, request.session_id) != (context.agent_id, context.session_id):
            raise InvalidInput(
                "A session primes itself: agentId and sessionId are those of the call.",
                code="invalid_prime_request",
                hint=f"Use agentId {context.agent_id[:80]!r} and sessionId {context.session_id[:80]!r}.",
            )
        return await sessions.prime(request)

    async def find_tools(arguments: Mapping[str, JsonValue], context: RunContext) -> JsonValue:
        page = catalog.find(
            cast("str", arguments["query"]),
            effects=cast("Mapping[Wanted, bool]", arguments.get("effects") or {}),
            place=cast("int", arguments.get("place") or 0),
            limit=cast("int", arguments.get("limit") or 10),
            permits=context.permits,
        )
        shown = [tool_json(tool) for tool in page.tools]
        return {"tools": shown, "total": page.total, "nextPlace": page.next_place}

    own = Builtins()
    own.add("prime", DESCRIPTION, {k: v for k, v in prime_schema("request").items() if k != "$id"}, prime)
    own.add("find_tools", "Look up tools by what they do and which effects they have.", _FIND, find_tools)
    return own


def tool_json(tool: Tool) -> dict[str, JsonValue]:
    """A tool as an agent needs it to call it."""
    return {
        "name": tool.name,
        "command": list(tool.command),
        "description": tool.description,
        "parameters": dict(tool.schema),
        "effects": write(tool.effects),
        "runtime": tool.runtime,
        "trust": write(tool.trust),
    }
