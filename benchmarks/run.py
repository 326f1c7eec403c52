"""Runs every benchmark of this folder, or those that are named, and writes results.md and results.json beside them."""

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

HERE = Path(__file__).parent
NOT_BENCHMARKS = {"report", "run"}

Document = dict[str, object]


def run_one(script: Path, target: Path) -> tuple[str, Document | None]:
    """What it printed, and its JSON when it wrote one."""
    command = [sys.executable, str(script), "--json", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    if done.returncode or not target.exists():
        sys.stderr.write(done.stderr)
        return done.stdout + done.stderr, None
    return done.stdout, cast("Document", json.loads(target.read_text("utf-8")))


def main() -> int:
    wanted = set(sys.argv[1:])
    scripts = [
        p for p in sorted(HERE.glob("*.py")) if p.stem not in NOT_BENCHMARKS and (not wanted or p.stem in wanted)
    ]
    unknown = wanted - {p.stem for p in scripts}
    if unknown or not scripts:
        sys.stderr.write(f"There is no benchmark {', '.join(sorted(unknown))}.\n")
        return 2
    documents: list[Document] = []
    sections: list[str] = []
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for script in scripts:
            printed, document = run_one(script, Path(folder) / f"{script.stem}.json")
            sections.append(f"## {script.stem}\n\n```\n{printed.rstrip()}\n```\n")
            if document is None:
                failed.append(script.stem)
            else:
                documents.append(document)
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    (HERE / "results.md").write_text(f"# Benchmarks\n\n{machine}\n\n" + "\n".join(sections), "utf-8")
    results = {"machine": machine, "benchmarks": documents, "failed": failed}
    (HERE / "results.json").write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    if failed:
        sys.stderr.write(f"These did not finish: {', '.join(failed)}.\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
