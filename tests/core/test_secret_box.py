"""The secret box: sealing, binding to names, and the key file."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.errors import InvalidInput, Unavailable
from prime.core.secret_box import SealBroken, SecretBox

BOX = SecretBox.from_value("a value of thirty-two characters")


@given(st.text(), st.binary())
def test_round_trip(name: str, value: bytes):
    assert BOX.open(name, BOX.seal(name, value)) == value


@pytest.mark.holds("D-HUB-12")
def test_the_value_is_not_in_what_is_stored():
    sealed = BOX.seal("telegram", b"123456:hunter2hunter2")
    assert b"hunter2" not in sealed
    assert sealed != BOX.seal("telegram", b"123456:hunter2hunter2"), "equal secrets look different"


def test_another_name_does_not_open():
    sealed = BOX.seal("a", b"x")
    with pytest.raises(SealBroken, match="another name"):
        BOX.open("b", sealed)


@given(st.integers(min_value=0, max_value=200), st.integers(min_value=1, max_value=255))
def test_every_changed_byte_is_noticed(where: int, flip: int):
    sealed = bytearray(BOX.seal("a", b"some secret value"))
    sealed[where % len(sealed)] ^= flip
    with pytest.raises(SealBroken):
        BOX.open("a", bytes(sealed))


@pytest.mark.parametrize("sealed", [b"", b"\x01", b"plain text that was never sealed at all", b"\x01" * 36])
def test_garbage(sealed: bytes):
    with pytest.raises(SealBroken):
        BOX.open("a", sealed)


def test_another_key_says_so():
    other = SecretBox.from_value("another value of some length here")
    with pytest.raises(SealBroken, match="another key") as caught:
        other.open("a", BOX.seal("a", b"x"))
    assert "PRIME_SECRET_KEY" in str(caught.value)


def test_blanks_around_the_value_do_not_count():
    assert SecretBox.from_value(" a value of thirty-two characters\n").open("a", BOX.seal("a", b"x")) == b"x"


@pytest.mark.parametrize("value", ["", "   ", "short"])
def test_short_keys(value: str):
    with pytest.raises(InvalidInput, match="PRIME_SECRET_KEY"):
        SecretBox.from_value(value)


@pytest.mark.holds("D-HUB-12")
@pytest.mark.parametrize("leak", [pickle.dumps, copy.copy, copy.deepcopy])
def test_the_key_does_not_show(leak: Callable[[SecretBox], object]):
    assert "thirty" not in f"{BOX!r} {BOX}"
    assert not hasattr(BOX, "__dict__")
    with pytest.raises(TypeError):
        leak(BOX)


def test_a_key_file_is_made_once(tmp_path: Path):
    path = tmp_path / "new" / "secrets.key"
    old = os.umask(0)
    try:
        sealed = SecretBox.from_file(path).seal("a", b"x")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o600
    assert SecretBox.from_file(path).open("a", sealed) == b"x"
    assert [p.name for p in path.parent.iterdir()] == ["secrets.key"]


def test_many_that_start_at_once_share_one_key(tmp_path: Path):
    path = tmp_path / "secrets.key"
    with ThreadPoolExecutor(4) as pool:
        boxes = list(pool.map(SecretBox.from_file, [path] * 12))
    sealed = boxes[0].seal("a", b"x")
    assert all(box.open("a", sealed) == b"x" for box in boxes)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620])
def test_a_file_that_others_can_reach_is_refused(tmp_path: Path, mode: int):
    path = tmp_path / "secrets.key"
    SecretBox.from_file(path)
    path.chmod(mode)
    with pytest.raises(Unavailable, match="chmod 600"):
        SecretBox.from_file(path)


@pytest.mark.parametrize("content", [b"", b"not a key", b"AAAA\n", b"\xff" * 44, b"A" * 5000])
def test_a_broken_file_is_kept_and_said(tmp_path: Path, content: bytes):
    path = tmp_path / "secrets.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(Unavailable, match="does not hold a key"):
        SecretBox.from_file(path)
    assert path.read_bytes() == content


def test_links_folders_and_pipes_are_refused(tmp_path: Path):
    real = tmp_path / "real"
    SecretBox.from_file(real)
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir(mode=0o700)
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("link", "dangling", "folder", "pipe"):
        with pytest.raises(Unavailable):
            SecretBox.from_file(tmp_path / name)
    assert not (tmp_path / "nowhere").exists()


def test_cryptography_is_imported_late():
    code = "import sys, prime.core.secret_box; sys.exit('cryptography' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_file_may_hold_either_kind_of_key(tmp_path: Path) -> None:
    """What was sealed on PostgreSQL, by the value of a variable, is opened elsewhere as well."""
    made, value, short = tmp_path / "secrets.key", tmp_path / "value", tmp_path / "short"
    sealed_by_file = SecretBox.from_file(made).seal("token", b"one")
    value.write_text("a value of thirty-two characters\n")
    short.write_text("too short")
    for path in (value, short):
        path.chmod(0o600)
    assert SecretBox.from_any_file(made).open("token", sealed_by_file) == b"one"
    assert SecretBox.from_any_file(value).open("token", BOX.seal("token", b"two")) == b"two"
    with pytest.raises(InvalidInput):
        SecretBox.from_any_file(short)
    value.chmod(0o644)
    with pytest.raises(Unavailable, match="read by others"):
        SecretBox.from_any_file(value)
