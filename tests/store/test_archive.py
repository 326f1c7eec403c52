"""Full backups: the key is with the data, a passphrase seals both, and what is torn or changed is refused."""

import asyncio
import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest

from prime.app import MIGRATIONS, PROJECTIONS
from prime.core.clock import FakeClock, SystemClock
from prime.core.errors import Conflict, InvalidInput
from prime.core.secret_box import SecretBox
from prime.rooms.rooms import Rooms
from prime.store.archive import LIST, pack, unpack
from prime.store.backup import Backups, restore, verify
from prime.store.file_digest import append_digest
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.sealing import PART, SealedReader, SealedWriter
from prime.store.secrets import Secrets
from prime.store.store import Store


async def open_in(path: Path) -> Store:
    return await Store.open(DataFolder(path), None, SystemClock(), projections=PROJECTIONS, migrations=MIGRATIONS)


@pytest.fixture
async def folder(tmp_path: Path) -> DataFolder:
    return await filled(tmp_path / "data")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str | None, bytes]:
    """A full backup without a passphrase, and one that is sealed with `right`."""

    async def made() -> dict[str | None, bytes]:
        backups = Backups(await filled(tmp_path_factory.mktemp("archives") / "data"), FakeClock(), keep=3)
        found = {word: await backups.create(full=True, passphrase=word) for word in (None, "right")}
        return {word: backups.path(backup.name).read_bytes() for word, backup in found.items()}

    return asyncio.run(made())


async def filled(path: Path) -> DataFolder:
    """A data folder with a message, an attachment and a secret, closed again."""
    folder = DataFolder(path)
    store = await open_in(folder.path)
    await Rooms(store).open()
    await store.log.append(NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text="words"))
    await store.attachments.put("a.bin", "application/x", b"\0\1" * 700_000)
    await Secrets(store.database, SecretBox.from_file(folder.secret_key), FakeClock()).put("token", "s3cr3t-value")
    await store.close()
    return folder


@pytest.mark.parametrize("passphrase", [None, "correct horse", "пароль 密码"])
async def test_a_full_one_brings_back_the_secrets_too(
    folder: DataFolder, tmp_path: Path, passphrase: str | None
) -> None:
    backups = Backups(folder, FakeClock(), keep=3)
    made = await backups.create(full=True, passphrase=passphrase)
    path = backups.path(made.name)
    assert made.name.endswith(".tar.sealed" if passphrase else ".tar")
    assert path.stat().st_mode & 0o777 == 0o600
    assert (b"words" in path.read_bytes()) == (passphrase is None)
    target = DataFolder(tmp_path / "elsewhere")
    assert verify(path, passphrase) == restore(path, target, passphrase) == 4
    store = await open_in(target.path)
    secrets = Secrets(store.database, SecretBox.from_file(target.secret_key), FakeClock())
    assert await secrets.use("token") == "s3cr3t-value"
    assert (await store.log.after(3))[0].text == "words"
    await store.close()
    assert left_over(tmp_path) == []


def left_over(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if "partial" in p.name or "unpacked" in p.name]


async def test_a_plain_one_does_not_hold_the_key(folder: DataFolder) -> None:
    backups = Backups(folder, FakeClock(), keep=3)
    plain = backups.path((await backups.create()).name).read_bytes()
    assert folder.secret_key.read_bytes().strip() not in plain
    assert b"s3cr3t-value" not in plain


async def test_without_the_passphrase_nothing_opens(archives: dict[str | None, bytes], tmp_path: Path) -> None:
    path = tmp_path / "sealed.tar.sealed"
    path.write_bytes(archives["right"])
    for wrong in (None, "", "Right", "right "):
        with pytest.raises(InvalidInput) as refusal:
            restore(path, DataFolder(tmp_path / "x"), wrong)
        assert refusal.value.error_code in {"sealed", "bad_backup"}
    assert not (tmp_path / "x" / "prime.db").exists()


@pytest.mark.parametrize("passphrase", [None, "right"])
@pytest.mark.parametrize(
    "harm",
    [
        "cut by one",
        "cut in half",
        "cut to the head",
        "one bit",
        "a bit of the head",
        "a bit near the end",
        "more",
        "empty",
    ],
)
async def test_torn_and_changed_ones_are_refused(
    archives: dict[str | None, bytes], tmp_path: Path, harm: str, passphrase: str | None
) -> None:
    whole = bytearray(archives[passphrase])
    end = len(whole)
    harmed = {
        "cut by one": whole[: end - 1],
        "cut in half": whole[: len(whole) // 2],
        "cut to the head": whole[:40],
        "one bit": whole[: end // 2] + bytes([whole[end // 2] ^ 1]) + whole[end // 2 + 1 :],
        "a bit of the head": whole[:30] + bytes([whole[30] ^ 1]) + whole[31:],
        "a bit near the end": whole[: end - 2000] + bytes([whole[end - 2000] ^ 1]) + whole[end - 1999 :],
        "more": whole + b"x",
        "empty": b"",
    }[harm]
    path = tmp_path / "harmed.tar"
    path.write_bytes(harmed)
    for attempt in (lambda: verify(path, passphrase), lambda: restore(path, DataFolder(tmp_path / "x"), passphrase)):
        with pytest.raises(InvalidInput) as refusal:
            attempt()
        assert refusal.value.error_code == "bad_backup"
    assert not (tmp_path / "x" / "prime.db").exists()


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "prime.db/../../outside", ".hidden", "unlisted"])
async def test_an_archive_cannot_write_elsewhere(tmp_path: Path, name: str) -> None:
    path = tmp_path / "evil.tar"
    listed = "{}" if name == "unlisted" else f'{{"{name}": {{"size": 1, "sha256": "x"}}}}'
    head = f'{{"prime": "backup", "format": 1, "files": {listed}}}'.encode()
    with tarfile.open(path, "w") as tar:
        for member, content in (("prime-backup.json", head), (name, b"x")):
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    append_digest(path)
    with pytest.raises(InvalidInput, match=r"elsewhere|does not belong"):
        verify(path)
    assert not (tmp_path / "outside").exists()
    assert not (tmp_path.parent / "outside").exists()


