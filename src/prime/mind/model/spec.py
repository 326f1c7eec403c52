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
        host = urlsplit(address).hostname or ""
        try:
            return ip_address(host).is_private
        except ValueError:
            return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))

    @property
    def holds_to_forms(self) -> bool:
        """Whether the server may hold its model to a form word by word: one that speaks OpenAI's language and is another."""
        other = bool(self.base_url) and urlsplit(self.base_url or "").hostname != "api.openai.com"
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
    if base_url and not base_url.startswith(("http://", "https://")):
        raise InvalidInput(f"{base_url!r} is no address.", hint="Begin it with http:// or https://.", field="baseUrl")
    return ModelSpec(known, model.strip(), key or None, (base_url or "").rstrip("/") or None)


def spec_trouble(wanted: str | None) -> InvalidInput | None:
    """What is wrong with the model that the environment names; None when it names one, the offline engine or nothing."""
    try:
        if wanted and wanted.strip().casefold() != OFFLINE:
            parse_spec(wanted)
    except InvalidInput as error:
        return error
    return None
