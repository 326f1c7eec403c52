"""The search for secrets finds them: otherwise it would say nothing by finding none."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import httpx2
import pytest
from tests.searched import CANARY, Searched

from prime.app import open_prime
from prime.core.settings import Settings
from prime.rooms.records import HUB


class Serving(Protocol):
    url: str
    data: Path


@pytest.fixture
def found(searched: Path) -> Iterator[Callable[[], str]]:
    """What was found until now; it is no failure here."""
    yield lambda: searched.read_text() if searched.exists() else ""
    searched.unlink(missing_ok=True)


def test_a_secret_is_found_in_headers_and_across_pieces() -> None:
    assert Searched([b"secret"]).finds({"type": "http.response.start", "headers": [(b"x", b"a secret")]})
    in_pieces = Searched([b"secret"])
    assert not in_pieces.finds({"type": "http.response.body", "body": b"a sec"})
    assert in_pieces.finds({"type": "http.response.body", "body": b"ret"})
    assert not Searched([b"secret"]).finds({"type": "http.response.body", "body": b"nothing"})


@pytest.mark.parametrize("what", ["planted", "key"])
async def test_an_answer_in_this_process(tmp_path: Path, found: Callable[[], str], what: str) -> None:
    async with open_prime(Settings.load({"PRIME_DATA": str(tmp_path)})) as prime:
        key = prime.parts.store.folder.secret_key.read_bytes().decode("latin-1").strip()
        await prime.parts.rooms.say(HUB, "act_owner", f"look: {CANARY if what == 'planted' else key}")
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as http:
            await http.get("/api/status")
            assert found() == ""
            await http.get(f"/api/channels/{HUB}/messages")
    assert found() == f"GET /api/channels/{HUB}/messages\n"


def test_an_answer_of_a_process_of_its_own(serve: Callable[..., Serving], found: Callable[[], str]) -> None:
    server = serve()
    with httpx2.Client(base_url=server.url) as http:
        assert http.get("/api/status").status_code == 200
        assert found() == ""
        assert http.post("/api/chat", json={"text": f"look: {CANARY}"}).status_code < 300
        http.get(f"/api/channels/{HUB}/messages")
    assert f"/api/channels/{HUB}/messages" in found()
