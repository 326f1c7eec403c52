"""Tools in a provider's format, and the way back from a call (RFC 8)."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Final, cast, overload

from prime.core.errors import InvalidInput, JsonValue, NotFound
from prime.tools.atip.model import Document
from prime.tools.providers import dialects
from prime.tools.providers.calls import PROVIDERS, Provider, ToolCall
from prime.tools.providers.flags import OPENAI_LIMIT, described, safety_flags
from prime.tools.providers.frozen import FrozenList, frozen
from prime.tools.providers.prompt import patterns_prompt, safety_prompt
from prime.tools.providers.routes import STRATEGIES, Route, Strategy, routes
from prime.tools.tool import Schema, Tool, tools_of

Definition = dict[str, Any]  # a provider's own shape; its package's types say what is in it
_CACHE_SIZE: Final = 64


@dataclass(frozen=True, slots=True)
class ResolvedCall:
    """A model's call with the tool it means and the arguments that it really gives (null left out)."""

    call: ToolCall
    tool: Tool
    arguments: Mapping[str, JsonValue]


class CompiledTools(Sequence[Definition]):
    """The definitions, in order. Shared between callers and therefore frozen: copy.deepcopy() gives a free copy."""

    def __init__(
        self, provider: Provider, tools: tuple[Tool, ...], found: list[Route], definitions: list[JsonValue]
    ) -> None:
        self.provider = provider
        self.tools = tools
        self.definitions: list[Definition] = frozen(definitions)
        self._routes = {route.name: route for route in found}

    @overload
    def __getitem__(self, index: int) -> Definition: ...
    @overload
    def __getitem__(self, index: slice) -> list[Definition]: ...
    def __getitem__(self, index: int | slice) -> Definition | list[Definition]:
        return self.definitions[index]

    def __len__(self) -> int:
        return len(self.definitions)

    @cached_property
    def request_tools(self) -> list[Definition]:
        """What the request's `tools` field takes; Gemini wants the declarations inside one object."""
        if self.provider != "gemini":
            return self.definitions
        return FrozenList([frozen({"function_declarations": self.definitions})]) if self.definitions else FrozenList()

    @cached_property
    def system_prompt(self) -> str:
        """Safety and usage patterns of these tools, for the system prompt."""
        parts = safety_prompt(self.tools), patterns_prompt(self.tools)
        return "\n\n".join(part for part in parts if part)

    def resolve(self, call: ToolCall) -> ResolvedCall:
        """Which tool a call means, by the exact name it was given."""
        route = self._routes.get(call.name)
        if route is None:
            raise NotFound(
                f"There is no tool named {call.name[:80]!r}.",
                hint="Tell the model to use a listed name.",
                tool=call.name,
            )
        tool = route.tool_for(call.arguments)
        given = {key: value for key, value in call.arguments.items() if key != route.discriminator}
        return ResolvedCall(call, tool, _without_nulls(tool, given))


def _without_nulls(tool: Tool, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Strict mode made optional properties nullable; null is kept where the tool's own schema allows it."""
    if tool.slots:
        return {key: value for key, value in arguments.items() if value is not None}
    properties = cast("Mapping[str, Schema]", tool.schema.get("properties") or {})
    required = cast("list[str]", tool.schema.get("required") or [])
    return {
        key: value
        for key, value in arguments.items()
        if value is not None or key in required or "null" in str(properties.get(key, {}).get("type", "null"))
    }


_cache: OrderedDict[tuple[object, ...], tuple[tuple[Tool | Document, ...], CompiledTools]] = OrderedDict()
_cache_lock = Lock()


def compile_tools(
    tools: Iterable[Tool | Document], provider: Provider, strict: bool = False, strategy: Strategy = "discrete"
) -> CompiledTools:
    """Definitions for one provider; whole documents stand for all their commands.

    The answer for the same objects comes from a cache.
    """
    given = tuple(tools)
    key = (provider, strict, strategy, *map(id, given))
    with _cache_lock:
        hit = _cache.get(key)
        if hit is not None:
            _cache.move_to_end(key)
            return hit[1]
    compiled = _compile(given, provider, strict=strict, strategy=strategy)
    with _cache_lock:
        _cache[key] = (given, compiled)  # holding the objects keeps their ids theirs
        if len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return compiled


def _compile(
    given: tuple[Tool | Document, ...], provider: Provider, *, strict: bool, strategy: Strategy
) -> CompiledTools:
    if provider not in PROVIDERS:
        raise InvalidInput(f"Unknown provider {provider!r}.", hint=f"Use one of: {', '.join(PROVIDERS)}.")
    if strategy not in STRATEGIES:
        raise InvalidInput(f"Unknown strategy {strategy!r}.", hint=f"Use one of: {', '.join(STRATEGIES)}.")
    tools = _tools(given)
    found = routes(tools, strategy)
    return CompiledTools(provider, tools, found, [_definition(route, provider, strict=strict) for route in found])


def _tools(given: tuple[Tool | Document, ...]) -> tuple[Tool, ...]:
    documents = [item for item in given if isinstance(item, Document)]
    tools = (*(item for item in given if isinstance(item, Tool)), *tools_of(*documents))
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            raise InvalidInput(
                f"Two tools are named {tool.name!r}.", hint="Build the tools of all documents with one tools_of(…)."
            )
        seen.add(tool.name)
    return tools


def _definition(route: Route, provider: Provider, *, strict: bool) -> JsonValue:
    limit = OPENAI_LIMIT if provider in {"openai", "openai-responses"} else None
    description = described(route.description, safety_flags(route.effects), route.examples, limit)
    if provider == "gemini":
        return {"name": route.name, "description": description, **_gemini_parameters(route.schema)}
    if provider == "anthropic":
        return _anthropic(route, description, strict=strict)
    parameters, is_strict = _openai_parameters(route.schema, strict=strict)
    function = {"name": route.name, "description": description, "strict": is_strict, "parameters": parameters}
    return {"type": "function", **function} if provider == "openai-responses" else _chat(function)


def _chat(function: dict[str, JsonValue]) -> JsonValue:
    return {"type": "function", "function": function}


def _openai_parameters(schema: Schema, *, strict: bool) -> tuple[JsonValue, bool]:
    """A schema that strict mode cannot express goes out as it is, and its `strict` says so."""
    if strict:
        try:
            return dialects.strict(schema), True
        except dialects.NotExpressible:
            pass
    return dialects.plain(schema), False


def _gemini_parameters(schema: Schema) -> dict[str, JsonValue]:
    """Gemini refuses an object without properties, so a tool without parameters has no `parameters`."""
    if not schema.get("properties"):
        return {}
    try:
        return {"parameters": dialects.gemini(schema)}
    except dialects.NotExpressible:
        return {"parameters_json_schema": dialects.plain(schema)}


def _anthropic(route: Route, description: str, *, strict: bool) -> JsonValue:
    schema = dialects.plain(route.schema)
    schema.setdefault("type", "object")
    if not strict:
        schema.pop("additionalProperties", None)
    definition: dict[str, JsonValue] = {"name": route.name, "description": description, "input_schema": schema}
    if strict and schema.get("additionalProperties") is False:
        definition["strict"] = True
    return definition
