"""X over real HTTP: since-ids, existing conversations only, rate limits, lost answers, and life without a token."""

import asyncio
from typing import Protocol

import httpx2
import pytest
from starlette.responses import JSONResponse, Response

from prime.app import Prime
from prime.connectors.profiles.x.profile import XProfile
from prime.connectors.queries import read_memory


class Instance(Protocol):
    prime: Prime
    http: httpx2.AsyncClient

    async def connect(self, name: str, **settings: str) -> dict[str, object]: ...
    async def drafts(self, count: int, status: str | None = None) -> list[dict[str, object]]: ...
    async def approve(self, draft_id: object, **body: str) -> dict[str, object]: ...
    async def mode(self, **modes: str) -> None: ...


class XService(Protocol):
    trouble: dict[str, list[Response]]
    after: dict[str, list[Response]]
    mentions: list[dict[str, object]]
    dms: list[dict[str, object]]
    posts: list[dict[str, object]]
    seen: list[tuple[str, str]]
    hides_new: bool


class Services(Protocol):
    x: XService


def mention(number: int, text: str) -> dict[str, object]:
    return {"id": str(number), "author_id": "7", "conversation_id": "90", "text": text}


def dm(number: int, text: str, thread: str, sender: str = "7") -> dict[str, object]:
    return {"id": str(number), "sender_id": sender, "dm_conversation_id": thread, "text": text}


async def look(instance: Instance) -> None:
    """One more look, now."""
    profile = instance.prime.parts.connectors.connector("x")
    assert isinstance(profile, XProfile)
    await profile.look()
    await instance.prime.parts.gate.replies.settled()


async def connected(instance: Instance) -> None:
    status = await instance.connect("x", mode="api", token="good-token", every_seconds="3600")
    assert status["facts"] == {"mode": "api", "account": "@me"}
    database = instance.prime.parts.store.database
    async with asyncio.timeout(20):
        # Until the first look has ended, which nobody is told of.
        while await database.read(lambda c: read_memory(c, "x", "dms")) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_only_what_is_new_is_answered_and_each_once(instance: Instance, services: Services) -> None:
    services.x.mentions.append(mention(10, "old news"))
    await connected(instance)
    assert await instance.prime.parts.gate.drafts.page() == []  # the past waits for no answer
    services.x.mentions.append(mention(11, "Will the slides be online?"))
    await look(instance)
    await look(instance)
    [draft] = await instance.drafts(1)
    assert (draft["channelId"], draft["trigger"]) == ("ch_pp_x_7", "Will the slides be online?")
    done = await instance.approve(draft["id"], text="Yes, the slides are online on Monday.")
    assert (done["status"], done["url"]) == ("sent", f"https://x.com/i/status/{services.x.posts[0]['id']}")
    assert services.x.posts[0]["given"] == {
        "text": "Yes, the slides are online on Monday.",
        "reply": {"in_reply_to_tweet_id": "11"},
    }


async def test_direct_messages_of_strangers_are_left_alone(instance: Instance, services: Services) -> None:
    services.x.dms += [dm(20, "hi from me", "1-7", sender="1"), dm(21, "hello back", "1-7")]
    await connected(instance)
    services.x.dms += [dm(22, "Are you coming tonight?", "1-7"), dm(23, "Buy followers now", "1-666", sender="666")]
    await look(instance)
    [draft] = await instance.drafts(1)
    assert draft["trigger"] == "Are you coming tonight?"
    done = await instance.approve(draft["id"], text="Yes, I am coming at eight.")
    assert (done["status"], services.x.dms[-1]["dm_conversation_id"]) == ("sent", "1-7")
    await look(instance)  # our own words come back from X, and are known
    assert len(await instance.prime.parts.gate.drafts.page()) == 1
    items = (await instance.http.get(f"/api/channels/{draft['channelId']}/messages")).json()["items"]
    own = [m["text"] for m in items if m["actorId"] == "act_owner" and m["kind"] == "text"]
    assert own.count("Yes, I am coming at eight.") == 1


