"""A guest who knows the ids of everything that is not theirs, at every route that there is."""

import re
from collections.abc import Iterator
from typing import Any, Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.core.clock import FakeClock
from prime.rooms.questions import Asking
from prime.web.gate import is_public

WORD = "zanzibar"  # stands in everything that the guest must not learn of


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


def browser(site: Site) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=site.prime.app, raise_app_exceptions=False)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787")


async def guest_of(site: Site, channel_id: str, name: str) -> tuple[httpx2.AsyncClient, str]:
    made = (await site.http.post("/api/invites", json={"name": name, "channelIds": [channel_id]})).json()
    guest = browser(site)
    taken = await guest.post("/api/invite/accept", json={"token": made["url"].partition("#")[2]})
    assert taken.status_code == 200, taken.text
    return guest, made["guest"]["id"]


@pytest.fixture
async def foreign(owned: Site) -> dict[str, str]:
    """Ids of the owner's things, by what a path calls them."""
    http, parts = owned.http, owned.prime.parts
    await http.get(f"/api/auth/verify?token={await parts.accounts.links.make()}")
    channel = (await http.post("/api/channels", json={"name": WORD, "tier": "team", "brief": f"about {WORD}"})).json()
    said = (await http.post(f"/api/channels/{channel['id']}/messages", json={"text": f"to {WORD}"})).json()
    file = (await http.post("/api/attachments", files={"file": (f"{WORD}.txt", WORD.encode(), "text/plain")})).json()
    asked = await parts.questions.ask(Asking(text=f"Off to {WORD}?", channel_id=channel["id"]))
    await parts.secrets.put(WORD, WORD)
    _, other_guest = await guest_of(owned, channel["id"], "Bo")
    sessions = (await http.get("/api/auth/sessions")).json()["items"]
    return {
        "channel_id": channel["id"], "message_id": said["id"], "attachment_id": file["id"], "question_id": asked.id,
        "guest_id": other_guest, "session_id": sessions[0]["id"], "actor_id": "act_owner", "name": WORD,
        "key": WORD, "slug": WORD, "course": "1",
    }  # fmt: skip


def calls(site: Site, ids: dict[str, str], otherwise: str) -> Iterator[tuple[str, str, str]]:
    """Each call of the API with these ids, and what it is called."""
    document: Any = site.prime.app.routes.openapi()
    for path, operations in document["paths"].items():
        given = re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], otherwise), path)
        for method in operations:
            yield method.upper(), given, path


async def test_knowing_an_id_is_of_no_use(owned: Site, foreign: dict[str, str]) -> None:
    mine = (await owned.http.post("/api/channels", json={"name": "Ours", "tier": "team", "brief": "ours"})).json()["id"]
    guest, _ = await guest_of(owned, mine, "Ana")
    nothing = {name: f"{value[:4]}{'0' * 20}" for name, value in foreign.items()}
    tried = 0
    for (method, path, name), (_, empty, _) in zip(
        calls(owned, foreign, foreign["message_id"]), calls(owned, nothing, "x" * 20), strict=True
    ):
        if is_public(method, path) or path in {"/events", "/api/attachments"}:
            continue
        body = {"text": "x"} if method not in {"GET", "DELETE"} else None
        real, none = [await guest.request(method, at, json=body) for at in (path, empty)]
        assert WORD not in real.text.replace(path, ""), (method, name)
        if name.startswith(("/api/channels", "/api/actors", "/api/brain/recall")) and real.status_code == 200:
            assert foreign["channel_id"] not in real.text
        else:
            assert real.status_code in {403, 404}, (method, name, real.text)
        assert (real.status_code, shape(real, path)) == (none.status_code, shape(none, empty)), (method, name)
        tried += 1
    assert tried > 100


def shape(answer: httpx2.Response, path: str) -> object:
    """What is said, without the ids that were asked for."""
    text = answer.text
    for part in path.split("/"):
        if len(part) > 8:
            text = text.replace(part, "…")
    headers = sorted(name for name in answer.headers if name != "set-cookie")
    return text, headers


async def test_a_key_that_somebody_else_used_finds_nothing_of_theirs(owned: Site, foreign: dict[str, str]) -> None:
    """Idempotency keys are each person's own, in each channel."""
    key = {"idempotencyKey": "once"}
    theirs = f"/api/channels/{foreign['channel_id']}/messages"
    await owned.http.post(theirs, json={"text": f"about {WORD}", **key})
    mine = (await owned.http.post("/api/channels", json={"name": "Ours", "tier": "team", "brief": "ours"})).json()["id"]
    ana, _ = await guest_of(owned, mine, "Ana")
    ours = f"/api/channels/{mine}/messages"
    owners = (await owned.http.post(ours, json={"text": "mine", **key})).json()
    said = [(await ana.post(ours, json={"text": "hers", **key})).json() for _ in range(2)]
    assert said[0]["id"] == said[1]["id"] != owners["id"]
    assert [said[0]["text"], owners["text"]] == ["hers", "mine"]
    assert WORD not in str(said)
