"""What a tool answered when Prime primed it (RFC 8.2), read as what it is: a stranger's words with some numbers."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import cast

import jsonschema_rs

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.priming.directive import CONTRACT
from prime.tools.priming.schemas import prime_schema
from prime.tools.tool import Tool

_MOST_LINES = 30
_LONGEST_LINE = 400
_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9})*", re.ASCII)


class InvalidPrimeResponse(InvalidInput):
    """A tool's answer to `prime` that section 8.2 does not allow."""

    code = "invalid_prime_response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """A tool's directives for one session. They steer; Prime's own policy decides (RFC 4.3)."""

    program: str
    version: str
    expires_at_ms: int | None
    intents: tuple[str, ...]
    do: tuple[str, ...]
    dont: tuple[str, ...]
    capabilities: Mapping[str, JsonValue]
    requests_per_minute: float | None
    burst: float | None
    preferred: tuple[str, ...]
    deprecated: tuple[str, ...]
    examples: tuple[tuple[str, tuple[str, ...]], ...]
    breaking_change_since: str | None
    min_agent_version: str | None

    @staticmethod
    def from_json(program: str, value: JsonValue) -> "Guidance":
        """Read and check; what is wrong is named by its JSON pointer."""
        try:
            _checker().validate(value)
        except jsonschema_rs.ValidationError as error:
            pointer = "".join(f"/{part}" for part in error.instance_path)
            raise _wrong(program, pointer, str(error.message)[:200]) from None
        given = cast("dict[str, JsonValue]", value)
        session = cast("dict[str, str]", given["session"])
        usage = cast("dict[str, list[str]]", given["usageDirectives"])
        limits = cast("dict[str, JsonValue]", given.get("rateLimits", {}))
        schema = cast("dict[str, list[str]]", given.get("schema", {}))
        examples = cast("list[dict[str, JsonValue]]", given.get("examples", []))
        return Guidance(
            program=program,
            version=cast("str", given["version"]),
            expires_at_ms=_instant(program, session.get("expiresAt")),
            intents=tuple(usage.get("primaryIntents", ())),
            do=tuple(usage.get("do", ())),
            dont=tuple(usage.get("dont", ())),
            capabilities=cast("dict[str, JsonValue]", given.get("capabilities", {})),
            requests_per_minute=_rate(program, limits, "requestsPerMinute"),
            burst=_rate(program, limits, "burst"),
            preferred=tuple(schema.get("preferredCommands", ())),
            deprecated=tuple(schema.get("deprecatedCommands", ())),
            examples=tuple(
                (cast("str", one["description"]), tuple(cast("list[str]", one["sequence"]))) for one in examples
            ),
            breaking_change_since=cast("str | None", given.get("breakingChangeSince")),
            min_agent_version=cast("str | None", given.get("minAgentVersion")),
        )

    def deprecates(self, tool: Tool) -> bool:
        return _named(tool, self.deprecated) is not None

    def warnings(self, agent_version: str) -> list[str]:
        """What an agent of this version should know before it goes on."""
        found: list[str] = []
        if self.min_agent_version and is_older(agent_version, self.min_agent_version):
            found.append(f"{self.program} wants an agent of version {_line(self.min_agent_version)} or later.")
        if self.breaking_change_since and is_older(CONTRACT, self.breaking_change_since):
            since = _line(self.breaking_change_since)
            found.append(f"{self.program} changed its contract in version {since}; Prime knows {CONTRACT}.")
        return found

    def prompt(self) -> str:
        """For a system prompt, above general advice: each line is the tool's own and marked as such."""
        lines = [f"How the tool {_line(self.program)} says it is to be used (your safety rules come first):"]
        lines += [f"- It is for: {_line(text)}" for text in self.intents[:_MOST_LINES]]
        lines += [f"- Do: {_line(text)}" for text in self.do[:_MOST_LINES]]
        lines += [f"- Do not: {_line(text)}" for text in self.dont[:_MOST_LINES]]
        if self.preferred:
            lines.append(f"- Prefer: {_line(', '.join(self.preferred))}")
        if self.deprecated:
            lines.append(f"- Avoid: {_line(', '.join(self.deprecated))}")
        lines += [
            f"- It can: {_line(f'{key}: {value}')}" for key, value in list(self.capabilities.items())[:_MOST_LINES]
        ]
        lines += [
            f"- Example, {_line(what)}: {_line(' -> '.join(steps))}" for what, steps in self.examples[:_MOST_LINES]
        ]
        return "\n".join(lines)


def ranked(tools: Iterable[Tool], guidance: Guidance, *, hide_deprecated: bool = False) -> list[Tool]:
    """Preferred commands first, in the tool's own order, deprecated ones last or not at all."""
    kept = [tool for tool in tools if not (hide_deprecated and guidance.deprecates(tool))]

    def rank(tool: Tool) -> tuple[bool, int]:
        place = _named(tool, guidance.preferred)
        return guidance.deprecates(tool), len(guidance.preferred) if place is None else place

    return sorted(kept, key=rank)


def is_older(version: str, than: str) -> bool:
    """Whether a version comes before another, compared number by number; words in it say nothing."""
    one, other = _numbers(version), _numbers(than)
    longest = max(len(one), len(other))
    return one + [0] * (longest - len(one)) < other + [0] * (longest - len(other))


def _numbers(version: str) -> list[int]:
    found = _NUMBERS.search(version)
    return [int(part) for part in found[0].split(".")] if found else []


def _named(tool: Tool, commands: Sequence[str]) -> int | None:
    """The place at which a list of commands names the tool: by its name, its command, or that without the program."""
    spelled = {tool.name, " ".join(tool.command), " ".join(tool.command[1:])} - {""}
    return next((place for place, command in enumerate(commands) if command in spelled), None)


def _line(text: str) -> str:
    """One line of bounded length: what a tool says must not look like the end of what it says."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text[: 2 * _LONGEST_LINE]).split())
    return plain if len(plain) <= _LONGEST_LINE else f"{plain[:_LONGEST_LINE]}…"


@cache
def _checker() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(prime_schema("response"))


def _instant(program: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise _wrong(program, "/session/expiresAt", f"{text[:60]!r} is not a date and time") from None


def _rate(program: str, limits: Mapping[str, JsonValue], name: str) -> float | None:
    if name not in limits:
        return None
    value = cast("float", limits[name])
    if not 0 < value < sys.float_info.max:
        raise _wrong(program, f"/rateLimits/{name}", f"{str(value)[:20]} is not a positive number of usual size")
    return float(value)


def _wrong(program: str, pointer: str, why: str) -> InvalidPrimeResponse:
    message = f"{program}: its answer to `prime` is wrong at {pointer or 'the top'}: {why}."
    return InvalidPrimeResponse(message, hint="Tell the tool's author; Prime's schema has the form.", pointer=pointer)
