"""Reading in a process of its own: no network, nothing to write to, little memory, and gone when its time is up."""

import json
import sys
from typing import Protocol, cast, get_args

from prime.brain.reading.reading import MAX_TEXT, Family, Reading, cut
from prime.core.canonical import clean_text
from prime.core.process import Command, Limits, Outcome, SandboxPolicy, allowed_environment, run

_MIB = 1024 * 1024
LIMITS = Limits(
    wall_s=90.0,
    cpu_s=80.0,
    memory_bytes=1024 * _MIB,
    processes=24,
    file_bytes=64 * _MIB,
    stdout_bytes=8 * _MIB,
    stderr_bytes=64 * 1024,
    overflow="stop",
)
# What steers a terminal or turns the direction of writing is no text: it would show a file as what it is not.
_UNSEEN: dict[int, str | None] = {
    **dict.fromkeys([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)], " "),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]),
}
_WHY = {
    "timeout": "reading it took too long",
    "cpu": "reading it took too long",
    "memory": "reading it took too much memory",
    "output": "it says more than a file may",
    "processes": "reading it started too many programs",
    "killed": "reading it took more than a file may take",
}


class Reader(Protocol):
    """Reads a file's content. What is wrong with the file is told in the answer."""

    async def read(self, content: bytes) -> Reading: ...


class SandboxedReader:
    """Reads in a process of its own, behind walls."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits

    async def read(self, content: bytes) -> Reading:
        if not content:
            return Reading(family="other", facts=("an empty file",))
        outcome = await run(
            Command(
                argv=(sys.executable, "-P", "-m", "prime.brain.reading"),
                cwd="/",
                # Nothing of Prime's own environment; one thread is enough for one page.
                env=allowed_environment(extra={"OMP_THREAD_LIMIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}),
                stdin=content,
                limits=self._limits,
                sandbox=SandboxPolicy(network=False, read_only=True, empty_home=True, enforce="best-effort"),
            )
        )
        return _reading(outcome)


def _reading(outcome: Outcome) -> Reading:
    """What the process said; it is not believed to have the form that it should have."""
    if not outcome.ok:
        why = _WHY.get(outcome.stopped or "", "the reader failed on it, which a whole file does not make it do")
        return Reading(family="other", refused=f"It was not read: {why}.")
    try:
        answer = cast("object", json.loads(outcome.stdout))
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        return Reading(family="other", refused="It was not read: the reader gave no answer.")
    fields = cast("dict[str, object]", answer)
    family, facts, text, refused = (fields.get(name) for name in ("family", "facts", "text", "refused"))
    listed = cast("list[object]", facts) if isinstance(facts, list) else []
    return Reading(
        family=cast("Family", family) if family in get_args(Family) else "other",
        facts=tuple(cut(_line(fact), 2000) for fact in listed if isinstance(fact, str))[:40],
        text=cut(clean_text(text).translate(_UNSEEN), MAX_TEXT) if isinstance(text, str) else "",
        refused=cut(_line(refused), 500) if isinstance(refused, str) else None,
    )


def _line(text: str) -> str:
    """One line without control characters: it stands in a message."""
    return " ".join("".join(c if c.isprintable() else " " for c in clean_text(text)).split())
