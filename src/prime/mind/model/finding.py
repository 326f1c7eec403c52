"""Models that are there without being named: by a key in the environment, or Ollama on its usual port."""

from collections.abc import Mapping
from typing import cast

from prime.core.settings import Settings
from prime.mind.model.spec import OLLAMA_URL, ModelProvider, ModelSpec, plain_address

# Used where a key is there and no model is named.
USUAL_ANTHROPIC = "claude-sonnet-4-6"
USUAL_OPENAI = "gpt-5-mini"
_SECONDS = 2.0


async def found_models(settings: Settings, addresses: Mapping[ModelProvider, str]) -> list[ModelSpec]:
    """In the order in which they are tried: Gemini, Anthropic, OpenAI or a server like it, Ollama."""
    found: list[ModelSpec] = []
    if settings.gemini_api_key:
        key = settings.gemini_api_key.get_secret_value()
        found.append(ModelSpec("gemini", settings.gemini_model, key, addresses.get("gemini")))
    if settings.anthropic_api_key:
        key = settings.anthropic_api_key.get_secret_value()
        address = addresses.get("anthropic") or plain_address(settings.anthropic_base_url)
        found.append(ModelSpec("anthropic", USUAL_ANTHROPIC, key, address))
    if settings.openai_api_key or settings.openai_base_url:
        found.append(await _openai(settings, addresses.get("openai") or plain_address(settings.openai_base_url)))
    ollama = await _ollama(addresses.get("ollama") or OLLAMA_URL)
    return [*found, ollama] if ollama else found


async def _openai(settings: Settings, base: str | None) -> ModelSpec:
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    served = await _first_name(f"{base}/models", key, "data", "id") if base else None
    return ModelSpec("openai", served or USUAL_OPENAI, key, base)


async def _ollama(base: str) -> ModelSpec | None:
    name = await _first_name(f"{base}/api/tags", None, "models", "name")
    return ModelSpec("ollama", name, None, base) if name else None


async def _first_name(url: str, key: str | None, items: str, name: str) -> str | None:
    """The first model that a server says it has; None where nobody listens or the answer is something else."""
    import httpx2

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        # Certificates are read where they are needed: it takes longer than asking, and is done at every start.
        secured = url.startswith("https:")
        async with httpx2.AsyncClient(timeout=_SECONDS, trust_env=False, verify=secured) as http:
            answer = await http.get(url, headers=headers)
            listed: object = answer.json() if answer.is_success else None
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
        return None
    rows = cast("dict[str, object]", listed).get(items) if isinstance(listed, dict) else None
    first = cast("list[object]", rows)[0] if isinstance(rows, list) and rows else None
    found = cast("dict[str, object]", first).get(name) if isinstance(first, dict) else None
    return found if isinstance(found, str) and found else None
