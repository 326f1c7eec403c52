"""A table and, with --json FILE, JSON: ours and the peer's in one run, as ratios with their spread."""

import json
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Row:
    what: str
    peer: str
    ours: float
    theirs: float
    ratio: float
    spread: tuple[float, float]
    aim: float | None
    higher_is_better: bool

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

    def row(
        self,
        what: str,
        *,
        ours: Sequence[float],
        peer: Sequence[float],
        peer_name: str,
        aim: float | None = None,
        higher_is_better: bool = True,
    ) -> None:
        """One comparison; `ours` and `peer` are repetitions, taken in turns."""
        ratios = sorted(a / b for a, b in zip(ours, peer, strict=True))
        self.rows.append(
            Row(
                what,
                peer_name,
                statistics.median(ours),
                statistics.median(peer),
                statistics.median(ratios),
                (ratios[0], ratios[-1]),
                aim,
                higher_is_better,
            )
        )

    def fact(self, name: str, value: object) -> None:
        """A number that has no peer, or a count that must hold."""
        self.facts[name] = value

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
        if "--json" in sys.argv:
            target = Path(sys.argv[sys.argv.index("--json") + 1])
            rows = [asdict(row) | {"met": row.met} for row in self.rows]
            document = {"name": self.name, "unit": self.unit, "rows": rows, "facts": self.facts}
            target.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
