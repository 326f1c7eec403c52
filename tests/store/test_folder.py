import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from prime.core.errors import Conflict, InvalidInput, Unavailable
from prime.store.file_blobs import FileBlobs
from prime.store.folder import DataFolder

HOLD = """
import sys
from pathlib import Path
from prime.store.folder import DataFolder
DataFolder(Path(sys.argv[1])).own()
print("owned", flush=True)
sys.stdin.read()
"""


def test_a_second_owner_is_refused_and_told_by_whom(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin
    assert holder.stdout
    with holder:
        assert holder.stdout.readline() == "owned\n"
        with pytest.raises(Conflict, match=f"in use by process {holder.pid}") as refusal:
            DataFolder(tmp_path).own()
        assert refusal.value.error_code == "data_folder_in_use"
        holder.kill()  # a kill frees it, too: the lock is the kernel's
        holder.wait()
        folder = DataFolder(tmp_path)
        folder.own()
        assert (tmp_path / "prime.lock").read_text() == f"{os.getpid()}\n"
        folder.release()


def test_a_socket_that_a_killed_owner_left_is_taken_away(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(folder.socket))
    left.close()
    folder.own()
    assert not folder.socket.exists()
    folder.release()


def test_a_refused_owner_leaves_the_owners_socket_alone(tmp_path: Path) -> None:
    owner, other = DataFolder(tmp_path), DataFolder(tmp_path)
    owner.own()
    owner.socket.touch()
    with pytest.raises(Conflict):
        other.own()
    other.release()
    assert owner.socket.exists()
    with pytest.raises(Conflict):
        DataFolder(tmp_path).own()
    owner.release()
    assert not owner.socket.exists()
    other.own()
    other.release()


def test_it_is_made_for_this_user_alone(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "a" / "b")
    folder.create()
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="cannot be made"):
        DataFolder(tmp_path / "file" / "data").create()


def test_attachments_are_for_this_user_alone_in_whoevers_folder(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        FileBlobs(tmp_path / "attachments").write("ab" * 32, b"private")
    finally:
        os.umask(before)
    made = (tmp_path / "attachments").rglob("*")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "attachments", *made)} == {0o700, 0o600}


@pytest.mark.parametrize(
    "name", ["../victim", "../../victim", "..", "", "ab" * 31 + "/..", "AB" * 32, "ab" * 32 + "\n"]
)
def test_a_name_in_the_database_leads_out_of_no_folder(tmp_path: Path, name: str) -> None:
    """What is imported or restored may come from anybody."""
    (tmp_path / "victim").write_text("mine")
    folder = tmp_path / "data" / "attachments"
    blobs = FileBlobs(folder)
    blobs.write("ab" * 32, b"theirs")
    (tmp_path / "data" / "victim").write_text("mine")
    assert blobs.read(name) is None
    blobs.remove(name)
    with pytest.raises(InvalidInput):
        blobs.write(name, b"x")
    assert [(tmp_path / place).read_text() for place in ("victim", "data/victim")] == ["mine", "mine"]
    assert blobs.read("ab" * 32) == b"theirs"
