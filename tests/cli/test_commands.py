"""The commands as a person runs them: real processes, with and without a server, and what they say when it goes wrong."""

import itertools
import json
import os
import pty
import re
import select
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import httpx2
import pytest

from prime.cli import COMMANDS


class Serving(Protocol):
    @property
    def process(self) -> "subprocess.Popen[str]": ...
    @property
    def url(self) -> str: ...
    @property
    def data(self) -> Path: ...
    @property
    def environment(self) -> dict[str, str]: ...


Serve = Callable[..., Serving]
Run = Callable[..., "subprocess.CompletedProcess[str]"]

# As if only `pip install prime-agent` had been run.
WITHOUT = """
import runpy, sys
GONE = {"fastapi", "sqlalchemy", "cryptography", "asyncpg"}
class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in GONE else self.finder.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self.finder, name)
sys.meta_path = [Without(finder) for finder in sys.meta_path]
sys.argv = ["prime", *sys.argv[1:]]
"""
BARE = f'{WITHOUT}runpy.run_module("prime", run_name="__main__")'
# Every command and subcommand is loaded and asked what it does; prints how many there are.
EVERY_HELP = f"""{WITHOUT}
import click
from prime.cli import program
def ask(command, context):
    told.append(command.get_help(context))
    for name in command.list_commands(context) if isinstance(command, click.Group) else []:
        inner = command.get_command(context, name)
        ask(inner, click.Context(inner, parent=context, info_name=name))
told = []
ask(program, click.Context(program, info_name="prime"))
print(len(told))
"""


@pytest.fixture
def run(tmp_path: Path, ready_prime: Run) -> Run:
    """Runs `prime …` in the test's own data folder."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_") and not k.endswith("_API_KEY")}

    def run_one(*args: str, program: tuple[str, ...] = (), **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = inherited | {"PRIME_DATA": str(tmp_path / "data"), "HOME": str(tmp_path)} | variables
        if not program:
            return ready_prime(*args, env=environment)
        return subprocess.run(
            [sys.executable, *program, *args], env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    return run_one


def one_sentence(done: "subprocess.CompletedProcess[str]", code: int, *parts: str) -> None:
    """Nothing on stdout, one line on stderr that begins with the program's name, and the exit code."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("prime: ")
    assert done.stderr.count("\n") == 1, done.stderr
    for part in parts:
        assert part in done.stderr


def test_version_and_help(run: Run) -> None:
    assert re.fullmatch(r"prime \d+\.\d+\.\d+\n", run("--version").stdout)
    for flag in ("--help", "-h"):
        shown = run(flag)
        assert shown.returncode == 0
        assert all(word in shown.stdout for word in ("serve", "doctor", "backup", "rebuild", "settings", "login"))


@pytest.mark.parametrize(
    "args", [["nonsense"], ["serve", "--port", "99999"], ["backup", "verify"], ["settings", "--no"]]
)
def test_a_wrong_call_is_exit_code_two(run: Run, args: list[str]) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_slip_of_the_fingers_is_told_what_was_meant(run: Run) -> None:
    for words, meant in ((["serv"], "'serve'"), (["tools", "lst"], "'list'"), (["mcp", "tokn"], "'token'")):
        done = run(*words)
        assert done.returncode == 2
        assert f"Did you mean {meant}?" in done.stderr
    assert "Did you mean" not in run("nonsense").stderr


def test_doctor_says_when_the_wanted_model_is_none(run: Run) -> None:
    def model(wanted: str) -> dict[str, str]:
        found = json.loads(run("doctor", "--json", PRIME_MODEL=wanted).stdout)
        return next(each for each in found if each["name"] == "model")

    assert model("foo")["state"] == "bad"
    assert "provider:model" in model("foo")["next"]
    assert [model(good)["state"] for good in ("offline", "gemini:gemini-3.5-flash")] == ["ok", "ok"]


