import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import asyncpg
import pytest
from sqlalchemy import Connection, insert, text
from sqlalchemy.exc import DBAPIError

from prime.core.clock import FakeClock
from prime.core.errors import Conflict, InvalidInput, NotFound, TooLarge, Unavailable
from prime.core.ids import new_id
from prime.store import tables
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.rows import read_head
from prime.store.store import Store


def said(words: str, channel: str = "ch_a", **fields: object) -> NewMessage:
    return NewMessage(channel_id=channel, actor_id="act_owner", kind="text", text=words, **fields)  # pyright: ignore[reportArgumentType]


async def test_what_is_appended_is_read_back(store: Store) -> None:
    [first, second] = await store.log.append(
        said("one"), said("二", body={"b": 1, "a": [None, 1.5]}, sources=["msg_x"])
    )
    assert [first.seq, second.seq] == [1, 2]
    assert await store.log.page("ch_a") == [first, second]
    assert await store.log.get(second.id) == second
    assert second.body == {"a": [None, 1.5], "b": 1}
    assert await store.log.after(1) == [second]
    assert await store.log.head() == 2


async def test_pages_go_both_ways(store: Store) -> None:
    await store.log.append(*(said(str(n), channel="ch_a" if n % 2 else "ch_b") for n in range(1, 21)))
    last = await store.log.page("ch_a", limit=3)
    assert [m.text for m in last] == ["15", "17", "19"]
    older = await store.log.page("ch_a", before=last[0].seq, limit=3)
    assert [m.text for m in older] == ["9", "11", "13"]
    newer = await store.log.page("ch_a", after=older[-1].seq, limit=2)
    assert [m.text for m in newer] == ["15", "17"]


async def test_the_hubs_notes_are_left_out_for_the_room(store: Store) -> None:
    await store.log.append(said("for all"), said("for the hub", audience="hub"))
    assert [m.text for m in await store.log.page("ch_a", audience="room")] == ["for all"]


async def test_concurrent_appends_are_dense_and_in_order(store: Store) -> None:
    async def writer(number: int) -> list[int]:
        return [(await store.log.append(said(f"{number}-{i}")))[0].seq for i in range(20)]

    placed = await asyncio.gather(*(writer(n) for n in range(16)))
    assert sorted(seq for seqs in placed for seq in seqs) == list(range(1, 321))
    assert all(seqs == sorted(seqs) for seqs in placed)


