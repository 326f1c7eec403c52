"""A command that is not there is told so, and taken for nothing else; what is no command goes its usual way."""

import pytest
from tests.hub.conftest import House

from prime.hub.commands import unknown_command


@pytest.mark.parametrize(
    "text", ["/nonsense", "/stop", "/rules", "/plan a party", "/1 a", "/rule 1 yes", "/清空", " /quit "]
)
async def test_it_is_named_and_nothing_is_planned(house: House, text: str) -> None:
    said = await house.say(text)
    [answer] = [message for message in await house.log() if said.id in message.sources]
    assert answer.kind == "system"
    assert f"“{text.split(maxsplit=1)[0]}”" in answer.text
    assert ("/help" in answer.text) is not ("on its card" in answer.text)
    assert house.mind.planned == []


@pytest.mark.parametrize(
    "text", ["/help", "/Status", "/帮助", "/etc/hosts is broken", "either/or", "/", "// a remark", "1/2 cup", "stop"]
)
async def test_other_words_are_taken_as_they_are(house: House, text: str) -> None:
    assert unknown_command(text) is None
    await house.say(text)
    assert [request.wish for request in house.mind.planned] == [text]
