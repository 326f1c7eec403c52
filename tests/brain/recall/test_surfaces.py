"""Recall through the API and the command line."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

from prime.app import open_prime
from prime.cli.recall import recall
from prime.core.settings import Settings
from prime.web.local import LocalDoor

Get = Callable[..., Awaitable[tuple[int, dict[str, Any]]]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@asynccontextmanager
async def asking(data: Path, *said: str) -> AsyncGenerator[Get]:
    """A Prime in which this was said, and a way to ask it."""
    settings = Settings.load().model_copy(update={"data": data})
    async with open_prime(settings) as prime:
        for text in said:
            await prime.parts.rooms.say("ch_hub", "act_owner", text)
        transport = httpx2.ASGITransport(app=LocalDoor(prime.app))
        async with httpx2.AsyncClient(transport=transport, base_url="http://prime.sock") as http:

            async def get(**query: str) -> tuple[int, dict[str, Any]]:
                answer = await http.get("/api/brain/recall", params=query)
                return answer.status_code, answer.json()

            yield get


async def test_the_api_answers_in_its_shape(data: Path) -> None:
    async with asking(data, "the <b>launch</b> is in March", "lunch?") as get:
        status, page = await get(q="launch in March?", limit="1")
        then, rest = await get(q="launch in March?", limit="5", cursor=page["nextCursor"])
    assert status == 200
    [item] = page["items"]
    assert set(item) >= {"messageId", "feedItemId", "channelId", "kind", "snippet", "score", "ts"}
    assert item["snippet"] == "the &lt;b&gt;<mark>launch</mark>&lt;/b&gt; is in <mark>March</mark>"
    assert "<b>" not in item["snippet"]
    assert page["nextCursor"]
    assert then == 200
    assert item["messageId"] not in {other["messageId"] for other in rest["items"]}


async def test_what_is_wrong_is_said(data: Path) -> None:
    wrong = ({"q": "x", "limit": "0"}, {"q": "x", "cursor": "nonsense"}, {"q": "x" * 5000}, {"q": "x", "limit": "y"})
    async with asking(data) as get:
        for query in wrong:
            status, answer = await get(**query)
            assert status == 400, query
            assert answer["error"]["code"]
        assert await get(q="") == (200, {"items": [], "nextCursor": None})


def test_the_command_prints_what_it_finds(data: Path) -> None:
    async def say() -> None:
        async with asking(data, "the retailer wants sixty days to pay"):
            pass

    asyncio.run(say())
    found = CliRunner().invoke(recall, ["retailer", "days", "--data", str(data)])
    assert found.exit_code == 0, found.output
    assert "the retailer wants sixty days to pay" in found.stdout
    assert "  Prime  You\n" in found.stdout
    as_json = CliRunner().invoke(recall, ["retailer", "--json", "--data", str(data)])
    assert json.loads(as_json.stdout)["items"][0]["channelId"] == "ch_hub"
    nothing = CliRunner().invoke(recall, ["submarine", "--data", str(data)])
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert CliRunner().invoke(recall, []).exit_code == 2
