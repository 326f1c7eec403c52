"""What `run` passes in, what it brings out, and its limits."""

import asyncio
import sys
from pathlib import Path

import pytest

from prime.core.errors import InvalidInput, NotFound
from prime.core.process import Command, Containment, Limits, Outcome, allowed_environment, run


async def python(code: str, within: Containment, limits: Limits | None = None, stdin: bytes | None = None) -> Outcome:
    command = Command(argv=(sys.executable, "-c", code), limits=limits or Limits(wall_s=20), stdin=stdin)
    return await run(command, within=within)


async def test_output_and_exit_code(within: Containment) -> None:
    done = await run(Command(argv=("sh", "-c", "echo out; echo err >&2; exit 3")), within=within)
    assert (done.stdout, done.stderr, done.exit_code) == (b"out\n", b"err\n", 3)
    assert (done.signal, done.stopped, done.truncated, done.ok) == (None, None, False, False)


async def test_arguments_never_see_a_shell(within: Containment) -> None:
    words = ("$HOME", "`id`", "a b", "; exit 9", "", "-n", "'\"", "*", "ü\n")
    done = await run(Command(argv=("printf", "%s|", *words)), within=within)
    assert done.stdout.decode() == "".join(f"{word}|" for word in words)


async def test_the_signal_that_ended_it(within: Containment) -> None:
    done = await run(Command(argv=("sh", "-c", "kill -SEGV $$")), within=within)
    assert (done.exit_code, done.signal, done.stderr) == (139, 11, b"")


async def test_stdin_is_written_and_closed(within: Containment) -> None:
    data = b"x" * 3_000_000
    assert (await run(Command(argv=("wc", "-c"), stdin=data), within=within)).stdout.split() == [b"3000000"]


async def test_no_stdin_is_an_empty_one(within: Containment) -> None:
    assert (await run(Command(argv=("cat",)), within=within)).ok


async def test_a_program_may_close_its_input_early(within: Containment) -> None:
    done = await run(Command(argv=("sh", "-c", "exec <&-; echo done"), stdin=b"x" * 3_000_000), within=within)
    assert (done.stdout, done.exit_code) == (b"done\n", 0)


async def test_bytes_that_are_no_text_come_through(within: Containment) -> None:
    done = await run(Command(argv=("printf", r"\377\300\000\n")), within=within)
    assert done.stdout == b"\xff\xc0\x00\n"


async def test_the_environment_is_what_was_given(within: Containment) -> None:
    done = await run(Command(argv=("/usr/bin/env",), env={"ONLY": "this"}), within=within)
    names = {line.split(b"=")[0] for line in done.stdout.splitlines()}
    assert b"ONLY" in names
    assert names <= {b"ONLY", b"PWD", b"OLDPWD", b"SHLVL", b"_"}


def test_an_allow_list_lets_nothing_else_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("WANTED", "yes")
    seen = allowed_environment(["WANTED", "NOT_SET"], {"MORE": "1"})
    assert "SOME_TOKEN" not in seen
    assert (seen["WANTED"], seen["MORE"]) == ("yes", "1")
    assert "NOT_SET" not in seen


