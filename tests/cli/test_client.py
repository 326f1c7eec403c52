"""Commands as clients of the HTTP API."""

import httpx2
import pytest

from prime.cli.client import Client, segment
from prime.core.errors import InvalidInput

HALF = b"\xff\xfe".decode("utf-8", "surrogateescape")


async def test_bytes_that_are_no_text_are_a_wrong_call() -> None:
    async with httpx2.AsyncClient(base_url="http://prime.sock") as http:
        client = Client(http)
        for asked in (client.get("/api/x", q=HALF), client.post("/api/x", {"text": HALF})):
            with pytest.raises(InvalidInput, match="not UTF-8"):
                await asked
        with pytest.raises(InvalidInput, match="not UTF-8"):
            await anext(client.lines("/api/x", [("channelId", HALF)]))
    with pytest.raises(InvalidInput, match="not UTF-8"):
        segment(HALF)
    assert segment("a/b?c") == "a%2Fb%3Fc"
