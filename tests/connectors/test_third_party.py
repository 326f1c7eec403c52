"""A connector of somebody else's package: found by its entry point, drawn from its declaration, behind the same gate."""

import asyncio
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from tests.connectors.conftest import Fake, served
from tests.connectors.conftest import Instance as Owned

from prime.app import open_prime
from prime.connectors.agents.registry import third_party
from prime.connectors.connectors import third_parties
from prime.connectors.contract import Desk, Status
from prime.core.clock import FakeClock
from prime.core.settings import Settings

DOCS = Path(__file__).parents[2] / "docs" / "connectors.md"


class Instance(Protocol):
    http: httpx2.AsyncClient


class OpenInstance(Protocol):
    async def __call__(self, **variables: str) -> Instance: ...


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connector of the documentation, as an installed package; and one that does not load."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL))
    place = tmp_path / "site"
    about = place / "paste_for_prime-1.dist-info"
    about.mkdir(parents=True)
    (place / "paste_for_prime.py").write_text(code, "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: paste-for-prime\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[prime.connectors]\npaste = paste_for_prime:Paste\nguests = paste_for_prime:GuestBook\nbad = nowhere:Nothing\n"
    )
    monkeypatch.setattr(sys, "path", [str(place), *sys.path])
    monkeypatch.delitem(sys.modules, "paste_for_prime", raising=False)


@pytest.mark.usefixtures("installed")
async def test_it_is_found_and_one_that_is_broken_is_left_out(open_instance: OpenInstance) -> None:
    assert sorted(c.declaration.name for c in third_parties()) == ["guest_book", "paste"]
    assert third_party() == {}, "an account of the owner's is no participant"
    instance = await open_instance()
    shown = (await instance.http.get("/api/connectors/paste")).json()
    assert [(s["name"], s["secret"]) for s in shown["settings"]] == [("token", True), ("api_base", False)]
    assert "paste" in [e["connector"] for e in (await instance.http.get("/api/autonomy")).json()["effective"]]
    missing = await instance.http.post("/api/connectors/paste/connect")
    assert (missing.status_code, "Token" in missing.text) == (400, True)


@dataclass
class PasteBin(Fake):
    """What the documentation's connector talks to."""

    pastes: dict[str, str] = field(default_factory=dict[str, str])

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        if not self.allowed(request):
            return JSONResponse({"message": "who are you"}, 401)
        if path == "/me":
            return JSONResponse({"name": "me"})
        key = json.loads(body)["key"] if body else request.query_params["key"]
        if body:
            self.pastes[key] = json.loads(body)["text"]
        return JSONResponse({"id": key, "url": f"{self.url}/p/1"} if key in self.pastes else None)


@pytest.mark.usefixtures("installed")
async def test_the_connector_of_the_documentation_publishes_behind_the_gate(tmp_path: Path) -> None:
    settings = Settings.load({"PRIME_DATA": str(tmp_path / "data")})
    bin_ = PasteBin()
    async with served(bin_), open_prime(settings) as prime:
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", timeout=60) as http:
            instance = Owned(prime, http)
            await http.put("/api/connectors/paste", json={"settings": {"token": "bad", "api_base": bin_.url}})
            refused = await http.post("/api/connectors/paste/connect")
            assert (refused.status_code, refused.json()["error"]["code"]) == (400, "service_denied")
            assert (await instance.connect("paste", token="good-token"))["state"] == "connected"
            files = [{"path": "notes.txt", "text": "Come by on Sunday."}]
            body = {"connector": "paste", "title": "Notes", "files": files}
            draft = (await http.post("/api/publish", json=body)).json()
            assert bin_.pastes == {}
            # Its answer is lost after it has worked: it is looked up by the key, and not sent again.
            bin_.after["/pastes"] = [Response(status_code=500)]
            done = await instance.approve(draft["id"])
            assert (done["status"], done["url"]) == ("sent", f"{bin_.url}/p/1")
            assert list(bin_.pastes.values()) == ["Come by on Sunday."]
            assert [method for method, path in bin_.seen if path == "/pastes"] == ["POST", "GET"]


