"""What a policy keeps a program from, and what is refused where it cannot be kept."""

import os
import socket
import sys
from pathlib import Path

import pytest

from prime.core.errors import Unavailable
from prime.core.private_folders import kept_private
from prime.core.process import Batch, BatchLimits, Command, SandboxPolicy, Subreaper, containment, run


async def shell(script: str, policy: SandboxPolicy, cwd: Path) -> tuple[int, bytes]:
    done = await run(Command(argv=("sh", "-c", script), sandbox=policy, cwd=str(cwd)))
    return done.exit_code, done.stdout


@pytest.fixture(autouse=True)
def _needs_a_sandbox() -> None:
    if containment().name != "namespace":
        pytest.skip("no sandbox works on this machine")


async def test_a_read_only_file_system(tmp_path: Path) -> None:
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    policy = SandboxPolicy(read_only=True, writable=(str(open_folder),))
    script = f"touch {tmp_path}/no 2>/dev/null; touch {open_folder}/yes; touch $TMPDIR/private && echo private"
    assert await shell(script, policy, tmp_path) == (0, b"private\n")
    assert not (tmp_path / "no").exists()
    assert (open_folder / "yes").exists()
    assert not os.access("/dev/shm/private", os.F_OK)


async def test_what_is_kept_stays_as_it_is_inside_a_writable_folder(tmp_path: Path) -> None:
    (tmp_path / ".prime" / "tools").mkdir(parents=True)
    kept = (str(tmp_path / ".prime"), str(tmp_path / ".minds"))
    policy = SandboxPolicy(read_only=True, writable=(str(tmp_path),), kept=kept)
    script = (
        "touch .prime/tools/no 2>/dev/null; mv .prime other 2>/dev/null; rm -rf .prime 2>/dev/null; touch yes; ls -A"
    )
    assert await shell(script, policy, tmp_path) == (0, b".prime\nyes\n")
    assert list((tmp_path / ".prime" / "tools").iterdir()) == []


async def test_walls_hold_against_root(tmp_path: Path) -> None:
    script = f"mount -o remount,rw,bind / 2>/dev/null; touch {tmp_path}/no 2>/dev/null || echo held"
    assert await shell(script, SandboxPolicy(read_only=True), tmp_path) == (0, b"held\n")


async def test_no_network(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('reached')"
        command = Command(argv=(sys.executable, "-c", code))
        assert (await run(command)).stdout == b"reached\n"
        walled = Command(argv=command.argv, sandbox=SandboxPolicy(network=False))
        assert (await run(walled)).exit_code == 1


@pytest.mark.parametrize("policy", [SandboxPolicy(network=False), SandboxPolicy(read_only=True)])
async def test_the_kernels_own_settings_cannot_be_written(policy: SandboxPolicy) -> None:
    """Root needs no capability for that: it owns the files. They are only opened here."""
    places = ("sys/kernel/core_pattern", "sys/vm/drop_caches", "sysrq-trigger")
    code = f"""import os
for place in {places}:
    try:
        os.close(os.open(f"/proc/{{place}}", os.O_WRONLY))
        print(place)
    except OSError:
        pass"""
    assert (await run(Command(argv=(sys.executable, "-c", code), sandbox=policy))).stdout == b""


async def test_hidden_files_and_folders_look_empty(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "id").write_text("secret")
    (tmp_path / "token").write_text("secret")
    policy = SandboxPolicy(hidden=(str(tmp_path / "keys"), str(tmp_path / "token"), str(tmp_path / "absent")))
    assert await shell("ls keys; cat token; echo end", policy, tmp_path) == (0, b"end\n")


async def test_primes_own_folders_are_empty_but_for_what_a_program_needs(tmp_path: Path) -> None:
    (tmp_path / "data" / "tools" / "mine").mkdir(parents=True)
    (tmp_path / "data" / "tools" / "others").mkdir()
    (tmp_path / "data" / "secrets.key").write_text("secret")
    mine = str(tmp_path / "data" / "tools" / "mine")
    script = (
        "find data -not -type d; ls -A data/tools; touch data/new data/tools/mine/new 2>/dev/null; ls data/tools/mine"
    )
    with kept_private(tmp_path / "data", tmp_path / "absent"):
        assert await shell(script, SandboxPolicy(network=False), tmp_path) == (2, b"")
        # Also where somebody hides a part of it by name.
        hidden = SandboxPolicy(read_only=True, seen=(mine,), hidden=(str(tmp_path / "data" / "secrets.key"),))
        assert await shell(script, hidden, tmp_path) == (0, b"mine\n")
        writing = SandboxPolicy(read_only=True, writable=(mine,))
        assert await shell(script, writing, tmp_path) == (0, b"mine\nnew\n")
        with Batch(BatchLimits(wall_s=30)) as batch:
            ((_, probed),) = batch.run([("/bin/sh", "-c", f"ls -A {tmp_path}/data; echo end")])
        assert probed.stdout == b"end\n"
        # Also from whom nothing else is kept.
        assert await shell("ls data", SandboxPolicy(), tmp_path) == (0, b"")
        assert await shell(script, SandboxPolicy(seen=(mine,)), tmp_path) == (0, b"data/tools/mine/new\nmine\nnew\n")
    assert b"secrets.key" in (await shell("ls data", SandboxPolicy(network=False), tmp_path))[1]


async def test_an_empty_home(tmp_path: Path) -> None:
    script = 'ls -A . "$HOME" | grep -v :; test "$PWD" = "$HOME" && touch here && echo fresh'
    code, said = await shell(script, SandboxPolicy(empty_home=True), tmp_path)
    assert (code, said.split()) == (0, [b"fresh"])


async def test_a_writable_folder_that_is_missing_is_an_error_of_its_own(tmp_path: Path) -> None:
    policy = SandboxPolicy(read_only=True, writable=(str(tmp_path / "absent"),))
    with pytest.raises(Unavailable, match="absent"):
        await shell("true", policy, tmp_path)


@pytest.mark.parametrize(
    "policy",
    [
        SandboxPolicy(network=False),
        SandboxPolicy(read_only=True),
        SandboxPolicy(hidden=("/root",)),
        SandboxPolicy(empty_home=True),
    ],
)
async def test_what_cannot_be_kept_is_refused(policy: SandboxPolicy) -> None:
    with pytest.raises(Unavailable) as refused:
        await run(Command(argv=("true",), sandbox=policy), within=Subreaper())
    assert refused.value.error_code == "sandbox_unavailable"
    assert refused.value.hint is not None


async def test_best_effort_runs_all_the_same() -> None:
    policy = SandboxPolicy(network=False, read_only=True, enforce="best-effort")
    assert (await run(Command(argv=("true",), sandbox=policy), within=Subreaper())).ok
