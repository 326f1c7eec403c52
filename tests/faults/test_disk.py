"""A disk that lies, fills up or cannot be written: the server says so, and loses nothing that it acknowledged."""

import contextlib
import os
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Protocol

import httpx2
import pytest


class Serving(Protocol):
    process: "subprocess.Popen[str]"
    url: str
    data: Path


Serve = Callable[..., Serving]


def say(url: str, text: str) -> httpx2.Response:
    return httpx2.post(f"{url}/api/channels/ch_hub/messages", json={"text": text}, timeout=20)


def said(url: str) -> set[str]:
    """Every text of the hub's room, over all pages."""
    found: set[str] = set()
    cursor = ""
    while True:
        page = httpx2.get(f"{url}/api/channels/ch_hub/messages?limit=200{cursor}", timeout=20).json()
        found |= {item["text"] for item in page["items"]}
        if not page["nextCursor"]:
            return found
        cursor = f"&cursor={page['nextCursor']}"


def kill(serving: Serving) -> None:
    serving.process.kill()
    serving.process.wait()


def settle(path: Path) -> None:
    """Move the write-ahead log into the file, so that the file is what counts."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def scratch_over(path: Path) -> None:
    """Overwrite the second half of the file, as a failing disk would."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(size - size // 2))


def test_damaged_derived_tables_are_found_at_start_and_made_anew(serve: Serve) -> None:
    first = serve()
    assert [say(first.url, f"word {n}").status_code for n in range(30)] == [201] * 30
    channels = httpx2.get(f"{first.url}/api/channels").json()["items"]
    kill(first)
    settle(first.data / "derived.db")
    scratch_over(first.data / "derived.db")

    second = serve()
    assert said(second.url) >= {f"word {n}" for n in range(30)}
    names = [channel["name"] for channel in httpx2.get(f"{second.url}/api/channels").json()["items"]]
    assert names == [channel["name"] for channel in channels]
    assert (second.data / "derived.db.damaged").exists()
    second.process.terminate()
    _, complaints = second.process.communicate(timeout=15)
    assert "derived.db is damaged" in complaints
    assert "rebuilt from the log" in complaints


def test_a_damaged_log_is_refused_with_what_to_do(serve: Serve) -> None:
    serving = serve()
    for n in range(30):
        say(serving.url, f"word {n} " * 50)
    kill(serving)
    settle(serving.data / "prime.db")
    scratch_over(serving.data / "prime.db")
    before = (serving.data / "prime.db").read_bytes()

    with pytest.raises(AssertionError, match="prime backup restore") as refused:
        serve()
    assert "Traceback" not in str(refused.value)
    assert (serving.data / "prime.db").read_bytes() == before  # left as it is, for whoever wants to save what can be


def test_a_projection_that_says_something_else_than_the_log_is_noticed_and_mended(serve: Serve) -> None:
    serving = serve()
    made = httpx2.post(f"{serving.url}/api/channels", json={"name": "Deal", "kind": "group", "tier": "team"}).json()
    assert httpx2.post(f"{serving.url}/api/admin/rebuild", json={}).json()["repaired"] == []
    with contextlib.closing(sqlite3.connect(serving.data / "derived.db", timeout=10)) as connection:
        connection.execute("UPDATE channel SET name = 'Forged' WHERE id = ?", (made["id"],))
        connection.commit()

    assert httpx2.post(f"{serving.url}/api/admin/rebuild", json={}).json()["repaired"] == ["rooms"]
    assert httpx2.get(f"{serving.url}/api/channels/{made['id']}").json()["name"] == "Deal"


