"""Facts from what people say to what the API answers."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest
from click.testing import CliRunner

from prime.app import open_prime
from prime.brain.brain import Brain
from prime.brain.facts.ask import facts_from
from prime.brain.facts.extraction import Extraction
from prime.brain.facts.queries import FactsProjection
from prime.brain.facts.records import Span
from prime.brain.reading.reading import Reading
from prime.brain.state.queries import StateProjection
from prime.brain.thinking import File, Said, Stated
from prime.cli.facts import facts as facts_command
from prime.core.clock import FakeClock
from prime.core.errors import Unavailable
from prime.core.settings import Settings
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.rooms.views import View
from prime.store.message import NewMessage
from prime.store.store import Store

ALWAYS = Span(0, 1 << 62)


class House(Protocol):
    http: httpx2.AsyncClient
    clock: FakeClock

    async def get(self, path: str, **query: str) -> dict[str, Any]: ...
    async def answer_to(self, message_id: str) -> dict[str, Any]: ...


class Thinker:
    """Takes `subject | predicate | object | from | to | many` for what it is; counts how often it is asked."""

    def __init__(self, *, free: bool = False) -> None:
        self.free = free
        self.away = False
        self.asked: list[list[str]] = []

    async def extract(self, lines: Sequence[Said], *, today: str) -> Sequence[Stated]:
        if self.away:
            raise Unavailable("The model is away.")
        self.asked.append([line.text for line in lines])
        found: list[Stated] = []
        for line in lines:
            parts = [part.strip() for part in line.text.split("|")]
            if len(parts) >= 3:
                begin, end, many = [*parts[3:], "", "", ""][:3]
                found.append(
                    Stated(
                        subject=parts[0], predicate=parts[1], object=parts[2], source=line.message_id,
                        valid_from=begin or None, valid_to=end or None, many=bool(many),
                    )
                )  # fmt: skip
        return [*found, Stated(subject="x", predicate="is", object="made up", source="msg_of_nobody")]

    async def consolidate(self, lines: Sequence[Said], *, before: str) -> str:
        return before

    async def describe(self, file: File) -> str:
        return ""


class Reader:
    async def read(self, content: bytes) -> Reading:
        return Reading(family="other")


@dataclass
class Talk:
    """A store on either engine, without a house around it."""

    store: Store
    clock: FakeClock

    async def say(self, text: str, *, channel: str = "ch_hub", actor: str = "act_owner", **fields: object) -> str:
        message = NewMessage(channel_id=channel, actor_id=actor, kind="text", text=text)
        for name, value in fields.items():
            object.__setattr__(message, name, value)
        return (await self.store.log.append(message))[0].id

    def brain(self, thinker: Thinker) -> Brain:
        return Brain(self.store, self.clock, thinker, Reader())

    def extraction(self, thinker: Thinker) -> Extraction:
        return Extraction(self.store, self.clock, thinker)


@pytest.fixture
async def talk(open_store: Callable[..., Awaitable[Store]], clock: FakeClock) -> Talk:
    parts = [RoomsProjection(), FactsProjection(), StateProjection()]
    store = await open_store(projections=parts, migrations=ROOMS_MIGRATIONS)
    rooms = Rooms(store)
    await rooms.open()
    await rooms.add_actor("Ann", "human", "echo", actor_id="act_ann")
    for channel in ("ch_vendor", "ch_a", "ch_b"):
        await rooms.create_channel(channel, tier="external", members=["act_ann"], channel_id=channel)
    return Talk(store, clock)


async def test_the_price_in_march(house: House) -> None:
    """Said through the chat, read by the offline mind, asked over HTTP."""
    house.clock.advance(45 * 86400)  # 15 February 2026
    first = (await house.http.post("/api/chat", json={"text": "The price is 40 EUR."})).json()["messageId"]
    house.clock.advance(60 * 86400)  # 16 April
    await house.http.post("/api/chat", json={"text": "The price is 45 EUR."})
    march = await house.get("/api/brain/facts", subject="price", at="2026-03-15")
    [fact] = march["items"]
    assert (fact["object"], fact["sources"]) == ("40 EUR", [first])
    assert fact["validTo"].startswith("2026-04-16")
    now = await house.get("/api/brain/facts", subject="the PRICE")
    assert [f["object"] for f in now["items"]] == ["45 EUR"]
    timeline = await house.get("/api/brain/timeline", subject="price")
    assert [f["object"] for f in timeline["items"]] == ["40 EUR", "45 EUR"]
    before = await house.get("/api/brain/timeline", subject="price", asOf="2026-03-01")
    assert [(f["object"], f["validTo"]) for f in before["items"]] == [("40 EUR", None)]
    assert (await house.get("/api/brain/facts", subject="price", at="2026-01-15"))["items"] == []
    for wrong in ({"at": "March"}, {"asOf": "soon"}):
        assert (await house.http.get("/api/brain/facts", params=wrong)).status_code == 400


async def test_the_owner_asks_in_the_chat_what_was_said_in_a_room(house: House) -> None:
    """Answered with what held then, who said it and where; of what only one room of two has, with that."""
    house.clock.advance(320 * 86400)  # 17 November 2026
    room = (await house.http.post("/api/channels", json={"name": "Suppliers", "tier": "team"})).json()["id"]
    said: dict[str, str] = {}
    for text in (
        "From March 2026 the price of the pump was 39 EUR.",
        "The price of the pump is 42 EUR.",
        "2026年3月水泵的价格是 280 元。",
    ):
        answer = await house.http.post(f"/api/channels/{room}/messages", json={"text": text})
        said[text] = answer.json()["id"]
        house.clock.advance(60)
    await house.get("/api/brain/facts", subject="pump")  # everything is read by now
    march, now, han = said
    for question, words, source in (
        ("What was the price of the pump in March?", f"You in Suppliers: “{march}”", said[march]),
        ("What is the price of the pump?", f"You in Suppliers: “{now}”", said[now]),
        ("How much was the pump in March?", f"You in Suppliers: “{march}”", said[march]),
        ("what did the pump cost in March", f"You in Suppliers: “{march}”", said[march]),
        ("2026年3月水泵的价格是多少？", f"你（Suppliers）说过：“{han}”", said[han]),
        ("水泵三月多少钱？", f"你（Suppliers）说过：“{han}”", said[han]),
        ("水泵三月份的价格是多少", f"你（Suppliers）说过：“{han}”", said[han]),
    ):
        asked = (await house.http.post("/api/chat", json={"text": question})).json()["messageId"]
        answer = await house.answer_to(asked)
        assert (answer["text"], answer["sources"]) == (words, [asked, source])
    asked = (await house.http.post("/api/chat", json={"text": "Can you lower the price of the pump?"})).json()[
        "messageId"
    ]
    assert "Suppliers" not in (await house.answer_to(asked))["text"]


async def test_an_answer_from_the_owners_own_room_names_what_it_quotes(house: House) -> None:
    told = (await house.http.post("/api/chat", json={"text": "Anna keeps the spare key of the office."})).json()
    await house.answer_to(told["messageId"])
    asked = (await house.http.post("/api/chat", json={"text": "Who keeps the spare key?"})).json()["messageId"]
    answer = await house.answer_to(asked)
    assert "Anna keeps the spare key of the office" in answer["text"]
    assert answer["sources"] == [asked, told["messageId"]]


async def test_the_owner_corrects_by_saying_so(talk: Talk) -> None:
    thinker = Thinker(free=True)
    brain = talk.brain(thinker)
    await talk.say("pump | costs | 40 EUR", channel="ch_vendor", actor="act_ann")
    talk.clock.advance(60)
    await talk.say("pump | costs | 42 EUR", channel="ch_vendor")
    assert [f.object for f in await brain.facts("pump")] == ["42 EUR"]
    # Said in the owner's own room it does not reach into the channel; both are shown, the owner's first.
    talk.clock.advance(60)
    await talk.say("pump | costs | 44 EUR")
    told = await brain.facts("pump")
    assert [f.object for f in told] == ["44 EUR", "42 EUR"]
    assert told[0].contradicts == (told[1].id,)


async def test_a_fact_is_found_by_what_is_said_and_only_while_it_holds(talk: Talk) -> None:
    brain = talk.brain(Thinker(free=True))
    await talk.say("Tom | is | our CEO")
    await talk.say("pump | costs | 40 EUR")
    talk.clock.advance(60)
    await talk.say("pump | costs | 42 EUR")
    assert [f.subject for f in await brain.facts("CEO")] == [f.subject for f in await brain.facts("Tom CEO")] == ["Tom"]
    assert await brain.facts("40 EUR") == []
    [then] = await brain.timeline("40 EUR")
    assert then.valid_to is not None
    # What is said of the subject itself comes instead.
    await talk.say("our CEO | is | Nina")
    assert [f.object for f in await brain.facts("CEO")] == ["Nina"]


@pytest.mark.holds("D-BRAIN-7")
async def test_a_channel_knows_its_own_facts_only(talk: Talk) -> None:
    brain = talk.brain(Thinker(free=True))
    await talk.say("price | is | 40", channel="ch_a", actor="act_ann")
    await talk.say("price | is | 45", channel="ch_b", actor="act_ann")
    await talk.say("price | is | 30")
    await talk.say("price | is | 20", channel="ch_a", actor="act_prime", audience="hub")
    assert {f.object for f in await brain.facts("price")} == {"40", "45", "30"}
    view = await View.of(talk.store, "ch_a")
    [fact] = await facts_from(view, "price", at=ALWAYS)
    assert (fact.object, fact.contradicts) == ("40", ())


@pytest.mark.holds("D-BRAIN-8")
async def test_extraction_is_batched_logged_and_not_repeated(talk: Talk) -> None:
    thinker = Thinker()
    extraction = talk.extraction(thinker)
    said = [await talk.say(f"thing {n} | is | {n}", channel="ch_vendor", actor="act_ann") for n in range(45)]
    await talk.say("old | is | history", channel="ch_vendor", source_tag="priming_script")
    # A full batch is read at once, the rest when the conversation pauses.
    assert await extraction.catch_up() == 60_000
    assert [len(batch) for batch in thinker.asked] == [40]
    talk.clock.advance(61)
    assert await extraction.catch_up() is None
    assert [len(batch) for batch in thinker.asked] == [40, 5]
    logged = [m for m in await talk.store.log.after(0) if m.kind == "extraction" and m.channel_id == "ch_vendor"]
    assert [len(m.sources) for m in logged] == [40, 5]
    assert all(m.audience == "hub" for m in logged)
    # Another process, which remembers nothing, asks nothing again.
    again = Thinker()
    await talk.extraction(again).catch_up(everything=True)
    assert [batch for batch in again.asked if "thing 1 | is | 1" in batch] == []
    told = await talk.brain(thinker).timeline("thing")
    assert {f.sources[0] for f in told} == set(said)


async def test_a_mind_that_is_away_is_asked_later(talk: Talk) -> None:
    thinker = Thinker()
    thinker.away = True
    extraction = talk.extraction(thinker)
    await talk.say("price | is | 40")
    with pytest.raises(Unavailable):
        await extraction.catch_up(everything=True)
    thinker.away = False
    await extraction.catch_up(everything=True)
    assert [f.object for f in await talk.brain(thinker).facts("price")] == ["40"]


async def test_an_erased_message_takes_its_facts_with_it(talk: Talk) -> None:
    brain = talk.brain(Thinker(free=True))
    secret = await talk.say("code | is | sesame")
    await talk.say("price | is | 40")
    assert await brain.facts("code")
    await talk.store.erase([secret], by="act_owner")
    assert await brain.facts("code") == []
    assert [f.object for f in await brain.facts("price")] == ["40"]
    assert not any("sesame" in str(m) for m in await talk.store.log.after(0))


async def test_what_is_erased_while_it_is_read_becomes_no_fact(talk: Talk) -> None:
    secret = await talk.say("code | is | sesame")
    await talk.say("price | is | 40")

    class Slow(Thinker):
        async def extract(self, lines: Sequence[Said], *, today: str) -> Sequence[Stated]:
            if any("sesame" in line.text for line in lines):
                await talk.store.erase([secret], by="act_owner")
            return await super().extract(lines, today=today)

    brain = talk.brain(Slow(free=True))
    assert [f.object for f in await brain.facts("price")] == ["40"]
    assert await brain.facts("code") == []
    assert not any("sesame" in str(m) for m in await talk.store.log.after(0))


async def test_times_as_minds_write_them(talk: Talk) -> None:
    """`9999-12-31` is no end; “until March”, when that is over, is a time in March; an end before the beginning is none."""
    brain = talk.brain(Thinker(free=True))
    talk.clock.advance(200 * 86400)  # July 2026
    await talk.say("boss | is | Ann | 2026-01-01 | 9999-12-31")
    await talk.say("rent | is | 900 | | 2026-03")
    await talk.say("rent | is | 950")
    await talk.say("fee | is | 5 | 2026-05-01 | 2026-02-01")
    [boss] = await brain.facts("boss")
    assert boss.valid_to is None
    assert [f.object for f in await brain.facts("rent", at="2026-03")] == ["900"]
    assert [f.object for f in await brain.facts("rent")] == ["950"]
    [fee] = await brain.facts("fee")
    assert fee.valid_to is None


async def test_the_owner_corrects_in_words_of_every_day(house: House) -> None:
    for text in ("The price is 10 EUR.", "租金是10元。", "No, the price is 12 EUR, not 10.", "不对，租金是12元。"):
        await house.http.post("/api/chat", json={"text": text})
        house.clock.advance(60)
    for subject, wrong, right in (("price", "10 EUR", "12 EUR"), ("租金", "10元", "12元")):
        assert [f["object"] for f in (await house.get("/api/brain/facts", subject=subject))["items"]] == [right]
        first, _ = (await house.get("/api/brain/timeline", subject=subject))["items"]
        then = await house.get(
            "/api/brain/facts", subject=subject, at=first["validFrom"]
        )  # as the API itself writes it
        assert [f["object"] for f in then["items"]] == [first["object"]] == [wrong]


async def test_a_role_changes_hands_in_one_sentence(house: House) -> None:
    """Also on the day on which the former was named."""
    for text in ("Tom is our CEO.", "Our CEO is Tom.", "Tom is not our CEO any more, it's Nina."):
        await house.http.post("/api/chat", json={"text": text})
        house.clock.advance(60)
    assert (await house.get("/api/brain/facts", subject="Tom"))["items"] == []
    for subject, now in (("CEO", "Nina"), ("Nina", "our CEO")):
        assert [f["object"] for f in (await house.get("/api/brain/facts", subject=subject))["items"]] == [now]
    [tom] = (await house.get("/api/brain/timeline", subject="Tom"))["items"]
    assert len(tom["sources"]) == 2
    assert tom["validTo"] is not None


async def test_odd_extractions_are_passed_over(talk: Talk) -> None:
    source = await talk.say("hello")
    bodies: list[Any] = [
        {"statements": "x"},
        {"statements": [1, None, {}, {"subject": 1, "predicate": "is", "object": "y", "source": source}]},
        {"statements": [{"subject": " ", "predicate": "is", "object": "y", "source": source}]},
        {"statements": [{"subject": "a", "predicate": "is", "object": "y", "source": "msg_none"}]},
        {"statements": [{"subject": "b", "predicate": "is", "object": "y", "source": source, "validFrom": "soon"}]},
    ]
    for body in bodies:
        await talk.store.log.append(
            NewMessage(
                channel_id="ch_hub",
                actor_id="act_prime",
                kind="extraction",
                audience="hub",
                body=body,
                sources=[source],
            )
        )
    assert [f.subject for f in await talk.brain(Thinker()).timeline("")] == ["b"]


def test_the_command(tmp_path: Path) -> None:
    data = tmp_path / "data"

    async def talk() -> None:
        async with open_prime(Settings.load().model_copy(update={"data": data})) as prime:
            await prime.parts.rooms.say("ch_hub", "act_owner", "The launch price is 40 EUR.")

    asyncio.run(talk())
    shown = CliRunner().invoke(facts_command, ["launch", "price", "--data", str(data)])
    assert shown.exit_code == 0, shown.output
    assert "The launch price is 40 EUR" in shown.stdout
    as_json = CliRunner().invoke(facts_command, ["price", "--json", "--timeline", "--data", str(data)])
    assert json.loads(as_json.stdout)["items"][0]["object"] == "40 EUR"
    nothing = CliRunner().invoke(facts_command, ["price", "--at", "2001", "--data", str(data)])
    assert (nothing.exit_code, nothing.stdout) == (0, "")
