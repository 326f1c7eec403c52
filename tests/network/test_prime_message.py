"""Prime Message 0.1 against the real app."""

import httpx2
import pytest


async def test_the_card_says_who_is_there(instance) -> None:
    answer = await instance.stranger.get("/.well-known/prime-agent.json")
    card = answer.json()
    assert card["protocol"] == "prime-message/0.1"
    assert card["endpoints"]["message"] == "/prime/message"
    assert answer.headers["cache-control"].startswith("public")


async def test_a_stranger_gets_a_reply_and_an_external_channel(instance) -> None:
    answer = await instance.stranger.post(
        "/prime/message", json={"from": {"id": "x", "name": "Scout", "tier": "team"}, "text": "Hello, budget 500 EUR?"}
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["type"] == "reply"
    assert "500 EUR" in body["text"]
    channels = (await instance.owner.get("/api/channels")).json()["items"]
    mine = next(c for c in channels if c["id"] == body["threadId"])
    assert (mine["tier"], mine["name"]) == ("external", "Scout")
