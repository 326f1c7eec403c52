"""Tools in a provider's format, and the way back from a call (RFC 8)."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Final, cast

from prime.core.errors import InvalidInput, JsonValue, NotFound
from prime.tools.atip.model import Document
from prime.tools.providers import dialects
from prime.tools.providers.calls import PROVIDERS, Provider, ToolCall
from prime.tools.providers.flags import OPENAI_LIMIT, described, safety_flags
from prime.tools.providers.frozen import FrozenDict, FrozenList, frozen
from prime.tools.providers.merging import STRATEGIES, MergedTools, Shown, Strategy, merged_tools
from prime.tools.providers.prompt import patterns_prompt, safety_prompt
from prime.tools.tool import NO_PARAMETERS, NamedCommand, Schema, Tool, as_shown, as_tools

Definition = dict[str, Any]  # a provider's own shape; its package's types say what is in it
_CACHE_SIZE: Final = 64
_STRICT_NOTHING: Final[Definition] = frozen(NO_PARAMETERS)


@dataclass(frozen=True, slots=True)
class ResolvedCall:
    """A model's call with the tool it means and the arguments that it really gives (null left out)."""

    call: ToolCall
    tool: Tool
    arguments: Mapping[str, JsonValue]


class CompiledTools(FrozenList):
    """A list of definitions. Shared between callers and therefore frozen: copy.deepcopy() gives a free copy."""

    def __init__(
        self,
        provider: Provider,
        known: Sequence[Tool | NamedCommand],
        merged: Sequence[Tool | MergedTools] | None,
        definitions: list[Definition],
    ) -> None:
        super().__init__(definitions)
        self.provider = provider
        self._known = known
        self._merged = merged

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """All that can be called through these definitions."""
        return tuple(item.tool() if isinstance(item, NamedCommand) else item for item in self._known)

    @cached_property
    def _shown(self) -> Mapping[str, Tool | MergedTools]:
        return {item.name: item for item in self._merged or self.tools}

    @property
    def definitions(self) -> list[Definition]:
        """One for each tool, or with strategy `action` for each group, in the provider's shape."""
        return self

    @cached_property
    def request_tools(self) -> list[Definition]:
        """What the request's `tools` field takes; Gemini wants the declarations inside one object."""
        if self.provider != "gemini":
            return self
        return FrozenList([FrozenDict({"function_declarations": self})] if self else [])

    @cached_property
    def system_prompt(self) -> str:
        """Safety and usage patterns of these tools, for the system prompt."""
        parts = safety_prompt(self.tools), patterns_prompt(self.tools)
        return "\n\n".join(part for part in parts if part)

    def resolve(self, call: ToolCall) -> ResolvedCall:
        """Which tool a call means, by the exact name it was given."""
        shown = self._shown.get(call.name)
        if shown is None:
            raise NotFound(
                f"There is no tool named {call.name[:80]!r}.",
                hint="Tell the model to use a listed name.",
                tool=call.name,
            )
        if isinstance(shown, Tool):
            return ResolvedCall(call, shown, _without_nulls(shown, call.arguments))
        tool = shown.tool_for(call.arguments)
        given = {key: value for key, value in call.arguments.items() if key != shown.discriminator}
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


Described = Tool | Document | Mapping[str, JsonValue]
_cache: OrderedDict[tuple[object, ...], tuple[tuple[Described, ...], CompiledTools]] = OrderedDict()
_cache_lock = Lock()


def compile_tools(
    tools: Iterable[Described], provider: Provider, strict: bool = False, strategy: Strategy = "discrete"
) -> CompiledTools:
    """Definitions for one provider; whole documents, also as plain JSON, stand for all their commands.

    The answer for the same tools and documents comes from a cache.
    """
    given = tuple(tools)
    key = (provider, strict, strategy, *map(id, given))
    with _cache_lock:
        hit = _cache.get(key)
        if hit is not None:
            _cache.move_to_end(key)
            return hit[1]
    compiled = _compile(given, provider, strict=strict, strategy=strategy)
    if any(isinstance(item, Mapping) for item in given):
        return compiled  # plain JSON may change behind our back
    with _cache_lock:
        _cache[key] = (given, compiled)  # holding the objects keeps their ids theirs
        if len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return compiled


