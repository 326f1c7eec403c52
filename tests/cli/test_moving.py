"""Commands of the instance in real processes: moving, full backups, the server's check-up."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest


class Serving(Protocol):
    @property
    def url(self) -> str: ...
    @property
    def data(self) -> Path: ...


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, ready_prime: Run) -> Run:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_") and not k.endswith("_API_KEY")}

    def run_one(*args: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return ready_prime(*args, env=inherited | {"PRIME_DATA": str(tmp_path / "data")} | variables)

    return run_one


def test_out_of_a_running_one_and_into_an_empty_one(serve: Callable[..., Serving], run: Run, tmp_path: Path) -> None:
    serve(data=tmp_path / "data")
    file = str(tmp_path / "all.jsonl")
    out = run("export", file, "--json")
    assert out.returncode == 0, out.stderr
    other = str(tmp_path / "other")
    back = run("import", file, "--data", other, "--key-file", str(tmp_path / "data" / "secrets.key"), "--json")
    assert back.returncode == 0, back.stderr
    assert json.loads(back.stdout) == {"rows": json.loads(out.stdout)["rows"], "unreadableSecrets": []}
    again = run("import", file, "--data", other)
    assert (again.returncode, "empty" in again.stderr) == (1, True)
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(Path(file).read_bytes()[:-5])
    refused = run("import", str(torn), "--data", str(tmp_path / "third"))
    assert (refused.returncode, (tmp_path / "third").exists()) == (2, False)


def test_through_a_pipe(serve: Callable[..., Serving], tmp_path: Path) -> None:
    serve(data=tmp_path / "data")
    prime = f"cd {tmp_path} && {sys.executable} -m prime"
    piped = f"({prime} export - --data data) | ({prime} import - --data other --key-file data/secrets.key --json)"
    done = subprocess.run(["sh", "-c", piped], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (json.loads(done.stdout)["rows"] > 0, (tmp_path / "-").exists()) == (True, False)


def test_a_machine_is_lost_and_one_command_brings_it_back(
    serve: Callable[..., Serving], run: Run, tmp_path: Path
) -> None:
    serve(data=tmp_path / "data")
    made = run("backup", "create", "--full", "--json", PRIME_BACKUP_PASSPHRASE="a passphrase")
    assert made.returncode == 0, made.stderr
    file = str(tmp_path / "data" / "backups" / json.loads(made.stdout)["name"])
    new = str(tmp_path / "new machine")
    assert run("backup", "verify", file).returncode == 2  # sealed, and no passphrase was given
    assert run("backup", "verify", file, "--passphrase", "a passphrase").returncode == 0
    assert run("backup", "restore", file, "--data", new, "--passphrase", "wrong").returncode == 2
    restored = run("backup", "restore", file, "--data", new, "--passphrase", "a passphrase")
    assert restored.returncode == 0, restored.stderr
    assert (Path(new) / "secrets.key").read_bytes() == (tmp_path / "data" / "secrets.key").read_bytes()
    assert serve(data=Path(new)).url


def test_the_server_is_asked_how_it_is(serve: Callable[..., Serving], run: Run, tmp_path: Path) -> None:
    none = run("doctor", "--server", "--json")
    assert (none.returncode, json.loads(none.stdout)[0]["state"]) == (1, "bad")
    serve(data=tmp_path / "data")
    found = {f["name"]: f for f in json.loads(run("doctor", "--server", "--json").stdout)}
    assert (found["server"]["state"], found["database"]["state"]) == ("ok", "ok")
    assert (found["owner"]["state"], found["backups"]["found"]) == ("note", "none yet")
    run("backup", "create")
    bad = run(
        "doctor", "--server", "--json", PRIME_SMTP_URL="smtp://127.0.0.1:1", PRIME_PUBLIC_URL="http://127.0.0.1:1"
    )
    found = {f["name"]: f for f in json.loads(bad.stdout)}
    assert (bad.returncode, found["mail"]["state"], found["address"]["state"]) == (1, "bad", "bad")
    assert found["backups"]["state"] == "ok"


def test_the_server_says_what_it_was_started_with(serve: Callable[..., Serving], run: Run, tmp_path: Path) -> None:
    """Its variables stand in a unit's file, not in the shell of whoever asks."""
    serve(
        data=tmp_path / "data",
        PRIME_OWNER_EMAIL="me@example.com",
        PRIME_PUBLIC_URL="http://127.0.0.1:1",
        PRIME_SMTP_URL="smtp://127.0.0.1:1",
    )
    found = {f["name"]: f for f in json.loads(run("doctor", "--server", "--json").stdout)}
    assert (found["owner"]["state"], found["owner"]["found"]) == ("ok", "me@example.com")
    assert (found["address"]["state"], found["mail"]["state"]) == ("bad", "ok")
