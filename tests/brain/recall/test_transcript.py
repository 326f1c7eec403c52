"""Conversations that somebody pasted or exported: who is written to have spoken is who spoke."""

import pytest
from tests.brain.recall.conftest import Talk

from prime.brain.recall.transcript import told_by


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Ann: I paint.", ["ann"]),
        ("Ann Lee: I paint.", ["ann", "lee"]),
        ("**Ann:** I paint.", ["ann"]),
        ("[12/05/2026, 10:15:02] Ann: I paint.", ["ann"]),
        ("12/05/2026, 10:15 - Ann: I paint.", ["ann"]),
        ("王伟：我画画", ["伟", "王伟"]),
        ("https://example.org is down", []),
        ("10:15 is fine", []),
        ("Ann paints: she always did, and she will", ["ann", "paint"]),
        ("What Ann wants to do next: paint", []),
        ("Ann:", []),
    ],
)
def test_a_line_names_its_speaker(line: str, name: list[str]) -> None:
    assert sorted(told_by("text", line)) == name


def test_a_file_is_no_speaker() -> None:
    assert told_by("note", "offer.pdf: two pages") == set()


async def test_the_one_who_is_asked_about_is_found_first(talk: Talk) -> None:
    for line in ("Ann: Hello.", "Bob: Hello.", "Ann: How are you?", "Bob: Fine."):
        await talk.say(line)
        await talk.pause()
    for line in ("Ann: The pottery class was great.", "Bob: The pottery class was dull."):
        await talk.say(line)
        await talk.pause()
    assert (await talk.texts("What did Bob think of the pottery class?"))[0].startswith("Bob")
    assert (await talk.texts("What did Ann think of the pottery class?"))[0].startswith("Ann")


async def test_a_heading_is_no_speaker(talk: Talk) -> None:
    """What stands before a colon once or twice is a word like others."""
    await talk.say("Price: the lamp is 40.")
    await talk.pause()
    await talk.say("The price of the lamp went up, and the price of the shade did.")
    assert (await talk.texts("What is the price of the shade?"))[0].startswith("The price")
