"""A table and, with --json FILE, JSON: ours and the peer's in one run, as ratios with their spread."""

import json
import os
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

QUICK = bool(os.environ.get("PRIME_BENCH_QUICK"))


def _tell_what_it_is() -> None:
    """`--help` of a benchmark that has no options but `--json FILE`; the others answer for themselves."""
    program = sys.modules["__main__"]
    if {"-h", "--help"} & set(sys.argv[1:]) and not hasattr(program, "argparse"):
        print(f"{(program.__doc__ or '').strip()}\n\n--json FILE   write the result there, too")
        sys.exit(0)


_tell_what_it_is()


def scaled(full: int, quick: int) -> int:
    """How many: `full`, or in a quick run (`scripts/bench --quick`) `quick`."""
    return quick if QUICK else full


@dataclass
class Row:
    what: str
    peer: str
    ours: float
    theirs: float
    ratio: float
    spread: tuple[float, float]
    repetitions: int
    aim: float | None
    higher_is_better: bool
    floor: bool

    @property
    def met(self) -> bool | None:
        if self.aim is None:
            return None
        return self.ratio >= self.aim if self.higher_is_better else self.ratio <= self.aim


@dataclass
class Report:
    name: str
    unit: str
    rows: list[Row] = field(default_factory=list[Row])
    facts: dict[str, object] = field(default_factory=dict[str, object])
    versions: dict[str, str] = field(default_factory=dict[str, str])
    missing: dict[str, str] = field(default_factory=dict[str, str])

    def row(
        self,
        what: str,
        *,
        ours: Sequence[float],
        peer: Sequence[float],
        peer_name: str,
        aim: float | None = None,
        higher_is_better: bool = True,
        floor: bool = False,
    ) -> None:
        """One comparison; `ours` and `peer` are repetitions, taken in turns. `floor`: what the peer does nobody can avoid."""
        ratios = sorted(a / b for a, b in zip(ours, peer, strict=True))
        self.rows.append(
            Row(
                what,
                peer_name,
                statistics.median(ours),
                statistics.median(peer),
                statistics.median(ratios),
                (ratios[0], ratios[-1]),
                len(ratios),
                aim,
                higher_is_better,
                floor,
            )
        )

    def fact(self, name: str, value: object) -> None:
        """A number that has no peer, or a count that must hold."""
        self.facts[name] = value

    def peer(self, name: str, its_version: str) -> None:
        """Which version of a peer took part."""
        self.versions[name] = its_version

    def absent(self, name: str, why: str) -> None:
        """A peer that could not be installed or started; its rows are left out."""
        self.missing[name] = why

    def skip(self, why: str) -> None:
        """There is nothing to measure here, for this reason."""
        print(f"{self.name}: skipped, {why}")
        self._write({"name": self.name, "skipped": why})

    def finish(self) -> None:
        print(f"{self.name}: {self.unit} (Python {platform.python_version()}, {platform.system()})")
        for row in self.rows:
            sign = {None: "", True: "  met", False: "  NOT met"}[row.met]
            aim = "" if row.aim is None else f"  aim {'>=' if row.higher_is_better else '<='} {row.aim:g}{sign}"
            print(
                f"  {row.what:28} {row.ours:12,.2f}  {row.peer:28} {row.theirs:12,.2f}"
                f"  ratio {row.ratio:6.2f} ({row.spread[0]:.2f}-{row.spread[1]:.2f}){aim}"
            )
        for name, value in self.facts.items():
            print(f"  {name:28} {value}")
        for name, why in self.missing.items():
            print(f"  {name:28} left out: {why}")
        rows = [asdict(row) | {"met": row.met} for row in self.rows]
        versions = {"prime-agent": _own_version(), **self.versions}
        about = {"name": self.name, "unit": self.unit, "versions": versions, "missing": self.missing}
        self._write({**about, "rows": rows, "facts": self.facts})

    def _write(self, document: dict[str, object]) -> None:
        if "--json" in sys.argv:
            target = Path(sys.argv[sys.argv.index("--json") + 1])
            target.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def _own_version() -> str:
    try:
        return version("prime-agent")
    except PackageNotFoundError:
        return "not installed"
