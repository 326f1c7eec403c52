"""Prompts as they are on the disk now: the user's folder, then the workspace's, which takes nobody's name."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from prime.core.errors import PrimeError
from prime.gateway.prompts.prompt import Prompt, read_prompt

# The document's template lies in the same folder and is no prompt.
_NOT_PROMPTS = frozenset({"context.md"})
_MOST = 500
_log = logging.getLogger(__name__)
Stamp = tuple[tuple[str, int, int], ...]


class PromptFolders:
    """`workspace` comes from anywhere: what its files are links to elsewhere is not read."""

    def __init__(self, own: Path, workspace: Path) -> None:
        self._folders = (own, workspace)
        self._strange = workspace
        self._stamp: Stamp | None = None
        self._prompts: dict[str, Prompt] = {}
        self.problems: list[PrimeError] = []

    def all(self) -> Sequence[Prompt]:
        stamp = self.stamp()
        if stamp != self._stamp:
            self._read()
            self._stamp = stamp
        return list(self._prompts.values())

    def stamp(self) -> Stamp:
        """Changes when a file does."""
        found: list[tuple[str, int, int]] = []
        for path in self._files():
            with suppress(OSError):
                how = path.stat()
                found.append((str(path), how.st_mtime_ns, how.st_size))
        return tuple(found)

    def _read(self) -> None:
        self._prompts, self.problems = {}, []
        for path in self._files():
            try:
                prompt = read_prompt(path)
            except PrimeError as error:
                self.problems.append(error)
                _log.warning("%s", error)
                continue
            except OSError:
                continue
            self._prompts.setdefault(prompt.name, prompt)

    def _files(self) -> list[Path]:
        found: list[Path] = []
        for folder in self._folders:
            with suppress(OSError):
                here = sorted(folder.glob("*.md"))
                if folder == self._strange:
                    real = folder.parent.parent.resolve() / folder.parent.name / folder.name
                    here = [path for path in here if path.resolve().parent == real]
                found += [path for path in here if path.name not in _NOT_PROMPTS and not path.name.startswith(".")]
        return found[:_MOST]
