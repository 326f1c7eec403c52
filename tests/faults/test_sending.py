"""What goes out in the owner's name, under faults: it leaves once, and what became of it is found out.

The connectors are those that docs/connectors.md teaches to write.
"""

import asyncio
import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from tests.faults.guests import Guests, install
from tests.faults.replicas import Replica

T = TypeVar("T")
TAKEN_OVER_S = 150  # a lease, a look, and a busy machine
LONGER_THAN_A_LEASE_S = 65
DISTURBED_S = 90


Start = Callable[..., list[Replica]]


@pytest.fixture
def guests() -> Iterator[Guests]:
    with Guests() as service:
        yield service


@pytest.fixture
def package(tmp_path: Path) -> dict[str, str]:
    """Where Prime finds the connectors."""
    return {"PYTHONPATH": str(install(tmp_path / "package"))}


def call(method: str, url: str, path: str, body: object = None) -> Any:
    answer = httpx2.request(method, f"{url}/api/{path}", json=body, timeout=60)
    assert answer.status_code < 400, answer.text
    return answer.json()


def connect(url: str, name: str, guests: Guests) -> None:
    call("PUT", url, f"connectors/{name}", {"settings": {"token": "t", "api_base": guests.url}})
    assert call("POST", url, f"connectors/{name}/connect")["status"]["state"] == "connected"


def proposed(url: str, name: str) -> str:
    """A draft of this connector that waits."""
    if name == "paste":
        files = [{"path": "a.txt", "text": "Bread at seven"}]
        return call("POST", url, "publish", {"connector": name, "title": "Bakery", "files": files})["id"]
    return until(lambda: [draft["id"] for draft in call("GET", url, "drafts?status=pending")["items"]], 30)[0]


def approve(url: str, draft_id: str) -> None:
    """And do not wait for what becomes of it: the service may be holding it up."""

    def click() -> None:
        with contextlib.suppress(httpx2.HTTPError):
            httpx2.post(f"{url}/api/drafts/{draft_id}/approve", json={}, timeout=60)

    threading.Thread(target=click, daemon=True).start()
    until(lambda: draft(url, draft_id)["status"] == "sending", 30)


def draft(url: str, draft_id: str) -> dict[str, Any]:
    return next(one for one in call("GET", url, "drafts")["items"] if one["id"] == draft_id)


def until(look: Callable[[], T], seconds: float = TAKEN_OVER_S) -> T:
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, f"not within {seconds:g} s"
        time.sleep(0.3)
    return found


KINDS = [("guest_book", "replies"), ("paste", "pastes")]


@pytest.mark.long
@pytest.mark.parametrize(("name", "kept"), KINDS)
def test_killed_between_sending_and_writing_it_down(
    replicas: Start, guests: Guests, package: dict[str, str], name: str, kept: str
) -> None:
    """The service has it and nobody here knows: at the next start it is asked, and nothing is sent again."""
    [prime] = replicas(None, **package)
    connect(prime.url, name, guests)
    waiting = proposed(prime.url, name)
    guests.may_answer.clear()
    approve(prime.url, waiting)
    assert guests.came.wait(20)
    prime.end()
    guests.may_answer.set()
    prime.start()
    until(lambda: draft(prime.url, waiting)["status"] == "sent", 60)
    assert len(guests.kept[kept]) == 1


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("name", "kept"), KINDS)
async def test_another_replica_finds_out_what_became_of_a_send(
    replicas: Start,
    guests: Guests,
    package: dict[str, str],
    new_postgresql_url: Callable[[], Awaitable[str]],
    name: str,
    kept: str,
) -> None:
    first, second = replicas(await new_postgresql_url(), 2, **package)
    connect(first.url, name, guests)
    waiting = proposed(first.url, name)
    guests.may_answer.clear()
    approve(first.url, waiting)
    assert guests.came.wait(20)
    first.end()
    guests.may_answer.set()
    until(lambda: draft(second.url, waiting)["status"] == "sent")
    assert len(guests.kept[kept]) == 1
    said = call("GET", second.url, f"channels/{draft(second.url, waiting)['channelId']}/messages?limit=200")["items"]
    assert len([one for one in said if one["body"].get("externalId") == f"{kept}-0" and one["kind"] == "text"]) == 1


