"""The directory against the real app: the seed's six endpoints, who may do what, and what names may be."""

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from prime.app import open_prime
from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput
from prime.core.settings import Settings
from prime.network.contacts import read_remote_agents
from prime.network.directory.entry import Entry, plain_endpoint
from prime.network.directory.index import Index
from prime.network.names import claimed_name, plain_capabilities, plain_name, strangers_name
from prime.network.signatures import prove
from prime.network.tasks import Card
from prime.network.wire import card_json
from prime.sdk import Message, agent


def registration(number: int = 1, **changes: object) -> dict[str, object]:
    return {
        "name": f"Scout {number}",
        "kind": "custom",
        "capabilities": ["web-research", "Scraping"],
        "endpoint": f"https://scout{number}.example.com/",
        **changes,
    }


async def register(client: Any, number: int = 1, **changes: object) -> dict[str, Any]:
    answer = await client.post("/api/directory/register", json=registration(number, **changes))
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_six_endpoints_as_the_seed_has_them(instance: Any) -> None:
    client = instance.stranger
    made = await register(client, owner="Ada")
    assert set(made) == {"ok", "agentId", "token"}
    beat = await client.post("/api/directory/heartbeat", json={"agentId": made["agentId"], "token": made["token"]})
    assert beat.json()["ok"] is True
    for query in (
        {"capability": "SCRAPING"},
        {"q": "cout"},
        {"q": "ADA"},
        {"q": "web-re"},
        {"host": "scout1.example.com"},
    ):
        found = (await client.get("/api/directory/search", params=query)).json()["items"]
        assert [card["agentId"] for card in found] == [made["agentId"]], query
    for query in (
        {"capability": "scrap"},
        {"q": "nothing"},
        {"capability": "scraping", "q": "zzz"},
        {"host": "x.example"},
    ):
        assert (await client.get("/api/directory/search", params=query)).json()["items"] == []
    listed = (await client.get("/api/directory/agents")).json()
    assert listed["count"] == 1
    card = listed["items"][0]
    assert (card["online"], card["lastAnsweredAt"], card["endpoint"]) == (True, None, "https://scout1.example.com")
    assert not {"token", "tokenHash", "tier"} & set(card)
    first = (await client.post("/api/directory/contact", json={"agentId": made["agentId"]})).json()
    again = (await client.post("/api/directory/contact", json={"agentId": made["agentId"]})).json()
    assert first["ok"] is True
    assert first["channelId"] == again["channelId"]
    assert (await client.post("/api/directory/contact", json={"agentId": "agent_nobody"})).status_code == 404


@pytest.mark.holds("D-HUB-5")
async def test_a_strangers_contact_is_external_and_the_owners_may_name_a_tier(instance: Any) -> None:
    made = await register(instance.stranger)
    chosen = {"agentId": made["agentId"], "tier": "team"}
    assert (await instance.stranger.post("/api/directory/contact", json=chosen)).status_code == 400
    outside = (await instance.stranger.post("/api/directory/contact", json={"agentId": made["agentId"]})).json()
    inside = (await instance.owner.post("/api/directory/contact", json=chosen)).json()
    tiers = {c["id"]: c["tier"] for c in (await instance.owner.get("/api/channels")).json()["items"]}
    assert (tiers[outside["channelId"]], tiers[inside["channelId"]]) == ("external", "team")


@pytest.mark.holds("D-HUB-5")
async def test_connect_needs_the_owner(instance: Any) -> None:
    answer = await instance.stranger.post("/api/directory/connect", json={"url": "http://127.0.0.1:1"})
    assert answer.status_code == 401


@pytest.mark.holds("D-HUB-6")
async def test_an_endpoint_cannot_be_taken_over(instance: Any) -> None:
    client = instance.stranger
    made = await register(client)
    taken = await client.post("/api/directory/register", json=registration(name="Evil"))
    assert taken.status_code == 409
    wrong = {"authorization": "Bearer wrong"}
    assert (
        await client.post("/api/directory/register", json=registration(name="Evil"), headers=wrong)
    ).status_code == 409
    for spelling in ("HTTPS://SCOUT1.example.com:443", "https://scout1.example.com//"):
        other = await client.post("/api/directory/register", json=registration(endpoint=spelling))
        assert other.status_code in {400, 409}, spelling
    assert (await client.get("/api/directory/agents")).json()["items"][0]["name"] == "Scout 1"
    right = {"authorization": f"Bearer {made['token']}"}
    renewed = await client.post("/api/directory/register", json=registration(name="Renamed"), headers=right)
    assert renewed.json()["agentId"] == made["agentId"]
    assert renewed.json()["token"] != made["token"]
    old = await client.post("/api/directory/heartbeat", json={"agentId": made["agentId"], "token": made["token"]})
    assert old.status_code == 401