async def test_the_owner_who_answers_elsewhere_makes_the_draft_needless(instance: Instance, services: Services) -> None:
    services.x.dms.append(dm(20, "hi from me", "1-7", sender="1"))
    await connected(instance)
    services.x.dms.append(dm(22, "Are you coming tonight?", "1-7"))
    await look(instance)
    [draft] = await instance.drafts(1, "pending")
    services.x.dms.append(dm(23, "yes!", "1-7", sender="1"))
    await look(instance)
    [dropped] = await instance.drafts(1, "rejected")
    assert (dropped["id"], dropped["reason"]) == (draft["id"], "You answered it yourself.")


async def test_rate_limits_are_respected(instance: Instance, services: Services) -> None:
    await connected(instance)
    services.x.mentions.append(mention(11, "Will the slides be online?"))
    await look(instance)
    [draft] = await instance.drafts(1)
    services.x.trouble["/2/tweets"] = [
        JSONResponse({"title": "Too Many Requests"}, 429, headers={"x-rate-limit-reset": "9999999999"})
    ]
    before = len(services.x.seen)
    back = await instance.approve(draft["id"], text="They are online now.")
    assert (back["status"], "left alone" in str(back["reason"])) == ("pending", True)
    assert len(services.x.seen) - before == 1  # not tried again before its time
    services.x.trouble["/2/tweets"] = [JSONResponse({"title": "slow"}, 429, headers={"retry-after": "0"})]
    assert (await instance.approve(draft["id"], text="They are online now."))["status"] == "sent"
    assert len(services.x.posts) == 1


async def test_a_lost_answer_is_looked_up_and_else_stays_open(instance: Instance, services: Services) -> None:
    await connected(instance)
    services.x.mentions += [mention(11, "Will the slides be online?"), mention(12, "And the video recording?")]
    await look(instance)
    second, first = await instance.drafts(2)
    services.x.after["/2/tweets"] = [Response(status_code=503)]
    assert (await instance.approve(first["id"], text="The slides are online."))["status"] == "sent"
    services.x.after["/2/tweets"] = [Response(status_code=503)]
    services.x.hides_new = True  # X shows new posts late
    assert (await instance.approve(second["id"], text="The recording is online."))["status"] == "uncertain"
    assert len(services.x.posts) == 2
    services.x.hides_new = False
    await instance.connect("x")
    assert (await instance.drafts(2, "sent"))[0]["status"] == "sent"
    assert len(services.x.posts) == 2


@pytest.mark.holds("D-HUB-20")
async def test_without_a_token_the_owner_pastes_copies_and_says_so(instance: Instance, services: Services) -> None:
    status = await instance.connect("x", mode="draft_only")
    assert status["facts"] == {"mode": "draft_only"}
    await instance.mode(x="full")
    pasted = {"author": "@noor", "text": "Will the slides be online?"}
    assert (await instance.http.post("/api/connectors/x/paste", json=pasted)).status_code == 201
    [draft] = await instance.drafts(1)
    assert (draft["status"], draft["copyOnly"]) == ("pending", True)
    refused = await instance.http.post(f"/api/drafts/{draft['id']}/approve")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "copy_only")
    done = await instance.http.post(
        f"/api/drafts/{draft['id']}/resolve", json={"outcome": "sent", "text": "The slides are online on Monday."}
    )
    assert (done.json()["status"], done.json()["decidedBy"]) == ("sent", "hand")
    assert [d["id"] for d in (await instance.http.get("/api/sent")).json()["items"]] == [draft["id"]]
    assert services.x.seen == []


async def test_an_expired_token(instance: Instance) -> None:
    await instance.http.put("/api/connectors/x", json={"settings": {"mode": "api", "token": "old-token"}})
    answer = await instance.http.post("/api/connectors/x/connect")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "service_denied")
    assert "old-token" not in answer.text