async def test_seq_is_commit_order_for_a_reader_that_follows(store: Store) -> None:
    """A cursor that moves to the highest seq it has seen never misses a message that commits later."""
    total = 400
    seen: list[int] = []

    async def follow() -> None:
        while len(seen) < total:
            seen.extend(m.seq for m in await store.log.after(seen[-1] if seen else 0))

    async def write(number: int) -> None:
        for i in range(total // 20):
            await store.log.append(said(f"{number}-{i}"))

    await asyncio.gather(follow(), *(write(n) for n in range(20)))
    assert seen == list(range(1, total + 1))


async def test_one_bad_message_does_not_fail_its_batch(store: Store) -> None:
    [taken] = await store.log.append(said("first"))
    same_id = said("again", id=taken.id)
    results = await asyncio.gather(
        *(store.log.append(said(f"good {n}")) for n in range(5)),
        store.log.append(same_id),
        *(store.log.append(said(f"good {n}")) for n in range(5, 10)),
        return_exceptions=True,
    )
    assert sum(isinstance(r, BaseException) for r in results) == 1
    assert isinstance(results[5], BaseException)
    assert len(await store.log.page("ch_a")) == 11


async def test_the_same_key_is_the_same_message(store: Store) -> None:
    [first] = await store.log.append(said("hello", idempotency_key="k1"))
    [again] = await store.log.append(said("hello", idempotency_key="k1"))
    assert again == first
    both = await asyncio.gather(*(store.log.append(said("x", idempotency_key="k2")) for _ in range(8)))
    assert len({m[0].id for m in both}) == 1
    [elsewhere] = await store.log.append(said("hello", channel="ch_b", idempotency_key="k1"))
    assert elsewhere.id != first.id


async def test_a_key_of_which_nothing_can_be_kept_is_refused(store: Store) -> None:
    for _ in range(2):
        with pytest.raises(InvalidInput, match="idempotency key"):
            await store.log.append(said("once", idempotency_key="\0"))
    assert await store.log.after(0) == []


async def test_what_was_said_is_not_in_an_error_of_the_database(store: Store) -> None:
    ids = ["hunter2", "hunter2"]
    with pytest.raises(DBAPIError) as failed:
        await store.database.write(lambda c: [c.execute(insert(tables.erasure).values(message_id=i)) for i in ids])
    assert "hunter2" not in str(failed.value).partition("[SQL")[2]


async def test_the_same_key_twice_in_one_append_is_one_message(store: Store) -> None:
    [first, again, other] = await store.log.append(
        said("hello", idempotency_key="k"), said("hello", idempotency_key="k"), said("more")
    )
    assert again == first
    assert [m.text for m in await store.log.page("ch_a")] == ["hello", "more"]
    assert other.seq == 2


async def test_a_caller_who_gives_up_does_not_hide_the_message(store: Store) -> None:
    """What was handed to the writer is appended; whoever follows the log hears of it without another message."""
    append = asyncio.create_task(store.log.append(said("given up")))
    await asyncio.sleep(0)  # the write is queued now
    append.cancel()
    with pytest.raises(asyncio.CancelledError):
        await append
    assert await asyncio.wait_for(store.heads.wait_beyond(0), 5) == 1
    assert await store.log.head() == 1
    assert [m.text for m in await store.log.after(0)] == ["given up"]


async def test_text_is_cleaned_and_what_cannot_be_stored_is_refused(store: Store) -> None:
    [message] = await store.log.append(said("a\x00b\ud800c", body={"k\x00": "v\udfff"}))
    assert message.text == "ab\N{REPLACEMENT CHARACTER}c"
    assert (await store.log.get(message.id)).body == message.body
    with pytest.raises(InvalidInput):
        await store.log.append(said("x", body={"n": float("nan")}))
    with pytest.raises(InvalidInput):
        await store.log.append(said("x", channel=""))
    with pytest.raises(TooLarge):
        await store.log.append(said("x", body={"n": "x" * 2_000_000}))


async def test_a_long_text_becomes_an_attachment(store: Store) -> None:
    long = "长" * 40_000
    [message] = await store.log.append(said(long))
    assert len(message.text) < 2100
    attachment = await store.attachments.get(str(message.body["fullTextAttachmentId"]))
    assert (await store.attachments.content(attachment)).decode() == long


ROW = {
    "seq": 1, "id": "msg_forged", "channel_id": "c", "actor_id": "a", "ts": 0, "kind": "text", "audience": "room",
    "text": "forged", "body": "{}", "course": 1, "sources": "[]", "payload_hash": "",
}  # fmt: skip


ON_BOTH = [
    "UPDATE message SET text = 'forged'",
    "UPDATE message SET text = '', body = '{}'",
    "UPDATE message SET seq = 99",
    "DELETE FROM message",
    "DELETE FROM erasure",
    "UPDATE erasure SET message_id = 'x'",
    (
        "INSERT INTO message SELECT 0, 'msg_new', channel_id, actor_id, ts, kind, audience, 'forged', body, course, "
        "source_tag, sources, payload_hash, NULL FROM message WHERE seq = 1"
    ),
]
ON_SQLITE = [
    (
        "INSERT OR REPLACE INTO message SELECT 1, 'msg_new', channel_id, actor_id, ts, kind, audience, 'forged', body, "
        "course, source_tag, sources, payload_hash, NULL FROM message WHERE seq = 1"
    ),
    (
        "INSERT OR REPLACE INTO message SELECT 99, id, channel_id, actor_id, ts, kind, audience, 'forged', body, "
        "course, source_tag, sources, payload_hash, NULL FROM message WHERE seq = 1"
    ),
    (
        "INSERT OR REPLACE INTO message SELECT 99, 'msg_new', channel_id, actor_id, ts, kind, audience, 'forged', body, "
        "course, source_tag, sources, payload_hash, idempotency_key FROM message WHERE seq = 1"
    ),
    "REPLACE INTO erasure SELECT message_id FROM erasure",
    "UPDATE OR REPLACE message SET id = 'msg_2'",
    "INSERT INTO message SELECT * FROM message WHERE true ON CONFLICT (seq) DO UPDATE SET text = 'forged'",
]
ON_POSTGRESQL = [
    "TRUNCATE message",
    "TRUNCATE erasure",
    "TRUNCATE message CASCADE",
    "MERGE INTO message m USING (SELECT 1 AS seq) given ON m.seq = given.seq WHEN MATCHED THEN DELETE",
    "INSERT INTO message SELECT * FROM message ON CONFLICT (seq) DO UPDATE SET text = 'forged'",
]


@pytest.mark.parametrize(
    ("database_url", "statement"),
    [
        *(pytest.param("sqlite", statement) for statement in ON_BOTH + ON_SQLITE),
        *(pytest.param("postgresql", statement) for statement in ON_BOTH + ON_POSTGRESQL),
    ],
    indirect=["database_url"],
)
async def test_the_database_itself_refuses_changes(store: Store, statement: str) -> None:
    [first, second] = await store.log.append(said("mine", idempotency_key="k"), said("other"))
    await store.log.erase([second.id], by="act_owner")
    before = await store.log.after(0)
    with pytest.raises(Exception, match="append-only"):
        await store.database.write(lambda c: c.execute(text(statement)))
    assert await store.log.after(0) == before
    assert before[0] == first


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("statement", ["DELETE FROM message", "UPDATE message SET text = ''", "TRUNCATE message"])
async def test_a_session_that_says_it_replicates_is_refused_as_well(store: Store, statement: str) -> None:
    def job(connection: Connection) -> None:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text(statement))

    await store.log.append(said("mine"))
    with pytest.raises(Exception, match="append-only"):
        await store.database.write(job)