def _proving(key: str, place: str) -> Callable[[str], str]:
    return lambda challenge: prove(key, challenge, place)


@pytest.mark.holds("D-HUB-6")
async def test_proof_of_the_endpoint_gives_a_new_token(open_served: Any, start_agent: Any) -> None:
    @agent(name="Echo", capabilities=["echo"])
    async def echo(message: Message) -> str:
        return message.text

    served = await open_served()
    running = await start_agent(echo, served.url)
    first = running.membership.agent_id
    body = {"name": "Echo", "kind": "custom", "capabilities": ["echo"], "endpoint": running.url}
    again = await served.instance.stranger.post("/api/directory/register", json=body)
    assert again.status_code == 200
    assert again.json()["agentId"] == first
    assert await running.membership.heartbeat() is False  # its token was rotated
    await running.membership.register()
    assert await running.membership.heartbeat() is True


@pytest.mark.holds("D-HUB-6")
async def test_who_asks_in_an_agents_name_gets_nothing_of_its_tier(open_served: Any, start_agent: Any) -> None:
    """It echoes whatever it is asked, whoever made the directory ask; once it registers again it is itself again."""

    @agent(name="Echo", capabilities=["echo"])
    async def echo(message: Message) -> str:
        return message.text

    served = await open_served(host="0.0.0.0", network_allow=("127.0.0.0/8",))
    running = await start_agent(echo, served.url)
    agent_id, directory = running.membership.agent_id, served.instance.prime.parts.network.directory
    await served.instance.owner.post("/api/directory/connect", json={"url": running.url})
    assert (await directory.get(agent_id)).speaks_as_itself
    body: dict[str, object] = {"name": "Evil", "kind": "custom", "capabilities": [], "endpoint": running.url}
    register = "/api/directory/register"
    assert (await served.instance.stranger.post(register, json=body)).status_code == 200
    assert not (await directory.get(agent_id)).speaks_as_itself
    assert (await served.instance.stranger.post(register, json={**body, "proofKey": "k" * 32})).status_code == 200
    # Another directory that the agent registers at has its key, and asks here in its name: the proof is for there.
    running.app.prove = _proving("k" * 32, "evil.example")
    assert (await served.instance.stranger.post(register, json={**body, "proofKey": "k" * 32})).status_code == 200
    assert not (await directory.get(agent_id)).speaks_as_itself
    # Nor does it help to call this directory by the other's name, where it listens to any.
    elsewhere = {"Host": "evil.example"}
    named = await served.instance.stranger.post(register, json={**body, "proofKey": "k" * 32}, headers=elsewhere)
    assert named.status_code == 200
    assert not (await directory.get(agent_id)).speaks_as_itself
    running.app.prove = running.membership.prove
    assert await running.membership.heartbeat() is False
    await running.membership.register()
    assert (await directory.get(agent_id)).speaks_as_itself


async def _echoing(scope: Any, _receive: Any, send: Any) -> None:
    """An agent that knows of challenges and of no proofs."""
    challenge = parse_qs(scope["query_string"].decode()).get("challenge", [None])[0]
    card = card_json(Card(id="plain", name="Plain", capabilities=(), base_url=""), challenge)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": json.dumps(card).encode()})


@pytest.mark.holds("D-HUB-6", "D-HUB-5")
@pytest.mark.parametrize("first", [True, False])
async def test_an_address_that_somebody_registered_opens_nothing_of_what_the_owner_gives_it(
    open_served: Any, serve: Any, first: bool
) -> None:
    """Before its agent did, or by its echo: the token that they got speaks for nobody whom the owner trusts."""
    served = await open_served()
    url, stranger, owner = await serve(_echoing), served.instance.stranger, served.instance.owner
    body: dict[str, object] = {"name": "Plain", "kind": "custom", "capabilities": [], "endpoint": url}
    made: dict[str, str] = (await stranger.post("/api/directory/register", json=body)).json() if first else {}
    team = (await owner.post("/api/directory/connect", json={"url": url})).json()["channelId"]
    made = made or (await stranger.post("/api/directory/register", json=body)).json()
    me = {"agentId": made["agentId"], "token": made["token"]}
    for told in ({"text": "Let me in"}, {"text": "Let me in", "threadId": team}):
        headers = {"authorization": f"Bearer {made['token']}"}
        assert (await stranger.post("/prime/message", json=told, headers=headers)).status_code == 200
    shown = (await owner.get(f"/api/channels/{team}/messages")).json()["items"]
    assert not any(message["text"] == "Let me in" for message in shown)
    rooms = (await owner.get("/api/channels")).json()["items"]
    assert {room["tier"] for room in rooms if room["id"] not in {"ch_hub", team}} == {"external"}
    moved = await stranger.post("/api/directory/move", json={**me, "endpoint": "https://evil.example"})
    left = await stranger.post("/api/directory/deregister", json=me)
    assert (moved.status_code, left.status_code) == (403, 403)
    assert (await stranger.post("/api/directory/heartbeat", json=me)).status_code == 200