def test_a_full_disk_refuses_what_it_cannot_keep_and_loses_nothing(serve: Serve) -> None:
    serving = serve()
    say(serving.url, "before")
    largest = max(path.stat().st_size for path in serving.data.iterdir() if path.is_file())
    limit = largest + 256 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(serving.process.pid, resource.RLIMIT_FSIZE, (limit, hard))

    kept, refused = ["before"], None
    for n in range(200):
        text = f"word {n} " + "x" * 8000
        answer = say(serving.url, text)
        if answer.status_code != 201:
            refused = answer
            break
        kept.append(text)
    assert refused is not None
    assert refused.status_code == 503
    assert "data folder" in refused.json()["error"]["hint"]
    assert httpx2.get(f"{serving.url}/healthz").status_code == 200  # it is there, and waits for room
    for path in ("/api/channels", "/api/channels/ch_hub/messages", "/api/brain/recall?q=word", "/api/feed"):
        assert httpx2.get(f"{serving.url}{path}").status_code == 200, path  # and shows what it has

    resource.prlimit(serving.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    assert say(serving.url, "after").status_code == 201  # and it goes on once there is room
    kill(serving)
    assert said(serve().url) >= {*kept, "after"}


def walled(*words: str) -> list[str]:
    """The beginning of a command that sees the file system as bubblewrap is told here."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed: apt install bubblewrap")
    command = ["bwrap", "--dev-bind", "/", "/", "--die-with-parent", *words]
    works = subprocess.run([*command, "true"], capture_output=True, check=False)
    if works.returncode != 0:
        pytest.skip(f"bubblewrap does not work here: {works.stderr.decode()}")
    return command


def test_a_disk_without_room_is_told_and_served_from(tmp_path: Path) -> None:
    """A real disk of 24 MB that something else fills to the last byte, and leaves again."""
    data = tmp_path / "data"
    data.mkdir()
    start = [sys.executable, "-m", "prime", "serve", "--port", "0", "--data", str(data / "prime")]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")} | {"PRIME_TOOL_SCAN_MS": "0"}
    command = [*walled("--size", str(24 << 20), "--tmpfs", str(data)), *start]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            url = process.stdout.readline().split()[-1]
            assert say(url, "before").status_code == 201
            filler = disk_of(process.pid) / str(data).lstrip("/") / "filler"
            with contextlib.suppress(OSError), filler.open("wb") as file:
                while True:
                    file.write(b"x" * 4096)
                    file.flush()
            kept, refused = ["before"], None
            for number in range(300):
                answer = say(url, f"word {number} " + "x" * 8000)
                if answer.status_code != 201:
                    refused = answer
                    break
                kept.append(f"word {number} " + "x" * 8000)
            assert refused is not None
            assert (refused.status_code, "data folder" in refused.json()["error"]["hint"]) == (503, True)
            for path in ("/healthz", "/api/channels", "/api/channels/ch_hub/messages", "/api/brain/recall?q=word"):
                assert httpx2.get(f"{url}{path}", timeout=20).status_code == 200, path
            for refused in (attach(url), back_up(url)):
                assert (refused.status_code, "data folder" in refused.json()["error"]["hint"]) == (503, True)
            assert not [path for path in (filler.parent / "prime" / "backups").glob("*") if path.is_file()]
            filler.unlink()
            assert say(url, "after").status_code == 201
            assert said(url) >= {*kept, "after"}
            assert (attach(url).status_code, back_up(url).status_code) == (201, 201)
        finally:
            process.kill()


def test_a_replica_without_room_of_its_own_goes_on(tmp_path: Path, postgresql_url: str) -> None:
    """What is said and attached is in PostgreSQL; only what needs its own disk is refused, and told as the disk's trouble."""
    data = tmp_path / "data"
    data.mkdir()
    with replica(data, postgresql_url, "--size", str(2 << 20), "--tmpfs", str(data)) as (process, url):
        filler = disk_of(process.pid) / str(data).lstrip("/") / "filler"
        with contextlib.suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(b"x" * 4096)
                file.flush()
        assert (say(url, "kept").status_code, attach(url).status_code) == (201, 201)
        assert (back_up(url).status_code, "data folder" in back_up(url).json()["error"]["hint"]) == (503, True)
        size = filler.stat().st_size
        # For a part of the tables; for little more; not for reading it again.
        for room in (200_000, 600_000, 1_400_000):
            os.truncate(filler, size - room)
            refused = back_up(url)
            told = (refused.status_code, "No space left" in refused.json()["error"]["message"])
            assert told == (503, True), refused.text
        assert said(url) >= {"kept"}


def test_a_replica_whose_own_disk_is_read_only_goes_on(tmp_path: Path, postgresql_url: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with replica(data, postgresql_url, "--ro-bind", str(data), str(data)) as (_, url):
        assert (say(url, "kept").status_code, attach(url).status_code) == (201, 201)
        refused = back_up(url)
        assert (refused.status_code, "data folder" in refused.json()["error"]["hint"]) == (503, True), refused.text
        assert said(url) >= {"kept"}


@contextlib.contextmanager
def replica(data: Path, database: str, *disk: str) -> Generator[tuple["subprocess.Popen[str]", str]]:
    """A server on PostgreSQL whose own folder is on such a disk."""
    start = [sys.executable, "-m", "prime", "serve", "--port", "0", "--data", str(data)]
    given = {"PRIME_TOOL_SCAN_MS": "0", "PRIME_DATABASE_URL": database, "PRIME_SECRET_KEY": "0" * 64}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")} | given
    with subprocess.Popen(
        [*walled(*disk), *start], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            yield process, process.stdout.readline().split()[-1]
        finally:
            process.kill()


def attach(url: str) -> httpx2.Response:
    return httpx2.post(f"{url}/api/attachments", files={"file": ("a.bin", os.urandom(400_000))}, timeout=20)


def back_up(url: str) -> httpx2.Response:
    return httpx2.post(f"{url}/api/admin/backup", json={}, timeout=60)


def disk_of(bwrap: int) -> Path:
    """The file system as the process inside sees it."""
    children = Path(f"/proc/{bwrap}/task/{bwrap}/children").read_text().split()
    return Path(f"/proc/{children[0] if children else bwrap}/root")


def test_a_read_only_disk_is_refused_with_a_sentence(serve: Serve) -> None:
    serving = serve()
    kill(serving)
    command = walled("--ro-bind", str(serving.data), str(serving.data))
    start = [sys.executable, "-m", "prime", "serve", "--port", "0", "--data", str(serving.data)]
    done = subprocess.run([*command, *start], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "read-only" in done.stderr.lower() or "readonly" in done.stderr.lower()
    assert "--data" in done.stderr


def test_too_many_open_connections_pass(serve_on_both: Serve) -> None:
    serving = serve_on_both()
    say(serving.url, "before")
    used = len(list(Path(f"/proc/{serving.process.pid}/fd").iterdir()))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.prlimit(serving.process.pid, resource.RLIMIT_NOFILE, (used + 10, hard))
    host, port = serving.url.removeprefix("http://").split(":")

    with httpx2.Client(base_url=serving.url, timeout=20) as known, contextlib.ExitStack() as stack:
        assert known.get("/healthz").status_code == 200
        for _ in range(60):
            connection = stack.enter_context(socket.socket())
            connection.settimeout(1)
            with contextlib.suppress(OSError):
                connection.connect((host, int(port)))
        # Who is connected goes on, or is told so where one more file is needed.
        told = known.post("/api/channels/ch_hub/messages", json={"text": "meanwhile"})
        assert told.status_code in {201, 503}, told.text
        kept = {"before", "meanwhile"} if told.status_code == 201 else {"before"}
        for path in ("/api/channels/ch_hub/messages", "/api/brain/recall?q=before", "/api/feed"):
            assert known.get(path).status_code in {200, 503}, path
        for refused in (known.get("/"), known.post("/api/admin/backup", json={})):
            assert refused.status_code == 503, refused.text
            assert "LimitNOFILE" in refused.json()["error"]["hint"]
        assert serving.process.poll() is None
    assert say(serving.url, "after").status_code == 201
    assert said(serving.url) >= {*kept, "after"}
