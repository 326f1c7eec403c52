import asyncio
import hashlib
from pathlib import Path

import pytest
from sqlalchemy import func, select

from prime.core.clock import SystemClock
from prime.core.errors import InvalidInput, NotFound, TooLarge
from prime.store import tables
from prime.store.attachments import MAX_BYTES
from prime.store.store import Store


async def contents(store: Store, folder: Path) -> int:
    if store.database.engine_name == "sqlite":
        return sum(path.is_file() for path in (folder / "data" / "attachments").rglob("*"))
    blobs = select(func.count()).select_from(tables.attachment_blob)
    return await store.database.read(lambda c: c.execute(blobs).scalar_one())


async def test_the_same_bytes_are_kept_once(store: Store, tmp_path: Path) -> None:
    first, second = await asyncio.gather(
        store.attachments.put("a.txt", "text/plain", b"same"), store.attachments.put("b.bin", "x/y", b"same")
    )
    other = await store.attachments.put("c", "x/y", b"")
    assert first.id != second.id
    assert first.sha256 == second.sha256 == hashlib.sha256(b"same").hexdigest()
    assert await contents(store, tmp_path) == 2
    assert await store.attachments.get(second.id) == second
    assert await store.attachments.content(other) == b""


async def test_removing_keeps_what_another_has(store: Store, tmp_path: Path) -> None:
    first = await store.attachments.put("a", "x/y", b"same")
    second = await store.attachments.put("b", "x/y", b"same")
    await store.attachments.remove(first.id)
    assert await store.attachments.content(second) == b"same"
    await store.attachments.remove(second.id)
    assert await contents(store, tmp_path) == 0
    with pytest.raises(NotFound, match="no attachment"):
        await store.attachments.get(first.id)
    with pytest.raises(NotFound, match="missing"):
        await store.attachments.content(second)
    with pytest.raises(NotFound):
        await store.attachments.remove(second.id)


async def test_bringing_and_removing_the_same_content_at_once_loses_nothing(store: Store) -> None:
    for _ in range(10):
        old = await store.attachments.put("old", "x/y", b"same")
        new, _ = await asyncio.gather(store.attachments.put("new", "x/y", b"same"), store.attachments.remove(old.id))
        assert await store.attachments.content(new) == b"same"
        await store.attachments.remove(new.id)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_what_one_replica_lets_go_another_may_bring_at_once(store: Store, postgresql_url: str) -> None:
    other = await Store.open(store.folder, postgresql_url, SystemClock())
    try:
        for _ in range(20):
            old = await store.attachments.put("old", "x/y", b"same")
            new, _ = await asyncio.gather(
                other.attachments.put("new", "x/y", b"same"), store.attachments.remove(old.id)
            )
            assert await store.attachments.content(new) == b"same"
            await other.attachments.remove(new.id)
    finally:
        await other.close()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_twelve_megabytes_and_not_a_byte_more(store: Store) -> None:
    assert (await store.attachments.put("most", "x/y", bytes(MAX_BYTES))).size == MAX_BYTES
    with pytest.raises(TooLarge):
        await store.attachments.put("more", "x/y", bytes(MAX_BYTES + 1))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\报告.pdf", "报告.pdf"),
        ("/abs/name", "name"),
        ("a\x00b\r\n\x1b[31mc", "ab[31mc"),
        ("x" * 400 + ".txt", "x" * 251 + ".txt"),
        ("\ud800.txt", "\N{REPLACEMENT CHARACTER}.txt"),
        ("  .hidden ", ".hidden"),
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_names_are_plain(store: Store, tmp_path: Path, given: str, kept: str) -> None:
    attachment = await store.attachments.put(given, "x/y", b"1")
    assert (await store.attachments.get(attachment.id)).name == kept
    # Where it lies is told by its hash alone, whatever it is called.
    [path] = [p for p in (tmp_path / "data" / "attachments").rglob("*") if p.is_file()]
    assert path.name == attachment.sha256


@pytest.mark.parametrize("name", ["", "/", "..", "a/..", "\x00", " "])
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_name_is_refused(store: Store, name: str) -> None:
    with pytest.raises(InvalidInput):
        await store.attachments.put(name, "x/y", b"1")
