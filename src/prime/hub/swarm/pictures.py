"""Work images: when somebody hands over a result, a card of it or a chart of the sums named goes with the words."""

import logging
import re
from collections.abc import Mapping

from prime.core.errors import PrimeError
from prime.hub.connector import Context, Deliverable
from prime.mind.jobs.keeping import PictureRequest
from prime.mind.jobs.lines import Line
from prime.mind.protocol import Mind
from prime.mind.spend import SpendGuard, SpendStopped
from prime.rooms.records import PRIME

log = logging.getLogger(__name__)

# What a picture is a picture of: in the body of the message that it hangs on.
PICTURED = "pictured"
LINES = 40
_DELIVERED = re.compile(
    r"\b(?:(?:is|are) (?:ready|done|finished|complete)|first version|draft is|here (?:is|are) the|attached|delivered)\b"
    r"|(?:完成了?|做好了|出来了|初版|第一版|交付|附上)",
    re.IGNORECASE,
)
_ENDINGS: Mapping[str, str] = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/svg+xml": "svg"}


def delivers(text: str) -> bool:
    """Whether words hand something over."""
    return bool(_DELIVERED.search(text))


class Pictures:
    """Draws with the hub's mind, as long as PRIME_MAX_IMAGES allows."""

    def __init__(self, mind: Mind, spend: SpendGuard) -> None:
        self._mind = mind
        self._spend = spend

    async def of(self, context: Context, actor_id: str, text: str) -> Deliverable | None:
        """A picture for these words of a channel, if they hand something over and nothing forbids it."""
        if actor_id == PRIME or not delivers(text):
            return None
        said = [*context.lines[-LINES:], Line(message_id="", speaker=context.speaker, text=text)]
        try:
            if self._mind.name == "offline":  # a model counts its own
                await self._spend.allow_image()
            asked = PictureRequest(title=context.channel_name, lines=said, facts=context.facts)
            picture = await self._mind.picture(asked)
        except SpendStopped as stopped:
            log.info("no picture for %s: %s", context.channel_id, stopped)
            return None
        except PrimeError as error:  # the words are what counts; they go without it
            log.warning("a picture for %s could not be drawn: %s", context.channel_id, error)
            return None
        if picture is None:
            return None
        name = f"{context.channel_name}.{_ENDINGS.get(picture.mime_type, 'img')}"
        return Deliverable(name=name, mime_type=picture.mime_type, content=picture.data)
