"""Tools that are folders: a `tool.json`, a program, and a contract of one JSON line in and one out."""

from prime.tools.runtimes.faults import ToolFailed
from prime.tools.runtimes.folder_runtime import FolderRuntime
from prime.tools.runtimes.manifest import Example, Manifest, RunPolicy
from prime.tools.runtimes.reading import InvalidManifest, load_manifest
from prime.tools.runtimes.registry import Folder, Registry, read_folder
from prime.tools.runtimes.standby import Standby

__all__ = [
    "Example",
    "Folder",
    "FolderRuntime",
    "InvalidManifest",
    "Manifest",
    "Registry",
    "RunPolicy",
    "Standby",
    "ToolFailed",
    "load_manifest",
    "read_folder",
]
