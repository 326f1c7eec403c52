"""Settings from the environment: every variable, its default and its meaning, in one place.

Code defaults give way to the environment; live settings, which the owner changes while Prime runs, come on top of both
(`prime.store.live_settings`). A variable that is set to nothing counts as not set.

Not by pydantic-settings: every command would take 33 ms longer to start (measured, beside the 61 ms of pydantic itself),
and a light installation would need one package more, for what `load` does in three lines.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Literal, cast, get_args, get_origin
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo

from prime.core.errors import InvalidInput

AutonomyMode = Literal["draft", "auto_learned", "full"]
PrimingMode = Literal["strict", "auto", "off"]
McpSurface = Literal["full", "search"]
PushDetail = Literal["waiting", "full"]
LogForm = Literal["text", "json"]
SettingKind = Literal["text", "whole", "number", "yes_no", "choice", "secret"]

# What every reader of JSON takes for the same number, and no database finds too large.
LARGEST = 2**53 - 1
Milliseconds = Annotated[int, Field(ge=0, le=LARGEST)]
Count = Annotated[int, Field(ge=0, le=LARGEST)]
AtLeastOne = Annotated[int, Field(ge=1, le=LARGEST)]
Share = Annotated[float, Field(ge=0, le=1)]

SIX_HOURS_MS = 6 * 60 * 60 * 1000


def _from(variable: str, meaning: str) -> FieldInfo:
    return FieldInfo(validation_alias=variable, description=meaning)


def _live(variable: str, meaning: str) -> FieldInfo:
    """One that the owner may change while Prime runs."""
    return FieldInfo(validation_alias=variable, description=meaning, json_schema_extra={"live": True})


class Settings(BaseModel):
    """What the environment says. Fields are named as the variables, without the prefix."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, allow_inf_nan=False)

    # Where things are
    data: Annotated[Path | None, _from("PRIME_DATA", "Data folder; else `$XDG_DATA_HOME/prime`.")] = None
    workspace: Annotated[Path | None, _from("PRIME_WORKSPACE", "Workspace root; else the current folder.")] = None
    host: Annotated[str, _from("PRIME_HOST", "Address to listen on; beyond loopback an owner must be set.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Field(ge=0, le=65535), _from("PRIME_PORT", "Port to listen on; 0 takes a free one.")] = 8787
    public_url: Annotated[str | None, _from("PRIME_PUBLIC_URL", "Public base for callbacks and sign-in links.")] = None
    database_url: Annotated[
        SecretStr | None, _from("PRIME_DATABASE_URL", "`postgresql://…`; else SQLite in the data folder.")
    ] = None
    secret_key: Annotated[
        SecretStr | None,
        _from("PRIME_SECRET_KEY", "Seals secrets; required with PostgreSQL, else a file in the data folder."),
    ] = None

    # Pace and spend
    tick_ms: Annotated[Milliseconds, _live("PRIME_TICK_MS", "How often the swarm advances its channels.")] = 6000
    directive_ms: Annotated[Milliseconds, _live("PRIME_DIRECTIVE_MS", "How often new messages are judged.")] = 9000
    ask_min_gap_ms: Annotated[Milliseconds, _live("PRIME_ASK_MIN_GAP_MS", "Least time between two questions.")] = 15_000
    ask_necessity_min: Annotated[
        Share, _live("PRIME_ASK_NECESSITY_MIN", "Below this necessity Prime decides instead of asking; 0 turns it off.")
    ] = 0.7
    update_min_gap_ms: Annotated[
        Milliseconds, _live("PRIME_UPDATE_MIN_GAP_MS", "Least time between two updates in the owner's room.")
    ] = 35_000
    autostop_ms: Annotated[
        Milliseconds, _live("PRIME_AUTOSTOP_MS", "The swarm pauses by itself after this much run; 0 turns it off.")
    ] = 60_000
    max_llm_calls: Annotated[Count, _live("PRIME_MAX_LLM_CALLS", "Hard stop for requests to a model.")] = 400
    turn_max_steps: Annotated[
        AtLeastOne, _live("PRIME_TURN_MAX_STEPS", "Replies that one turn of an agent may take.")
    ] = 24
    turn_max_tokens: Annotated[
        AtLeastOne, _live("PRIME_TURN_MAX_TOKENS", "Tokens that one turn may use, over all its requests.")
    ] = 500_000
    turn_max_usd: Annotated[
        float, Field(ge=0), _live("PRIME_TURN_MAX_USD", "Dollars that one turn may cost; 0 sets no bound.")
    ] = 1.0
    turn_max_ms: Annotated[
        AtLeastOne, _live("PRIME_TURN_MAX_MS", "Time that one turn may work; waiting for you is not counted.")
    ] = 900_000
    max_images: Annotated[Count, _live("PRIME_MAX_IMAGES", "Hard stop for generated images.")] = 14
    max_dollars_per_day: Annotated[
        float,
        Field(ge=0),
        _live("PRIME_MAX_DOLLARS_PER_DAY", "Hard stop for a day's spending on models; 0 turns it off."),
    ] = 5.0

    # Minds
    model: Annotated[
        str | None, _from("PRIME_MODEL", "`offline`, or `provider:model`; else what is found and answers.")
    ] = None
    openai_api_key: Annotated[SecretStr | None, _from("OPENAI_API_KEY", "Key for OpenAI or a server like it.")] = None
    openai_base_url: Annotated[
        str | None, _from("OPENAI_BASE_URL", "Address of a server that speaks OpenAI's API.")
    ] = None
    anthropic_api_key: Annotated[
        SecretStr | None, _from("ANTHROPIC_API_KEY", "Key for Anthropic or a server like it.")
    ] = None
    anthropic_base_url: Annotated[
        str | None, _from("ANTHROPIC_BASE_URL", "Address of a server that speaks Anthropic's API.")
    ] = None
    gemini_api_key: Annotated[SecretStr | None, _from("GEMINI_API_KEY", "Key for Gemini.")] = None
    gemini_model: Annotated[str, _from("GEMINI_MODEL", "Gemini's model.")] = "gemini-3.5-flash"
    embeddings: Annotated[
        Path | None,
        _from(
            "PRIME_EMBEDDINGS",
            "Folder of a local model by which recall weighs meaning beside words; unset, it does not.",
        ),
    ] = None

    # Who may do what
    owner_email: Annotated[
        str | None, _from("PRIME_OWNER_EMAIL", "The single owner; unset, the instance is open, on loopback only.")
    ] = None
    admin_token: Annotated[
        SecretStr | None, _from("PRIME_ADMIN_TOKEN", "Opens the operator routes (`x-prime-admin`).")
    ] = None
    autonomy_mode: Annotated[
        AutonomyMode,
        _from("PRIME_AUTONOMY_MODE", "How far Prime acts as the owner: `draft`, `auto_learned` or `full`."),
    ] = "draft"
    allow_cold: Annotated[bool, _from("PRIME_ALLOW_COLD", "Whether Prime may begin conversations with strangers.")] = (
        False
    )
    priming_mode: Annotated[
        PrimingMode, _from("PRIME_PRIMING_MODE", "Whether tools must be primed: `strict`, `auto` or `off`.")
    ] = "strict"
    tool_scan_ms: Annotated[
        Milliseconds, _from("PRIME_TOOL_SCAN_MS", "Time between looks for new command-line tools; 0 turns them off.")
    ] = 600_000
    mcp_surface: Annotated[
        McpSurface,
        _from("PRIME_MCP_SURFACE", "What MCP clients see: every tool (`full`), or a way to find them (`search`)."),
    ] = "full"
    network_allow: Annotated[
        tuple[str, ...], _from("PRIME_NETWORK_ALLOW", "Private hosts or networks that may be fetched from, by commas.")
    ] = ()

    # The network and the owner's accounts
    a2a_pure: Annotated[
        bool, _from("PRIME_A2A_PURE", "Serves an A2A card of 1.0 alone, for readers that refuse older fields.")
    ] = False
    remote_agents: Annotated[
        str | None, _from("PRIME_REMOTE_AGENTS", "JSON list of `{name?, url, tier?}` to attach at start.")
    ] = None
    trusted_proxies: Annotated[
        tuple[str, ...],
        _from("PRIME_TRUSTED_PROXIES", "Addresses of reverse proxies whose X-Forwarded headers count, by commas."),
    ] = ("127.0.0.1", "::1")
    smtp_url: Annotated[SecretStr | None, _from("PRIME_SMTP_URL", "Mail server that sends sign-in links.")] = None
    vapid_public: Annotated[
        str | None, _from("PRIME_VAPID_PUBLIC", "Web Push public key; else made once and kept.")
    ] = None
    vapid_private: Annotated[SecretStr | None, _from("PRIME_VAPID_PRIVATE", "Web Push private key.")] = None
    push_detail: Annotated[
        PushDetail,
        _live("PRIME_PUSH_DETAIL", "What a notification says: only that something is `waiting`, or the `full` text."),
    ] = "waiting"
    telegram_api_base: Annotated[str, _from("TELEGRAM_API_BASE", "Base of Telegram's bot API.")] = (
        "https://api.telegram.org"
    )
    x_api_base: Annotated[str, _from("X_API_BASE", "Base of X's API v2.")] = "https://api.twitter.com"
    tg_dc: Annotated[
        str | None,
        _from("PRIME_TG_DC", "`ADDRESS:PORT` where the personal account signs in, for Telegram's test servers."),
    ] = None
    tg_user_mock: Annotated[bool, _from("PRIME_TG_USER_MOCK", "Plays Telegram in memory, to try the flow offline.")] = (
        False
    )
    x_mock: Annotated[bool, _from("PRIME_X_MOCK", "Plays X in memory, to try the flow offline.")] = False

    # Backups
    backup_keep: Annotated[
        int, Field(ge=-LARGEST, le=LARGEST), _live("PRIME_BACKUP_KEEP", "Backups kept; 0 or less keeps all.")
    ] = 7
    backup_interval_ms: Annotated[
        Milliseconds, _live("PRIME_BACKUP_INTERVAL_MS", "Time between backups; 0 turns them off.")
    ] = SIX_HOURS_MS
    backup_webhook: Annotated[str | None, _live("PRIME_BACKUP_WEBHOOK", "Told after each backup by POST.")] = None
    backup_passphrase: Annotated[
        SecretStr | None,
        _from("PRIME_BACKUP_PASSPHRASE", "Seals every backup, which then holds all that another machine needs."),
    ] = None

    # Logs
    log: Annotated[LogForm, _from("PRIME_LOG", "How the server's log is written: `text`, or `json` by the line.")] = (
        "text"
    )

    @field_validator("network_allow", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """A name would never match: it is compared with the address that a request comes from."""
        for part in value:
            if part != "*":
                ip_network(part, strict=False)
        return value

    @field_validator("public_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        """Links in mails begin with it."""
        if value is not None:
            parts = urlsplit(value)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
                raise ValueError("it is not an address such as https://prime.example.com")
        return value

    @field_validator("data", "workspace", "embeddings")
    @classmethod
    def _at_home(cls, value: Path | None) -> Path | None:
        try:
            return value and value.expanduser()
        except RuntimeError:
            raise ValueError(f"there is no user {value.parts[0]}" if value else "") from None

    @field_validator("tg_dc")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None:
            address, _, port = value.rpartition(":")
            ip_address(address.strip("[]"))
            if not 0 < int(port) < 1 << 16:
                raise ValueError("the port is not between 1 and 65535")
        return value

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Read the environment; a value that does not fit is an error that names the variable."""
        given = os.environ if environment is None else environment
        return cls._checked({name: value for name, value in given.items() if value.strip()})

    @classmethod
    def _checked(cls, values: Mapping[str, object]) -> "Settings":
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            variable = str(first["loc"][0])
            raise InvalidInput(
                f"{variable} is not usable: {first['msg'].removeprefix('Value error, ')}.",
                hint=f"{meaning_of(variable)} Change it or unset it.",
                variable=variable,
            ) from error

    def changed(self, values: Mapping[str, object]) -> "Settings":
        """These settings with some variables set otherwise; checked as those of the environment are."""
        fields = type(self).model_fields
        own = {str(fields[name].validation_alias): getattr(self, name) for name in self.model_fields_set}
        return self._checked({**own, **values})

    @property
    def data_folder(self) -> Path:
        if self.data:
            return self.data
        base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return Path(base).expanduser() / "prime"

    @property
    def workspace_folder(self) -> Path:
        return self.workspace or Path.cwd()

    @property
    def config_folder(self) -> Path:
        base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
        return Path(base).expanduser() / "prime"

    def secret_values(self) -> list[str]:
        """Keys, tokens and passwords that the environment gave, for redaction alone."""
        given = [value.get_secret_value() for value in dict(self).values() if isinstance(value, SecretStr)]
        passwords = [found[1] for value in given if (found := re.search(r"://[^/@]*:([^/@]+)@", value))]
        return [*given, *map(unquote, passwords)]

    def described(self, environment: Mapping[str, str] | None = None) -> list["Described"]:
        """Every variable with its value, where the value comes from, and what it means; secrets masked."""
        given = os.environ if environment is None else environment
        there = type(self).load(given)
        return [
            Described(
                variable=str(field.validation_alias),
                value=_shown(getattr(self, name)),
                source="command"
                if getattr(self, name) != getattr(there, name)
                else "environment"
                if given.get(str(field.validation_alias), "").strip()
                else "default",
                meaning=field.description or "",
                kind=_kind(field),
                choices=_choices(field),
                live=is_live(str(field.validation_alias)),
            )
            for name, field in type(self).model_fields.items()
        ]


@dataclass(frozen=True, slots=True)
class Described:
    """One variable as a person is shown it."""

    variable: str
    value: str | int | float | bool | None
    # `command` is what the command line said over the environment, such as `prime serve --port`.
    source: Literal["default", "environment", "command", "live"]
    meaning: str
    kind: SettingKind
    choices: tuple[str, ...]
    # Whether the owner may change it while Prime runs.
    live: bool


def meaning_of(variable: str) -> str:
    fields = Settings.model_fields.values()
    return next((f.description or "" for f in fields if f.validation_alias == variable), "")


def is_live(variable: str) -> bool:
    """Whether there is such a variable, and the owner may change it while Prime runs."""
    fields = Settings.model_fields.values()
    return any(f.validation_alias == variable and f.json_schema_extra == {"live": True} for f in fields)


def _kind(field: FieldInfo) -> SettingKind:
    kinds: dict[object, SettingKind] = {int: "whole", float: "number", bool: "yes_no", SecretStr: "secret"}
    wanted = [a for a in get_args(field.annotation) if a is not type(None)] or [field.annotation]
    return "choice" if _choices(field) else kinds.get(wanted[0], "text")


def _choices(field: FieldInfo) -> tuple[str, ...]:
    return get_args(field.annotation) if get_origin(field.annotation) is Literal else ()


def _shown(value: object) -> str | int | float | bool | None:
    if isinstance(value, SecretStr):
        return "••••••"
    if isinstance(value, tuple):
        return ",".join(map(str, cast("tuple[object, ...]", value)))
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
