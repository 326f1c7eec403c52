"""Meaning beside words: a model on this machine changes the order of what was found, and nothing else."""

import logging
import shutil
from pathlib import Path

import httpx2
import pytest
from tests.brain.recall.conftest import Talk
from tests.brain.recall.models import random_model, save_model

from prime.app import open_prime
from prime.brain.embeddings import Embeddings
from prime.brain.recall import recall
from prime.brain.recall.fusion import MOST_WEIGHED
from prime.core.clock import FakeClock
from prime.core.settings import Settings
from prime.web.local import LocalDoor

CARS = {
    "trip": (0.0, 1.0, 0.0), "car": (1.0, 0.1, 0.0), "automobile": (1.0, 0.0, 0.1), "museum": (0.0, 0.0, 1.0),
    "mountain": (0.0, 0.3, 1.0),
}  # fmt: skip


async def some_trips(talk: Talk) -> None:
    for text in ("A trip to the museum", "A trip with the car", "A trip to the mountain", "Lunch"):
        await talk.pause()
        await talk.say(text)


async def texts(talk: Talk, query: str, embeddings: Embeddings | None) -> list[str]:
    found = await recall(talk.store, query, embeddings=embeddings)
    return [(await talk.store.log.get(hit.message_id)).text for hit in found.hits]


@pytest.mark.holds("D-BRAIN-9")
async def test_of_what_words_find_the_nearest_comes_first(talk: Talk, tmp_path: Path) -> None:
    await some_trips(talk)
    embeddings = Embeddings(save_model(tmp_path / "model", CARS))
    by_words = await texts(talk, "a trip by automobile", None)
    assert by_words[0] == "A trip to the mountain"
    by_meaning = await texts(talk, "a trip by automobile", embeddings)
    assert by_meaning[0] == "A trip with the car"
    assert sorted(by_words) == sorted(by_meaning)
    # What is no word of the search is not weighed, and a search without words not at all.
    assert await texts(talk, "trip -automobile from:act_ann", embeddings) == await texts(talk, "trip", embeddings)
    assert await texts(talk, "from:act_ann", embeddings) == await texts(talk, "from:act_ann", None)


@pytest.mark.holds("D-BRAIN-9")
async def test_pages_follow_each_other_and_words_stay_marked(talk: Talk, tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(40)]
    embeddings = random_model(tmp_path / "model", ["launch", *words], 7)
    for number in range(MOST_WEIGHED + 20):
        await talk.pause(7)
        await talk.say(f"launch {words[number % 40]} {words[number * 7 % 40]}")
    pages = [await recall(talk.store, "launch w3.", limit=15, embeddings=embeddings)]
    await talk.say("launch w3 launch w3")  # what comes in between changes no page
    while (cursor := pages[-1].next_cursor) is not None:
        pages.append(await recall(talk.store, "launch w3.", limit=15, cursor=cursor, embeddings=embeddings))
    hits = [hit for page in pages for hit in page.hits]
    assert len({hit.message_id for hit in hits}) == len(hits) == MOST_WEIGHED + 20
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all("launch" in [piece.text for piece in hit.snippet if piece.match] for hit in hits)


@pytest.mark.parametrize("broken", ["no folder", "a name", "an empty folder", "no vectors", "no model", "no numbers"])
@pytest.mark.holds("D-BRAIN-9")
async def test_a_model_that_cannot_be_read_stops_no_search(
    talk: Talk, tmp_path: Path, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    await some_trips(talk)
    folder = save_model(tmp_path / "model", CARS)
    match broken:
        case "no folder":
            shutil.rmtree(folder)
        case "a name":  # for which the package itself would look on the network
            folder = Path("minishlab/potion-base-8M")
        case "an empty folder":
            shutil.rmtree(folder)
            folder.mkdir()
        case "no vectors":
            (folder / "model.safetensors").write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00nonsense")
        case "no model":
            (folder / "tokenizer.json").write_text("[]")
        case _:
            save_model(folder, {word: [float("nan")] * 3 for word in CARS})
    embeddings = Embeddings(folder)
    with caplog.at_level(logging.WARNING, "prime.brain"):
        for _ in range(2):
            assert await texts(talk, "a trip by automobile", embeddings) == await texts(
                talk, "a trip by automobile", None
            )
    said = [record.getMessage() for record in caplog.records]
    if broken != "no numbers":
        assert len(said) == 1
        assert str(folder) in said[0]
        assert "Unset it" in said[0]


async def test_a_house_with_a_model_weighs_and_one_without_does_not(tmp_path: Path, clock: FakeClock) -> None:
    found: dict[str, str] = {}
    for name, folder in (("without", None), ("with", save_model(tmp_path / "model", CARS))):
        settings = Settings.load().model_copy(update={"data": tmp_path / name, "embeddings": folder})
        async with open_prime(settings, clock=clock) as prime:
            transport = httpx2.ASGITransport(app=LocalDoor(prime.app))
            async with httpx2.AsyncClient(transport=transport, base_url="http://prime.sock") as http:
                await some_trips(Talk(prime.parts.store, clock))
                answer = await http.get("/api/brain/recall", params={"q": "a trip by automobile"})
                first = await prime.parts.store.log.get(answer.json()["items"][0]["messageId"])
                found[name] = first.text
    assert found == {"without": "A trip to the mountain", "with": "A trip with the car"}
