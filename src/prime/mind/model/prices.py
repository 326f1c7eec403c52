"""What a request cost, as far as anybody here knows it: by the published prices that `genai-prices` collects.

A model that is not among them costs 0, and its mind says that the price is unknown.
"""

from prime.mind.model.spec import ModelSpec

# As the collection calls them.
_PROVIDERS = {"anthropic": "anthropic", "gemini": "google", "openai": "openai"}


def is_priced(spec: ModelSpec) -> bool:
    return _micro_dollars(spec, 1, 1) is not None


def micro_dollars(spec: ModelSpec, input_tokens: int, output_tokens: int, *, drawn: bool = False) -> int:
    """`drawn`: what came out is an image, which costs many times as much as words."""
    return _micro_dollars(spec, input_tokens, output_tokens, drawn=drawn) or 0


def _micro_dollars(spec: ModelSpec, input_tokens: int, output_tokens: int, *, drawn: bool = False) -> int | None:
    """None where nobody here knows. What runs on the machine costs nothing."""
    if spec.provider == "ollama":
        return 0
    from genai_prices import Usage, calc_price  # heavy, and there only where models are

    usage = Usage(
        input_tokens=input_tokens, output_tokens=output_tokens, output_image_tokens=output_tokens if drawn else None
    )
    try:
        # A server that speaks OpenAI's API is known by its address, if at all.
        if spec.provider == "openai" and spec.base_url:
            cost = calc_price(usage, model_ref=spec.model, provider_api_url=spec.base_url)
        else:
            cost = calc_price(usage, model_ref=spec.model, provider_id=_PROVIDERS[spec.provider])
    except LookupError:
        return None
    return round(cost.total_price * 1_000_000)
