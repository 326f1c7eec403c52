"""Passing words between replicas."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from prime.store.store import Store
from prime.store.whispers import MOST_BYTES, Whisper, written

OpenStore = Callable[..., Awaitable[Store]]


async def test_the_latest_words_reach_other_replicas_and_not_oneself(open_store: OpenStore) -> None:
    here, there = await open_store(), await open_store()
    heard: list[Whisper] = []
    own: list[Whisper] = []
    arrived = asyncio.Event()

    def hear(value: Whisper) -> None:
        heard.append(value)
        arrived.set()

    there.whispers.listen("a", hear)
    here.whispers.listen("a", own.append)
    if here.database.engine_name == "sqlite":
        here.whispers.tell("a/1", {"text": "nobody else is there"})
        await here.whispers.stop()
        assert heard == []
        return
    async with asyncio.timeout(30):
        while not heard:  # the other one may still be connecting
            for words in ("Hel", "Hello"):
                here.whispers.tell("a/1", {"text": words})
                here.whispers.tell("b/1", {"text": "of something else"})
            try:
                await asyncio.wait_for(arrived.wait(), 2)
            except TimeoutError:
                continue
    assert heard[0] == {"text": "Hello"}, "of what comes faster than it is passed on, the latest counts"
    assert own == []


async def test_odd_payloads_are_passed_over(open_store: OpenStore) -> None:
    store = await open_store()
    heard: list[Whisper] = []
    store.whispers.listen("a", heard.append)
    for payload in (
        "",
        "[]",
        "{",
        '{"topic": "a", "value": {"a": 1}}',
        '{"from": "x", "topic": "a", "value": 3}',
        '{"from": "x", "value": {"a": 1}}',
        '{"from": "x", "topic": ["a"], "value": {"a": 1}}',
        '{"from": "x", "topic": "b", "value": {"a": 1}}',
        '{"from": "x", "topic": "a", "value": {"a": 1}}',
    ):
        store.whispers.hear(payload)
    assert heard == [{"a": 1}]


def test_what_is_too_long_keeps_its_end() -> None:
    payload = written("rep_1", "turn", {"channelId": "ch_1", "text": "汉字" * 5_000 + "the end"})
    assert payload
    assert len(payload.encode()) <= MOST_BYTES
    assert json.loads(payload)["value"]["text"].endswith("the end")
    assert written("rep_1", "turn", {"huge": "x" * 10_000}) is None
