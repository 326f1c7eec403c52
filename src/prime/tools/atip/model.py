"""An ATIP document as typed values: every field of RFC 3.2-3.9, and room for what is not in it.

`extra` of each part holds fields that the model has no value for (unknown ones, `x-` extensions) and fields that were
written out although they say nothing new (an empty list, a default, null), so that writing gives back what was read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from prime.core.errors import JsonValue
from prime.tools.atip.effect import UNKNOWN, Effects
from prime.tools.atip.writing import write

ParameterType = Literal["string", "integer", "number", "boolean", "file", "directory", "url", "enum", "array"]
Extra: TypeAlias = Mapping[str, JsonValue]


def _nothing() -> Extra:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The `atip` field. Written as the object it was, or as a string."""

    version: str
    features: tuple[str, ...] = ()
    min_agent_version: str | None = None
    as_object: bool = False
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A positional parameter (RFC 3.4)."""

    name: str
    type: ParameterType
    description: str = ""
    required: bool = True
    default: JsonValue = None
    variadic: bool = False
    enum: tuple[JsonValue, ...] = ()
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A parameter with flags (RFC 3.5). A flag that ends in `=` (`if=`) takes its value in the same word."""

    name: str
    flags: tuple[str, ...]
    type: ParameterType
    description: str = ""
    required: bool = False
    default: JsonValue = None
    variadic: bool = False
    enum: tuple[JsonValue, ...] = ()
    env_var: str | None = None
    extra: Extra = field(default_factory=_nothing)


Parameter: TypeAlias = Argument | Option


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command or a group of commands (RFC 3.3). `commands` is empty, not None, where a filter cut a group off."""

    description: str = ""
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    effects: Effects = UNKNOWN
    examples: tuple[str, ...] = ()
    commands: Mapping[str, "Command"] | None = None
    omitted: JsonValue = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthMethod:
    """One way to log in."""

    type: str
    env_var: str | None = None
    setup_command: str | None = None
    description: str = ""
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Authentication:
    """What the tool needs before it works (RFC 3.8). Never sent to a model."""

    required: bool | None = None
    methods: tuple[AuthMethod, ...] = ()
    check_command: str | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternStep:
    """One command line of a pattern, with `{variable}` places."""

    command: str
    description: str = ""
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternVariable:
    """What fills a `{variable}`."""

    type: ParameterType = "string"
    description: str = ""
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A common way to use the tool (RFC 3.9)."""

    name: str
    description: str = ""
    steps: tuple[PatternStep, ...] = ()
    variables: Mapping[str, PatternVariable] = field(default_factory=dict[str, PatternVariable])
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Where the metadata comes from; a claim (D-ATIP-16)."""

    source: str | None = None
    verified: bool | None = None
    checksum: str | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a partial answer was asked for (RFC 3.1.1)."""

    commands: tuple[str, ...] | None = None
    depth: int | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What `tool --agent` says (RFC 3.2)."""

    atip: Protocol
    name: str
    version: str
    description: str
    homepage: str | None = None
    commands: Mapping[str, Command] | None = None
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    global_options: tuple[Option, ...] = ()
    authentication: Authentication | None = None
    effects: Effects = UNKNOWN
    patterns: tuple[Pattern, ...] = ()
    partial: bool = False
    filter: Filter | None = None
    total_commands: int | None = None
    included_commands: int | None = None
    trust: Trust = Trust()
    omitted: JsonValue = None
    binary: JsonValue = None
    extra: Extra = field(default_factory=_nothing)

    def to_json(self) -> dict[str, JsonValue]:
        """The document as `json.dumps` takes it; reading it again gives an equal document."""
        written = write(self)
        if not self.atip.as_object:
            written["atip"] = self.atip.version
        return written
