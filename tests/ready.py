"""Processes of `prime` that are quickly there: forked from one that has loaded it."""

import ctypes
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class ReadyPrime:
    """Starts `prime …` in processes of their own that do not have to load it first.

    What loading does is tested where `python -m prime` is started.
    """

    def __init__(self) -> None:
        self._asking: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(
        self, *words: str, env: Mapping[str, str], cwd: Path | None = None, **streams: Any
    ) -> "subprocess.Popen[str]":
        """As `Popen(["prime", …])`. What the interpreter itself reads of the environment is not read again."""
        return _ForkedPrime(list(words), env=dict(env), cwd=cwd or Path.cwd(), text=True, ask=self._ask, **streams)

    def __call__(
        self, *words: str, env: Mapping[str, str], cwd: Path | None = None, stdin: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        pipe = subprocess.PIPE
        with self.start(*words, env=env, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe) as process:
            said = process.communicate(stdin)
        return subprocess.CompletedProcess(["prime", *words], process.returncode, *said)

    def end(self) -> None:
        if self._asking and self._process:
            self._asking.close()
            self._process.wait()

    def _ask(self, asked: Mapping[str, object], streams: Sequence[int]) -> int:
        with tempfile.TemporaryFile("w+") as file, _adopting_orphans():
            json.dump(asked, file)
            file.seek(0)
            asking = self._ready()
            socket.send_fds(asking, [b"?"], [*streams, file.fileno()])
            answer = asking.recv(4)
        assert answer, "the process that has loaded Prime has ended"
        return int.from_bytes(answer, "big")

    def _ready(self) -> socket.socket:
        if self._asking is None:
            self._asking, other = socket.socketpair()
            with other:
                program = str(Path(__file__).parent / "programs" / "ready_prime.py")
                words = [sys.executable, program, str(other.fileno())]
                self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=[other.fileno()])
        return self._asking


class _ForkedPrime(subprocess.Popen[str]):
    """A child like any other, only that another process forked it."""

    def __init__(
        self, words: list[str], *, ask: Callable[[Mapping[str, object], Sequence[int]], int], **options: Any
    ) -> None:
        self._ask = ask
        super().__init__(words, **options)

    def _execute_child(self, args: list[str], executable: None, preexec_fn: None, *options: Any) -> None:
        """Where Popen itself would fork: the pipes are made, the child is not."""
        _close_fds, _pass_fds, cwd, env, _info, _flags, _shell, *pipes = options
        stdin, _, _, stdout, _, stderr = pipes[:6]
        streams = [given if given != -1 else number for number, given in enumerate((stdin, stdout, stderr))]
        self.pid = self._ask({"words": args, "env": env, "cwd": str(cwd)}, streams)
        self._child_created = True
        self._close_pipe_fds(*pipes[:6])  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@contextmanager
def _adopting_orphans() -> Generator[None]:
    """Who loses its parent meanwhile becomes a child of this process."""
    libc = ctypes.CDLL(None)
    set_it, ask_it, before = 36, 37, ctypes.c_int()  # PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER
    libc.prctl(ask_it, ctypes.byref(before), 0, 0, 0)
    libc.prctl(set_it, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(set_it, before.value, 0, 0, 0)
