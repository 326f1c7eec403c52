"""What the server says to somebody who reads Chinese has its words in the page."""

import json
import re
from pathlib import Path

from prime.connectors.contract import Declaration
from prime.connectors.profiles import telegram_bot
from prime.connectors.profiles.telegram import profile as telegram
from prime.connectors.profiles.x import profile as x
from prime.connectors.publish import folder, gdrive, github, netlify
from prime.core.settings import Settings
from prime.mind.present import NO_MODEL, WANTED_OFFLINE

WORDS = Path(__file__).parents[1] / "web" / "src" / "words" / "zh" / "served.ts"
DECLARED: list[Declaration] = [
    module.DECLARATION for module in (telegram, telegram_bot, x, folder, github, netlify, gdrive)
]


def translated() -> dict[str, str]:
    entry = re.compile(r'^  (?P<key>"(?:[^"\\]|\\.)*"|\w+): (?P<value>"(?:[^"\\]|\\.)*"),$', re.MULTILINE)
    found = [match.group("key", "value") for match in entry.finditer(WORDS.read_text("utf-8"))]
    return {json.loads(key) if key.startswith('"') else key: json.loads(value) for key, value in found}


def said() -> set[str]:
    meanings = {each.meaning for each in Settings.load({}).described({})}
    fields = [setting for declared in DECLARED for setting in declared.settings]
    words = {word for declared in DECLARED for word in (declared.description,)}
    return meanings | words | {word for field in fields for word in (field.label, field.help) if word}


def test_every_sentence_is_there_and_none_that_nobody_says() -> None:
    there = translated()
    assert said() - set(there) == set()
    kept = said() | {declared.title for declared in DECLARED} | ASKED | {NO_MODEL, WANTED_OFFLINE}
    assert set(there) - kept == set()
    assert all(value.strip() for value in there.values())


# What a connector asks for while it signs in.
ASKED = {
    word
    for setting in (telegram.CODE, telegram.PASSWORD, telegram.TIER, gdrive.CODE)
    for word in (setting.label, setting.help)
    if word
}
