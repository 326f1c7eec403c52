"""What a request cost, by a small table. A model that is not in it costs 0, and its mind says that the price is unknown."""

import re

from prime.mind.model.spec import ModelSpec

# Model -> dollars for a million tokens in and out. A dated name (`gpt-4o-2024-08-06`) is the same model; a newer one is not.
_PRICES: dict[str, tuple[float, float]] = {
    "claude-haiku-4-5": (1.0, 5.0),
    "claude-opus-4-1": (15.0, 75.0),
    "claude-opus-4-5": (5.0, 25.0),
    "claude-sonnet-4-5": (3.0, 15.0),
    "claude-sonnet-4-6": (3.0, 15.0),
    "gemini-2.0-flash": (0.1, 0.4),
    "gemini-2.5-flash": (0.3, 2.5),
    "gemini-2.5-flash-lite": (0.1, 0.4),
    "gemini-2.5-pro": (1.25, 10.0),
    "gemini-3-flash": (0.5, 3.0),
    "gemini-3-pro": (2.0, 12.0),
    "gpt-4.1": (2.0, 8.0),
    "gpt-4.1-mini": (0.4, 1.6),
    "gpt-4.1-nano": (0.1, 0.4),
    "gpt-4o": (2.5, 10.0),
    "gpt-4o-mini": (0.15, 0.6),
    "gpt-5": (1.25, 10.0),
    "gpt-5-mini": (0.25, 2.0),
    "gpt-5-nano": (0.05, 0.4),
    "o3": (2.0, 8.0),
    "o4-mini": (1.1, 4.4),
}


_DATED = re.compile(r"-(?:\d{4}-\d\d-\d\d|\d{8}|latest|preview)$")


def price_of(spec: ModelSpec) -> tuple[float, float] | None:
    """Dollars for a million tokens in and out; None where nobody here knows. What runs on the machine costs nothing."""
    if spec.provider == "ollama":
        return (0.0, 0.0)
    if spec.provider == "openai" and spec.base_url:
        return None
    return _PRICES.get(_DATED.sub("", spec.model.casefold()))


def micro_dollars(spec: ModelSpec, input_tokens: int, output_tokens: int) -> int:
    # Dollars for a million tokens are micro-dollars for one.
    price = price_of(spec)
    return round(price[0] * input_tokens + price[1] * output_tokens) if price else 0
