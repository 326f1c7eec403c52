"""A process that has loaded Prime and forks one `prime …` whenever it is asked: real processes, without the loading.

Asked over the socket of the given number: stdin, stdout, stderr and a file: `{"words": […], "env": {…}, "cwd": "…"}`.
Answered by the new process's id. It is nobody's child by then, so that whoever adopts orphans can wait for it.
"""

import gc
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TypedDict

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.searched import search_all

import prime.app
import prime.cli.main
import prime.web.server

LOADED = (prime.app, prime.cli.main, prime.web.server)


class Asked(TypedDict):
    words: list[str]
    env: dict[str, str]
    cwd: str


def main() -> None:
    search_all()
    gc.collect()
    gc.freeze()  # what was loaded stays: nobody copies its pages by looking through it
    with socket.socket(fileno=int(sys.argv[1])) as asking:
        while True:
            _, files, _, _ = socket.recv_fds(asking, 1, 4)
            if not files:
                return  # the tests are over
            asked, child = _orphan(files)
            if child == 0:
                asking.close()
                break
            for file in files:
                os.close(file)
            asking.sendall(child.to_bytes(4, "big"))
    _become(asked, files[:3])


def _orphan(files: list[int]) -> tuple[Asked, int]:
    """Forks twice: 0 in the new process, its id in this one."""
    with open(files[3], closefd=False) as file:
        asked: Asked = json.load(file)
    says, hears = os.pipe()
    between = os.fork()
    if between == 0:
        child = os.fork()
        if child == 0:
            os.close(says)
            os.close(hears)
            return asked, 0
        os.write(hears, child.to_bytes(4, "big"))
        os._exit(0)
    os.close(hears)
    os.waitpid(between, 0)
    child = int.from_bytes(os.read(says, 4), "big")
    os.close(says)
    return asked, child


def _become(asked: Asked, files: list[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(3, max(files) + 2)
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        by_line = number == 2 or os.isatty(number)
        setattr(sys, name, open(number, mode, closefd=False, buffering=1 if by_line else -1))  # noqa: SIM115
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    os.chdir(asked["cwd"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["prime", *asked["words"]]
    from prime.__main__ import main as prime_main

    prime_main()


main()