async def test_an_agent_that_joins_is_online_at_once(open_served: Any, start_agent: Any) -> None:
    @agent(name="Echo", capabilities=["echo"])
    async def echo(message: Message) -> str:
        return message.text

    served = await open_served()
    running = await start_agent(echo, served.url)
    await running.membership.join()
    [card] = (await served.instance.stranger.get("/api/directory/search?capability=ECHO")).json()["items"]
    assert card["online"] is True


@pytest.mark.holds("D-HUB-6")
async def test_tokens_are_kept_as_hashes(open_instance: Any, tmp_path: Any) -> None:
    instance = await open_instance()
    made = await register(instance.stranger)
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert files
    assert all(made["token"].encode() not in path.read_bytes() for path in files)


async def test_online_is_a_heartbeat_within_three_minutes(open_instance: Any) -> None:
    clock = FakeClock()
    instance = await open_instance(clock=clock)
    made = await register(instance.stranger)
    directory = instance.prime.parts.network.directory

    async def online() -> bool:
        return (await instance.stranger.get("/api/directory/agents")).json()["items"][0]["online"]

    assert await online() is False
    directory.heartbeat(made["agentId"], made["token"])
    assert await online() is True
    clock.advance(179)
    assert await online() is True
    clock.advance(2)
    assert await online() is False


async def test_an_agent_moves_and_leaves(instance: Any) -> None:
    client = instance.stranger
    made, other = await register(client, 1), await register(client, 2)
    me = {"agentId": made["agentId"], "token": made["token"]}
    taken = await client.post("/api/directory/move", json=me | {"endpoint": "https://scout2.example.com"})
    assert taken.status_code == 409
    moved = await client.post("/api/directory/move", json=me | {"endpoint": "https://new.example.com"})
    assert moved.status_code == 200
    assert (await client.get("/api/directory/search", params={"host": "new.example.com"})).json()["count"] == 1
    stolen = await client.post(
        "/api/directory/move", json={**me, "token": other["token"], "endpoint": "https://x.example"}
    )
    assert stolen.status_code == 401
    wrong = await client.post("/api/directory/deregister", json={"agentId": made["agentId"], "token": other["token"]})
    assert wrong.status_code == 401
    assert (await client.post("/api/directory/deregister", json={"agentId": made["agentId"]})).status_code == 401
    assert (await client.post("/api/directory/deregister", json=me)).status_code == 200
    assert (
        await instance.owner.post("/api/directory/deregister", json={"agentId": other["agentId"]})
    ).status_code == 200
    assert (await client.get("/api/directory/agents")).json() == {"count": 0, "items": [], "nextCursor": None}
    assert (await register(client, 3))["agentId"] not in {made["agentId"], other["agentId"]}


async def test_it_survives_a_restart_on_both_databases(open_store: Any, clock: Any) -> None:
    from prime.network.directory.directory import Claim, Directory, Shown
    from prime.network.directory.entry import Registration
    from prime.network.tables import NETWORK_MIGRATIONS

    class Nobody:
        async def challenge(self, endpoint: str, claim: Claim | None) -> Shown:
            return "nothing"

    given = Registration.checked(
        name="Scout", kind="custom", capabilities=["a"], endpoint="https://a.example", owner=None
    )
    first = Directory((await open_store(migrations=NETWORK_MIGRATIONS)).database, clock, Nobody())
    await first.start()
    entry, token = await first.register(given, None)
    first.heartbeat(entry.id, token)
    await first.stop()
    second = Directory((await open_store(migrations=NETWORK_MIGRATIONS)).database, clock, Nobody())
    await second.start()
    assert (await second.get(entry.id)).seen_at == clock.now_ms()
    second.heartbeat(entry.id, token)
    renewed, _ = await second.register(given, token)
    assert renewed.id == entry.id
    await second.deregister(entry.id, None, by_owner=True)
    fresh, _ = await second.register(given, None)
    assert fresh.id != entry.id
    await second.stop()