async def test_a_forged_row_in_the_past_is_refused(store: Store) -> None:
    await store.log.append(said("one"))
    with pytest.raises(Exception, match=r"append-only|duplicate key"):
        await store.database.write(lambda c: c.execute(insert(tables.message).values(ROW)))


async def test_erasing_blanks_the_payload_and_keeps_the_header(store: Store) -> None:
    attachment = await store.attachments.put("a.txt", "text/plain", b"secret")
    [kept, message] = await store.log.append(said("keep"), said("secret", body={"attachmentIds": [attachment.id]}))
    erasure = await store.log.erase([message.id], by="act_owner")
    blank = await store.log.get(message.id)
    assert (blank.text, blank.body) == ("", {})
    assert (blank.seq, blank.payload_hash, blank.ts) == (message.seq, message.payload_hash, message.ts)
    assert erasure.notice.kind == "erased"
    assert erasure.notice.body["messageIds"] == [message.id]
    assert erasure.attachment_ids == (attachment.id,)
    assert await store.log.get(kept.id) == kept
    with pytest.raises(Conflict):
        await store.log.erase([message.id], by="act_owner")


async def test_a_thousand_messages_are_erased_with_all_that_repeats_them(store: Store) -> None:
    """However many are named and however long the chain: neither database takes a statement of any length."""
    said_long_ago = await store.log.append(*(said(f"word {number}") for number in range(1_100)))
    chain = [said_long_ago[-1].id]
    for number in range(20):
        [brief] = await store.log.append(replace(said(f"in other words {number}"), kind="brief", sources=(chain[-1],)))
        chain.append(brief.id)
    unread = replace(said("seen"), kind="decision", body={"upTo": 5}, sources=(chain[0],))
    summary = replace(said("all of it"), kind="state", sources=(chain[5],))
    [_, first, later, elsewhere] = await store.log.append(
        unread, summary, replace(said("and more"), kind="state"), replace(said("x"), kind="state", channel_id="ch_b")
    )
    erasure = await store.log.erase([message.id for message in said_long_ago], by="act_owner")
    assert set(erasure.message_ids) == {*(m.id for m in said_long_ago), *chain, first.id, later.id}
    assert erasure.oldest_ts == said_long_ago[0].ts
    everything = [message for message in await store.log.after(0, 2000) if message.text]
    assert [message.text for message in everything] == ["seen", elsewhere.text]


