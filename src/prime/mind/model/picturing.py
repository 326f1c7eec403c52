"""Images, where the provider draws them."""

from typing import TYPE_CHECKING

from prime.mind.model.errors import ModelRefused, translated
from prime.mind.model.messages import priced_usage
from prime.mind.model.spec import ModelSpec
from prime.mind.protocol import Picture

if TYPE_CHECKING:
    from pydantic_ai.images.base import ImageGenerationModel

    from prime.mind.model.requesting import Spending

_TAKEN = {"image/png", "image/jpeg", "image/webp"}


async def painted(
    painter: "ImageGenerationModel", prompt: str, title: str, spec: ModelSpec, spending: "Spending"
) -> Picture | None:
    """One image, counted as an image and as a request; None where the provider has no model for it."""
    import httpx2
    from pydantic_ai.exceptions import AgentRunError

    await spending.allow_image()
    await spending.allow_call()
    try:
        result = await painter.generate(prompt)
    except (AgentRunError, httpx2.HTTPError) as error:
        told = translated(error, f"{spec.provider}:{painter.model_name}")
        if isinstance(told, ModelRefused):
            return None
        raise told from error
    usage = priced_usage(result.usage.input_tokens, result.usage.output_tokens, spec)
    await spending.record(usage)
    image = next((each.content for each in result.images if each.content.media_type in _TAKEN), None)
    if image is None:
        return None
    return Picture(data=image.data, mime_type=image.media_type, caption=title, usage=usage)
