"""The way to one model: pydantic-ai's model and provider over an HTTP client of its own."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from prime.core.errors import Unavailable
from prime.mind.model.spec import OLLAMA_URL, ModelProvider, ModelSpec

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.images.base import ImageGenerationModel
    from pydantic_ai.models import Model

SECONDS = 60.0
_CONNECT_SECONDS = 10.0
_NO_KEY = "no-key-needed"
# Without an address the packages would take one from the environment, behind our back.
_OWN: Mapping[ModelProvider, str] = {
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com/",
    "openai": "https://api.openai.com/v1",
}
# Models that draw, where the provider has one.
_PAINTERS = {"openai": "gpt-image-1", "gemini": "gemini-3.1-flash-image"}


@dataclass(frozen=True, slots=True)
class Client:
    """A model, what draws for it, and the connections of both."""

    model: "Model"
    painter: "ImageGenerationModel | None"
    http: "httpx2.AsyncClient"

    async def close(self) -> None:
        await self.http.aclose()


# What the way to a provider consists of, also what is only asked for at the first request.
_EVERYONES = ("httpx2", "anyio._backends._asyncio", "genai_prices.data", "pydantic_ai.direct")
_OF: Mapping[ModelProvider, tuple[str, ...]] = {
    "anthropic": ("pydantic_ai.models.anthropic", "pydantic_ai.providers.anthropic"),
    "gemini": ("pydantic_ai.images.google", "pydantic_ai.models.google", "pydantic_ai.providers.google"),
    "openai": (
        "openai.resources.chat.chat",
        "openai.types.chat.completions",
        "pydantic_ai.images.openai",
        "pydantic_ai.models.openai",
        "pydantic_ai.providers.openai",
    ),
    "ollama": (
        "openai.resources.chat.chat",
        "openai.types.chat.completions",
        "pydantic_ai.models.openai",
        "pydantic_ai.providers.openai",
    ),
}


def load(spec: ModelSpec) -> None:
    """Import all of it, which takes seconds: to be done in a thread, so that nobody waits for it."""
    with suppress(ImportError):  # whoever connects says what is missing
        for name in (*_EVERYONES, *_OF[spec.provider]):
            import_module(name)


def connect(spec: ModelSpec, *, seconds: float = SECONDS) -> Client:
    """Nothing is sent yet. Redirects are not followed: a key goes only to the address that the owner set."""
    try:
        import httpx2
    except ImportError as error:
        raise Unavailable(
            "Language models need the server packages.", hint="pip install 'prime-agent[server]'"
        ) from error
    http = httpx2.AsyncClient(timeout=httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)), trust_env=True)
    if spec.provider == "anthropic":
        return Client(_anthropic(spec, http), None, http)
    if spec.provider == "gemini":
        return _gemini(spec, http)
    return _openai(spec, http)


def _anthropic(spec: ModelSpec, http: "httpx2.AsyncClient") -> "Model":
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    base = spec.base_url or _OWN["anthropic"]
    provider = AnthropicProvider(api_key=spec.key or _NO_KEY, base_url=base, http_client=http)
    return AnthropicModel(spec.model, provider=provider)


def _gemini(spec: ModelSpec, http: "httpx2.AsyncClient") -> Client:
    from pydantic_ai.images.google import GoogleImageGenerationModel
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    base = spec.base_url or _OWN["gemini"]
    provider = GoogleProvider(api_key=spec.key or _NO_KEY, base_url=base, http_client=http)
    painter = GoogleImageGenerationModel(_PAINTERS["gemini"], provider=provider)
    return Client(GoogleModel(spec.model, provider=provider), painter, http)


def _openai(spec: ModelSpec, http: "httpx2.AsyncClient") -> Client:
    from openai import AsyncOpenAI
    from pydantic_ai.images.openai import OpenAIImageGenerationModel
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    base = f"{spec.base_url or OLLAMA_URL}/v1" if spec.provider == "ollama" else spec.base_url
    client = AsyncOpenAI(
        base_url=base or _OWN["openai"],
        api_key=spec.key or _NO_KEY,
        http_client=http,
        max_retries=0,  # we try again ourselves and count every attempt; settings of a request do not reach its images
    )
    provider = OpenAIProvider(openai_client=client)
    # Many servers that only speak OpenAI's language do not draw; they say so when they are asked.
    painter = OpenAIImageGenerationModel(_PAINTERS["openai"], provider=provider) if spec.provider == "openai" else None
    return Client(OpenAIChatModel(spec.model, provider=provider), painter, http)