async def test_erasing_refuses_what_holds_up_the_house(store: Store) -> None:
    made = NewMessage(channel_id="ch_a", actor_id="act_owner", kind="channel", body={"name": "A"})
    await store.log.append(made)
    with pytest.raises(InvalidInput):
        await store.log.erase([made.id], by="act_owner")
    with pytest.raises(NotFound):
        await store.log.erase(["msg_nobody"], by="act_owner")
    with pytest.raises(InvalidInput):
        await store.log.erase([], by="act_owner")


async def test_also_runs_in_the_same_transaction(store: Store) -> None:
    def fails(connection: Connection) -> None:
        connection.execute(insert(tables.live_setting).values(key="k", value="1", updated_at=0))
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        await store.log.append(said("never"), also=fails)
    assert await store.log.head() == 0
    assert await store.live_settings.get("k") is None


async def test_a_closed_database_says_so(store: Store) -> None:
    await store.close()
    with pytest.raises(Unavailable, match="closed"):
        await store.log.append(said("late"))
    with pytest.raises(Unavailable, match="closed"):
        await store.database.read(read_head)
    with pytest.raises(Unavailable, match="closed"):
        await store.database.derive(read_head)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_closing_leaves_no_connection_behind(store: Store, postgresql_url: str) -> None:
    """Neither of who reads at that moment, nor of the flush that follows a result of a tool."""
    await store.log.append(said("a result"), durability="soon")
    slow = asyncio.create_task(store.database.read(lambda c: c.exec_driver_sql("SELECT pg_sleep(0.1)").scalar_one()))
    await asyncio.sleep(0.05)
    await store.close()
    await slow
    other: Any = await cast("Any", asyncpg).connect(postgresql_url)
    try:
        count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        assert await other.fetchval(count) == 0
    finally:
        await other.close()


async def test_repetitions_are_found_in_a_crowd(store: Store) -> None:
    """Many keys at once, some used before, some twice in the crowd, beside one that fails and one that does more."""
    before = await store.log.append(*(said(f"old {n}", idempotency_key=f"old {n}") for n in range(5)))
    crowd = [said(f"{n}", idempotency_key=f"old {n}" if n < 5 else f"new {n % 150}") for n in range(300)]
    bad = said("again", id=before[0].id)
    results = await asyncio.gather(
        *(store.log.append(message) for message in crowd[:100]),
        store.log.append(bad),
        store.log.append(*crowd[100:250], also=lambda c: c.execute(text("SELECT 1")).all()),
        *(store.log.append(message) for message in crowd[250:]),
        return_exceptions=True,
    )
    assert isinstance(results.pop(100), BaseException)
    placed = [message for result in results if isinstance(result, list) for message in result]
    assert placed[:5] == before
    by_key = {crowd[n].idempotency_key: message.id for n, message in enumerate(placed)}
    assert [m.id for m in placed] == [by_key[m.idempotency_key] for m in crowd]
    kept = await store.log.after(0, 1000)
    assert [m.seq for m in kept] == list(range(1, 5 + 150 + 1))


async def test_a_commit_of_many_messages_touches_few_pages(tmp_path: Path) -> None:
    """Each page that a commit touches is written to the disk: their ids may not lie all over the index."""
    store = await Store.open(DataFolder(tmp_path), None, FakeClock())
    written = tmp_path / "prime.db-wal"
    try:
        await store.log.append(*(said("x", id=new_id("msg")) for _ in range(3_000)))
        together = [said("x") for _ in range(64)]
        apart = [said("x", id=new_id("msg")) for _ in range(64)]
        pages: list[int] = []
        for messages in (together, apart):
            await store.database.scrub()
            await store.log.append(*messages)
            pages.append(written.stat().st_size // 4096)
    finally:
        await store.close()
    assert pages[0] < 24
    assert pages[1] > 2 * pages[0], "this test sees the difference"
