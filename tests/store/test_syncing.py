"""Bringing to the disk what was committed without waiting for it."""

import logging
from pathlib import Path

import pytest

from prime.store.engines.syncing import Syncer


def test_a_disk_that_fails_is_told_and_waited_for_from_then_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    syncer = Syncer(tmp_path / "nobody-wrote-it")
    syncer.start()
    assert syncer.works
    syncer.owe()
    with caplog.at_level(logging.ERROR):
        syncer.stop()
    assert not syncer.works
    assert "may not be on the disk" in caplog.text


def test_nothing_owed_is_nothing_synced(tmp_path: Path) -> None:
    syncer = Syncer(tmp_path / "nobody-wrote-it")
    syncer.start()
    syncer.stop()
    assert syncer.works
