"""Images, where the provider draws them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from prime.mind.jobs.keeping import Picture
from prime.mind.model.errors import translated
from prime.mind.model.messages import priced_usage
from prime.mind.model.spec import ModelSpec

if TYPE_CHECKING:
    from pydantic_ai.images.base import ImageGenerationModel

    from prime.mind.model.requesting import Spending

_TAKEN = {"image/png", "image/jpeg", "image/webp"}
# What an image is taken for where the provider does not say.
_USUAL_TOKENS = 1_300


async def painted(
    painter: "ImageGenerationModel", prompt: str, title: str, spec: ModelSpec, spending: "Spending"
) -> Picture | None:
    """One image, counted as an image and as a request, at the price of what draws; None where what came is no image."""
    drawing = replace(spec, model=str(painter.model_name))
    await spending.allow_image()
    await spending.allow_call()
    try:
        result = await painter.generate(prompt)
    except Exception as error:  # whatever the way to a provider makes of its answers
        raise translated(error, drawing.name) from error
    tokens = result.usage.input_tokens, result.usage.output_tokens or _USUAL_TOKENS
    usage = priced_usage(*tokens, drawing, drawn=True)
    await spending.record(usage)
    image = next((each.content for each in result.images if each.content.media_type in _TAKEN), None)
    if image is None:
        return None
    return Picture(data=image.data, mime_type=image.media_type, caption=title, usage=usage)
