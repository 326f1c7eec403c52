"""Walks through a program's help, in the sandbox of a scan, and writes what it says as an ATIP document."""

import asyncio
import os
import tempfile
import time
from pathlib import Path

from prime.core.errors import Forbidden, InvalidInput, JsonValue, NotFound, Unavailable
from prime.core.process import Command, Limits, SandboxPolicy, find_executable, run
from prime.tools.atip import Document, parse_document
from prime.tools.discovery.executables import unsafe_program
from prime.tools.discovery.folders import Folders, safe_name, user_folders, write_json, writing
from prime.tools.discovery.settings import ScanSettings, load_settings
from prime.tools.infer.parameters import usage_arguments
from prime.tools.infer.reader import Help, read_help
from prime.tools.infer.sections import clean

MAX_PROGRAMS = 300
# After this the commands that are left have the one line that the list says of them.
MAX_SECONDS = 60.0
_POLICY = SandboxPolicy(network=False, read_only=True, empty_home=True, enforce="best-effort")
_LIMITS = Limits(wall_s=5, stdout_bytes=1024 * 1024, stderr_bytes=1024 * 1024, processes=64, overflow="drop")
# Ways to ask, in this order; nothing else is ever run. "-h" is tried last, as it is not always help.
_TOP = (("--help",), ("help",), ("-h",))


async def infer_tool(name: str, *, depth: int = 3, folders: Folders | None = None) -> Document:
    """Describe a program by its help: `name` is on PATH, or a path. Raises NotFound or Forbidden."""
    executable = find_executable(name, os.environ)
    called = safe_name(Path(executable).name)
    settings = load_settings(folders or user_folders())
    _check(called, executable, settings)
    with tempfile.TemporaryDirectory(prefix="prime-") as empty:
        return await _described(_Walk(executable, called, empty, settings), called, depth)


async def _described(walk: "_Walk", called: str, depth: int) -> Document:
    top = await walk.ask(())
    if top is None:
        said = f" It said: {walk.said}" if walk.said else ""
        raise NotFound(
            f"{called} has no help that could be read.{said}",
            code="no_help",
            hint=f"Write a shim by hand; `prime tools schema` has its form. Tried: {called} --help, help, -h.",
        )
    document: dict[str, JsonValue] = {
        "atip": "0.3",
        "name": called,
        "version": top.version or "unknown",
        "description": top.description or f"{called} (from its help)",
        "trust": {"source": "inferred", "verified": False},
    }
    commands = await walk.below((), top, depth)
    if commands:
        document |= {"globalOptions": top.options, "commands": commands}
    else:
        document["commands"] = {"": _command(top, document["description"])}
    return parse_document(document, where=f"{called} --help")


def write_shim(document: Document, *, folders: Folders | None = None) -> Path:
    """Keep an inferred document as the user's shim. A shim that a person wrote is not replaced."""
    folders = folders or user_folders()
    path = folders.shims / f"{safe_name(document.name)}.json"
    with writing(folders.data):
        if path.exists() and not _is_inferred(path):
            raise Forbidden(f"{path} was not inferred, so it is not replaced.", hint="Remove it first, or use --print.")
        write_json(path, document.to_json())
    return path


def _is_inferred(path: Path) -> bool:
    try:
        return parse_document(path.read_bytes(), where=str(path)).trust.source == "inferred"
    except InvalidInput:
        return False


def _check(name: str, executable: str, settings: ScanSettings) -> None:
    why = unsafe_program(Path(executable).stat(), os.geteuid())
    if settings.skips(name):
        why = "it is on the skip list"
    if why is not None:
        raise Forbidden(f"{name} is not run, not even for its help: {why}.", hint="Write a shim by hand.")


class _Walk:
    """One program's commands, each asked for its help once, a few at a time."""

    def __init__(self, executable: str, name: str, folder: str, settings: ScanSettings) -> None:
        self._executable = executable
        self._settings = settings
        # Where programs start on a machine without a sandbox; in one they have an empty home of their own.
        self._folder = folder
        self._name = name
        self._turns = asyncio.Semaphore(2 * len(os.sched_getaffinity(0)))
        self._left = MAX_PROGRAMS
        self._ends = time.monotonic() + MAX_SECONDS
        self._texts: set[str] = set()
        # The first line that it said to anything, for who wonders why there is nothing to read.
        self.said = ""

    async def ask(self, path: tuple[str, ...]) -> Help | None:
        """The help of one command; None when it has none of its own."""
        ways = _TOP if not path else ((*path, "--help"), ("help", *path), (*path, "-h"))
        for words in ways:
            for text in await self._said(words):
                found = read_help(text, (self._name, *path))
                # A program that answers everything with its general help has said nothing about this command.
                if found.says_something and text not in self._texts:
                    self._texts.add(text)
                    return found
        return None

    async def below(self, path: tuple[str, ...], parent: Help, depth: int) -> dict[str, JsonValue]:
        """The commands below one, with everything below them."""
        described = [
            # Not even the help of a program that a scan would not start is asked for.
            self._one((*path, name), text, 0 if self._skips(parent, name) else depth, parent.shapes.get(name, ""))
            for name, text in parent.commands.items()
        ]
        return dict(zip(parent.commands, await asyncio.gather(*described), strict=True))

    def _skips(self, parent: Help, name: str) -> bool:
        return parent.programs and self._settings.skips(name)

    async def _one(self, path: tuple[str, ...], text: str, depth: int, shape: str) -> JsonValue:
        found = await self.ask(path) if depth > 0 else None
        if found is None or len(path) > 8:
            return _command(Help(arguments=usage_arguments(shape)), text)
        command = _command(found, text or found.description)
        if found.commands and depth > 1:
            command["commands"] = await self.below(path, found, depth - 1)
        return command

    async def _said(self, words: tuple[str, ...]) -> list[str]:
        if self._left <= 0:
            return []
        self._left -= 1
        command = Command(
            argv=(self._executable, *words),
            cwd=self._folder,
            env=_environment(self._folder),
            limits=_LIMITS,
            sandbox=_POLICY,
        )
        async with self._turns:
            if time.monotonic() > self._ends:
                return []
            try:
                outcome = await run(command)
            except Unavailable:
                return []
        if outcome.stopped is not None:
            return []
        texts = [text for text in (clean(outcome.stdout), clean(outcome.stderr)) if text.strip()]
        self.said = self.said or next((text.strip().splitlines()[0][:200] for text in texts), "")
        return texts


def _command(found: Help, description: JsonValue) -> dict[str, JsonValue]:
    command: dict[str, JsonValue] = {"description": description}
    if found.arguments:
        command["arguments"] = found.arguments
    if found.options:
        command["options"] = found.options
    return command


def _environment(home: str) -> dict[str, str]:
    pagers = dict.fromkeys(("PAGER", "MANPAGER", "GIT_PAGER"), "cat")
    plain = {"LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "120"}
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, **plain, **pagers}
