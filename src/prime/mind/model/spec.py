"""Which model, where, and with which key."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from prime.core.errors import InvalidInput

ModelProvider: TypeAlias = Literal["openai", "anthropic", "gemini", "ollama"]
MODEL_PROVIDERS: tuple[ModelProvider, ...] = get_args(ModelProvider)
OFFLINE = "offline"
OLLAMA_URL = "http://127.0.0.1:11434"
_ALIASES: dict[str, ModelProvider] = {"google": "gemini", "claude": "anthropic", "openai-compatible": "openai"}


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model of one provider. `base_url` only where it is not the provider's own address."""

    provider: ModelProvider
    model: str
    key: str | None = field(default=None, repr=False)
    base_url: str | None = None

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"

    @property
    def is_near(self) -> bool:
        """Whether it runs on this machine or in this house: such a model may have to be loaded first, and writes slowly."""
        address = self.base_url or (OLLAMA_URL if self.provider == "ollama" else "")
        host = _host(address)
        try:
            return ip_address(host).is_private
        except ValueError:
            return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))

    @property
    def holds_to_forms(self) -> bool:
        """Whether the server may hold its model to a form word by word: one that speaks OpenAI's language and is another."""
        other = bool(self.base_url) and _host(self.base_url or "") != "api.openai.com"
        return self.provider == "ollama" or (self.provider == "openai" and other)


def parse_spec(spec: str, key: str | None = None, base_url: str | None = None) -> ModelSpec:
    """`provider:model`; an Ollama model's own colon (`ollama:qwen3:8b`) belongs to its name."""
    provider, colon, model = spec.strip().partition(":")
    name = provider.strip().casefold()
    known = _ALIASES.get(name, name)
    if not colon or not model.strip() or known not in MODEL_PROVIDERS:
        raise InvalidInput(
            f"{spec!r} names no model.",
            hint=f"Write provider:model with one of {', '.join(MODEL_PROVIDERS)}, for example gemini:gemini-3.5-flash.",
            field="spec",
        )
    return ModelSpec(known, model.strip(), key or None, checked_address(base_url))


def plain_address(address: str | None) -> str | None:
    """As it is used: without what surrounds it and without its last slash."""
    return (address or "").strip().rstrip("/") or None


def checked_address(address: str | None) -> str | None:
    """The same; what can be none is refused."""
    plain = plain_address(address)
    if plain and not (plain.startswith(("http://", "https://")) and _host(plain)):
        raise InvalidInput(f"{address!r} is no address.", hint="Begin it with http:// or https://.", field="baseUrl")
    return plain


def _host(address: str) -> str:
    """Empty where there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def spec_trouble(wanted: str | None) -> InvalidInput | None:
    """What is wrong with the model that the environment names; None when it names one, the offline engine or nothing."""
    try:
        if wanted and wanted.strip().casefold() != OFFLINE:
            parse_spec(wanted)
    except InvalidInput as error:
        return error
    return None
