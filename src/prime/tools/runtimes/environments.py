"""Environments of `python-uv-script` tools (D-RUN-10): resolved by uv when a tool is added or changes, then only used.

An environment belongs to what a script declares (its PEP 723 block and `uvArgs`), so that tools that declare the same
share one, and an edit of the script's code resolves nothing.
"""

import asyncio
import hashlib
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Final

from prime.core.errors import InvalidInput, Unavailable
from prime.core.process import Command, Limits, allowed_environment, run
from prime.core.whole_file import replace_file
from prime.tools.runtimes.manifest import Level
from prime.tools.runtimes.registry import Folder

_BLOCK: Final = re.compile(r"(?m)^# /// script\s*$\s(?P<content>(^#(| .*)$\s)+)^# ///\s*$")
_NOTHING_DECLARED: Final = "# /// script\n# dependencies = []\n# ///\n"
_PASSED_ON: Final = re.compile(r"(UV_.*|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR))", re.IGNORECASE)
_SECONDS: Final = 600.0
_MOST_KNOWN: Final = 4096


class Environments:
    """Where interpreters of scripts are; `cache` may be thrown away at any time. `uv` is the program, found if None."""

    def __init__(self, cache: Path, *, uv: str | None = None) -> None:
        self._cache = cache
        self._uv = uv
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        # By the tool's digest, so that a call does not read the script to learn what it has declared before.
        self._places: dict[tuple[str, Level], Path] = {}

    async def interpreter(self, folder: Folder) -> str:
        """The Python that runs the tool's script, from memory of an earlier resolution where there is one."""
        known = self._places.get((folder.digest, folder.level))
        if known is not None and (found := _remembered(known)) is not None:
            return found
        script = Path(folder.words[0])
        options = folder.manifest.entry.uv_args
        if folder.level == "workspace":
            # A workspace comes from anywhere: its packages are installed, but none of their code runs for it.
            options = (*options, "--no-build")
        declared = await asyncio.to_thread(_declared, script)
        key = hashlib.sha256("\0".join((declared, *options)).encode()).hexdigest()[:20]
        async with self._locks[key]:
            place = self._cache / key
            found = _remembered(place) or await self._resolve(place, declared, options, folder.manifest.name)
        if len(self._places) >= _MOST_KNOWN:
            self._places.clear()
        self._places[folder.digest, folder.level] = place
        return found

    async def _resolve(self, place: Path, declared: str, options: tuple[str, ...], tool: str) -> str:
        script = place / "script.py"
        await asyncio.to_thread(_write, script, declared)
        uv = self._uv or _uv_program()
        await _run((uv, "sync", "--quiet", "--script", str(script), *options), place, tool)
        found = await _run((uv, "python", "find", "--script", str(script)), place, tool)
        await asyncio.to_thread(_write, place / "interpreter", found)
        return found


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text, lasting=False)


def _declared(script: Path) -> str:
    try:
        text = script.read_text("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{script} is not UTF-8.", code="invalid_script", file=str(script)) from error
    blocks = [found[0] for found in _BLOCK.finditer(text)]
    if len(blocks) > 1:
        hint = "Keep one `# /// script` block."
        raise InvalidInput(f"{script} declares its dependencies twice.", code="invalid_script", hint=hint)
    return blocks[0].rstrip() + "\n" if blocks else _NOTHING_DECLARED


def _remembered(place: Path) -> str | None:
    try:
        found = (place / "interpreter").read_text()
    except OSError:
        return None
    return found if os.access(found, os.X_OK) else None


async def _run(words: tuple[str, ...], cwd: Path, tool: str) -> str:
    passed = [name for name in os.environ if _PASSED_ON.fullmatch(name)]
    command = Command(
        argv=words,
        cwd=str(cwd),
        env=allowed_environment(passed),
        limits=Limits(wall_s=_SECONDS, overflow="drop"),
    )
    outcome = await run(command)
    if not outcome.ok:
        said = outcome.stderr.decode(errors="replace").strip()[-2000:]
        raise Unavailable(
            f"uv could not make the environment of {tool}: {said or 'it ended without a word'}",
            code="environment_failed",
            hint="Check the script's `# /// script` block and the network, then `prime tools check` it.",
            tool=tool,
        )
    return outcome.stdout.decode().strip()


def _uv_program() -> str:
    try:
        from uv import find_uv_bin  # a server's package
    except ImportError:
        return "uv"
    return find_uv_bin()