@pytest.mark.parametrize("written", [".:{usual}", ":{usual}", "bin:{usual}", "./:{usual}", "../{here}:{usual}"])
async def test_a_folder_does_not_say_what_programs_are(
    within: Containment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    """With a PATH that holds the present folder, whoever brings a workspace would bring its `ls`, and its helpers of others."""
    (tmp_path / "bin").mkdir()
    for place in (tmp_path, tmp_path / "bin"):
        (place / "ls").write_text("#!/bin/sh\necho theirs\n")
        (place / "ls").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", written.format(usual="/usr/bin:/bin", here=tmp_path.name))
    for argv in (("ls",), ("sh", "-c", "ls"), ("env", "ls")):
        done = await run(Command(argv=argv, cwd=str(tmp_path), env=allowed_environment()), within=within)
        assert done.stdout == b"bin\nls\n", argv


async def test_the_working_folder(within: Containment, tmp_path: Path) -> None:
    done = await run(Command(argv=("pwd",), cwd=str(tmp_path)), within=within)
    assert done.stdout.decode().strip() == str(tmp_path)


async def test_no_descriptor_leaks_into_the_program(within: Containment) -> None:
    done = await python("import os; print(sorted(os.listdir('/proc/self/fd'), key=int))", within)
    assert done.stdout == b"['0', '1', '2', '3']\n"  # 3 is the listing itself


async def test_a_terminal(within: Containment) -> None:
    script = "test -t 0 && test -t 1 && test -t 2 && echo terminal; cat; echo lost >&2"
    done = await run(Command(argv=("sh", "-c", script), pty=True, stdin=b"typed\n"), within=within)
    assert b"terminal\r\n" in done.stdout
    assert done.stdout.count(b"typed\r\n") == 2  # its echo, and cat's
    assert done.stdout.endswith(b"lost\r\n")


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        ((), InvalidInput),
        (("",), InvalidInput),
        (("echo", "a\0b"), InvalidInput),
        (("no-such-program-anywhere",), NotFound),
        (("/etc/passwd",), NotFound),
        (("/",), NotFound),
        (("echo", "x" * 5_000_000), InvalidInput),
    ],
)
async def test_what_is_no_command(within: Containment, argv: tuple[str, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        await run(Command(argv=argv), within=within)


async def test_a_folder_that_is_not_there(within: Containment) -> None:
    with pytest.raises(NotFound, match="/no/such/folder"):
        await run(Command(argv=("true",), cwd="/no/such/folder"), within=within)


async def test_too_much_output_ends_it(within: Containment) -> None:
    limits = Limits(stdout_bytes=1000, wall_s=20)
    done = await run(Command(argv=("cat", "/dev/zero"), limits=limits), within=within)
    assert (len(done.stdout), done.stopped, done.truncated, done.exit_code) == (1000, "output", True, 137)


async def test_stderr_has_a_limit_of_its_own(within: Containment) -> None:
    limits = Limits(stderr_bytes=100, wall_s=20)
    done = await run(Command(argv=("sh", "-c", "echo fine; cat /dev/zero >&2"), limits=limits), within=within)
    assert (done.stdout, len(done.stderr), done.stopped) == (b"fine\n", 100, "output")


async def test_a_gigabyte_is_dropped_while_reading(within: Containment) -> None:
    limits = Limits(stdout_bytes=10, overflow="drop", wall_s=60)
    argv = ("sh", "-c", "head -c 1000000000 /dev/zero; echo end >&2; exit 4")
    done = await run(Command(argv=argv, limits=limits), within=within)
    assert (len(done.stdout), done.truncated, done.stopped) == (10, True, None)
    assert (done.stderr, done.exit_code) == (b"end\n", 4)


async def test_exactly_the_limit_is_not_too_much(within: Containment) -> None:
    done = await run(Command(argv=("printf", "12345"), limits=Limits(stdout_bytes=5)), within=within)
    assert (done.stdout, done.truncated, done.stopped) == (b"12345", False, None)


async def test_memory_has_a_limit(within: Containment) -> None:
    done = await python("bytearray(400_000_000)", within, Limits(memory_bytes=150_000_000, wall_s=20))
    assert b"MemoryError" in done.stderr


async def test_memory_is_counted_over_all_children(within: Containment) -> None:
    code = (
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        data = bytearray(b'x') * 60_000_000; time.sleep(60)\n"
        "time.sleep(60)"
    )
    done = await python(code, within, Limits(memory_bytes=150_000_000, wall_s=30))
    assert done.stopped == "memory"


async def test_processor_time_has_a_limit(within: Containment) -> None:
    done = await python("while True: pass", within, Limits(cpu_s=0.3, wall_s=30))
    assert done.stopped == "cpu"


async def test_files_have_a_limit(within: Containment, tmp_path: Path) -> None:
    command = Command(
        argv=("sh", "-c", "head -c 5000 /dev/zero > big"), cwd=str(tmp_path), limits=Limits(file_bytes=1000)
    )
    done = await run(command, within=within)
    assert not done.ok
    assert (tmp_path / "big").stat().st_size == 1000


async def test_many_at_once_do_not_mix(within: Containment) -> None:
    outcomes = await asyncio.gather(*(run(Command(argv=("echo", str(n))), within=within) for n in range(20)))
    assert [done.stdout for done in outcomes] == [f"{n}\n".encode() for n in range(20)]
