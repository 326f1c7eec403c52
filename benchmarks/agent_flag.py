"""`prime --agent` beside starting Python at all: agents ask it of every program on the PATH."""

import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

ROUNDS = scaled(15, 5)


def seconds(*words: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    report = Report("agent_flag", "s")
    bare: list[float] = []
    whole: list[float] = []
    part: list[float] = []
    for _ in range(ROUNDS):
        bare.append(seconds("-c", "pass"))
        whole.append(seconds("-c", "from prime.__main__ import main; main()", "--agent"))
        part.append(seconds("-c", "from prime.__main__ import main; main()", "--agent", "--depth=1"))
    for what, ours in (("prime --agent", whole), ("prime --agent --depth=1", part)):
        report.row(what, ours=ours, peer=bare, peer_name="python -c pass", floor=True, aim=2.0, higher_is_better=False)
    report.finish()


if __name__ == "__main__":
    main()
