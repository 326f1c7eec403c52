import os
import stat
from pathlib import Path

import pytest

from prime.core.whole_file import replace_file


def test_a_file_is_replaced_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text("old")
    replace_file(path, "新的\n")
    assert path.read_bytes() == "新的\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_what_cannot_be_written_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    path = tmp_path / "rules.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os if fails == "fsync" else Path, fails, full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_character_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        replace_file(tmp_path / "rules.json", "\ud83d")
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_made_again_waits_for_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    monkeypatch.setattr(os, "fsync", waited.append)
    replace_file(tmp_path / "kept", "1", lasting=False)
    assert waited == []
    replace_file(tmp_path / "kept", "2")
    assert len(waited) == 2  # for the file, and for its name in the folder
