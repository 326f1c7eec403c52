"""Runs every benchmark of this folder, or those that are named, and writes results.md and results.json beside them.

    scripts/bench                     all of them, in full
    scripts/bench --quick             all of them, small: under five minutes, to see that they run and roughly where we stand
    scripts/bench append recall       only these; the others' results stay as they were
    scripts/bench --compare OLD.json  compare the ratios of results.json with an earlier file's, measuring nothing

Ratios are compared, never times: a slower machine slows the peer as well.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from compare import compare

HERE = Path(__file__).parent
NOT_BENCHMARKS = {"report", "run", "compare", "peers", "fit", "gateways", "replicas", "crowd", "noise"}
PATIENCE_S = 1800
QUICK_PATIENCE_S = 240
# What a quick run gives to benchmarks that take their size as an option; the others ask `report.scaled`.
QUICK_OPTIONS = {
    "instance": ["--messages", "20000", "--megabytes", "20", "--seconds", "2"],
    "scripts": ["--records", "1000"],
    "context": ["--messages", "10000"],
    "load": ["--seconds", "5"],
    "page": ["--messages", "5000", "--seconds", "5"],
}

LEGEND = """How to read it: a section is one program of `benchmarks/`, and its first line says the unit and the versions. In
each row *ours* and *theirs* are medians of runs that were taken in turns on the same machine; *ratio* is ours to
theirs, the larger the better unless it says that less is better; *spread* is the smallest and the largest ratio of
a single run. A *floor* is what nobody can go below (a bare spawn, an fsync, a handler that does nothing): it shows
how far away we are. An *aim* is what we set ourselves. A peer that could not be installed is **left out** and
named. Ratios travel to other machines, times do not."""

Document = dict[str, Any]


def names() -> list[str]:
    return [p.stem for p in sorted(HERE.glob("*.py")) if p.stem not in NOT_BENCHMARKS]


def run_one(name: str, target: Path, *, quick: bool) -> Document:
    """One benchmark's result; when it fails, a document that says so."""
    command = [sys.executable, str(HERE / f"{name}.py"), "--json", str(target)]
    environment = dict(os.environ)
    if quick:
        command += QUICK_OPTIONS.get(name, [])
        environment["PRIME_BENCH_QUICK"] = "1"
    began = time.perf_counter()
    code, printed, complaints = call(command, environment, QUICK_PATIENCE_S if quick else PATIENCE_S)
    document: Document = {"name": name}
    if code == 0 and target.exists():
        document = json.loads(target.read_text("utf-8"))
    else:
        lines = complaints.strip().splitlines() or [f"it wrote no result (exit code {code})"]
        document["failed"] = lines[-1][:500]
        sys.stderr.write(complaints[-4000:] + f"\n{name}: FAILED: {document['failed']}\n")
    took = round(time.perf_counter() - began, 1)
    sys.stdout.write(f"{printed.rstrip()}\n  ({name}: {took:g} s)\n\n")
    sys.stdout.flush()
    return {**document, "name": name, "seconds": took, "quick": quick, "printed": printed.rstrip()}


def call(command: list[str], environment: dict[str, str], patience: float) -> tuple[int, str, str]:
    """The exit code, what it said and what it complained about; it and its children end when its time is over."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        printed, complaints = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        printed, complaints = process.communicate()
        return 1, printed, f"{complaints}\nit took over {patience:g} s and was ended"
    return process.returncode, printed, complaints


def machine() -> str:
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def section(document: Document) -> str:
    """One benchmark as Markdown."""
    title = f"## {document['name']}\n\n"
    if "failed" in document:
        return f"{title}**Failed:** {document['failed']}\n"
    if "skipped" in document:
        return f"{title}Skipped: {document['skipped']}\n"
    versions = ", ".join(f"{name} {version}" for name, version in document.get("versions", {}).items())
    size = "a quick run, " if document.get("quick") else ""
    lines = [f"{title}{document['unit']} ({size}{versions}; {document['seconds']:g} s)\n"]
    if document["rows"]:
        lines += [
            "| what | ours | beside | theirs | ratio | spread | runs | aim |",
            "| --- | ---: | --- | ---: | ---: | --- | ---: | --- |",
        ]
        lines += [table_row(row) for row in document["rows"]] + [""]
    lines += [f"- {name}: {value}" for name, value in document["facts"].items()]
    lines += [f"- {name}: **left out**, {why}" for name, why in document.get("missing", {}).items()]
    return "\n".join(lines) + "\n"


def table_row(row: Document) -> str:
    sign = {None: "", True: " met", False: " **not met**"}[row["met"]]
    aim = "" if row["aim"] is None else f"{'≥' if row['higher_is_better'] else '≤'} {row['aim']:g}{sign}"
    beside = f"{row['peer']} (floor)" if row.get("floor") else row["peer"]
    low, high = row["spread"]
    better = "" if row["higher_is_better"] else " (less is better)"
    return (
        f"| {row['what']} | {figure(row['ours'])} | {beside} | {figure(row['theirs'])} | {row['ratio']:.2f}{better} |"
        f" {low:.2f} to {high:.2f} | {row.get('repetitions', '')} | {aim} |"
    )


def figure(value: float) -> str:
    """Three digits that say something: 2,488, 84.3, 0.00213."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def write(documents: list[Document], where: Path) -> None:
    failed = [d["name"] for d in documents if "failed" in d]
    head = f"# Benchmarks\n\nWritten by `scripts/bench` on {machine()}.\n\n{LEGEND}\n"
    if failed:
        head += f"\nFailed: {', '.join(failed)}.\n"
    where.with_suffix(".md").write_text("\n".join([head, *map(section, documents)]), "utf-8")
    kept = [{key: value for key, value in d.items() if key != "printed"} for d in documents]
    results = {"machine": machine(), "benchmarks": kept, "failed": failed}
    where.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


def earlier(where: Path) -> dict[str, Document]:
    if not where.exists():
        return {}
    return {one["name"]: one for one in json.loads(where.read_text("utf-8"))["benchmarks"]}


def measure(wanted: list[str], where: Path, *, quick: bool) -> int:
    # A run of some keeps what an earlier run found for the others.
    found = earlier(where) if wanted else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted or names():
            found[name] = run_one(name, Path(folder) / f"{name}.json", quick=quick)
            write([found[key] for key in sorted(found)], where)
    failed = [name for name in (wanted or names()) if "failed" in found[name]]
    if failed:
        sys.stderr.write(f"These did not finish: {', '.join(failed)}.\n")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks of this folder")
    parser.add_argument("--quick", action="store_true", help="small sizes, under five minutes")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results.json", help="where the JSON goes; the table goes beside it"
    )
    parser.add_argument("--compare", type=Path, metavar="OLD.json", help="compare ratios; exit 1 when one became worse")
    parser.add_argument(
        "--slack", type=float, default=0.2, help="how much worse than both spreads a ratio may be (0.2 is a fifth)"
    )
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(names()))
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(names())}")
    if given.compare:
        return compare(given.compare, given.out, given.slack)
    return measure(given.names, given.out, quick=given.quick)


if __name__ == "__main__":
    sys.exit(main())
