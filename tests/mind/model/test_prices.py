"""What a request is said to have cost: a cap on money holds only where the price is known."""

import pytest

from prime.mind.model.prices import is_priced, micro_dollars
from prime.mind.model.spec import ModelSpec


def spec(provider: str, model: str, base_url: str | None = None) -> ModelSpec:
    return ModelSpec(provider=provider, model=model, base_url=base_url)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        (spec("openai", "gpt-4o"), 12.5),
        (spec("openai", "gpt-4o-2024-08-06"), 12.5),
        (spec("anthropic", "claude-sonnet-4-5"), 18),
        (spec("gemini", "gemini-2.5-flash"), 2.8),
        (spec("openai", "openai/gpt-4o", "https://openrouter.ai/api/v1"), 12.5),
        (spec("ollama", "qwen3:8b"), 0),
    ],
)
def test_a_million_tokens_each_way(model: ModelSpec, dollars: float) -> None:
    """Roughly: prices change, and so many tokens at once may cost more each."""
    assert is_priced(model)
    assert micro_dollars(model, 1_000_000, 1_000_000) >= dollars * 1_000_000 * 0.5
    assert (micro_dollars(model, 1_000_000, 1_000_000) == 0) is (dollars == 0)


@pytest.mark.parametrize(
    "model",
    [
        spec("openai", "nobody-knows-9"),
        spec("anthropic", ""),
        spec("openai", "gpt-4o", "http://127.0.0.1:1234/v1"),
        spec("openai", "gpt-4o", "not an address"),
    ],
)
def test_what_nobody_knows_costs_nothing_and_says_so(model: ModelSpec) -> None:
    assert not is_priced(model)
    assert micro_dollars(model, 1_000_000, 1_000_000) == 0


def test_a_small_request_is_not_free() -> None:
    assert micro_dollars(spec("openai", "gpt-4o"), 10, 2) == 45
