"""Push: what reaches the owner's devices, when, and how much it says."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from prime.accounts.push.note import try_note
from prime.accounts.push.push import MOST_DEVICES, Subscription
from prime.accounts.push.said import Language
from prime.accounts.push.watch import trigger_of
from prime.app import Prime, open_prime
from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput
from prime.core.settings import Settings
from prime.rooms.questions import Asking
from prime.store.message import NewMessage

Opened = Callable[..., Awaitable[tuple[Prime, FakeClock]]]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:

        async def open_one(**variables: str) -> tuple[Prime, FakeClock]:
            clock = FakeClock()
            settings = Settings.load({"PRIME_DATA": str(tmp_path / "data"), **variables})
            return await stack.enter_async_context(open_prime(settings, clock=clock)), clock

        yield open_one


def wanted(subscription: dict[str, Any]) -> Subscription:
    return Subscription(subscription["endpoint"], subscription["keys"]["p256dh"], subscription["keys"]["auth"])


async def subscribed(prime: Prime, push_service: Any, *paths: str) -> None:
    for path in paths or ("/phone",):
        subscription = wanted(push_service.subscription(path))
        await prime.parts.push.subscribe(subscription, session_id=None, device="Phone")


async def next_push(push_service: Any, clock: FakeClock) -> tuple[Any, dict[str, Any]]:
    """The next delivery, with the clock running meanwhile."""
    async with asyncio.timeout(20):
        while push_service.deliveries.empty():
            clock.advance(0.1)
            await asyncio.sleep(0.002)  # the database and the service work in threads of their own
    return await push_service.next()


async def settled(prime: Prime, clock: FakeClock) -> None:
    """Until the watch has looked at everything that is in the log now."""
    head = await prime.parts.store.log.head()
    async with asyncio.timeout(20):
        while True:
            place = await prime.parts.store.database.read(
                lambda c: c.exec_driver_sql("SELECT max(seq) FROM push_place").scalar_one()
            )
            if place is not None and place >= head:
                return
            clock.advance(0.5)
            await asyncio.sleep(0.002)


@pytest.mark.holds("D-HUB-2")
async def test_a_question_reaches_every_device_and_says_nothing_of_itself(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened(PRIME_OWNER_EMAIL="me@example.com")
    await subscribed(prime, push_service, "/phone", "/laptop")
    asked = await prime.parts.questions.ask(Asking(text="Sell the farm for 9000?", suggestions=["Yes", "No"]))
    seen: set[str] = set()
    for _ in range(2):
        delivery, payload = await next_push(push_service, clock)
        seen.add(delivery.path)
        assert payload == {
            "kind": "question", "title": "Prime", "body": "A question waits for you.", "url": f"/questions/{asked.id}",
            "questionId": asked.id, "actions": [], "count": 1, "tag": "prime-question",
        }  # fmt: skip
        assert (delivery.headers["urgency"], delivery.headers["ttl"]) == ("high", "86400")
        assert (delivery.headers["content-encoding"], delivery.headers["topic"]) == ("aes128gcm", "prime-question")
        assert b"farm" not in delivery.body
    assert seen == {"/phone", "/laptop"}


async def test_in_full_it_has_the_words_and_the_buttons(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened(PRIME_PUSH_DETAIL="full")
    await subscribed(prime, push_service)
    await prime.parts.secrets.put("bank", "hunter2hunter2")
    long = "x" * 60
    await prime.parts.questions.ask(Asking(text="Pay with hunter2hunter2?", suggestions=["Pay", long, "Wait", "Never"]))
    _, payload = await next_push(push_service, clock)
    assert payload["body"] == "Pay with [redacted]?"
    assert [(a["title"], a["answer"]) for a in payload["actions"]] == [
        ("Pay", {"text": "Pay"}),
        ("Wait", {"text": "Wait"}),
    ]
    await prime.parts.questions.ask(Asking(text="y" * 50_000, kind="approval", call={"tool": "rm"}))
    delivery, payload = await next_push(push_service, clock)
    assert [a["answer"] for a in payload["actions"]] == [{"choice": "no"}]  # nobody read it to its end
    assert payload["count"] == 2
    assert len(delivery.body) < 4096


async def test_the_owner_changes_their_mind_while_prime_runs(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    await prime.parts.tuning.change({"PRIME_PUSH_DETAIL": "full"})
    await prime.parts.questions.ask(Asking(text="Sell?"))
    assert (await next_push(push_service, clock))[1]["body"] == "Sell?"


async def test_a_burst_is_one_ping(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    for number in range(7):
        await prime.parts.questions.ask(Asking(text=f"{number}?"))
    _, payload = await next_push(push_service, clock)
    assert (payload["body"], payload["url"], payload["count"]) == ("7 questions wait for you.", "/questions", 7)
    await settled(prime, clock)
    assert push_service.deliveries.empty()


async def test_who_lost_the_lease_while_a_burst_was_awaited_tells_nothing(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    await prime.parts.questions.ask(Asking(text="First?"))
    await next_push(push_service, clock)
    taken = (
        "UPDATE lease SET holder = 'another', epoch = epoch + 1, expires_at = expires_at + {ms} WHERE resource = 'push'"
    )
    await prime.parts.store.database.write(lambda c: c.exec_driver_sql(taken.format(ms=3_600_000)))
    await prime.parts.questions.ask(Asking(text="Second?"))
    for _ in range(150):  # longer than between two of a kind
        clock.advance(0.2)
        await asyncio.sleep(0.002)
    assert push_service.deliveries.empty(), "it is the other one's to tell"
    await prime.parts.store.database.write(lambda c: c.exec_driver_sql(taken.format(ms=-7_200_000)))
    assert (await next_push(push_service, clock))[1]["count"] == 2


async def test_what_was_answered_meanwhile_is_not_told(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    asked = await prime.parts.questions.ask(Asking(text="?"))
    await prime.parts.questions.answer(asked.id, text="yes")
    await settled(prime, clock)
    assert push_service.deliveries.empty()


async def test_who_was_told_of_one_is_not_told_again_for_another_that_was_answered(
    opened: Opened, push_service: Any
) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    await prime.parts.questions.ask(Asking(text="1?"))
    await next_push(push_service, clock)
    asked = await prime.parts.questions.ask(Asking(text="2?"))
    await prime.parts.questions.answer(asked.id, text="yes")
    await settled(prime, clock)
    assert push_service.deliveries.empty()


async def test_what_a_startup_script_asked_is_long_over(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    body: dict[str, object] = {
        "questionId": "q_1",
        "kind": "decision",
        "suggestions": [],
        "necessity": 1,
        "reason": "",
        "context": "",
    }
    old = NewMessage(
        channel_id="ch_hub", actor_id="act_prime", kind="question", text="?", body=body, source_tag="priming_script"
    )
    assert trigger_of((await prime.parts.store.log.append(old))[0]) is None
    await settled(prime, clock)
    assert push_service.deliveries.empty()


def system(**body: object) -> NewMessage:
    return NewMessage(channel_id="ch_hub", actor_id="act_prime", kind="system", body=body)


async def test_the_auto_stop_is_told_and_other_pauses_are_not(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    await prime.parts.store.log.append(system(op="paused", code="owner"))
    await settled(prime, clock)
    assert push_service.deliveries.empty()
    await prime.parts.store.log.append(system(op="paused", code="autostop"))
    delivery, payload = await next_push(push_service, clock)
    assert (payload["kind"], delivery.headers["urgency"]) == ("autostop", "normal")


def gate(draft_id: str, **body: object) -> NewMessage:
    return NewMessage(
        channel_id="ch_hub", actor_id="act_prime", kind="gate", text="Dear Bo", body={"draftId": draft_id, **body}
    )


async def test_a_draft_that_waits_is_told_and_one_that_went_is_not(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    await prime.parts.store.log.append(gate("drf_1", op="proposed", released={"classId": "cls_1"}))
    await settled(prime, clock)
    assert push_service.deliveries.empty()
    await prime.parts.store.log.append(gate("drf_2", op="proposed"))
    _, payload = await next_push(push_service, clock)
    assert (payload["kind"], payload["body"], payload["url"]) == ("draft", "A draft waits for your yes.", "/drafts")


async def test_history_is_not_news(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    old = NewMessage(
        channel_id="ch_hub",
        actor_id="act_prime",
        kind="question",
        body={"questionId": "q"},
        source_tag="priming_script",
    )
    await prime.parts.store.log.append(old)
    await settled(prime, clock)
    assert push_service.deliveries.empty()


async def test_what_was_asked_while_prime_was_away_is_told_at_its_return(
    opened: Opened, push_service: Any, tmp_path: Path
) -> None:
    settings = Settings.load({"PRIME_DATA": str(tmp_path / "data")})
    first = FakeClock()
    async with open_prime(settings, clock=first) as prime:
        await subscribed(prime, push_service)
        await settled(prime, first)
        await prime.parts.questions.ask(Asking(text="?"))  # and the clock stands still: nothing is sent
    assert push_service.deliveries.empty()
    async with open_prime(settings, clock=(again := FakeClock(first.now_ms() + 120_000))):
        assert (await next_push(push_service, again))[1]["kind"] == "question"


@pytest.mark.parametrize("status", [404, 410])
async def test_devices_that_are_gone_are_forgotten(opened: Opened, push_service: Any, status: int) -> None:
    prime, _ = await opened()
    await subscribed(prime, push_service, "/gone", "/there")
    push_service.answers["/gone"] = [status]
    sent = await prime.parts.push.send(try_note())
    assert (sent.sent, sent.pruned, sent.failed) == (1, 1, 0)
    assert [d.endpoint.rpartition("/")[2] for d in await prime.parts.push.devices()] == ["there"]


async def test_a_busy_service_is_asked_again_and_a_refusing_one_is_not(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service, "/busy", "/no")
    push_service.answers["/busy"] = [503, 429]
    push_service.answers["/no"] = [400, 400, 400]
    sending = asyncio.create_task(prime.parts.push.send(try_note()))
    async with asyncio.timeout(20):
        while not sending.done():
            clock.advance(0.05)
            await asyncio.sleep(0)
    assert (sending.result().sent, sending.result().failed) == (1, 1)
    paths = [push_service.deliveries.get_nowait().path for _ in range(push_service.deliveries.qsize())]
    assert (paths.count("/busy"), paths.count("/no")) == (3, 1)
    assert sorted(d.failures for d in await prime.parts.push.devices()) == [0, 1]


async def test_each_device_is_told_in_its_language(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened(PRIME_PUSH_DETAIL="full")
    spoken: dict[str, Language] = {"/phone": "zh", "/laptop": "en"}
    for path, language in spoken.items():
        subscription = wanted(push_service.subscription(path))
        await prime.parts.push.subscribe(subscription, session_id=None, device="", language=language)
    asking = Asking(text="May Ann run sell?", context="sell farm --all", kind="approval", call={"tool": "sell"})
    await prime.parts.questions.ask(asking)
    told = {delivery.path: payload for delivery, payload in [await next_push(push_service, clock) for _ in range(2)]}
    assert [(told[path]["title"], told[path]["body"]) for path in ("/phone", "/laptop")] == [
        ("Prime 有事问你", "允许 Ann 运行 sell 吗？\nsell farm --all"),
        ("Prime asks", "May Ann run sell?\nsell farm --all"),
    ]
    assert [action["title"] for action in told["/phone"]["actions"]] == ["可以", "不行"]
    assert [action["answer"] for action in told["/phone"]["actions"]] == [{"choice": "yes"}, {"choice": "no"}]


async def test_one_row_per_device(opened: Opened, push_service: Any) -> None:
    prime, _ = await opened()
    await subscribed(prime, push_service, "/phone", "/phone", "/phone")
    assert len(await prime.parts.push.devices()) == 1
    assert await prime.parts.push.unsubscribe(push_service.subscription()["endpoint"])
    assert not await prime.parts.push.unsubscribe(push_service.subscription()["endpoint"])
    assert await prime.parts.push.devices() == []


async def test_beyond_a_number_the_oldest_device_goes(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    for number in range(MOST_DEVICES + 2):
        clock.advance(1)
        await subscribed(prime, push_service, f"/{number}")
    kept = [d.endpoint.rpartition("/")[2] for d in await prime.parts.push.devices()]
    assert (len(kept), kept[0], kept[-1]) == (MOST_DEVICES, "2", str(MOST_DEVICES + 1))


async def test_two_of_a_kind_are_apart(opened: Opened, push_service: Any) -> None:
    prime, clock = await opened()
    await subscribed(prime, push_service)
    await prime.parts.questions.ask(Asking(text="1?"))
    await next_push(push_service, clock)
    told = clock.monotonic()
    await prime.parts.questions.ask(Asking(text="2?"))
    assert (await next_push(push_service, clock))[1]["count"] == 2
    assert clock.monotonic() - told >= 15


async def test_a_browser_that_is_signed_out_is_told_nothing_more(opened: Opened, push_service: Any) -> None:
    prime, _ = await opened(PRIME_OWNER_EMAIL="me@example.com")
    sessions = prime.parts.accounts.sessions
    lost, kept = await sessions.open("Lost phone"), await sessions.open("Laptop")
    for path, session in (("/lost", lost), ("/kept", kept)):
        subscription = wanted(push_service.subscription(path))
        await prime.parts.push.subscribe(subscription, session_id=session.id, device="")
    await sessions.end(lost.id)
    assert [d.endpoint.rpartition("/")[2] for d in await prime.parts.push.devices()] == ["kept"]


async def test_the_pair_of_keys_stays_and_signs(opened: Opened, push_service: Any, tmp_path: Path) -> None:
    import jwt

    settings = Settings.load({"PRIME_DATA": str(tmp_path / "data")})
    async with open_prime(settings) as prime:
        first = prime.parts.push.public_key
    async with open_prime(settings) as prime:
        assert prime.parts.push.public_key == first
        await subscribed(prime, push_service)
        await prime.parts.push.send(try_note())
    delivery, _ = await push_service.next()
    scheme, _, rest = delivery.headers["authorization"].partition(" ")
    given = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert (scheme, given["k"]) == ("vapid", first)
    point = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    claims = jwt.decode(given["t"], key, algorithms=["ES256"], audience="http://127.0.0.1")
    assert claims["sub"] == "mailto:prime@127.0.0.1"
    assert first not in (tmp_path / "data" / "prime.db").read_bytes().decode("latin-1")


def pair() -> tuple[str, str, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    raw = key.private_numbers().private_value.to_bytes(32, "big")
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public, private = (base64.urlsafe_b64encode(b).rstrip(b"=").decode() for b in (point, raw))
    return public, private, pem


async def test_keys_of_the_environment_win(opened: Opened) -> None:
    public, private, _ = pair()
    prime, _ = await opened(PRIME_VAPID_PUBLIC=public, PRIME_VAPID_PRIVATE=private)
    assert prime.parts.push.public_key == public


async def test_keys_may_be_pem(opened: Opened) -> None:
    public, _, pem = pair()
    prime, _ = await opened(PRIME_VAPID_PRIVATE=pem)
    assert prime.parts.push.public_key == public


@pytest.mark.parametrize("case", ["other pair", "no private", "garbage", "zero", "too long"])
async def test_keys_that_do_not_fit_are_refused_at_the_start(opened: Opened, case: str) -> None:
    public, private, _ = pair()
    variables = {
        "other pair": {"PRIME_VAPID_PUBLIC": pair()[0], "PRIME_VAPID_PRIVATE": private},
        "no private": {"PRIME_VAPID_PUBLIC": public},
        "garbage": {"PRIME_VAPID_PRIVATE": "§§§"},
        "zero": {"PRIME_VAPID_PRIVATE": "A" * 43},
        "too long": {"PRIME_VAPID_PRIVATE": "_" * 60},
    }[case]
    with pytest.raises(InvalidInput, match="PRIME_VAPID"):
        await opened(**variables)


@pytest.mark.parametrize(
    "change",
    [{"endpoint": "ftp://x"}, {"endpoint": "https://"}, {"endpoint": "javascript:1"}, {"endpoint": "https://[x"},
     {"endpoint": "https://[fe80::1%25eth0]/"}, {"p256dh": "AAAA"}, {"p256dh": "§"}, {"auth": "AAAA"}, {"auth": "!"}],
)  # fmt: skip
async def test_subscriptions_that_cannot_be(opened: Opened, push_service: Any, change: dict[str, str]) -> None:
    prime, _ = await opened()
    good = push_service.subscription()
    fields = {"endpoint": good["endpoint"], **good["keys"], **change}
    with pytest.raises(InvalidInput):
        await prime.parts.push.subscribe(Subscription(**fields), session_id=None, device="")


@pytest.mark.parametrize(
    "public", [{"PRIME_HOST": "0.0.0.0"}, {"PRIME_PUBLIC_URL": "https://prime.example.com"}], ids=["host", "proxy"]
)
async def test_beyond_loopback_a_private_endpoint_is_not_reached(
    opened: Opened, push_service: Any, public: dict[str, str]
) -> None:
    prime, _ = await opened(PRIME_OWNER_EMAIL="me@example.com", **public)
    subscription = push_service.subscription()
    with pytest.raises(InvalidInput, match="https"):
        await prime.parts.push.subscribe(wanted(subscription), session_id=None, device="")
    inside = wanted({**subscription, "endpoint": subscription["endpoint"].replace("http:", "https:")})
    await prime.parts.push.subscribe(inside, session_id=None, device="")
    sent = await prime.parts.push.send(try_note())
    assert (sent.sent, sent.failed, push_service.deliveries.empty()) == (0, 1, True)


def test_payloads_come_in_few_sizes() -> None:
    from prime.accounts.push.push import _padded  # pyright: ignore[reportPrivateUsage]

    padded = _padded(try_note(), "en")
    assert len(padded) % 512 == 0
    assert json.loads(padded)["title"] == "Prime"
