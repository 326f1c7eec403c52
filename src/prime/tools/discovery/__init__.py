"""Finds the tools of this machine (RFC sections 4 and 5): who answers `--agent`, who has a shim, who was inferred."""

from prime.tools.discovery.discovery import Discovery, FoundTool, Listing, Source, checksum
from prime.tools.discovery.executables import Executable, Skipped
from prime.tools.discovery.folders import Folders, user_folders

__all__ = [
    "Discovery",
    "Executable",
    "Folders",
    "FoundTool",
    "Listing",
    "Skipped",
    "Source",
    "checksum",
    "user_folders",
]
