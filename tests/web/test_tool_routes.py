"""Tools over HTTP: looked up, primed, called, approved."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from prime.tools.priming import prime_schema

WHO = {"agentId": "a", "sessionId": "s"}


@pytest.fixture
async def site(open_site: Callable[..., Awaitable[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A Prime of its own folders, which has looked for the tools in /usr/bin that it ships descriptions of."""
    for name in ("data", "config", "cache"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / "xdg" / name))
    work = tmp_path / "work"
    work.mkdir()
    site = await open_site(PRIME_WORKSPACE=str(work))
    await asyncio.to_thread(site.prime.parts.workshop.discovered._discovery.scan, probe=False)
    return site


async def _post(site: Any, path: str, body: Any) -> Any:
    answer = await site.http.post(path, json=body)
    return answer.status_code, answer.json()


@pytest.mark.holds("D-DIR-1", "D-DIR-4")
async def test_an_unprimed_session_is_told_what_to_do_and_does_it(site: Any) -> None:
    call = {"arguments": {"query": "list files"}, **WHO}
    status, answer = await _post(site, "/api/tools/find_tools/call", call)
    assert (status, answer["error"]["code"]) == (403, "prime_required")
    assert "/api/tools/prime" in answer["error"]["hint"]
    status, answer = await _post(site, "/api/tools/prime", WHO)
    assert status == 200
    jsonschema_rs.validate(prime_schema("response"), answer)
    status, answer = await _post(site, "/api/tools/find_tools/call", call)
    assert (status, answer["isError"]) == (200, False)
    assert answer["content"][0]["json"]["tools"]
    status, answer = await _post(site, "/api/tools/find_tools/call", {**call, "sessionId": "another"})
    assert answer["error"]["code"] == "prime_required"


@pytest.mark.parametrize(
    ("body", "field"),
    [({"agentId": "a"}, "sessionId"), ({**WHO, "userRole": "x"}, "userRole"), ({**WHO, "y": 1}, "y"), ([], "")],
)
@pytest.mark.holds("D-DIR-3")
async def test_a_wrong_prime_request_names_the_field(site: Any, body: Any, field: str) -> None:
    status, answer = await _post(site, "/api/tools/prime", body)
    assert (status, answer["error"]["code"], answer["error"]["field"]) == (400, "invalid_prime_request", field)


async def test_tools_are_listed_page_by_page_and_shown(site: Any) -> None:
    seen: list[str] = []
    query = "?limit=50"
    while True:
        page = (await site.http.get(f"/api/tools{query}")).json()
        seen += [tool["name"] for tool in page["items"]]
        if page["nextCursor"] is None:
            break
        query = f"?limit=50&cursor={page['nextCursor']}"
    assert len(seen) == len(set(seen)) > 50
    found = (await site.http.get("/api/tools?q=make+folders&without=network")).json()["items"]
    assert "mkdir" in [tool["name"] for tool in found]
    shown = (await site.http.get("/api/tools/mkdir")).json()
    assert shown["effects"]["filesystem"]["write"] is True
    assert (await site.http.get("/api/tools/nope")).json()["error"]["code"] == "unknown_tool"


async def test_a_call_that_changes_things_waits_for_the_owner(site: Any, tmp_path: Path) -> None:
    await _post(site, "/api/tools/prime", WHO)
    body = {"arguments": {"folders": ["made"]}, **WHO, "waitMs": 0}
    status, answer = await _post(site, "/api/tools/mkdir/call", body)
    assert (status, answer["error"]["code"]) == (409, "approval_pending")
    question = answer["error"]["questionId"]
    [waiting] = (await site.http.get("/api/questions?status=pending")).json()["items"]
    assert (waiting["id"], waiting["call"]["line"]) == (question, "mkdir made")
    wrong = {"choice": "always", "pattern": "mkdir other"}
    assert (await _post(site, f"/api/questions/{question}/answer", wrong))[0] == 400
    await _post(site, f"/api/questions/{question}/answer", {"choice": "always", "pattern": "mkdir m*"})
    status, answer = await _post(site, "/api/tools/mkdir/call", body)
    assert (status, answer["exitCode"], answer["approvedBy"][:5]) == (200, 0, "rule:")
    assert (tmp_path / "work" / "made").is_dir()
    [rule] = (await site.http.get("/api/approvals")).json()["items"]
    assert (rule["line"], rule["pattern"]) == ("mkdir made", "mkdir m*")
    changed = await site.http.patch(f"/api/approvals/{rule['id']}", json={"pattern": "mkdir x*"})
    assert changed.json()["pattern"] == "mkdir x*"
    assert (await site.http.delete(f"/api/approvals/{rule['id']}")).json() == {"ok": True}
    assert (await site.http.get("/api/approvals")).json()["items"] == []


async def test_a_channel_of_strangers_gets_no_programs(site: Any) -> None:
    await _post(site, "/api/tools/prime", WHO)
    _, channel = await _post(site, "/api/channels", {"name": "Out", "tier": "external"})
    body: dict[str, Any] = {"arguments": {}, **WHO, "channelId": channel["id"]}
    status, answer = await _post(site, "/api/tools/ls/call", body)
    assert (status, answer["error"]["code"]) == (403, "tier_denied")
    status, answer = await _post(site, "/api/tools/ls/call", {"arguments": {}, **WHO})
    assert (status, answer["isError"]) == (200, False)


async def test_a_scan_asks_the_programs_and_knows_what_answered(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir(mode=0o755)
    document = '{"atip": "0.3", "name": "greeter", "version": "1", "description": "Greets", "commands": {}}'
    for name, answer in (("greeter", f"echo '{document}'"), ("silent", "exit 1")):
        (programs / name).write_text(f"#!/bin/sh\n{answer}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}")
    status, scanned = await _post(site, "/api/tools/scan", {})
    assert (status, scanned["tools"], scanned["asked"]) == (200, 1, 2)
    shown = await site.http.get("/api/tools/greeter")
    assert shown.status_code == 200
    assert shown.json()["description"] == "Greets"


async def test_a_call_is_shown_before_it_runs(site: Any) -> None:
    status, shown = await _post(site, "/api/tools/mkdir/preview", {"arguments": {"folders": ["a b"]}})
    assert (status, shown["words"][0], shown["words"][-1]) == (200, "mkdir", "a b")
    assert shown["verdict"] in {"allow", "ask"}
    status, shown = await _post(site, "/api/tools/mkdir/preview", {"arguments": {"nonsense": 1}})
    assert (status, shown["verdict"], shown["reasons"][0]["code"]) == (200, "deny", "invalid_arguments")
    assert (await _post(site, "/api/tools/nothing/preview", {}))[0] == 404
