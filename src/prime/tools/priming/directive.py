"""The tool's side (RFC 4 to 7): one `Directive` answers every prime request, and gives a program a `prime` command.

Standard library only, like the emitter of `--agent`: a tool must not pay for being polite.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.priming.request import PrimeRequest

CONTRACT = "1.0.0"
DAY_S = 24 * 3600
DESCRIPTION = (
    "Mandatory before any other call in a session, and idempotent: tells how this tool is to be used. "
    "Call it first, and again when its answer has expired."
)
# A sequence of commands with what it is for: ("Publish a page", ("draft", "check", "publish")).
Example = tuple[str, Sequence[str]]


def _nothing() -> Mapping[str, JsonValue]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """What a tool tells every agent. The answer depends on nothing but this and the session's name (RFC 4.2)."""

    tool_name: str
    version: str = CONTRACT
    intents: tuple[str, ...] = ()
    do: tuple[str, ...] = ()
    dont: tuple[str, ...] = ()
    capabilities: Mapping[str, JsonValue] = field(default_factory=_nothing)
    limits: Mapping[str, JsonValue] = field(default_factory=_nothing)
    preferred: tuple[str, ...] = ()
    deprecated: tuple[str, ...] = ()
    examples: tuple[tuple[str, tuple[str, ...]], ...] = ()
    breaking_change_since: str | None = None
    min_agent_version: str | None = None
    lifetime_s: float | None = DAY_S
    now: Callable[[], float] = time.time

    def answer(self, request: PrimeRequest) -> dict[str, JsonValue]:
        """The response of section 8.2."""
        session: dict[str, JsonValue] = {"sessionId": request.session_id}
        if self.lifetime_s is not None:
            session["expiresAt"] = _instant(self.now() + self.lifetime_s)
        shown: dict[str, JsonValue] = {
            "version": self.version,
            "toolName": self.tool_name,
            "session": session,
            "usageDirectives": {"primaryIntents": list(self.intents), "do": list(self.do), "dont": list(self.dont)},
        }
        if self.capabilities:
            shown["capabilities"] = dict(self.capabilities)
        if self.limits:
            shown["rateLimits"] = dict(self.limits)
        if self.preferred or self.deprecated:
            shown["schema"] = {
                "preferredCommands": list(self.preferred),
                "deprecatedCommands": list(self.deprecated),
            }
        if self.examples:
            shown["examples"] = [{"description": what, "sequence": list(steps)} for what, steps in self.examples]
        if self.breaking_change_since:
            shown["breakingChangeSince"] = self.breaking_change_since
        if self.min_agent_version:
            shown["minAgentVersion"] = self.min_agent_version
        return shown

    def respond(self, arguments: JsonValue) -> dict[str, JsonValue]:
        """From a request as JSON to a response as JSON: what an MCP server's `prime` tool does.

        `InvalidPrimeRequest` (a `PrimeError`) names the field that is wrong.
        """
        return self.answer(PrimeRequest.from_json(arguments))

    def mcp_tool(self) -> dict[str, JsonValue]:
        """The entry of `tools/list` for an MCP server; calls go to `respond`."""
        from prime.tools.priming.schemas import prime_schema

        return {
            "name": "prime",
            "title": f"Prime {self.tool_name}",
            "description": DESCRIPTION,
            "inputSchema": prime_schema("request"),
            "outputSchema": prime_schema("response"),
            "annotations": {
                "readOnlyHint": True,
                "idempotentHint": True,
                "destructiveHint": False,
                "openWorldHint": False,
            },
        }

    def install(self, program: object) -> None:
        """Give a click group, a typer app or an argparse parser a `prime` command."""
        from prime.tools.priming.install import install  # late: needs the program's own framework

        install(self, program)


def directive(  # noqa: PLR0913  (the fields of a document, all but one optional)
    tool_name: str,
    program: object | None = None,
    *,
    version: str = CONTRACT,
    intents: Sequence[str] = (),
    do: Sequence[str] = (),
    dont: Sequence[str] = (),
    capabilities: Mapping[str, JsonValue] | None = None,
    requests_per_minute: float | None = None,
    burst: float | None = None,
    preferred: Sequence[str] = (),
    deprecated: Sequence[str] = (),
    examples: Sequence[Example] = (),
    breaking_change_since: str | None = None,
    min_agent_version: str | None = None,
    lifetime_s: float | None = DAY_S,
) -> Directive:
    """How a tool is to be used, for its author to write down once.

    With `program` (a click group, a typer app, an argparse parser) the program gets its `prime` command. An MCP server
    lists `directive(...).mcp_tool()` and answers with `directive(...).respond(arguments)`.
    """
    limits = {"requestsPerMinute": requests_per_minute, "burst": burst}
    for name, value in limits.items():
        if value is not None and not 0 < value < float("inf"):
            raise InvalidInput(f"{name} must be a positive number.", hint="Leave it out for no limit.", field=name)
    texts = {"intents": intents, "do": do, "dont": dont, "preferred": preferred, "deprecated": deprecated}
    for name, value in [*texts.items(), *((f"examples: {what}", steps) for what, steps in examples)]:
        _check_texts(name, value)
    made = Directive(
        tool_name=tool_name,
        version=version,
        intents=tuple(intents),
        do=tuple(do),
        dont=tuple(dont),
        capabilities=dict(capabilities or {}),
        limits={name: value for name, value in limits.items() if value is not None},
        preferred=tuple(preferred),
        deprecated=tuple(deprecated),
        examples=tuple((what, tuple(steps)) for what, steps in examples),
        breaking_change_since=breaking_change_since,
        min_agent_version=min_agent_version,
        lifetime_s=lifetime_s,
    )
    if program is not None:
        made.install(program)
    return made


def _check_texts(name: str, value: Sequence[JsonValue]) -> None:
    """One text is a sequence, too: of its letters, which no author means."""
    if isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise InvalidInput(f"{name} is a list of texts.", hint='Write ["…"], also around a single one.', field=name)


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