def test_a_start_says_when_the_wanted_model_is_none(serve: Serve) -> None:
    served = serve(PRIME_MODEL="foo")
    assert served.process.stdout
    said = iter(served.process.stdout.readline, "")
    [line] = [line for line in itertools.takewhile(lambda line: "Ctrl-C" not in line, said) if "PRIME_MODEL" in line]
    assert all(part in line for part in ("PRIME_MODEL=foo names no model", "offline engine", "provider:model"))


def test_settings_show_where_values_come_from_and_mask_secrets(run: Run) -> None:
    secrets = {
        "PRIME_ADMIN_TOKEN": "hunter2",
        "GEMINI_API_KEY": "AIza-secret",
        "PRIME_DATABASE_URL": "postgresql://u:pw@h/d",
    }
    plain = run("settings", PRIME_TICK_MS="123", **secrets)
    listed = {s["name"]: s for s in json.loads(run("settings", "--json", PRIME_TICK_MS="123", **secrets).stdout)}
    assert (listed["PRIME_TICK_MS"]["value"], listed["PRIME_TICK_MS"]["source"]) == (123, "environment")
    assert listed["PRIME_PORT"]["source"] == "default"
    assert all(s["meaning"] for s in listed.values())
    for secret in ("hunter2", "AIza-secret", ":pw@"):
        assert secret not in plain.stdout
        assert secret not in json.dumps(listed)
    assert "\x1b[" not in plain.stdout


def test_a_variable_that_does_not_fit_is_named(run: Run) -> None:
    one_sentence(run("settings", PRIME_PORT="many"), 2, "PRIME_PORT")
    one_sentence(run("doctor", PRIME_AUTONOMY_MODE="wild"), 2, "PRIME_AUTONOMY_MODE")


def test_doctor_says_what_is_here(run: Run, tmp_path: Path) -> None:
    found = json.loads(run("doctor", "--json").stdout)
    names = {f["name"] for f in found}
    assert {"python", "server", "sqlite", "page", "data", "port", "sandbox", "ocr", "model"} <= names
    assert all(f["state"] in {"ok", "note", "bad"} and f["found"] for f in found)
    assert all(f["next"] for f in found if f["state"] == "bad")
    assert not (tmp_path / "data").exists()  # it looks, and touches nothing
    (tmp_path / "file").write_text("")
    blocked = run("doctor", "--json", PRIME_DATA=str(tmp_path / "file" / "data"))
    assert blocked.returncode == 1
    assert next(f for f in json.loads(blocked.stdout) if f["name"] == "data")["state"] == "bad"


def test_commands_without_a_server(run: Run, tmp_path: Path) -> None:
    made = json.loads(run("backup", "create", "--json").stdout)
    path = str(tmp_path / "data" / "backups" / made["name"])
    assert [b["name"] for b in json.loads(run("backup", "list", "--json").stdout)] == [made["name"]]
    assert made["name"] in run("backup", "list").stdout
    assert json.loads(run("backup", "verify", path, "--json").stdout) == {"file": path, "messages": 3, "ok": True}
    assert json.loads(run("backup", "verify", made["name"], "--json").stdout)["file"] == path
    restored = run("backup", "restore", made["name"], "--data", str(tmp_path / "other"), "--json")
    assert json.loads(restored.stdout)["messages"] == 3
    one_sentence(run("backup", "restore", path), 1, "holds a database already")
    one_sentence(run("backup", "restore", str(tmp_path / "no.db"), "--data", str(tmp_path / "x")), 1, "no file")
    (tmp_path / "bad.db").write_bytes(b"SQLite format 3\0" + bytes(500))
    one_sentence(run("backup", "verify", str(tmp_path / "bad.db")), 2, "damaged")
    assert json.loads(run("rebuild", "--json").stdout)["messages"] == 3
    assert "Rebuilt rooms from 3" in run("rebuild", "rooms").stdout
    one_sentence(run("rebuild", "nothing"), 1, "no projection named nothing")
    assert "/api/auth/verify?token=" in run("login").stdout


