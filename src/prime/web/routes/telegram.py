"""Where Telegram brings what people write to the bot: a secret address, and a secret header with it."""

from typing import Annotated

from fastapi import APIRouter, Header, Path
from pydantic import BaseModel, ConfigDict, JsonValue

from prime.connectors.profiles.telegram_bot import NAME, TelegramBot
from prime.core.errors import NotFound
from prime.web.models import Ok
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/telegram", tags=["connectors"])


class Update(BaseModel):
    """What Telegram sends; of its many kinds only messages are looked at, the rest is let pass."""

    model_config = ConfigDict(extra="allow")

    update_id: JsonValue = None
    message: JsonValue = None
    edited_message: JsonValue = None


@router.post("/webhook/{secret}")
async def webhook(
    secret: Annotated[str, Path(max_length=200)],
    update: Update,
    parts: PartsNeeded,
    x_telegram_bot_api_secret_token: Annotated[str | None, Header(max_length=300)] = None,
) -> Ok:
    """One update. The same one again changes nothing."""
    bot = parts.connectors.connector(NAME)
    if not isinstance(bot, TelegramBot):
        raise NotFound("There is nothing here.")
    await bot.on_webhook(secret, x_telegram_bot_api_secret_token, update.model_dump(exclude_unset=True))
    return Ok()
