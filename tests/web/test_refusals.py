"""What every route says to requests that it cannot take: one shape, the right status, and where it was wrong."""

from typing import Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.web.cursor import encode_cursor

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


def refused(answer: httpx2.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json"), answer.text
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/channels", {}),
        ("POST", "/api/channels", {"name": "x", "tier": "owner"}),
        ("POST", "/api/channels", {"name": "\u200b", "tier": "team"}),
        ("POST", "/api/channels", {"name": "x", "tier": "team", "surprise": 1}),
        ("POST", "/api/channels", {"name": "x", "tier": "team", "members": ["act_nobody"]}),
        ("POST", "/api/channels", {"name": "x", "tier": "team", "members": ["\u0000"]}),
        ("POST", "/api/channels", {"name": "x" * 121, "tier": "team"}),
        ("POST", "/api/channels", []),
        ("POST", "/api/channels/ch_hub/messages", {"text": ""}),
        ("POST", "/api/channels/ch_hub/messages", {"text": " \n"}),
        ("POST", "/api/channels/ch_hub/messages", {"text": "\u0000"}),
        ("POST", "/api/channels/ch_hub/messages", {"text": 7}),
        ("POST", "/api/channels/ch_hub/messages", {"text": "x", "attachmentIds": ["\u0000"]}),
        ("POST", "/api/chat", {"text": "x" * 200_001}),
        ("POST", "/api/actors", {"id": "ch_x", "name": "x", "kind": "agent"}),
        ("POST", "/api/actors", {"name": "x", "kind": "robot"}),
        ("POST", "/api/admin/erase", {"messageIds": []}),
        ("POST", "/api/questions/q_1/snooze", {"untilMs": -1}),
        ("GET", "/api/channels?limit=0", None),
        ("GET", "/api/channels?limit=501", None),
        ("GET", "/api/channels?cursor=zzz", None),
        ("GET", "/api/questions?status=maybe", None),
        ("GET", "/api/channels/ch_hub/messages?cursor=x&around=y", None),
        ("GET", "/api/auth/verify", None),
    ],
)  # fmt: skip
async def test_bad_input_is_a_400_that_says_where(shared_site: Site, method: str, path: str, body: object) -> None:
    answer = await shared_site.http.request(method, path, **({} if body is None else {"json": body}))  # pyright: ignore[reportArgumentType]
    refused(answer, 400, "invalid_input")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/channels/ch_nobody"),
        ("GET", "/api/channels/ch_nobody/messages"),
        ("GET", "/api/channels/ch_hub/messages?around=msg_nobody"),
        ("GET", "/api/attachments/att_nobody"),
        ("GET", "/api"),
        ("GET", "/api/"),
        ("GET", "/api/nothing"),
        ("POST", "/api/nothing/at/all"),
        ("OPTIONS", "/api/nothing"),
        ("DELETE", "/api/channels/"),
        ("PROPFIND", "/api/nothing"),
    ],
)
async def test_what_is_not_there_is_a_json_404(shared_site: Site, method: str, path: str) -> None:
    refused(await shared_site.http.request(method, path), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("PUT", "/api/status", "GET"), ("DELETE", "/api/channels", "GET, POST"), ("POST", "/healthz", "GET"),
     ("OPTIONS", "/api/status", "GET"), ("POST", "/", "GET, HEAD"), ("DELETE", "/somewhere", "GET, HEAD")],
)  # fmt: skip
async def test_a_method_that_is_not_taken_is_a_405(shared_site: Site, method: str, path: str, allowed: str) -> None:
    answer = await shared_site.http.request(method, path)
    refused(answer, 405, "method_not_allowed")
    named = {m.strip() for m in answer.headers["allow"].split(",")}
    assert named & {m.strip() for m in allowed.split(",")}
    assert method not in named


@pytest.mark.parametrize(
    "cursor", ["cA", "cC0x", "cMKy", "MTIz", "p1", "=", encode_cursor(10**20), "cDE%00", "x" * 65, "cDE==", "%F0%9F"]
)
async def test_a_forged_cursor_is_refused(shared_site: Site, cursor: str) -> None:
    for path in ("/api/channels", "/api/channels/ch_hub/messages", "/api/questions"):
        answer = await shared_site.http.get(f"{path}?cursor={cursor}")
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] in {"invalid_input", "bad_address"}


async def test_a_body_that_is_missing_is_asked_for(shared_site: Site) -> None:
    answer = await shared_site.http.post("/api/channels/ch_hub/courses")
    refused(answer, 400, "invalid_input")
    assert answer.json()["error"]["message"] == "This call needs a JSON body."
