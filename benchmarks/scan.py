"""Finding tools, beside its floor: 300 programs that answer `--agent` and 300 that do not, started bare."""

import json
import os
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

from prime.core.process import containment
from prime.tools.discovery import Discovery, Folders

EACH = scaled(300, 40)
ROUNDS = scaled(5, 2)
CONCURRENCY = (1, 2, 3, 4, 8)


def make_programs(folder: Path, each: int = EACH) -> list[str]:
    for number in range(each):
        commands = {f"c{n}": {"description": "Do it", "effects": {"destructive": False}} for n in range(5)}
        document = {"atip": "0.3", "name": f"yes{number}", "version": "1", "description": "x", "commands": commands}
        body = f"#!/bin/sh\n[ \"$1\" = --agent ] || exit 2\ncat <<'END'\n{json.dumps(document)}\nEND\n"
        (folder / f"yes{number}").write_text(body)
        (folder / f"no{number}").write_text("#!/bin/sh\necho 'unknown option' >&2\nexit 2\n")
    for path in folder.iterdir():
        path.chmod(0o755)
    return sorted(str(path) for path in folder.iterdir())


def bare(programs: list[str], at_once: int) -> None:
    """posix_spawn, a pipe, and a wait for each: nothing that could be left out."""
    waiting = iter(programs)
    running: dict[int, int] = {}
    poll = select.poll()

    def start() -> None:
        path = next(waiting, None)
        if path is None:
            return
        reader, writer = os.pipe()
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, writer, 1),
            (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
        ]
        running[reader] = os.posix_spawn(path, [path, "--agent"], os.environ, file_actions=actions)
        os.close(writer)
        poll.register(reader, select.POLLIN)

    for _ in range(at_once):
        start()
    while running:
        for fd, _ in poll.poll():
            if not os.read(fd, 65536):
                poll.unregister(fd)
                os.waitpid(running.pop(fd), 0)
                os.close(fd)
                start()


def milliseconds(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return (time.perf_counter() - begin) * 1000


def main() -> None:
    report = Report("scan", f"milliseconds; {EACH} programs that answer --agent, {EACH} that do not")
    containment()  # found by trying, once for each process
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        places = [str(folder / "bin")]
        programs = make_programs(folder / "bin")
        floors: dict[int, list[float]] = {at_once: [] for at_once in CONCURRENCY}
        cold: list[float] = []
        warm: list[float] = []
        for number in range(ROUNDS):
            # In turns, so that all see the same machine.
            for at_once, times in floors.items():
                times.append(milliseconds(lambda at_once=at_once: bare(programs, at_once)))
            home = folder / str(number)
            discovery = Discovery(Folders(data=home / "data", config=home / "config", system=()))
            cold.append(milliseconds(lambda discovery=discovery: discovery.scan(paths=places)))
            warm.append(min(milliseconds(lambda discovery=discovery: discovery.scan(paths=places)) for _ in range(5)))
            last = discovery.scan(paths=places)
            assert (last.counts()["native"], last.silent, last.asked) == (EACH, EACH, 0)
    best = min(floors, key=lambda at_once: statistics.median(floors[at_once]))
    report.row(
        f"cold, in a {containment().name}",
        ours=cold,
        peer=floors[best],
        peer_name=f"posix_spawn, {best} at once",
        floor=True,
        aim=1.5,
        higher_is_better=False,
    )
    report.row(
        "warm, no process started",
        ours=warm,
        peer=[10.0] * ROUNDS,
        peer_name="what it may take",
        aim=1.0,
        higher_is_better=False,
    )
    report.finish()


if __name__ == "__main__":
    main()
