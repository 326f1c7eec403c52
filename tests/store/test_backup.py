import asyncio
import os
import shutil
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from prime.app import MIGRATIONS, PROJECTIONS
from prime.core.clock import FakeClock, SystemClock
from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.rooms.rooms import Rooms
from prime.store import archive
from prime.store.backup import Backups, restore, verify
from prime.store.file_digest import append_digest, cut_digest
from prime.store.folder import DataFolder
from prime.store.message import NewMessage, payload_hash
from prime.store.store import Store


def said(text: str) -> NewMessage:
    return NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text=text)


async def open_in(path: Path) -> Store:
    return await Store.open(DataFolder(path), None, SystemClock(), projections=PROJECTIONS, migrations=MIGRATIONS)


@pytest.fixture
async def filled(tmp_path: Path) -> AsyncIterator[Store]:
    store = await open_in(tmp_path / "data")
    await Rooms(store).open()
    await store.log.append(said("one"), said("二"), said("long " * 20_000))
    await store.live_settings.put("k", 1)
    yield store
    await store.close()


@pytest.fixture
def backups(tmp_path: Path) -> Backups:
    return Backups(DataFolder(tmp_path / "data"), FakeClock(), keep=3)


async def test_what_is_restored_is_the_original(filled: Store, backups: Backups, tmp_path: Path) -> None:
    attachment = await filled.attachments.put("pic.png", "image/png", b"\x89PNG")
    [secret] = await filled.log.append(said("forget me"))
    await filled.erase([secret.id], by="act_owner")
    original = await filled.log.after(0, 1000)
    made = await backups.create()
    path = backups.path(made.name)
    assert path.stat().st_mode & 0o777 == 0o600
    assert verify(path) == len(original)
    await filled.log.append(said("after the backup"))

    target = DataFolder(tmp_path / "restored")
    assert restore(path, target) == len(original)
    again = await open_in(target.path)
    try:
        assert await again.log.after(0, 1000) == original
        assert await again.live_settings.get("k") == 1
        assert await again.attachments.content(await again.attachments.get(attachment.id)) == b"\x89PNG"
        long = next(m for m in original if "fullTextAttachmentId" in m.body)
        text = await again.attachments.get(str(long.body["fullTextAttachmentId"]))
        assert await again.attachments.content(text) == b"long " * 20_000
        assert [c.name for _, c in await Rooms(again).channels()] == ["Prime"]
        assert (await again.log.append(said("it goes on")))[0].seq == len(original) + 1
    finally:
        await again.close()


async def test_taken_under_load_it_is_a_state_that_was(filled: Store, backups: Backups, tmp_path: Path) -> None:
    stop = asyncio.Event()

    async def write(name: int) -> None:
        number = 0
        while not stop.is_set():
            await filled.log.append(said(f"{name}-{number}"), said(f"{name}-{number}"))
            number += 1

    writers = [asyncio.create_task(write(n)) for n in range(4)]
    made = [await backups.create() for _ in range(3)]
    stop.set()
    await asyncio.gather(*writers)
    log = await filled.log.after(0, 100_000)
    for number, backup in enumerate(made):
        target = DataFolder(tmp_path / f"r{number}")
        count = restore(backups.path(backup.name), target)
        again = await open_in(target.path)
        held = await again.log.after(0, 100_000)
        await again.close()
        assert held == log[:count]  # a prefix, message for message
        assert len([m for m in held if m.text[1:2] == "-"]) % 2 == 0  # and no append is torn


async def test_two_at_once_are_two(filled: Store, backups: Backups) -> None:
    made = await asyncio.gather(*(backups.create() for _ in range(3)))
    assert len({b.name for b in made}) == 3
    assert [verify(backups.path(b.name)) for b in made] == [await filled.log.head()] * 3
    assert [p.name for p in backups.path(made[0].name).parent.iterdir() if "partial" in p.name] == []


async def test_the_oldest_go_and_the_newest_stay(filled: Store, tmp_path: Path) -> None:
    clock = FakeClock()
    backups = Backups(DataFolder(tmp_path / "data"), clock, keep=3)
    first = backups.path((await backups.create()).name)
    for number in range(1, 10):  # as if they had been taken in the same second
        shutil.copy(first, first.with_stem(f"{first.stem}-{number}"))
    tenth = (await backups.create()).name
    assert [b.name for b in backups.list()] == [f"{first.stem}-{number}.db" for number in (10, 9, 8)]
    clock.advance(1)
    later = (await backups.create()).name
    assert [b.name for b in backups.list()] == [later, tenth, f"{first.stem}-9.db"]
    keep_all = Backups(DataFolder(tmp_path / "data"), clock, keep=0)
    await keep_all.create()
    assert len(keep_all.list()) == 4


