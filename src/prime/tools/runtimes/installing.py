"""Tool folders come and go: copied whole or not at all, checked before they are tools."""

import secrets
import shutil
from pathlib import Path

from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.tools.runtimes.files import stamp_of_folder
from prime.tools.runtimes.inside import Outside, inside
from prime.tools.runtimes.manifest import Level
from prime.tools.runtimes.registry import Folder, read_folder

_NOT_COPIED = shutil.ignore_patterns("__pycache__", ".git")


def add_folder(source: Path, root: Path, level: Level, *, replace: bool = False) -> Folder:
    """Copy a tool's folder to where tools are found; Conflict when there is one of its name, unless it is replaced."""
    name = read_folder(source, level).manifest.name
    _no_links_outside(source.resolve())
    target = root / name
    if target.exists() and source.resolve() == target.resolve():
        raise Conflict(
            f"{source} is where tools are kept already.", code="already_there", hint="There is nothing to do."
        )
    if target.exists() and not replace:
        hint = "`prime tools add --replace` takes its place."
        raise Conflict(f"There is a tool named {name} in {root}.", code="name_taken", hint=hint, tool=name)
    root.mkdir(parents=True, exist_ok=True)
    copy = root / f".{name}.{secrets.token_hex(4)}"
    try:
        shutil.copytree(source, copy, symlinks=True, ignore=_NOT_COPIED)
        read_folder(copy, level)  # what was copied, not what was there a moment ago
        if target.exists():
            _discard(target)
        copy.rename(target)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    return read_folder(target, level)


def remove_folder(name: str, root: Path) -> Path:
    """Delete a tool's folder, broken ones too; NotFound when there is none of that name."""
    try:
        target = inside(root.resolve(), name)
    except Outside as error:
        raise InvalidInput(f"{name[:80]!r} {error}.", code="invalid_name", hint="Give the tool's name.") from None
    if target.parent != root.resolve() or name.startswith(".") or not target.is_dir():
        hint = "`prime tools list` shows the tools."
        raise NotFound(f"There is no tool folder {name[:80]!r} in {root}.", code="tool_not_found", hint=hint)
    _discard(root / name)
    return target


def _discard(folder: Path) -> None:
    """Out of sight in one step, then gone."""
    if folder.is_symlink():
        folder.unlink()
        return
    hidden = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    folder.rename(hidden)
    shutil.rmtree(hidden)


def _no_links_outside(folder: Path) -> None:
    for path, *_ in stamp_of_folder(folder):
        try:
            inside(folder, path)
        except Outside as error:
            message = f"{folder / path} {error}."
            hint = "Put the file itself into the folder."
            raise InvalidInput(message, code="outside_folder", hint=hint, file=str(folder / path)) from None
