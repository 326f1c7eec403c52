"""The page's files, and the headers on every answer."""

import os
from pathlib import Path
from typing import Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.web.assets import Assets
from prime.web.page import HEADERS, find_page


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(find_page() is None, reason="the page is not built; scripts/setup does it"),
]


@pytest.mark.parametrize(
    "path",
    ["/", "/channels/ch_1", "/api/status", "/api/nothing", "/api/channels/%00", "/openapi.json", "/healthz", "/assets",
     "/index.html"],
)  # fmt: skip
async def test_safe_headers_on_every_answer(shared_site: Site, path: str) -> None:
    for method in ("GET", "POST", "HEAD"):
        answer = await shared_site.http.request(method, path)
        for name, value in HEADERS:
            assert answer.headers[name.decode()] == value.decode()
        assert "unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/api/channels", "/api/nothing", "/openapi.json", "/api/auth/me", "/healthz"])
async def test_nobody_keeps_what_is_somebodys(shared_site: Site, path: str) -> None:
    assert (await shared_site.http.get(path)).headers["cache-control"] == "no-store"


async def test_a_file_is_asked_about_each_time(shared_site: Site) -> None:
    sent = await shared_site.http.post("/api/attachments", files={"file": ("a.txt", b"words", "text/plain")})
    path = f"/api/attachments/{sent.json()['id']}"
    first = await shared_site.http.get(path)
    assert (first.content, first.headers["cache-control"]) == (b"words", "private, no-cache")
    again = await shared_site.http.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    await shared_site.http.delete(path)
    gone = await shared_site.http.get(path, headers={"if-none-match": first.headers["etag"]})
    assert gone.status_code == 404


async def test_refusals_carry_them_too(shared_site: Site) -> None:
    for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
        answer = await shared_site.http.post("/api/chat", json={}, headers=headers)
        assert answer.status_code == 403
        assert answer.headers["x-frame-options"] == "DENY"


async def test_any_place_of_the_page_is_the_page(shared_site: Site) -> None:
    index = (await shared_site.http.get("/")).text
    assert "<script" in index
    assert "<script>" not in index  # nothing inline: the policy would refuse it
    for path in ("/channels/ch_x", "/index.html", "/no/such/place", "/apiary", "/" + "x" * 300, "/a" * 2000, "/%ff%fe"):
        answer = await shared_site.http.get(path)
        assert (answer.status_code, answer.text) == (200, index), path


@pytest.mark.parametrize(
    "path",
    ["/../../pyproject.toml", "/..%2f..%2fpyproject.toml", "/assets/..%2f..%2f..%2fpyproject.toml", "//etc/passwd",
     "/%2e%2e/%2e%2e/pyproject.toml", "/assets/%2e%2e/%2e%2e/package.json", "/..%5c..%5cpyproject.toml", "/%2fetc%2fpasswd"],
)  # fmt: skip
async def test_nothing_outside_the_page_is_served(shared_site: Site, path: str) -> None:
    answer = await shared_site.http.get(httpx2.URL("http://127.0.0.1:8787").copy_with(raw_path=path.encode()))
    assert answer.status_code in {200, 404}
    assert "root:" not in answer.text
    assert "[project]" not in answer.text
    assert '"dependencies"' not in answer.text


async def test_assets_have_types_and_the_index_an_etag(shared_site: Site) -> None:
    page = find_page()
    assert page
    for asset in (path for path in (page / "assets").rglob("*") if path.is_file()):
        answer = await shared_site.http.get(f"/{asset.relative_to(page)}")
        assert answer.content == asset.read_bytes()
        if asset.suffix in {".js", ".css"}:
            assert ("javascript" if asset.suffix == ".js" else "css") in answer.headers["content-type"]
    first = await shared_site.http.get("/")
    etag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    for given in (etag, f"W/{etag}", f'"other", {etag}'):
        again = await shared_site.http.get("/", headers={"if-none-match": given})
        assert (again.status_code, again.content) == (304, b"")
    assert (await shared_site.http.get("/", headers={"if-none-match": '"other"'})).status_code == 200


async def test_chunks_are_kept_and_the_rest_is_asked_about(shared_site: Site) -> None:
    page = find_page()
    assert page
    chunk = next((page / "assets" / "chunks").glob("*.js")).name
    kept = await shared_site.http.get(f"/assets/chunks/{chunk}")
    assert "immutable" in kept.headers["cache-control"]
    assert (await shared_site.http.get("/assets/icon.svg")).headers["cache-control"] == "no-cache"
    assert (await shared_site.http.get("/worker.js")).headers["cache-control"] == "no-cache"


async def test_whoever_takes_it_gets_less_to_read(shared_site: Site) -> None:
    page = find_page()
    assert page
    script = next((page / "assets" / "chunks").glob("main-*.js"))
    sizes: dict[str, int] = {}
    for encoding in ("gzip", "identity"):
        async with shared_site.http.stream(
            "GET", f"/assets/chunks/{script.name}", headers={"accept-encoding": encoding}
        ) as answer:
            sizes[encoding] = sum([len(part) async for part in answer.aiter_raw()])
            assert answer.headers.get("content-encoding", "identity") == encoding
            assert answer.headers["vary"] == "accept-encoding"
    assert sizes["gzip"] < sizes["identity"] / 2 == script.stat().st_size / 2


async def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    assets = Assets()
    etags: list[str] = []
    for moment, text in ((1, "one"), (2, "two")):
        path.write_text(text)
        os.utime(path, ns=(moment, moment))
        found = assets.get(str(path), path.stat())
        assert found.content == text.encode()
        assert assets.get(str(path), path.stat()) is found
        etags.append(found.etag)
    assert etags[0] != etags[1]