@pytest.mark.long
@pytest.mark.timeout(400)
async def test_a_replica_that_slept_over_an_approval_does_not_send_late(
    replicas: Start, guests: Guests, package: dict[str, str], new_postgresql_url: Callable[[], Awaitable[str]]
) -> None:
    """It stood still when it was to send, another has done it since: what it wakes up to is settled."""
    first, second = replicas(await new_postgresql_url(), 2, **package)
    connect(first.url, "guest_book", guests)
    waiting = proposed(first.url, "guest_book")
    os.kill(first.pid, signal.SIGSTOP)
    try:
        approve(second.url, waiting)  # it is the first one's to send
        assert not guests.kept["replies"]
        # Given back, because the service says that it never came; and approved again, at one that can send by now.
        until(lambda: draft(second.url, waiting)["status"] == "pending")
        call("POST", second.url, f"drafts/{waiting}/approve", {})
        until(lambda: draft(second.url, waiting)["status"] == "sent")
    finally:
        os.kill(first.pid, signal.SIGCONT)
    until(lambda: httpx2.get(f"{first.url}/readyz", timeout=20).status_code == 200)
    assert draft(first.url, waiting)["status"] == "sent"
    guests.entries.append({"id": "e2", "visitor": "v2", "name": "Otto", "text": "Do you repair lamps in Lyon?"})
    until(lambda: draft_of(first.url, "ch_pp_guests_v2"))  # whoever follows the guest book has looked since
    assert len(guests.kept["replies"]) == 1


def draft_of(url: str, channel_id: str) -> list[str]:
    return [one["id"] for one in call("GET", url, "drafts")["items"] if one["channelId"] == channel_id]


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_everybody_is_answered_once_while_replicas_die_and_freeze(
    replicas: Start, guests: Guests, package: dict[str, str], new_postgresql_url: Callable[[], Awaitable[str]]
) -> None:
    """Visitors write, whoever follows the book answers them by itself, and any replica may end or stand still at any moment."""
    guests.entries.clear()
    guests.takes_s = 1.0  # so that some die between sending and hearing of it
    started = replicas(await new_postgresql_url(), 3, **package)
    connect(started[0].url, "guest_book", guests)
    call("POST", started[0].url, "autonomy/policy", {"perConnector": {"guest_book": "full"}})
    visit(guests, 3)
    assert guests.came.wait(60)
    for one in started:  # all at once, in the middle of the first answers
        one.end()
    for one in started:
        one.start()
    chance, end = random.Random("guests"), time.monotonic() + DISTURBED_S
    while time.monotonic() < end:
        visit(guests, 3)
        until(lambda: guests.came.is_set() or time.monotonic() > end)
        guests.came.clear()
        await asyncio.sleep(chance.uniform(0, 1.2))
        disturb(chance.choice(started), chance)
    visitors = {entry["visitor"] for entry in guests.entries}
    end = time.monotonic() + 2 * TAKEN_OVER_S
    while left := unanswered(started[0].url, visitors):
        assert time.monotonic() < end, left
        await asyncio.sleep(1)
    assert sorted(one["entry"] for one in guests.kept["replies"]) == sorted(entry["id"] for entry in guests.entries)
    for visitor in visitors:
        said = call("GET", started[1].url, f"channels/ch_pp_guests_{visitor}/messages?limit=200")["items"]
        texts = [one for one in said if one["kind"] == "text" and "proposal" not in one["body"]]
        assert [one["actorId"] == "act_owner" for one in texts] == [False, True], "read once, answered once"


def visit(guests: Guests, count: int) -> None:
    for _ in range(count):
        number = f"{len(guests.entries):03}"
        guests.entries.append(
            {"id": f"e{number}", "visitor": f"v{number}", "name": "Vera", "text": "Can you ship ten lamps by Friday?"}
        )


def disturb(replica: Replica, chance: random.Random) -> None:
    if chance.random() < 0.5:
        replica.end()
        replica.start()
        return
    os.kill(replica.pid, signal.SIGSTOP)
    time.sleep(chance.choice((1, 5, LONGER_THAN_A_LEASE_S)))
    os.kill(replica.pid, signal.SIGCONT)


def unanswered(url: str, visitors: set[str]) -> dict[str, str]:
    """Who has no answer yet, and why; what came back because it never arrived is let go again, as its owner would."""
    left = dict.fromkeys(visitors, "nothing was drafted")
    for one in call("GET", url, "drafts?limit=200")["items"]:
        if one["status"] == "pending":
            httpx2.post(f"{url}/api/drafts/{one['id']}/approve", json={}, timeout=60)
        left[one["channelId"].removeprefix("ch_pp_guests_")] = f"{one['status']} {one['reason']}"
    return {visitor: how for visitor, how in left.items() if not how.startswith("sent")}
