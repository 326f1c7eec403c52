"""Ask executables for their document with `--agent`: the one thing here that starts programs."""

import codecs
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from prime.core.errors import InvalidInput
from prime.core.process import Batch, BatchLimits, Outcome, search_path
from prime.tools.atip import Document, InvalidDocument, parse_document
from prime.tools.discovery.executables import Executable
from prime.tools.discovery.registry import Answer, Probe
from prime.tools.discovery.settings import ScanSettings

MAX_ANSWER = 1024 * 1024
_STOPPED: Mapping[str, str] = {
    "output": f"it answers with more than {MAX_ANSWER:,} bytes, also with --depth=1",
    "processes": "it starts too many processes",
    "killed": "it took its sandbox with it",
}


class Answered(NamedTuple):
    """What one executable said; `document` and its text only when it is a good one."""

    executable: Executable
    probe: Probe
    document: Document | None = None
    text: bytes = b""


def ask(executables: Sequence[Executable], settings: ScanSettings) -> Iterator[Answered]:
    """Each executable's answer, as they come in. An answer that is too long is asked for once more, without depth."""
    with _batch(settings) as batch:
        too_long: list[Executable] = []
        for index, outcome in batch.run([(executable.path, "--agent") for executable in executables]):
            if outcome.stopped == "output":
                too_long.append(executables[index])
            else:
                yield judge(executables[index], outcome, settings)
        for index, outcome in batch.run([(executable.path, "--agent", "--depth=1") for executable in too_long]):
            yield judge(too_long[index], outcome, settings)


def ask_for_commands(executable: Executable, commands: Sequence[str], settings: ScanSettings) -> Document:
    """The part of a large document below the named commands."""
    with _batch(settings) as batch:
        ((_, outcome),) = batch.run([(executable.path, "--agent", f"--commands={','.join(commands)}")])
    answered = judge(executable, outcome, settings)
    if answered.document is None:
        raise InvalidInput(
            f"{executable.name} gives no document for {', '.join(commands)}: {answered.probe.reason or 'no answer'}.",
            hint=f"Try `{executable.name} --agent --commands={','.join(commands)}` by hand.",
        )
    return answered.document


def judge(executable: Executable, outcome: Outcome, settings: ScanSettings) -> Answered:
    """Whether this is a document, and this program's own."""

    def answered(answer: Answer, reason: str = "") -> Answered:
        return Answered(executable, Probe(executable.identity, answer, reason))

    if outcome.stopped == "timeout":
        return answered("refused", f"no end after {settings.timeout_s:g} s")
    if outcome.stopped is not None:
        return answered("refused", _STOPPED[outcome.stopped])
    text = outcome.stdout.removeprefix(codecs.BOM_UTF8).lstrip()
    if outcome.exit_code != 0 or not text.startswith(b"{"):
        return answered("none")
    try:
        document = parse_document(outcome.stdout, where=f"{executable.name} --agent")
    except InvalidDocument as error:
        # Only what claims to be a document is worth a word to the person who scans.
        return answered("refused", str(error)) if b'"atip"' in text else answered("none")
    if document.name != executable.name:
        return answered("refused", f"its document is for {document.name[:60]!r}, another tool")
    return Answered(executable, Probe(executable.identity, "native"), document, outcome.stdout)


def _batch(settings: ScanSettings) -> Batch:
    path = os.pathsep.join(search_path(os.environ.get("PATH", os.defpath)))
    scrubbed = {"PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1"}
    limits = BatchLimits(wall_s=settings.timeout_s, stdout_bytes=MAX_ANSWER)
    return Batch(limits, env=scrubbed, workers=settings.workers)
