"""Settings in the page: where values come from, which may be changed while Prime runs, and what is never shown."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.core.settings import Settings


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


OpenSite = Callable[..., Awaitable[Site]]


async def shown(site: Site) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in (await site.http.get("/api/settings")).json()["items"]}


async def put(site: Site, **values: object) -> httpx2.Response:
    return await site.http.put("/api/settings", json={"values": values})


async def test_every_variable_is_there_with_its_kind(site: Site) -> None:
    items = await shown(site)
    assert set(items) == {str(f.validation_alias) for f in Settings.model_fields.values()}
    assert (items["PRIME_TICK_MS"]["kind"], items["PRIME_TICK_MS"]["live"]) == ("whole", True)
    assert (items["PRIME_ASK_NECESSITY_MIN"]["kind"], items["PRIME_ALLOW_COLD"]["kind"]) == ("number", "yes_no")
    assert (items["PRIME_PUSH_DETAIL"]["kind"], items["PRIME_PUSH_DETAIL"]["choices"]) == (
        "choice",
        ["waiting", "full"],
    )
    assert (items["PRIME_ADMIN_TOKEN"]["kind"], items["PRIME_ADMIN_TOKEN"]["live"]) == ("secret", False)
    assert (items["PRIME_BACKUP_WEBHOOK"]["kind"], items["PRIME_DATA"]["kind"]) == ("text", "text")


async def test_a_change_works_at_once_and_stays(open_site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIME_TICK_MS", "7000")
    site = await open_site(PRIME_TICK_MS="7000")
    assert ((await shown(site))["PRIME_TICK_MS"]["value"], (await shown(site))["PRIME_TICK_MS"]["source"]) == (
        7000,
        "environment",
    )
    answer = await put(site, PRIME_TICK_MS="5000", PRIME_ASK_NECESSITY_MIN=0.5)
    assert answer.status_code == 200, answer.text
    items = await shown(site)
    assert (items["PRIME_TICK_MS"]["value"], items["PRIME_TICK_MS"]["source"]) == (5000, "live")
    assert (await site.prime.parts.tuning.now()).tick_ms == 5000
    [said] = [m for m in await site.prime.parts.store.log.after(0) if m.kind == "policy"]
    assert (said.actor_id, said.body["op"]) == ("act_owner", "settings")
    await put(site, PRIME_TICK_MS=None)
    items = await shown(site)
    assert (items["PRIME_TICK_MS"]["value"], items["PRIME_TICK_MS"]["source"]) == (7000, "environment")
    assert items["PRIME_ASK_NECESSITY_MIN"]["value"] == 0.5


async def test_what_runs_hears_of_a_change(site: Site) -> None:
    await put(site, PRIME_MAX_LLM_CALLS=7)
    assert (await site.http.get("/api/status")).json()["calls"]["cap"] == 7
    await put(site, PRIME_MAX_LLM_CALLS=None)
    assert (await site.http.get("/api/status")).json()["calls"]["cap"] == 400


@pytest.mark.parametrize(
    "values",
    [{"PRIME_TICK_MS": -1}, {"PRIME_TICK_MS": "soon"}, {"PRIME_ASK_NECESSITY_MIN": 1.5}, {"PRIME_HOST": "0.0.0.0"},
     {"PRIME_OWNER_EMAIL": "evil@example.com"}, {"PRIME_ADMIN_TOKEN": "x"}, {"NOTHING": 1}, {"PRIME_PUSH_DETAIL": "all"}, {},
     {"PRIME_TICK_MS": [1]}, {"PRIME_TICK_MS": {"a": 1}}],
)  # fmt: skip
async def test_what_does_not_fit_changes_nothing(site: Site, values: dict[str, object]) -> None:
    answer = await put(site, PRIME_DIRECTIVE_MS=1234, **values) if values else await put(site)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")
    assert {i["source"] for i in (await shown(site)).values()} <= {"default", "environment", "command"}


async def test_a_value_of_another_version_is_passed_over(site: Site) -> None:
    await site.prime.parts.store.live_settings.put("PRIME_TICK_MS", "never")
    await site.prime.parts.store.live_settings.put("PRIME_DIRECTIVE_MS", 77)
    now = await site.prime.parts.tuning.now()
    assert (now.tick_ms, now.directive_ms) == (6000, 77)


@pytest.mark.holds("D-HUB-12")
async def test_secrets_are_never_shown(open_site: OpenSite) -> None:
    secrets = {
        "PRIME_ADMIN_TOKEN": "admin-token-c4n4ry",
        "PRIME_SECRET_KEY": "secret-key-c4n4ry-secret-key",
        "OPENAI_API_KEY": "sk-c4n4ry",
        "PRIME_SMTP_URL": "smtp://me:c4n4ry@127.0.0.1:1",
    }
    site = await open_site(**secrets)
    await site.http.put("/api/secrets/telegram", json={"value": "token-c4n4ry"})
    for path in ("/api/settings", "/api/secrets", "/api/secrets/telegram", "/api/status"):
        assert "c4n4ry" not in (await site.http.get(path)).text
    assert (await shown(site))["OPENAI_API_KEY"]["value"] == "••••••"


async def test_the_key_and_devices_of_push(site: Site) -> None:
    key = (await site.http.get("/api/push/key")).json()["key"]
    assert len(key) == 87
    wrong = {"endpoint": "https://push.example/x", "keys": {"p256dh": "AAAA", "auth": "AAAA"}}
    assert (await site.http.post("/api/push/subscribe", json=wrong)).status_code == 400
    right = {
        "endpoint": "https://push.example/very-secret-path",
        "expirationTime": None,
        "keys": {"p256dh": key, "auth": "AAAAAAAAAAAAAAAAAAAAAA"},
    }
    device = await site.http.post("/api/push/subscribe", json=right, headers={"user-agent": "Phone"})
    assert (device.status_code, device.json()["device"]) == (201, "Phone")
    listed = await site.http.get("/api/push/devices")
    assert [d["id"] for d in listed.json()["items"]] == [device.json()["id"]]
    assert "very-secret-path" not in listed.text
    assert (await site.http.post("/api/push/unsubscribe", json={"endpoint": right["endpoint"]})).json()["removed"]
    assert (await site.http.delete(f"/api/push/devices/{device.json()['id']}")).status_code == 404
    assert (await site.http.post("/api/push/test")).json() == {"sent": 0, "failed": 0, "pruned": 0}