async def test_registering_creates_no_chats(instance: Any) -> None:
    before = (await instance.owner.get("/api/channels")).json()["items"]
    await asyncio.gather(*(register(instance.owner, number) for number in range(50)))
    assert (await instance.owner.get("/api/channels")).json()["items"] == before
    page = (await instance.stranger.get("/api/directory/agents", params={"limit": 20})).json()
    assert (page["count"], len(page["items"])) == (50, 20)
    rest = (await instance.stranger.get("/api/directory/agents", params={"cursor": page["nextCursor"]})).json()
    assert len(rest["items"]) == 30


def test_the_index_finds_what_a_plain_scan_finds() -> None:
    index = Index()
    entries: list[Entry] = []
    for number in range(1, 1200):
        entry = Entry(
            id=f"agent_{number}", number=number, name=f"Agent {number:04}", kind="custom",
            capabilities=(f"cap-{number % 7}", "ΣOFT" if number % 100 == 0 else "other"),
            endpoint=f"https://h{number % 50}.example:{number}", owner="Ada" if number % 3 else "Müller",
            token_hash=str(number), tier="external", registered_at=0, changed_at=0,
        )  # fmt: skip
        index.put(entry)
        entries.append(entry)
    for gone in (5, 256, 512, 1199):
        index.remove(f"agent_{gone}")
        entries = [e for e in entries if e.number != gone]
    for q in ("müll", "agent 01", "CAP-3", "oft", "none", "a"):
        wanted = [e.id for e in entries if any(q.lower() in t.lower() for t in (e.name, e.owner, *e.capabilities))]
        assert [e.id for e in index.search(q=q, limit=2000)] == wanted, q
    both = index.search(capability="Cap-3", q="müller", limit=2000)
    assert [e.id for e in both] == [e.id for e in entries if "cap-3" in e.capabilities and e.owner == "Müller"]
    assert [e.id for e in index.search(capability="σoft", limit=2000)] == [e.id for e in entries if e.number % 100 == 0]
    assert len(index.on_host("h7.example")) == sum(e.number % 50 == 7 for e in entries)
    paged: list[str] = []
    after = 0
    while found := index.search(q="agent", after=after, limit=100):
        paged += [e.id for e in found]
        after = found[-1].number
    assert paged == [e.id for e in entries]


@pytest.mark.parametrize(
    "name",
    [
        "", "   ", "a" * 81, "Scout\u202eevil", "Sc\u200bout", "Sco\u0000ut", "line\nbreak", "<script>x</script>",
        "Sсout",  # a Cyrillic с
        "Αda",  # a Greek Α
        "𝐒cout", "Ｓcout", "\u3164", "o\u0301\u0301\u0301\u0301\u0301", "\ue000", "tab\there",
    ],
)  # fmt: skip
def test_names_that_could_pass_for_others_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        plain_name(name, "name")


@pytest.mark.parametrize(
    "name", ["Scout", "R&D", "Zoë", "Ада", "侦察兵", "محمد", "Müller & Söhne", "O'Neil", "Agent 7"]
)
def test_names_of_all_scripts_are_taken(name: str) -> None:
    assert plain_name(name, "name") == name


def test_names_have_one_form() -> None:
    assert plain_name("Zoe\u0308", "name") == "Zoë"
    assert plain_name("  A   b ", "name") == "A b"
    assert plain_capabilities(["Web", "web", "data"]) == ("Web", "data")
    with pytest.raises(InvalidInput):
        plain_capabilities([str(n) for n in range(11)])


def test_an_endpoint_has_one_spelling() -> None:
    assert plain_endpoint("HTTPS://Agent.Example.com:443/A/") == "https://agent.example.com/A"


@pytest.mark.parametrize(
    "endpoint",
    ["", "ftp://x", "https://", "https://user@x.example", "https://x.example?q=1", "https://x.example/#f",
     "https://x.example/a/../b", "https://x.example/%2e%2e", "https://x.example:99999", "javascript:alert(1)",
     "https://x.example/\r\nHost: y", "https://x y.example", "//x.example", "https://x.example\\@y"],
)  # fmt: skip
def test_endpoints_are_plain_addresses(endpoint: str) -> None:
    with pytest.raises(InvalidInput):
        plain_endpoint(endpoint)


