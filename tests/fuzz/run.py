"""Feed one reader for so many seconds: `python -m tests.fuzz.run NAME SECONDS CORPUS`.

Atheris leads the way to code that was not reached before, where it is installed; damage at random is what is left
without it. Both begin again now and then from what a grammar grows. What breaks the reader is kept in tests/fuzz/crashes,
and the answer is 1.
"""

import contextlib
import importlib
import os
import random
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.fuzz.damage import damaged
from tests.fuzz.grammars import grown

_LONGEST = 4_000  # short inputs are tried more often; how time grows with length is tests/fuzz/test_growth.py's affair


def main() -> None:
    name, seconds, corpus = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])
    atheris = _atheris()
    with atheris.instrument_imports(include=["prime"]) if atheris else contextlib.nullcontext():
        checking: Any = importlib.import_module("tests.fuzz.checking")
        readers = dict(checking.READERS)
        if name not in readers:  # a whole Prime takes a while to load
            readers |= importlib.import_module("tests.fuzz.doors").DOORS
    if name not in readers:
        sys.exit(f"There is no reader {name}. There are: {', '.join(readers)}.")
    corpus.mkdir(parents=True, exist_ok=True)
    for number, example in enumerate(readers[name].examples):
        (corpus / f"example-{number}").write_bytes(example)

    def one(data: bytes) -> None:
        try:
            checking.check(name, data, readers)
        except AssertionError as error:
            print(f"{error}\nKept as {checking.keep(name, data)}", file=sys.stderr, flush=True)
            os._exit(1)

    others = [example for reader in readers.values() for example in reader.examples]
    if atheris:
        _led(atheris, name, one, seconds, others, corpus)
    else:
        _damaged(name, one, seconds, others, corpus)


def _atheris() -> ModuleType | None:
    with contextlib.suppress(ImportError):
        return importlib.import_module("atheris")
    print("atheris is not installed: damage at random only", file=sys.stderr)
    return None


def _led(atheris: Any, name: str, one: Any, seconds: float, others: list[bytes], corpus: Path) -> None:
    def other(data: bytes, longest: int, seed: int) -> bytes:
        """Half of the time the damage that knows JSON, a tenth something new from the grammar, else libFuzzer's own."""
        chance = random.Random(seed)
        kind = chance.random()
        if kind < 0.1:
            return grown(name, chance)[:longest]
        return damaged(data, others, chance)[:longest] if kind < 0.6 else atheris.Mutate(data, longest)

    limits = [f"-max_total_time={seconds:.0f}", f"-max_len={_LONGEST}", "-timeout=60", "-rss_limit_mb=2048"]
    options = ["-print_final_stats=1", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *limits, *options, str(corpus)], one, custom_mutator=other)
    atheris.Fuzz()


def _damaged(name: str, one: Any, seconds: float, others: list[bytes], corpus: Path) -> None:
    examples = [path.read_bytes() for path in corpus.iterdir()]
    chance, until, tried = random.Random(), time.monotonic() + seconds, 0
    while time.monotonic() < until:
        one(grown(name, chance) if chance.random() < 0.2 else damaged(chance.choice(examples), others, chance))
        tried += 1
    print(f"{tried} inputs")


if __name__ == "__main__":
    main()