def test_commands_reach_the_running_server(run: Run, serve: Serve, tmp_path: Path) -> None:
    served = serve(PRIME_OWNER_EMAIL="me@example.com")
    assert (served.data / "prime.sock").stat().st_mode & 0o777 == 0o600
    link = json.loads(run("login", "--json").stdout)["url"]
    assert link.startswith(served.url)
    with httpx2.Client() as browser:
        assert browser.get(f"{served.url}/api/status").status_code == 401
        assert browser.get(link).status_code == 303
        assert browser.get(f"{served.url}/api/status").status_code == 200
        assert browser.get(link).status_code == 401
    assert json.loads(run("rebuild", "--json").stdout)["messages"] == 3
    made = json.loads(run("backup", "create", "--json").stdout)
    assert (served.data / "backups" / made["name"]).exists()
    path = str(served.data / "backups" / made["name"])
    one_sentence(run("backup", "restore", path), 1, "in use by process", str(served.process.pid))
    one_sentence(run("serve", "--port", "0"), 1, "in use by process", str(served.process.pid))


def test_a_data_folder_may_have_a_long_name_in_any_script(run: Run, serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / ("很长的名字" * 12)  # more bytes than the address of a socket may have
    served = serve(data=folder)
    assert (folder / "prime.sock").stat().st_mode & 0o777 == 0o600
    assert json.loads(run("login", "--data", str(folder), "--json").stdout)["url"].startswith(served.url)
    assert str(folder / "prime.sock") in run("doctor", "--server", "--data", str(folder)).stdout


def test_commands_at_the_same_moment_take_turns(run: Run) -> None:
    with ThreadPoolExecutor() as together:
        asked = [together.submit(run, "recall", "anything", "--json") for _ in range(3)]
    for each in asked:
        assert (each.result().returncode, each.result().stderr) == (0, "")


def test_after_a_kill_the_folder_is_free_and_all_is_there(run: Run, serve: Serve) -> None:
    served = serve()
    with httpx2.Client() as client:
        said = client.post(f"{served.url}/api/channels/ch_hub/messages", json={"text": "keep me"}).json()
    served.process.kill()
    served.process.wait()
    assert (served.data / "prime.sock").exists()  # left behind, and no hindrance
    assert run("login").returncode == 0
    again = serve()
    with httpx2.Client() as client:
        items = client.get(f"{again.url}/api/channels/ch_hub/messages").json()["items"]
    assert said["id"] in [m["id"] for m in items]


def test_an_open_instance_is_for_loopback_only(run: Run, tmp_path: Path) -> None:
    one_sentence(run("serve", "--host", "0.0.0.0", "--port", "0"), 2, "without an owner", "PRIME_OWNER_EMAIL")
    assert not (tmp_path / "data").exists()
    one_sentence(run("serve", "--port", "0", PRIME_HOST="::"), 2, "without an owner")


def test_a_port_that_is_taken_is_said_so(run: Run, serve: Serve, tmp_path: Path) -> None:
    port = serve().url.rpartition(":")[2]
    one_sentence(run("serve", "--port", port, "--data", str(tmp_path / "second")), 1, f"Port {port}", "--port")


def test_databases_that_cannot_be_used_are_said_so(run: Run, tmp_path: Path) -> None:
    one_sentence(
        run("serve", "--port", "0", PRIME_DATABASE_URL="postgresql://u:pw@127.0.0.1:9/d"), 2, "PRIME_SECRET_KEY"
    )
    away = run("serve", "--port", "0", PRIME_DATABASE_URL="postgresql://u:pw@127.0.0.1:9/d", PRIME_SECRET_KEY="k" * 64)
    assert away.returncode == 1
    assert "cannot be used" in away.stderr
    assert ":pw@" not in away.stderr
    assert "Traceback" not in away.stderr
    one_sentence(
        run("serve", "--port", "0", PRIME_DATABASE_URL="mysql://x", PRIME_SECRET_KEY="k" * 64), 2, "postgresql://"
    )
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "prime.db").write_bytes(b"no database" * 1000)
    damaged = run("serve", "--port", "0")
    assert damaged.returncode == 1
    assert "cannot be used" in damaged.stderr
    assert "Traceback" not in damaged.stderr