@pytest.mark.parametrize(
    ("listed", "why"),
    [({"prime.db": {"sha256": "x"}}, "prime.db has changed"), ({"prime.db": {}, "more": {}}, "more is missing")],
)
async def test_an_archive_holds_what_its_list_says(tmp_path: Path, listed: dict[str, dict[str, str]], why: str) -> None:
    path = tmp_path / "odd.tar"
    content = b"x"
    known = {
        name: {"size": 1, "sha256": hashlib.sha256(content).hexdigest(), **facts} for name, facts in listed.items()
    }
    head = json.dumps({"prime": "backup", "format": 1, "files": known}).encode()
    with tarfile.open(path, "w") as tar:
        for member, held in (("prime-backup.json", head), ("prime.db", content)):
            entry = tarfile.TarInfo(member)
            entry.size = len(held)
            tar.addfile(entry, io.BytesIO(held))
    append_digest(path)
    with pytest.raises(InvalidInput, match=why):
        verify(path)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, "sparse"])
async def test_an_archive_holds_plain_files_alone(tmp_path: Path, kind: bytes | str) -> None:
    path = tmp_path / "evil.tar"
    head = b'{"prime": "backup", "format": 1, "files": {"prime.db": {"size": 1, "sha256": "x"}}}'
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        first, odd = tarfile.TarInfo("prime-backup.json"), tarfile.TarInfo("prime.db")
        first.size = len(head)
        tar.addfile(first, io.BytesIO(head))
        if isinstance(kind, bytes):
            odd.type, odd.linkname = kind, "/etc/passwd"
            tar.addfile(odd)
        else:  # a few bytes that stand for a million of millions
            odd.pax_headers = {"GNU.sparse.map": f"{10**12 - 512},512", "GNU.sparse.size": str(10**12)}
            odd.size = 512
            tar.addfile(odd, io.BytesIO(b"x" * 512))
    append_digest(path)
    with pytest.raises(InvalidInput, match="does not belong"):
        verify(path)


async def test_a_folder_with_another_key_keeps_it(folder: DataFolder, tmp_path: Path) -> None:
    backups = Backups(folder, FakeClock(), keep=3)
    path = backups.path((await backups.create(full=True)).name)
    target = DataFolder(tmp_path / "x")
    SecretBox.from_file(target.secret_key)
    before = target.secret_key.read_bytes()
    with pytest.raises(Conflict, match="another key"):
        restore(path, target)
    assert (target.secret_key.read_bytes(), target.database.exists()) == (before, False)


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 7])
def test_a_sealed_stream_reads_back_and_cannot_be_cut_at_a_part(size: int) -> None:
    data = bytes(i % 251 for i in range(size))
    out = io.BytesIO()
    writer = SealedWriter(out, "p")
    for at in range(0, size, 300_001):
        writer.write(data[at : at + 300_001])
    writer.close()
    reader = SealedReader(io.BytesIO(out.getvalue()), "p")
    read = b""
    while part := reader.read(123_457):
        read += part
    assert read == data
    if size > PART:
        cut = SealedReader(io.BytesIO(out.getvalue()[: 34 + PART + 16]), "p")  # after a whole part
        with pytest.raises(InvalidInput):
            cut.read(2 * PART)


def test_a_bit_behind_the_end_of_the_tar_is_noticed(tmp_path: Path) -> None:
    # The tar's first block of zeros, at which reading ends, is the last of a record; the next record holds the sealed
    # stream's second part, which has nothing but zeros in it.
    content, archive = tmp_path / "content", tmp_path / "archive.sealed"
    content.write_bytes(bytes(PART // 10240 * 10240 - 4 * 512))
    pack({"content": content}, archive, {}, "right")
    unpack(archive, tmp_path, "right")
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InvalidInput) as refusal:
        unpack(archive, tmp_path, "right")
    assert refusal.value.error_code == "bad_backup"


def test_one_that_lies_where_nobody_writes_is_read(archives: dict[str | None, bytes], tmp_path: Path) -> None:
    path = tmp_path / "backup.tar"
    path.write_bytes(archives[None])
    with path.open("rb") as file:
        unwritable = Path(f"/proc/self/fd/{file.fileno()}")
        assert verify(unwritable) == restore(unwritable, DataFolder(tmp_path / "x"))


def test_parts_of_a_sealed_stream_cannot_change_places() -> None:
    out = io.BytesIO()
    writer = SealedWriter(out, "p")
    writer.write(b"a" * PART + b"b" * PART + b"c")
    writer.close()
    whole, part = out.getvalue(), PART + 16
    head, one, two, rest = whole[:34], whole[34 : 34 + part], whole[34 + part : 34 + 2 * part], whole[34 + 2 * part :]
    for harmed in (head + two + one + rest, head + one + one + rest, head + one + rest):
        with pytest.raises(InvalidInput):
            SealedReader(io.BytesIO(harmed), "p").read(3 * PART)


def test_a_list_without_depth_is_refused_like_any_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "deep.tar"
    with tarfile.open(file, "w") as tar:
        entry = tarfile.TarInfo(LIST)
        entry.size = 500_000
        tar.addfile(entry, io.BytesIO(b"[" * entry.size))
    append_digest(file)
    with pytest.raises(InvalidInput) as refusal:
        verify(file)
    assert refusal.value.error_code == "bad_backup"