@pytest.mark.holds("D-HUB-19")
async def test_remote_agents_are_attached_at_the_start(open_served: Any, start_agent: Any, texts_of: Any) -> None:
    @agent(name="Echo", capabilities=["echo"])
    async def echo(message: Message) -> str:
        return message.text

    running = await start_agent(echo)
    listed = f'[{{"url": "{running.url}", "name": "My echo"}}, {{"url": "http://127.0.0.1:9", "tier": "external"}}]'
    served = await open_served("attached", remote_agents=listed)
    directory = served.instance.prime.parts.network.directory
    async with asyncio.timeout(30):
        while not (found := await directory.search(q="my echo")) or not directory.online(found[0].id):  # noqa: ASYNC110  (it comes over a real connection)
            await asyncio.sleep(0)
    assert [(e.name, e.tier) for e in found] == [("My echo", "team")]
    with pytest.raises(InvalidInput):
        read_remote_agents('{"url": "x"}')
    with pytest.raises(InvalidInput, match="PRIME_REMOTE_AGENTS cannot be read: Not valid JSON"):
        read_remote_agents("[{")
    assert [r.tier for r in read_remote_agents('[{"url": "x"}, {"url": "y", "tier": "external"}]')] == [
        "team",
        "external",
    ]


@pytest.mark.holds("D-HUB-19")
async def test_a_remote_agent_that_comes_up_later_is_attached_then(
    open_instance: Any, start_agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    clock = FakeClock()
    listed = f'[{{"url": "http://127.0.0.1:{port}", "name": "Late"}}, {{"url": "nowhere"}}]'
    instance = await open_instance(clock=clock, remote_agents=listed, network_allow=("127.0.0.0/8",))
    async with asyncio.timeout(30):
        while "nowhere" not in caplog.text:  # noqa: ASYNC110  (it comes over a real connection)
            await asyncio.sleep(0)
    first, second = [r.getMessage() for r in caplog.records if "could not be attached" in r.getMessage()]
    assert (first.endswith("It is tried again by itself."), "tried again" in second) == (True, False)

    @agent(name="Echo", capabilities=["echo"])
    async def echo(message: Message) -> str:
        return message.text

    await start_agent(echo, port=port)
    directory = instance.prime.parts.network.directory
    clock.advance(5)
    async with asyncio.timeout(30):
        while not (found := await directory.search(q="late")):  # noqa: ASYNC110  (it comes over a real connection)
            await asyncio.sleep(0)
    assert [(e.name, e.tier) for e in found] == [("Late", "team")]


@pytest.mark.parametrize("listed", ["{", '[{"name": "no url"}]', '[{"url": "http://x", "tier": "boss"}]'])
async def test_a_list_of_agents_that_cannot_be_read_is_said_at_the_start(tmp_path: Path, listed: str) -> None:
    given = {"PRIME_DATA": str(tmp_path), "PRIME_MODEL": "offline", "PRIME_REMOTE_AGENTS": listed}
    with pytest.raises(InvalidInput, match=r"PRIME_REMOTE_AGENTS cannot be read: .*Write for example"):
        async with open_prime(Settings.load(given)):
            pass


@pytest.mark.parametrize("name", ["You", "OWNER", "the  owner", "你"])
def test_nobody_goes_by_the_owners_name(name: str) -> None:
    with pytest.raises(InvalidInput, match="owner"):
        plain_name(name, "name")
    assert claimed_name(name) == "Unknown agent"


def test_a_dot_at_the_end_of_a_host_makes_no_other_endpoint() -> None:
    assert plain_endpoint("https://Agent.example.com.:443/") == "https://agent.example.com"


@pytest.mark.parametrize(
    "name",
    ["Prime", "PRIME", "Prıme", "Pr1me", "Prlme", "P.r.i.m.e", "Prímé", "ᴘʀɪᴍᴇ", "Prime!", "P r i m e",
     "Prime (official)", "Prime: support", "Prime Support", "(Prime)", "Pr1me — system", "P r i m e | 1"],
)  # fmt: skip
def test_nobody_goes_by_what_is_read_as_primes_name(name: str) -> None:
    assert strangers_name(name) == f"Another {name}"


def test_nobody_goes_by_what_is_read_as_the_owners() -> None:
    for name in (
        "Owner",
        "0wner",
        "The Owner!",
        "Yoü",
        "Ow-ner",
        "你",
        "You (owner)",
        "Owner: verified",
        "(The owner)",
    ):
        assert claimed_name(name) == "Unknown agent"
    for name in (
        "Ann Primeau",
        "Optimus Prime",
        "Louise",
        "日本",
        "Owners Club",
        "Юрий",
        "Primer",
        "Ann (Prime)",
        "Jean-Luc",
    ):
        assert strangers_name(name) == name