async def test_a_foreign_file_beside_them_is_left_alone(filled: Store, backups: Backups, tmp_path: Path) -> None:
    made = backups.path((await backups.create()).name)
    note = tmp_path / "data" / "backups" / "prime-mine.db"
    note.write_text("mine")
    for number in range(1, 4):
        shutil.copy(made, made.with_stem(f"{made.stem}-{number}"))
    await backups.create()
    assert not made.exists()  # there was something to let go
    assert note.read_text() == "mine"
    for name in ("prime-mine.db", "../prime.db", "prime-20260101-000000.db/../x", ""):
        with pytest.raises(NotFound):
            backups.path(name)


@pytest.mark.parametrize(
    "damage",
    ["UPDATE message SET text = 'forged' WHERE text = 'one'", "UPDATE message SET body = '{\"a\":1}' WHERE text = 'one'",
     "DELETE FROM message WHERE text = 'one'", "UPDATE attachment_blob SET content = x'00'", "DROP TABLE message"],
)  # fmt: skip
async def test_a_tampered_one_is_refused(filled: Store, backups: Backups, tmp_path: Path, damage: str) -> None:
    """Also by somebody who knows how the file ends: what was said and sent has hashes of its own."""
    path = backups.path((await backups.create()).name)
    cut_digest(path)
    connection = sqlite3.connect(path)
    triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for (name,) in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(damage)
    connection.commit()
    connection.close()
    append_digest(path)
    target = DataFolder(tmp_path / "restored")
    for check in (lambda: verify(path), lambda: restore(path, target)):
        with pytest.raises(InvalidInput) as refusal:
            check()
        assert refusal.value.error_code == "bad_backup"
    assert not target.database.exists()


@pytest.mark.parametrize(
    "forged",
    [{"body": "{"}, {"body": "[]"}, {"body": '{"a":' + "[" * 5000 + "]" * 5000 + "}"}, {"sources": "x"},
     {"sources": '{"a": 1}'}, {"kind": "nonsense"}, {"audience": "all"}, {"ts": "late"}, {"ts": 2**62}, {"ts": -1},
     {"course": "x"}, {"course": 0}, {"seq": -1}, {"text": b"one"}, {"id": b"msg"}],
    ids=lambda forged: str(forged)[:30],
)  # fmt: skip
async def test_one_whose_log_cannot_be_read_is_refused(
    filled: Store, backups: Backups, tmp_path: Path, forged: dict[str, object]
) -> None:
    """Its hashes fit: who can make a file can make those, too. It would have stopped every start."""
    path = backups.path((await backups.create()).name)
    cut_digest(path)
    with closing(sqlite3.connect(path)) as connection:
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        body = str(forged.get("body", "{}"))
        values = {"payload_hash": payload_hash("one", body), **forged}
        changes = ", ".join(f"{name} = ?" for name in values)
        connection.execute(f"UPDATE message SET {changes} WHERE text = 'one'", tuple(values.values()))
        for _, sql in guards:
            connection.execute(sql)
        connection.commit()
    append_digest(path)
    target = DataFolder(tmp_path / "restored")
    for check in (lambda: verify(path), lambda: restore(path, target)):
        with pytest.raises(InvalidInput, match=r"message [14] ") as refusal:
            check()
        assert refusal.value.error_code == "bad_backup"
    assert not target.database.exists()