def _compile(given: tuple[Described, ...], provider: Provider, *, strict: bool, strategy: Strategy) -> CompiledTools:
    if provider not in PROVIDERS:
        raise InvalidInput(f"Unknown provider {provider!r}.", hint=f"Use one of: {', '.join(PROVIDERS)}.")
    if strategy not in STRATEGIES:
        raise InvalidInput(f"Unknown strategy {strategy!r}.", hint=f"Use one of: {', '.join(STRATEGIES)}.")
    known, merged = as_shown(given), None
    _check_names(known)
    if strategy == "action":
        known = as_tools(given)
        merged = merged_tools(known)
    shown = merged or known
    effects = {id(item.effects): item.effects for item in shown}  # few make up many tools
    flags = {key: safety_flags(value) for key, value in effects.items()}
    limit = OPENAI_LIMIT if provider in {"openai", "openai-responses"} else None
    shape = _SHAPES[provider]
    definitions = [
        shape(
            item.name, described(item.description, flags[id(item.effects)], item.examples, limit), item.schema, strict
        )
        for item in shown
    ]
    return CompiledTools(provider, known, merged, definitions)


def _check_names(tools: Iterable[Shown]) -> None:
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            raise InvalidInput(
                f"Two tools are named {tool.name!r}.", hint="Build the tools of all documents with one tools_of(…)."
            )
        seen.add(tool.name)


def _openai(name: str, description: str, schema: Schema, strict: bool) -> Definition:
    return FrozenDict(type="function", function=_function(name, description, schema, strict))


def _openai_responses(name: str, description: str, schema: Schema, strict: bool) -> Definition:
    return FrozenDict(type="function", **_function(name, description, schema, strict))


def _function(name: str, description: str, schema: Schema, strict: bool) -> Definition:
    """A schema that strict mode cannot express goes out as it is, and its `strict` says so."""
    if schema is NO_PARAMETERS and strict:  # most commands take nothing: one answer for all of them
        return FrozenDict(name=name, description=description, strict=True, parameters=_STRICT_NOTHING)
    if "type" not in schema:
        schema = {"type": "object", **schema}
    parameters = _strict_parameters(schema) if strict else None
    is_strict = parameters is not None
    kept = parameters if is_strict else frozen(dialects.plain(schema))
    return FrozenDict(name=name, description=description, strict=is_strict, parameters=kept)


def _strict_parameters(schema: Schema) -> Definition | None:
    try:
        return frozen(dialects.strict(schema))
    except dialects.NotExpressible:
        return None


def _gemini(name: str, description: str, schema: Schema, _strict: bool) -> Definition:
    """Gemini refuses an object without properties, so a tool without parameters has no `parameters`."""
    if not schema.get("properties"):
        return FrozenDict(name=name, description=description)
    try:
        return FrozenDict(name=name, description=description, parameters=frozen(dialects.gemini(schema)))
    except dialects.NotExpressible:
        whole = frozen(dialects.plain(schema))
        return FrozenDict(name=name, description=description, parameters_json_schema=whole)


def _anthropic(name: str, description: str, schema: Schema, strict: bool) -> Definition:
    kept = dialects.plain(schema)
    kept.setdefault("type", "object")
    closed = kept.get("additionalProperties") is False
    if not strict:
        kept.pop("additionalProperties", None)
    named = {"name": name, "description": description, "input_schema": frozen(kept)}
    return FrozenDict(named, strict=True) if strict and closed else FrozenDict(named)


_SHAPES: Final[Mapping[Provider, Callable[[str, str, Schema, bool], Definition]]] = {
    "openai": _openai,
    "openai-responses": _openai_responses,
    "gemini": _gemini,
    "anthropic": _anthropic,
}
