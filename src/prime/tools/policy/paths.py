"""Which files a call may name: those in the workspace, and the folders that the policy adds."""

import os
import urllib.parse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from prime.core.private_folders import is_private
from prime.tools.policy.decision import Reason, ask, deny

# In the workspace, but read by programs that run later: who may write here can run anything.
_PROTECTED = frozenset(
    {".git", ".prime", ".minds", ".ssh", ".gnupg", ".envrc", ".bashrc", ".profile", ".zshrc", ".husky"}
)
_STANDARD = frozenset({"-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"})


@dataclass(frozen=True, slots=True)
class PathRules:
    """`root` is the workspace; everything is compared after links are resolved."""

    root: Path
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()

    @staticmethod
    def of(root: Path, read: Iterable[str] = (), write: Iterable[str] = ()) -> "PathRules":
        return PathRules(root.resolve(), _resolved(read), _resolved(write))

    def reason(self, value: str, *, writes: bool, cwd: Path | None = None) -> Reason | None:
        """Why this path may not be used, if so. `writes` is true unless the tool is known only to read."""
        if value in _STANDARD:
            return None
        if "\0" in value:
            return deny("invalid_path", "A path has a NUL character in it.", "Give the path without it.")
        try:
            real = self.resolve(value, cwd)
        except (OSError, RuntimeError, ValueError) as error:
            return deny("invalid_path", f"The path {value[:80]!r} cannot be resolved: {error}.", "Give another path.")
        if is_private(real) and not is_private(self.root):
            text = f"{value[:200]!r} leads into Prime's own folders, which no tool reads or writes."
            return deny("own_folder", text, "Use a path in the workspace.")
        if not self._inside(real, writes=writes):
            text = f"{value[:200]!r} leads to {str(real)[:200]}, which is outside the workspace {self.root}."
            step = (
                f"Use a path in the workspace, or add a folder to paths.{'write' if writes else 'read'} in policy.json."
            )
            return deny("path_outside_workspace", text, step)
        if writes and (part := self._protected(real)):
            return ask("protected_path", f"{value[:200]!r} lies in {part}, which other programs act on.")
        return None

    def is_root(self, folder: Path) -> bool:
        """Whether a folder is the workspace itself, which most calls are made from."""
        if folder == self.root:
            return True
        try:
            return os.path.samestat(os.stat(folder), os.stat(self.root))  # noqa: PTH116 - every call
        except OSError:
            return False

    def suspicion(self, value: str, *, writes: bool, cwd: Path | None = None) -> Reason | None:
        """The same for text that is not declared as a path but looks like one that leads out of the workspace."""
        for candidate in _candidates(value):
            refused = self.reason(candidate, writes=writes, cwd=cwd)
            if refused is not None:
                return ask("path_outside_workspace", refused.text, "Use a path in the workspace.")
        return None

    def resolve(self, value: str, cwd: Path | None = None) -> Path:
        """Where the path leads, with `~`, `..` and links followed, whether or not it exists."""
        # pathlib's own expansion fails for an unknown user, where programs take `~x` as it stands.
        expanded = os.path.expanduser(_local(value))  # noqa: PTH111
        return Path(os.path.realpath((cwd or self.root) / expanded))

    def _inside(self, real: Path, *, writes: bool) -> bool:
        folders = (self.root, *self.write) if writes else (self.root, *self.read, *self.write)
        return any(real.is_relative_to(folder) for folder in folders)

    def _protected(self, real: Path) -> str | None:
        if not real.is_relative_to(self.root):
            return None
        return next((part for part in real.relative_to(self.root).parts if part.casefold() in _PROTECTED), None)


def _resolved(folders: Iterable[str]) -> tuple[Path, ...]:
    return tuple(Path(os.path.realpath(Path(folder).expanduser())) for folder in folders)


def _local(value: str) -> str:
    """`file://` addresses are paths too."""
    if value.casefold().startswith("file:"):
        return urllib.parse.unquote(urllib.parse.urlsplit(value).path)
    return value


def _candidates(value: str) -> list[str]:
    """Parts of a text that programs take for a path: all of it, after `@`, after `=` or `:`."""
    if len(value) > 4096 or "\n" in value:
        return []
    parts = {value, value.lstrip("@<>"), value.partition("=")[2].lstrip("@<"), value.partition(":")[2]}
    return sorted(part for part in parts if _leads_away(part))


def _leads_away(part: str) -> bool:
    """From / with a first folder that exists, from ~, or with `..` in it; patterns and scripts seldom look so."""
    if part.casefold().startswith("file:"):
        return True
    if "://" in part or "\0" in part:
        return False
    if part.startswith("/"):
        first = part.lstrip("/").partition("/")[0]
        return not first or Path(f"/{first[:255]}").exists()
    return part == "~" or part.startswith("~/") or ".." in part.split("/")
