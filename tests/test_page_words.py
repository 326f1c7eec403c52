"""What the server says to somebody who reads Chinese has its words in the page."""

import json
from pathlib import Path

from prime.connectors.contract import Declaration
from prime.connectors.profiles import telegram_bot
from prime.connectors.profiles.telegram import profile as telegram
from prime.connectors.profiles.x import profile as x
from prime.connectors.publish import folder, gdrive, github, netlify
from prime.core.settings import Settings
from prime.mind.present import NO_MODEL, WANTED_OFFLINE
from prime.store.disk import FILES_HINT, HINT

SENTENCES: dict[str, str] = json.loads(
    (Path(__file__).parents[1] / "web" / "src" / "words" / "zh" / "said.json").read_text("utf-8")
)["sentences"]
DECLARED: list[Declaration] = [
    module.DECLARATION for module in (telegram, telegram_bot, x, folder, github, netlify, gdrive)
]


def said() -> set[str]:
    meanings = {each.meaning for each in Settings.load({}).described({})}
    fields = [setting for declared in DECLARED for setting in declared.settings]
    words = {word for declared in DECLARED for word in (declared.description,)}
    return meanings | words | {word for field in fields for word in (field.label, field.help) if word}


def test_every_setting_and_every_question_of_a_connector_has_its_words() -> None:
    assert (said() | ASKED | {NO_MODEL, WANTED_OFFLINE, HINT, FILES_HINT}) - set(SENTENCES) == set()
    assert all(value.strip() for value in SENTENCES.values())


# What a connector asks for while it signs in.
ASKED = {
    word
    for setting in (telegram.CODE, telegram.PASSWORD, telegram.TIER, gdrive.CODE)
    for word in (setting.label, setting.help)
    if word
}
