"""What may come in: how large, how deep, of which type, from which page, under which name."""

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.web.bodies import MAX_DEPTH, MAX_JSON, MAX_UPLOAD

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


JSON = {"content-type": "application/json"}
PATH = "/api/channels/ch_hub/messages"


async def chunks(head: bytes, total: int) -> AsyncIterator[bytes]:
    """Streams without saying how much will come; counts what was taken."""
    yield head
    for _ in range(total // 65_536 + 1):
        yield b"x" * 65_536


@pytest.mark.parametrize("chunked", [False, True])
async def test_json_is_cut_off_at_a_megabyte(shared_site: Site, chunked: bool) -> None:
    body = chunks(b'{"text":"', MAX_JSON) if chunked else b'{"text":"' + b"x" * MAX_JSON
    answer = await shared_site.http.post(PATH, content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


async def test_no_more_is_taken_than_the_cap(shared_site: Site) -> None:
    taken = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        yield b'{"text":"'
        for _ in range(2000):  # 128 MB, if anyone took it
            taken += 65_536
            yield b"x" * 65_536

    answer = await shared_site.http.post(PATH, content=endless(), headers=JSON)
    assert answer.status_code == 413
    assert taken <= MAX_JSON + 2 * 65_536


@pytest.mark.parametrize("chunked", [False, True])
async def test_uploads_are_cut_off_at_twelve_megabytes(shared_site: Site, chunked: bool) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    headers = {"content-type": "multipart/form-data; boundary=b"}
    body = chunks(head, MAX_UPLOAD) if chunked else head + b"x" * MAX_UPLOAD
    answer = await shared_site.http.post("/api/attachments", content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert answer.json()["error"]["message"] == "A file may have 12 MB."


async def test_a_form_that_stops_coming_is_let_go(shared_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prime.web.bodies.BODY_SECONDS", 0.2)
    never = asyncio.Event()

    async def stopping() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx'
        await never.wait()

    headers = {"content-type": "multipart/form-data; boundary=b"}
    async with asyncio.timeout(20):
        answer = await shared_site.http.post("/api/attachments", content=stopping(), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (408, "timed_out")


async def test_json_that_stops_coming_is_let_go(shared_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prime.web.bodies.BODY_SECONDS", 0.2)
    never = asyncio.Event()

    async def stopping() -> AsyncIterator[bytes]:
        yield b'{"text":'
        await never.wait()

    async with asyncio.timeout(20):
        answer = await shared_site.http.post(PATH, content=stopping(), headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (408, "timed_out")


async def test_a_stranger_has_no_forms_to_send(shared_site: Site) -> None:
    headers = {"content-type": "multipart/form-data; boundary=b", "x-forwarded-for": "198.51.100.1"}
    answer = await shared_site.http.post("/api/auth/request", content=b"--b--\r\n", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "body",
    [b"", b"--b--\r\n", b"--b\r\n\r\n", b"garbage", b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx'],
)
async def test_a_broken_form_is_a_400(shared_site: Site, body: bytes) -> None:
    for kind in ("multipart/form-data; boundary=b", "multipart/form-data"):
        answer = await shared_site.http.post("/api/attachments", content=body, headers={"content-type": kind})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
async def test_depth_is_capped(shared_site: Site, opening: bytes) -> None:
    answer = await shared_site.http.post(PATH, content=opening * (MAX_DEPTH + 1), headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "too_deep")
    shallow = await shared_site.http.post(PATH, content=b'{"text":"' + b"[{" * 500 + b'"}', headers=JSON)
    assert shallow.status_code == 201


@pytest.mark.parametrize(
    ("body", "status"),
    [(b'{"text":"\\"' + b"[" * 500 + b'"}', 201), (b'{"text":"\\\\\\"' + b"[" * 500 + b'"}', 201),
     (b'{"text":"\\\\","a":' + b"[" * 500, 400), (b'{"text":"\\\\\\\\","a":' + b"[" * 500, 400)],
)  # fmt: skip
async def test_depth_is_counted_outside_of_strings_however_they_end(
    shared_site: Site, body: bytes, status: int
) -> None:
    assert (await shared_site.http.post(PATH, content=body, headers=JSON)).status_code == status


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
async def test_depth_cannot_be_hidden_by_another_encoding(shared_site: Site, encoding: str) -> None:
    body = ("\u2222" + "[" * 5000).encode(encoding)
    answer = await shared_site.http.post(PATH, content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "not_utf8")


@pytest.mark.parametrize("body", [b'{"text": "\xff"}', b"\xc3"])
async def test_broken_utf8_is_said_to_be_so(shared_site: Site, body: bytes) -> None:
    answer = await shared_site.http.post(PATH, content=body, headers=JSON)
    assert answer.json()["error"]["message"] == "JSON must be UTF-8."


async def test_what_is_not_json_is_said_to_be_none(shared_site: Site) -> None:
    answer = await shared_site.http.post(PATH, content=b'{"text" "x"}', headers=JSON)
    assert answer.json()["error"]["message"] == "The body is not JSON, from character 8 on."


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nul", b'{"text": "\xff"}', b'{"text": "\\ud800"}', b'{"text": 1e999}', b'{"text": NaN}', b"9" * 5000,
     b'{"text": "x"} trailing'],
)  # fmt: skip
async def test_what_is_not_json_is_a_400(shared_site: Site, body: bytes) -> None:
    answer = await shared_site.http.post(PATH, content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input"), answer.text


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/xml", "json"])
async def test_mutations_are_json_or_forms(shared_site: Site, kind: str) -> None:
    headers = {"content-type": kind} if kind else {}
    answer = await shared_site.http.post(PATH, content=b'{"text":"x"}', headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
async def test_json_may_say_its_charset(shared_site: Site, kind: str) -> None:
    answer = await shared_site.http.post(PATH, content=b'{"text":"x"}', headers={"content-type": kind})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1:8787.evil.example", "http://[", ""],
)
async def test_another_sites_page_changes_nothing(shared_site: Site, origin: str) -> None:
    for path, body in ((PATH, b'{"text":"x"}'), ("/api/admin/backup", b"")):
        answer = await shared_site.http.post(path, content=body, headers={**JSON, "origin": origin})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin")


async def test_our_own_page_may(shared_site: Site) -> None:
    for origin in ("http://127.0.0.1:8787", "HTTP://127.0.0.1:8787"):
        answer = await shared_site.http.post(PATH, json={"text": "x"}, headers={"origin": origin})
        assert answer.status_code == 201


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8787", "127.0.0.1.evil.example", "prime.sock", "[::1", "", "a@127.0.0.1@b",
     "evil.example@127.0.0.1", "[::1].evil.example", "127.0.0.1/.evil.example", "localhost?.evil.example", "localhost#x"],
)  # fmt: skip
async def test_a_name_that_points_here_does_not_open_it(shared_site: Site, host: str) -> None:
    """DNS rebinding: the browser thinks that it talks to evil.example, the connection is to loopback."""
    for path in ("/api/status", "/", "/healthz", "/events"):
        answer = await shared_site.http.get(path, headers={"host": host})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "unknown_host")


async def test_of_two_names_none_counts(shared_site: Site) -> None:
    named = [("host", "127.0.0.1:8787"), ("host", "evil.example")]
    answer = await shared_site.http.get("/api/status", headers=named)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "unknown_host")


@pytest.mark.parametrize("host", ["localhost:8787", "127.0.0.1", "[::1]:8787", "LOCALHOST"])
async def test_loopback_names_are_ours(shared_site: Site, host: str) -> None:
    assert (await shared_site.http.get("/api/status", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "path", ["/api/channels/%00", "/%00", "/api/channels?cursor=%00", "/assets/%00.js", "/api/attachments/a%00b"]
)
async def test_a_nul_in_the_address_is_a_400(shared_site: Site, path: str) -> None:
    answer = await shared_site.http.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_address")
