"""The gate: nothing leaves without approval, and nothing leaves twice."""

import asyncio
from typing import Protocol

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import Conflict, Forbidden, InvalidInput, NotFound, Unavailable
from prime.hub.gate.drafts import PREFIX
from prime.hub.gate.gate import Gate
from prime.hub.gate.records import Delivered, Draft, Proposal
from prime.hub.gate.recovery import LEFT_MS
from prime.hub.gate.senders import NotConnected
from prime.mind.jobs.keeping import DraftRequest
from prime.rooms.records import OWNER, PRIME
from prime.rooms.rooms import Rooms
from prime.rooms.views import View
from prime.store.message import NewMessage
from prime.store.outbox import NotSent
from prime.store.store import Store

CHANNEL = "ch_pp_tg_1"


class Service(Protocol):
    arrived: list[tuple[str, str]]
    fail_before: Exception | None
    fail_after: Exception | None
    known: Delivered | str | None
    before: object
    lookups: int
    max_length: int


class Mind(Protocol):
    asked: list[DraftRequest]
    asked_once: asyncio.Event
    hold: asyncio.Event | None


class House(Protocol):
    store: Store
    rooms: Rooms
    gate: Gate
    service: Service
    mind: Mind
    clock: FakeClock

    async def write(self, text: str, *, number: int = 1, person: str = "Mara", **more: object) -> str: ...
    async def propose(self, text: str, **more: object) -> str: ...


class OpenHouse(Protocol):
    async def __call__(self, *, service: object = None, connected: bool = True, **variables: str) -> House: ...


@pytest.mark.holds("D-HUB-1")
async def test_everything_waits_by_default(house: House) -> None:
    await house.write("Could you send the invoice?")
    [(_, draft)] = await house.gate.drafts.page()
    assert (draft.status, draft.channel_id, draft.connector) == ("pending", CHANNEL, "telegram")
    assert house.service.arrived == []


async def test_a_draft_is_mirrored_as_a_proposal_that_the_person_cannot_see(house: House) -> None:
    await house.write("Could you send the invoice?")
    page = await house.store.log.page(CHANNEL)
    [mirror] = [m for m in page if m.body.get("proposal")]
    assert mirror.text.startswith(PREFIX)
    assert mirror.actor_id == PRIME
    view = await View.of(house.store, CHANNEL)
    assert [m.text for m in await view.messages() if m.kind == "text"] == ["Could you send the invoice?"]


