"""Channels' own workspaces, inside the owner's: what is said there is not to reach what lies around them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PLACE: Final = (".prime", "channels")


def channel_folder(workspace: Path, name: str) -> Path:
    return workspace.joinpath(*_PLACE, name)


def kept_inside(folder: Path) -> Mapping[str, str]:
    """Variables for a program that works there: git would look for a repository further up, and find the owner's."""
    return {"GIT_CEILING_DIRECTORIES": str(folder.parent)} if folder.parent.parts[-2:] == _PLACE else {}
