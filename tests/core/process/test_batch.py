"""Many short programs in a few sandboxes."""

import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from prime.core.process import Batch, BatchLimits, Containment, Outcome, containment

# Doubles six times and stops by itself, so that a broken limit does not take the machine with it.
BOMB = "grow() { sleep 30 & [ $1 = 0 ] || { grow $(($1 - 1)) & grow $(($1 - 1)) & }; wait; }; grow 6"
QUICK = BatchLimits(wall_s=0.5, stdout_bytes=1000, processes=20)
# For programs that end by themselves: on a busy machine that may take a while, and it is not what a test is about.
PATIENT = BatchLimits(wall_s=30, stdout_bytes=1000, processes=20)


def shell(*scripts: str, word: str = "batch") -> list[tuple[str, ...]]:
    return [("/bin/sh", "-c", script, word) for script in scripts]


def run(jobs: list[tuple[str, ...]], within: Containment, limits: BatchLimits = QUICK) -> list[Outcome]:
    with Batch(limits, within=within, workers=2) as batch:
        outcomes = dict(batch.run(jobs))
    return [outcomes[index] for index in range(len(jobs))]


def test_each_job_has_its_own_outcome(within: Containment) -> None:
    jobs = shell(*(f"echo {number}; exit {number % 3}" for number in range(30)))
    outcomes = run(jobs, within, PATIENT)
    assert [outcome.stdout for outcome in outcomes] == [f"{number}\n".encode() for number in range(30)]
    assert [outcome.exit_code for outcome in outcomes] == [number % 3 for number in range(30)]


def test_signals_output_and_what_cannot_start(within: Containment) -> None:
    jobs = [*shell("kill -9 $$", "cat /dev/zero", "echo err >&2; cat"), ("/no/such/program",), ("/etc/passwd",)]
    killed, loud, silent, missing, no_program = run(jobs, within, PATIENT)
    assert (killed.signal, killed.stopped) == (9, None)
    assert (len(loud.stdout), loud.stopped, loud.truncated) == (1000, "output", True)
    assert (silent.stdout, silent.exit_code) == (b"", 0)
    assert (missing.exit_code, no_program.exit_code) == (127, 127)


def test_hanging_programs_cost_their_time_once_together(within: Containment) -> None:
    jobs = shell(*["trap '' TERM INT; sleep 1000"] * 24, *["echo quick"] * 20)
    limits = BatchLimits(wall_s=1.5)
    begun = time.monotonic()
    outcomes = run(jobs, within, limits)
    assert [outcome.stopped for outcome in outcomes[:24]] == ["timeout"] * 24
    assert all(outcome.stdout == b"quick\n" for outcome in outcomes[24:])
    assert time.monotonic() - begun < 24 * limits.wall_s / 2  # which is what two at a time would take


@pytest.mark.parametrize(
    ("hanging", "wall_s", "first"), [("while :; do :; done", 0.3, [0, 1, 2]), ("sleep 1000", 60, [1, 2, 3])]
)
def test_those_who_work_keep_their_place_and_those_who_wait_do_not(
    within: Containment, hanging: str, wall_s: float, first: list[int]
) -> None:
    with Batch(BatchLimits(wall_s=wall_s), within=within, workers=1) as batch:
        ended = batch.run(shell(hanging, *["echo quick"] * 3))
        assert sorted(index for index, _ in islice(ended, 3)) == first


def test_nothing_is_left_of_any_job(
    within: Containment, mark: str, living: Callable[[], int], children: Callable[[], set[str]]
) -> None:
    before = children()
    escapes = ['(setsid sh -c "sleep 1000; : $0" >/dev/null &) ; echo out', '(setsid sleep 1000 "$0" &); sleep 1000']
    with Batch(QUICK, within=within, workers=1) as batch:
        for job in shell(*escapes, word=mark):
            assert len(list(batch.run([job]))) == 1
            assert living() == 0
    assert children() == before


def test_a_batch_that_is_left_early_leaves_nothing(within: Containment, mark: str, living: Callable[[], int]) -> None:
    jobs = shell("echo quick", *['(setsid sleep 1000 "$0" &); sleep 1000'] * 3, word=mark)
    with Batch(BatchLimits(wall_s=20), within=within, workers=2) as batch:
        assert next(iter(batch.run(jobs)))[1].stdout == b"quick\n"
    assert living() == 0


def test_a_fork_bomb_is_stopped(within: Containment, mark: str, living: Callable[[], int]) -> None:
    bomb = [("/bin/bash", "-c", "for i in $(seq 400); do sleep 30 & done; sleep 30", mark)]
    (outcome,) = run(bomb, within, BatchLimits(wall_s=20, processes=30))
    assert outcome.stopped == "processes"
    assert living() == 0


def test_an_empty_home(within: Containment) -> None:
    (done,) = run(shell('ls -A; test "$PWD" = "$HOME" && touch here && ls'), within, PATIENT)
    assert done.stdout == b"here\n"


def test_walls(tmp_path: Path) -> None:
    written, reached = run(shell(f"touch {tmp_path}/no", "cat /proc/1/fd/1"), containment(), PATIENT)
    assert written.exit_code != 0
    assert not any(tmp_path.iterdir())
    assert reached.exit_code != 0
