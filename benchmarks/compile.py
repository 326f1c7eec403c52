"""Compiling a 167-command document for OpenAI, strict: cold and from the cache, beside reading and writing its JSON.

The floor is what any translation must do at least: `json.loads` of the document and `json.dumps` of the result. The
aims are in milliseconds: 3 cold, 0.05 from the cache.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

from prime.tools.atip import parse_document
from prime.tools.providers import compile_tools
from prime.tools.tool import tools_of

CORPUS = Path(__file__).parents[1] / ".." / "shared" / "corpus" / "atip" / "gh.json"
ROUNDS = scaled(15, 5)
COLD_MS = 3.0
CACHED_MS = 0.05


def milliseconds(work: Callable[[], object]) -> float:
    """Of this thread's own time: it is all computing, and others may be using the machine."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000


def main() -> None:
    report = Report("compile", "ms")
    if not CORPUS.exists():
        report.skip(f"the corpus is not here: {CORPUS.name}")
        return
    source = CORPUS.read_bytes()
    times: dict[str, list[float]] = {name: [] for name in ("parse", "tools", "cold", "whole", "cached", "floor")}
    for _ in range(ROUNDS):
        document = parse_document(source, where="gh.json")
        times["parse"].append(milliseconds(lambda: parse_document(source, where="gh.json")))
        times["tools"].append(milliseconds(lambda: tools_of(document)))  # noqa: B023
        tools = tools_of(document)
        times["cold"].append(milliseconds(lambda: compile_tools(tools, "openai", strict=True)))  # noqa: B023
        times["cached"].append(milliseconds(lambda: compile_tools(tools, "openai", strict=True)))  # noqa: B023
        times["whole"].append(milliseconds(lambda: compile_tools([document], "openai", strict=True)))  # noqa: B023
        compiled = compile_tools(tools, "openai", strict=True).definitions
        times["floor"].append(milliseconds(lambda: (json.loads(source), json.dumps(compiled))))  # noqa: B023
    floor = times["floor"]
    for what, name in (
        ("read and check the document", "parse"),
        ("document to tools", "tools"),
        ("tools to OpenAI, strict, cold", "cold"),
        ("document to OpenAI, strict, cold", "whole"),
        ("tools to OpenAI, strict, cached", "cached"),
    ):
        report.row(what, ours=times[name], peer=floor, peer_name="json loads+dumps", floor=True, higher_is_better=False)
    for what, name, aim in (("coldMs", "whole", COLD_MS), ("cachedMs", "cached", CACHED_MS)):
        middle = statistics.median(times[name])
        report.fact(what, {"median": middle, "aim": aim, "met": middle <= aim})
    report.finish()


if __name__ == "__main__":
    main()