@pytest.mark.parametrize(
    "change",
    ["DROP TRIGGER message_no_update",
     "CREATE TRIGGER more AFTER INSERT ON message BEGIN DELETE FROM secret; END",
     "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
     "CREATE VIRTUAL TABLE found USING fts5(text)"],
)  # fmt: skip
async def test_one_whose_database_would_do_something_else_is_refused(
    filled: Store, backups: Backups, tmp_path: Path, change: str
) -> None:
    path = backups.path((await backups.create()).name)
    cut_digest(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    append_digest(path)
    target = DataFolder(tmp_path / "restored")
    with pytest.raises(InvalidInput, match="append-only"):
        restore(path, target)
    assert not target.database.exists()


async def test_a_single_bit_is_noticed_wherever_it_is(filled: Store, backups: Backups, tmp_path: Path) -> None:
    whole = backups.path((await backups.create()).name).read_bytes()
    held = [place for place, byte in enumerate(whole) if byte]
    changed, target = tmp_path / "changed.db", DataFolder(tmp_path / "restored")
    for place in [*held[:: len(held) // 100], len(whole) - 1, whole.index(b"\0" * 64)]:
        changed.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(InvalidInput):
            verify(changed)
    with pytest.raises(InvalidInput):
        restore(changed, target)
    assert not target.database.exists()
    changed.write_bytes(whole)
    restore(changed, target)
    with closing(sqlite3.connect(target.database)) as restored:
        assert restored.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert b"prime-sha256" not in target.database.read_bytes()


@pytest.mark.parametrize("cut", [0, 100, 4096, -4096, -1])
async def test_a_torn_one_is_refused(filled: Store, backups: Backups, tmp_path: Path, cut: int) -> None:
    whole = backups.path((await backups.create()).name)
    torn = tmp_path / "torn?#%20 .db"
    torn.write_bytes(whole.read_bytes()[:cut])
    with pytest.raises(InvalidInput):
        verify(torn)
    torn.write_bytes(whole.read_bytes())
    assert verify(torn) == await filled.log.head()
    with pytest.raises(NotFound):
        verify(tmp_path / "nowhere.db")


async def test_a_folder_in_use_or_not_empty_is_left_as_it_is(filled: Store, backups: Backups, tmp_path: Path) -> None:
    path = backups.path((await backups.create()).name)
    running = DataFolder(tmp_path / "running")
    running.own()
    with pytest.raises(Conflict, match="in use"):
        restore(path, DataFolder(running.path))
    running.release()
    with pytest.raises(Conflict, match="holds a database already"):
        restore(path, DataFolder(tmp_path / "data"))
    assert await filled.log.head() == len(await filled.log.after(0))


async def test_leftovers_of_a_database_that_is_gone_do_no_harm(filled: Store, backups: Backups, tmp_path: Path) -> None:
    path = backups.path((await backups.create()).name)
    original = await filled.log.after(0)
    other = await open_in(tmp_path / "other")
    await Rooms(other).open()
    await Rooms(other).create_channel("Elsewhere", tier="team")
    await Rooms(other).channels()
    target = tmp_path / "target"
    shutil.copytree(tmp_path / "other", target)  # with its write-ahead logs, as a killed process leaves them
    await other.close()
    (target / "prime.db").unlink()
    restore(path, DataFolder(target))
    again = await open_in(target)
    assert await again.log.after(0) == original
    assert [c.name for _, c in await Rooms(again).channels()] == ["Prime"]
    await again.close()


async def test_without_a_database_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    backups = Backups(DataFolder(tmp_path / "empty"), FakeClock(), keep=1)
    assert backups.list() == []
    with pytest.raises(Conflict, match="no database"):
        await backups.create()


async def test_an_index_that_does_not_fit_is_noticed(filled: Store, backups: Backups) -> None:
    """All that was said is as it was, and SQLite would look for it in the wrong place."""
    path = backups.path((await backups.create()).name)
    cut_digest(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE INDEX by_text ON message (text)")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = 'CREATE INDEX by_text ON message (id)' WHERE name = 'by_text'")
    connection.close()
    append_digest(path)
    with pytest.raises(InvalidInput, match="damaged"):
        verify(path)


@pytest.mark.parametrize("kind", ["plain", "full", "sealed"])
async def test_nobody_else_can_read_one(filled: Store, backups: Backups, tmp_path: Path, kind: str) -> None:
    before = os.umask(0)
    try:
        made = await backups.create(full=kind != "plain", passphrase="word" if kind == "sealed" else None)
        restore(backups.path(made.name), DataFolder(tmp_path / "restored"), "word")
    finally:
        os.umask(before)
    for path in (backups.path(made.name), tmp_path / "restored" / "prime.db"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(backups.path(made.name).parent.stat().st_mode) == 0o700


async def test_one_that_cannot_be_read_back_is_none(
    filled: Store, backups: Backups, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that says yes to everything."""

    def pack_badly(*given: Any) -> None:
        archive.pack(*given)
        os.truncate(given[1], given[1].stat().st_size - 1)

    monkeypatch.setattr("prime.store.backup.archive", SimpleNamespace(**vars(archive) | {"pack": pack_badly}))
    with pytest.raises(InvalidInput):
        await backups.create(full=True)
    assert backups.list() == []