async def test_approving_sends_says_and_teaches(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    done = await house.gate.drafts.approve(draft_id)
    assert (done.status, done.decided_by, done.result["externalId"]) == ("sent", "owner", "m1")
    said = [m for m in await house.store.log.page(CHANNEL) if m.kind == "text" and m.actor_id == OWNER]
    assert [m.text for m in said] == ["The invoice is attached."]
    [(_, learned)] = await house.gate.classes.page()
    assert (learned.text, learned.from_draft_id, learned.active) == ("The invoice is attached.", draft_id, True)
    assert [d.id for _, d in await house.gate.drafts.sent()] == [draft_id]


async def test_an_edited_approval_sends_and_teaches_the_edited_text(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    done = await house.gate.drafts.approve(draft_id, "  The parcel was shipped by courier.  ")
    assert (done.text, done.edited) == ("The parcel was shipped by courier.", True)
    assert house.service.arrived[0][1] == "The parcel was shipped by courier."
    [(_, learned)] = await house.gate.classes.page()
    assert learned.text == "The parcel was shipped by courier."


async def test_two_tabs_and_double_clicks_send_once(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    done = await asyncio.gather(*(house.gate.drafts.approve(draft_id) for _ in range(10)))
    assert {d.status for d in done} <= {"sending", "sent"}
    await house.gate.sending.stop()
    assert len(house.service.arrived) == 1
    again = await house.gate.drafts.approve(draft_id, "something else")
    assert (again.text, len(house.service.arrived)) == ("The invoice is attached.", 1)


async def test_two_replicas_send_once(open_house: OpenHouse, database_url: str | None) -> None:
    if database_url is None:
        pytest.skip("a data folder has one owner")
    first = await open_house()
    second = await open_house(service=first.service)
    draft_id = await first.propose("The invoice is attached.")
    tasks = [house.gate.drafts.approve(draft_id) for house in (first, second) for _ in range(5)]
    await asyncio.gather(*tasks)
    assert (await first.gate.drafts.get(draft_id)).status in {"sending", "sent"}
    await first.gate.sending.stop()
    await second.gate.sending.stop()
    assert (await first.gate.drafts.get(draft_id)).status == "sent"
    assert len(first.service.arrived) == 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_what_a_replica_received_and_left_is_drafted_by_another(open_house: OpenHouse) -> None:
    """Once: one that lives is left its time, and what was begun is not begun again with every look."""
    first, second = await open_house(), await open_house(connected=False)
    first.mind.hold = asyncio.Event()
    writing = asyncio.create_task(first.write("Could you send the invoice?"))
    async with asyncio.timeout(30):
        await first.mind.asked_once.wait()
    await second.gate.recovery.beat()
    assert second.mind.asked == []
    await first.gate.replies.stop()  # as if it were gone
    await writing
    second.clock.advance(LEFT_MS / 1000 + 1)
    for _ in range(2):  # beside its own, which the clock has woken
        await asyncio.gather(*(second.gate.recovery.beat() for _ in range(3)))
        await second.gate.replies.settled()
    assert len(second.mind.asked) == 1
    [(_, draft)] = await second.gate.drafts.page()
    assert draft.status == "pending"


async def test_a_click_at_a_replica_that_is_not_connected_is_carried_out_by_the_one_that_is(
    open_house: OpenHouse, database_url: str | None
) -> None:
    if database_url is None:
        pytest.skip("a data folder has one owner")
    connected = await open_house()
    other = await open_house(connected=False)
    await connected.gate.carrying.announce()
    draft_id = await connected.propose("The invoice is attached.")
    done = await asyncio.gather(*(other.gate.drafts.approve(draft_id, "The invoice is here.") for _ in range(3)))
    assert [d.status for d in done] == ["sent"] * 3
    assert [text for _, text in connected.service.arrived] == ["The invoice is here."]
    assert (other.service.arrived, done[0].holder) == ([], connected.store.leases.holder)
    both = [
        house.gate.drafts.approve(second)
        for second in [await connected.propose("Gladly.")]
        for house in (other, connected)
    ]
    await asyncio.gather(*both)
    await connected.gate.sending.stop()
    assert [text for _, text in connected.service.arrived] == ["The invoice is here.", "Gladly."]
    long = await connected.propose("Short.")
    back = await other.gate.drafts.approve(long, "x" * 5000)
    assert (back.status, len(connected.service.arrived)) == ("pending", 2)
    assert "takes 4,096 characters" in back.reason


async def test_a_click_for_a_replica_that_dies_first_is_uncertain_and_one_for_nobody_stays(
    open_house: OpenHouse, database_url: str | None
) -> None:
    if database_url is None:
        pytest.skip("a data folder has one owner")
    connected = await open_house()
    other = await open_house(connected=False)
    draft_id = await connected.propose("The invoice is attached.")
    holder = connected.store.leases.holder
    await connected.gate.carrying.stop()

    async def dead(_connector: str) -> str | None:
        return holder

    other.gate.drafts.elsewhere = dead
    clicked = asyncio.create_task(other.gate.drafts.approve(draft_id))
    async with asyncio.timeout(20):
        while (draft := await other.gate.drafts.get(draft_id)).status == "pending":
            await other.store.heads.wait_beyond(draft.seq)
    gone = await connected.store.leases.acquire(f"gate/{holder}", 1)
    assert gone
    await connected.store.leases.release(gone)
    await other.gate.recovery.sweep()
    assert (await clicked).status == "uncertain"
    assert connected.service.arrived == []
    other.gate.drafts.elsewhere = other.gate.carrying.holder
    waiting = await connected.propose("Another one.")
    with pytest.raises(Conflict, match="connector not connected"):
        await other.gate.drafts.approve(waiting)
    assert (await other.gate.drafts.get(waiting)).status == "pending"


async def test_a_replica_that_lives_asks_the_service_what_became_of_a_dead_one_s_send(
    open_house: OpenHouse, database_url: str | None
) -> None:
    if database_url is None:
        pytest.skip("a data folder has one owner")
    died, lives = await open_house(), await open_house()
    for number, (known, status) in enumerate(((Delivered(external_id="m7"), "sent"), (None, "pending"))):
        draft_id = await died.propose(f"The invoice {number} is attached.")
        stale = await left_by(died, lives, draft_id)
        lives.service.known = known
        await lives.gate.recovery.sweep()
        assert (await lives.gate.drafts.get(draft_id)).status == status
        await died.gate.sending.begin(stale)  # it was only asleep, and wakes up
        assert (died.service.arrived, lives.service.arrived) == ([], [])


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_who_is_connected_asks_about_what_another_found_lost(open_house: OpenHouse) -> None:
    """Whoever finds it may not be connected; whoever is asks once, and no more when the service cannot say."""
    died, finds, connected = await open_house(), await open_house(connected=False), await open_house()
    for number, (known, status) in enumerate((("unsure", "uncertain"), (Delivered(external_id="m7"), "sent"))):
        draft_id = await died.propose(f"The invoice {number} is attached.")
        await left_by(died, finds, draft_id)
        await finds.gate.recovery.sweep()
        assert (await finds.gate.drafts.get(draft_id)).status == "uncertain"
        connected.service.known = known
        for _ in range(2):
            await connected.gate.recovery.beat()
        assert (await connected.gate.drafts.get(draft_id)).status == status
    assert connected.service.lookups == 2
    assert connected.service.arrived == []


async def left_by(died: House, lives: House, draft_id: str) -> Draft:
    """A draft that was approved for a process, which is gone before it begins."""
    holder = died.store.leases.holder
    await died.gate.carrying.stop()
    lives.gate.senders.remove("telegram")

    async def there(_connector: str) -> str | None:
        return holder

    lives.gate.drafts.elsewhere = there
    clicked = asyncio.create_task(lives.gate.drafts.approve(draft_id))
    async with asyncio.timeout(20):
        while (draft := await lives.gate.drafts.get(draft_id)).status == "pending":
            await lives.store.heads.wait_beyond(draft.seq)
    clicked.cancel()
    lives.gate.senders.register("telegram", lives.service)  # pyright: ignore[reportArgumentType]
    gone = await died.store.leases.acquire(f"gate/{holder}", 1)
    assert gone
    await died.store.leases.release(gone)
    return draft


async def test_approve_and_reject_at_once_are_one_decision(house: House) -> None:
    for _ in range(5):
        draft_id = await house.propose("The invoice is attached.")
        before = len(house.service.arrived)
        approve, reject = await asyncio.gather(
            house.gate.drafts.approve(draft_id), house.gate.drafts.reject(draft_id), return_exceptions=True
        )
        draft = await house.gate.drafts.get(draft_id)
        sent = len(house.service.arrived) - before
        assert (draft.status, sent) in {("sent", 1), ("rejected", 0)}
        assert isinstance(approve, Conflict) or isinstance(reject, Conflict)


async def test_rejecting_is_idempotent_and_final(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    assert (await house.gate.drafts.reject(draft_id)).status == "rejected"
    assert (await house.gate.drafts.reject(draft_id)).status == "rejected"
    with pytest.raises(Conflict, match="rejected"):
        await house.gate.drafts.approve(draft_id)
    assert house.service.arrived == []


async def test_nobody_to_send_it_leaves_it_pending(open_house: OpenHouse) -> None:
    house = await open_house(connected=False)
    draft_id = await house.propose("The invoice is attached.")
    with pytest.raises(NotConnected, match="connector not connected"):
        await house.gate.drafts.approve(draft_id)
    draft = await house.gate.drafts.get(draft_id)
    assert (draft.status, draft.reason) == ("pending", "connector not connected")
    house.gate.senders.register("telegram", house.service)  # pyright: ignore[reportArgumentType]
    assert (await house.gate.drafts.approve(draft_id)).status == "sent"


async def test_what_did_not_go_out_can_be_approved_again(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    house.service.fail_before = NotSent("Telegram wants to be left alone for 30 s.")
    returned = await house.gate.drafts.approve(draft_id)
    assert (returned.status, returned.reason) == ("pending", "Telegram wants to be left alone for 30 s.")
    assert await house.gate.classes.page() == []
    house.service.fail_before = None
    assert (await house.gate.drafts.approve(draft_id)).status == "sent"
    assert len(house.service.arrived) == 1


@pytest.mark.holds("D-HUB-23")
async def test_a_service_that_fails_after_having_sent_is_never_asked_to_send_again(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    house.service.fail_after = Unavailable("Telegram failed (500).")
    uncertain = await house.gate.drafts.approve(draft_id)
    assert uncertain.status == "uncertain"
    house.service.fail_after = None
    for _ in range(3):
        with pytest.raises(Conflict, match="not known"):
            await house.gate.drafts.approve(draft_id)
    await house.gate.sending.settle("telegram")
    await house.gate.recovery.sweep()
    assert len(house.service.arrived) == 1
    assert (await house.gate.drafts.resolve(draft_id, sent=True)).status == "sent"


async def test_the_owner_can_say_that_it_was_not_sent(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    house.service.fail_before = TimeoutError()
    assert (await house.gate.drafts.approve(draft_id)).status == "uncertain"
    house.service.fail_before = None
    assert (await house.gate.drafts.resolve(draft_id, sent=False)).status == "pending"
    assert (await house.gate.drafts.approve(draft_id)).status == "sent"
    assert len(house.service.arrived) == 1


async def test_a_service_that_can_be_asked_settles_it(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    house.service.fail_after = Unavailable("Telegram failed (500).")
    house.service.known = Delivered(external_id="m1")
    assert (await house.gate.drafts.approve(draft_id)).status == "sent"
    other = await house.propose("The other invoice is attached, too.")
    house.service.fail_before, house.service.known = Unavailable("no answer"), None
    assert (await house.gate.drafts.approve(other)).status == "pending"
    assert len(house.service.arrived) == 1


# On SQLite a data folder has one process; there `test_crash.py` kills it and starts another.
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_process_that_dies_while_sending_leaves_it_uncertain(open_house: OpenHouse) -> None:
    """The send reaches the service, and the process is gone before it could write that down."""
    first = await open_house()
    draft_id = await first.propose("The invoice is attached.")
    stuck = asyncio.Event()
    reached = asyncio.Event()

    async def hang() -> None:
        reached.set()
        await stuck.wait()

    first.service.before = hang
    click = asyncio.create_task(first.gate.drafts.approve(draft_id))
    await reached.wait()
    task = first.gate.sending.task_of(draft_id)
    assert task
    await first.gate.recovery.stop()
    lease = await first.store.leases.acquire(f"gate/{first.store.leases.holder}", 1)
    assert lease
    await first.store.leases.release(lease)  # as if it had run out
    second = await open_house()
    assert (await second.gate.drafts.get(draft_id)).status == "uncertain"
    with pytest.raises(Conflict):
        await second.gate.drafts.approve(draft_id)
    assert second.service.arrived == []
    stuck.set()  # it was only slow after all: what it did is written down
    await task
    await click
    assert (await second.gate.drafts.get(draft_id)).status == "sent"


async def test_a_send_by_policy_leaves_a_record(house: House) -> None:
    await house.gate.policy.patch({"mode": "full"})
    draft_id = await house.propose("The invoice is attached.")
    draft = await house.gate.drafts.get(draft_id)
    assert (draft.status, draft.decided_by) == ("sent", "policy")
    assert [d.id for _, d in await house.gate.drafts.sent()] == [draft_id]
    assert await house.gate.classes.page() == []  # only the owner teaches


async def test_the_same_proposal_twice_is_one(house: House) -> None:
    said = await house.write("hello", answer=False)
    proposal = Proposal(
        connector="telegram", channel_id=CHANNEL, text="The invoice is attached.", reply_to=said, key="k"
    )
    await house.gate.policy.patch({"mode": "full"})
    drafts = await asyncio.gather(*(house.gate.drafts.decide_and_draft_or_send(proposal) for _ in range(5)))
    assert len({d.id for d in drafts}) == 1
    assert len(house.service.arrived) == 1


async def test_learned_kinds_go_out_by_themselves_and_others_wait(house: House) -> None:
    await house.gate.drafts.approve(await house.propose("The invoice for the workshop is attached."))
    await house.gate.policy.patch({"perConnector": {"telegram": "auto_learned"}})
    same = await house.gate.drafts.get(await house.propose("The invoice for the second workshop is attached."))
    other = await house.gate.drafts.get(await house.propose("I sold the house and moved to Lisbon."))
    assert (same.status, same.decided_by) == ("sent", "policy")
    assert (other.status, other.reason) == ("pending", "You have not approved a reply of this kind yet.")
    [(_, learned)] = await house.gate.classes.page()
    assert (learned.id, learned.hits) == (same.class_id, 1)
    await house.gate.classes.revoke(learned.id)
    revoked = await house.gate.drafts.get(await house.propose("The invoice for the third workshop is attached."))
    assert revoked.status == "pending"


async def test_what_was_learned_on_one_connector_holds_there_alone(house: House) -> None:
    await house.gate.drafts.approve(await house.propose("The invoice for the workshop is attached."))
    await house.gate.policy.patch({"mode": "auto_learned"})
    house.gate.senders.register("x", house.service)  # pyright: ignore[reportArgumentType]
    said = await house.write("hello", number=77, answer=False)
    text = "The invoice for the workshop is attached."
    draft = await house.gate.drafts.decide_and_draft_or_send(
        Proposal(connector="x", channel_id=CHANNEL, text=text, reply_to=said, key="k")
    )
    assert draft.status == "pending"


async def test_beginning_a_conversation_needs_leave_and_a_reply_never_does(house: House) -> None:
    said = await house.write("hello", answer=False)
    cold = Proposal(connector="telegram", channel_id=CHANNEL, text="Buy my product now.")
    with pytest.raises(Forbidden, match="begin"):
        await house.gate.drafts.decide_and_draft_or_send(cold)
    own = next(m for m in await house.store.log.page("ch_hub") if m.actor_id == OWNER)
    with pytest.raises(Forbidden):  # a message of another channel is no leave
        await house.gate.drafts.decide_and_draft_or_send(
            Proposal(connector="telegram", channel_id=CHANNEL, text="Buy my product now.", reply_to=own.id)
        )
    reply = Proposal(connector="telegram", channel_id=CHANNEL, text="Hello to you.", reply_to=said)
    assert (await house.gate.drafts.decide_and_draft_or_send(reply)).status == "pending"
    await house.gate.policy.patch({"allowColdContact": True})
    assert (await house.gate.drafts.decide_and_draft_or_send(cold)).status == "pending"


async def test_what_the_tier_must_not_see_waits_in_every_mode_and_secrets_never_leave(house: House) -> None:
    await house.gate.policy.patch({"mode": "full"})
    held = await house.gate.drafts.get(await house.propose("Our margin is 40 percent. See you."))
    assert held.status == "pending"
    assert "external" in held.reason
    hidden = await house.gate.drafts.get(await house.propose("The door code is hunter2-hunter2, come in."))
    assert "hunter2" not in hidden.text
    assert all("hunter2" not in text for _, text in house.service.arrived)


async def test_bad_words_are_told(house: House) -> None:
    draft_id = await house.propose("The invoice is attached.")
    house.service.max_length = 30
    for text in ("", "   ", "x" * 16_001, "y" * 31):
        with pytest.raises(InvalidInput):
            await house.gate.drafts.approve(draft_id, text)
    with pytest.raises(NotFound):
        await house.gate.drafts.approve("drf_nothing")
    assert (await house.gate.drafts.get(draft_id)).status == "pending"
    assert house.service.arrived == []


async def test_a_rebuild_gives_the_same(house: House) -> None:
    first = await house.propose("The invoice is attached.")
    await house.gate.drafts.approve(first)
    await house.gate.drafts.reject(await house.propose("No such thing."))
    await house.gate.policy.patch({"mode": "auto_learned"})
    await house.propose("The invoice is attached, and paid.")
    before = await house.gate.drafts.page(), await house.gate.classes.page()
    await house.store.projector.rebuild("gate")
    assert (await house.gate.drafts.page(), await house.gate.classes.page()) == before


async def test_ten_thousand_drafts(house: House) -> None:
    """They are listed page by page, and one of them is approved, no slower than one of ten."""
    draft_id = await house.propose("The invoice is attached.")
    [proposed] = [m for m in await house.store.log.page(CHANNEL) if m.body.get("op") == "proposed"]
    for part in range(10):
        copies = [
            NewMessage(
                channel_id=CHANNEL,
                actor_id=PRIME,
                kind="gate",
                audience="hub",
                text=f"Answer {part} {i}",
                body={**proposed.body, "draftId": f"drf_{part}x{i}"},
            )
            for i in range(1000)
        ]
        await house.store.log.append(*copies)
    assert await house.gate.drafts.counts() == {"pending": 10_001}
    seen: set[str] = set()
    page = await house.gate.drafts.page(status="pending", limit=500)
    while page:
        seen |= {d.id for _, d in page}
        page = await house.gate.drafts.page(status="pending", before=page[-1][0], limit=500)
    assert len(seen) == 10_001
    assert (await house.gate.drafts.approve("drf_4x500")).status == "sent"
    assert (await house.gate.drafts.reject(draft_id)).status == "rejected"
    assert len(house.service.arrived) == 1


@pytest.mark.parametrize("link", ["javascript:alert(document.domain)", "data:text/html,x", "file:///etc/passwd", ""])
def test_a_service_cannot_hand_the_owner_a_link_that_is_no_address(link: str) -> None:
    """A service that turned bad answers what it likes; the page makes a link of it."""
    assert Delivered(url=link).url is None
    assert Delivered(url="HTTPS://example.org/a").url == "HTTPS://example.org/a"
