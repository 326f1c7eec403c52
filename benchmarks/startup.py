"""Starting: `prime --agent` and `prime --help` beside `python -c pass`, and the second start of `prime serve` to serving."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

ROUNDS = scaled(15, 5)
SERVE_ROUNDS = scaled(5, 2)
PRIME = Path(sys.executable).with_name("prime")
PYTHON = [sys.executable, "-c", "pass"]


def seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begin


def seconds_to_serving(folder: str) -> tuple[float, float]:
    """By the clock on the wall, and of the processor alone, which a busy machine does not change."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")}
    command = [str(PRIME), "serve", "--port", "0", "--data", folder]
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        assert "running at" in process.stdout.readline()
        taken = time.perf_counter() - begin
        times = Path(f"/proc/{process.pid}/stat")
        ticks = times.read_text().rpartition(")")[2].split()[11:13] if times.exists() else []
        process.terminate()
    return taken, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    report = Report("startup", "seconds")
    commands = {"prime --agent": ([str(PRIME), "--agent"], 2.0), "prime --help": ([str(PRIME), "--help"], 6.0)}
    seconds(PYTHON)
    for what, (command, aim) in commands.items():
        seconds(command)  # bytecode and disk cache, as after set-up
        ours: list[float] = []
        floor: list[float] = []
        for _ in range(ROUNDS):
            ours.append(seconds(command))
            floor.append(seconds(PYTHON))
        report.row(what, ours=ours, peer=floor, peer_name="python -c pass", floor=True, aim=aim, higher_is_better=False)
    with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as folder:
        seconds_to_serving(folder)
        measured = [seconds_to_serving(folder) for _ in range(SERVE_ROUNDS)]
    starts = [wall for wall, _ in measured]
    report.row(
        "prime serve, second start",
        ours=starts,
        peer=[2.0] * SERVE_ROUNDS,
        peer_name="two seconds",
        aim=1.0,
        higher_is_better=False,
    )
    report.fact("seconds to serving, worst", round(max(starts), 2))
    report.fact("seconds to serving, median", round(statistics.median(starts), 2))
    report.fact("of the processor, median", round(statistics.median(cpu for _, cpu in measured), 2))
    report.finish()


if __name__ == "__main__":
    main()