@dataclass
class GuestBook(Fake):
    """What the documentation's profile talks to: one entry, said twice, and the replies to it."""

    replies: dict[str, str] = field(default_factory=dict[str, str])

    async def answer(self, request: Request, path: str, body: bytes) -> Response:
        if not self.allowed(request):
            return JSONResponse({"message": "who are you"}, 401)
        if path == "/me":
            return JSONResponse({"name": "Ann"})
        if path == "/entries":
            entry = {"id": "e1", "visitor": "v1", "name": "Bo", "text": "Could you send me the invoice for March?"}
            return JSONResponse([entry, entry] if request.query_params.get("after") is None else [])
        key = json.loads(body)["key"] if body else request.query_params["key"]
        if body:
            self.replies[key] = json.loads(body)["text"]
        return JSONResponse({"id": key} if key in self.replies else None)


@pytest.mark.usefixtures("installed")
async def test_the_profile_of_the_documentation_reads_drafts_and_sends(tmp_path: Path) -> None:
    book = GuestBook()
    async with served(book), open_prime(Settings.load({"PRIME_DATA": str(tmp_path / "data")})) as prime:
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", timeout=60) as http:
            instance = Owned(prime, http)
            await http.put("/api/connectors/guest_book", json={"settings": {"api_base": book.url}})
            assert (await instance.connect("guest_book", token="good-token"))["facts"] == {"account": "Ann"}
            drafts: list[Any] = []
            for _ in range(600):
                drafts = (await http.get("/api/drafts")).json()["items"]
                if drafts:
                    break
                await asyncio.sleep(0.05)
            assert [draft["connector"] for draft in drafts] == ["guest_book"]  # the entry that came twice, once
            assert book.replies == {}
            sent = await instance.approve(drafts[0]["id"])
            assert sent["status"] == "sent"
            assert list(book.replies.values()) == [sent["text"]]


async def test_settings_that_do_not_fit_are_told(open_instance: OpenInstance) -> None:
    instance = await open_instance()
    for name, given in (
        ("github", {"tokn": "x"}), ("telegram_bot", {"delivery": "pigeon"}), ("telegram", {"api_id": "abc"}),
        ("x", {"tier": "friends"}), ("github", {"token": "a\nb"}), ("github", {"token": ""}),
    ):  # fmt: skip
        answer = await instance.http.put(f"/api/connectors/{name}", json={"settings": given})
        assert answer.status_code == 400, given
    assert (await instance.http.get("/api/connectors/nothing")).status_code == 404


@pytest.mark.usefixtures("installed")
async def test_one_that_breaks_while_it_connects_keeps_nothing_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [paste] = [one for one in third_parties() if one.declaration.name == "paste"]
    calls: list[object] = []

    async def connect_once(connector: object, _: Desk) -> Status:
        calls.append(connector)
        if len(calls) > 1:
            raise RuntimeError("nobody expected this")
        return Status(state="connected")

    monkeypatch.setattr(type(paste), "connect", connect_once)
    settings = Settings.load({"PRIME_DATA": str(tmp_path / "data")})
    async with open_prime(settings, clock=FakeClock()) as prime:
        await prime.parts.connectors.configure("paste", {"token": "abc"})
        assert (await prime.parts.connectors.connect("paste")).state == "connected"
    async with open_prime(settings, clock=FakeClock()) as prime:
        status = prime.parts.connectors.status("paste")
        assert (status.state, "log" in status.detail, len(calls)) == ("failed", True, 2)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("ends", [SystemExit(3), asyncio.CancelledError(), BaseException("panic")])
async def test_one_that_quits_while_it_follows_its_service_has_failed_and_ends_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: BaseException
) -> None:
    [paste] = [one for one in third_parties() if one.declaration.name == "paste"]
    slept = asyncio.Event()

    class Clock(FakeClock):
        async def sleep(self, seconds: float) -> None:
            slept.set()
            await super().sleep(seconds)

    async def run(_: object) -> None:
        raise ends

    async def connect(_: object, __: Desk) -> Status:
        return Status(state="connected")

    monkeypatch.setattr(type(paste), "run", run)
    monkeypatch.setattr(type(paste), "connect", connect)
    async with open_prime(Settings.load({"PRIME_DATA": str(tmp_path / "data")}), clock=Clock()) as prime:
        connectors = prime.parts.connectors
        await connectors.configure("paste", {"token": "abc"})
        await connectors.connect("paste")
        async with asyncio.timeout(60):  # it sleeps before it begins anew
            while connectors.status("paste").state != "failed":
                await slept.wait()
                slept.clear()
