"""A process that has loaded Prime and forks one `prime …` for each line it reads: real processes, without the loading.

In: `{"words": […], "env": {…}, "cwd": "…", "folder": "…"}`, the folder having a file `stdin`; out: the exit code, when
it has ended. What it said is in the folder's `stdout` and `stderr`.
"""

import json
import os
import sys
from typing import TypedDict

import prime.app
import prime.cli.main
import prime.web.server

LOADED = (prime.app, prime.cli.main, prime.web.server)


class Asked(TypedDict):
    words: list[str]
    env: dict[str, str]
    cwd: str
    folder: str


def main() -> None:
    for line in sys.stdin:
        asked: Asked = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(asked)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(asked: Asked) -> None:
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        file = os.open(f"{asked['folder']}/{name}", os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  (the old one has read ahead in what was stdin before)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.argv = ["prime", *asked["words"]]
    from prime.__main__ import main as prime_main

    prime_main()


main()