@pytest.mark.parametrize("args", [["serve"], ["rebuild"], ["login"], ["backup", "create"]])
def test_without_the_server_parts_one_sentence_says_how_to_get_them(run: Run, args: list[str]) -> None:
    one_sentence(run(*args, program=("-c", BARE)), 1, "prime-agent[server]", "pip install")


def test_what_needs_no_server_works_without_its_parts(run: Run) -> None:
    assert run("--version", program=("-c", BARE)).returncode == 0
    assert run("--help", program=("-c", BARE)).returncode == 0
    assert run("settings", "--json", program=("-c", BARE)).returncode == 0
    one_sentence(run("backup", "verify", "x.db", program=("-c", BARE)), 1, "There is no file x.db")
    found = json.loads(run("doctor", "--json", program=("-c", BARE)).stdout)
    server = next(f for f in found if f["name"] == "server")
    assert (server["state"], server["next"]) == ("bad", "pip install 'prime-agent[server]'")


def test_every_command_says_what_it_does_without_the_servers_parts(run: Run) -> None:
    told = run(program=("-c", EVERY_HELP))
    assert told.returncode == 0, told.stderr
    assert int(told.stdout) > len(COMMANDS)


def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    command = f"{sys.executable} -m prime settings | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr


def test_whoever_types_prime_mcp_at_a_terminal_is_told_what_it_waits_for(tmp_path: Path) -> None:
    terminal, inside = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")} | {
        "PRIME_DATA": str(tmp_path / "data"),
        "PRIME_TOOL_SCAN_MS": "0",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "prime", "mcp"], env=environment, stdin=inside, stderr=subprocess.PIPE, text=True
    ) as process:
        os.close(inside)
        assert process.stderr
        assert "MCP client" in process.stderr.readline()
        os.write(terminal, b"\x04")
        assert process.wait(60) == 0
    os.close(terminal)


def test_rebuild_shows_its_progress_on_a_terminal(run: Run, tmp_path: Path) -> None:
    run("login")
    connection = sqlite3.connect(tmp_path / "data" / "prime.db")
    [head] = connection.execute("SELECT max(seq) FROM message").fetchone()
    connection.executemany(
        "INSERT INTO message VALUES (?, ?, 'ch_hub', 'act_x', 1, 'text', 'room', 'x', '{}', 1, NULL, '[]', '', NULL)",
        [(n, f"msg_{n}") for n in range(head + 1, 20_000)],
    )
    connection.commit()
    connection.close()
    terminal, inside = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")} | {
        "PRIME_DATA": str(tmp_path / "data")
    }
    with subprocess.Popen(
        [sys.executable, "-m", "prime", "rebuild"], env=environment, stdout=subprocess.PIPE, stderr=inside, text=True
    ) as process:
        os.close(inside)
        shown = b""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and select.select([terminal], [], [], 30)[0]:
            try:
                part = os.read(terminal, 65_536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            shown += part
        assert process.stdout
        said = re.fullmatch(r"Rebuilt rooms.* from (\d+) messages\.\n", process.stdout.read())
        assert said
        assert int(said[1]) >= 19_999  # the hub may have had a word to say meanwhile
    os.close(terminal)
    bars = re.findall(rb"\[(#* *)\] ([\d,]+) of ([\d,]+)", shown)
    assert bars
    assert bars[-1][1] == bars[-1][2]
    assert int(bars[-1][2].replace(b",", b"")) >= 19_999
