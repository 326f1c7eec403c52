"""Tools of this machine as a source for the catalog, each with the file that discovery found for it."""

import os
from collections.abc import Sequence

from prime.tools.atip import Document
from prime.tools.discovery import Discovery, Listing
from prime.tools.tool import Tool, tools_of


class DiscoveredTools:
    """What the last scan found. Reads files only; `scan` starts programs."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery
        self._watched = [str(path) for path in (discovery.folders.registry, discovery.folders.trusted)]
        self._changed = 0
        self._seen: tuple[int, ...] | None = None
        self._tools: tuple[Tool, ...] | None = None
        self._documents: dict[str, Document] = {}
        self._paths: dict[str, str] = {}
        # How many of how many programs have answered the scan that is under way.
        self.progress: tuple[int, int] | None = None

    @property
    def changed(self) -> int:
        """Another process may have scanned, trusted or forgotten: their files tell."""
        now = tuple([_stamp(path) for path in self._watched])
        if now != self._seen:
            self._seen, self._tools = now, None
            self._changed += 1
        return self._changed

    def tools(self) -> Sequence[Tool]:
        if self._tools is None:
            # Before the first scan there is what has a shim, which is found without starting anything.
            known = self._discovery.load() if self._discovery.scanned else self._discovery.scan(probe=False)
            self._tools = self._read(known)
        return self._tools

    def executable(self, tool: Tool) -> str | None:
        """The file that runs for this tool, where discovery found one."""
        return self._paths.get(tool.document.name) if tool.document is not None else None

    def scan(self) -> Listing:
        """Look for tools now, in a thread; `progress` says how far it has come."""
        self.progress = (0, 0)
        try:
            listing = self._discovery.scan(progress=self._note)
        finally:
            self.progress = None
        known, paths = self._documents, self._paths
        tools = self._read(listing)
        if self._tools is None or (known, paths) != (self._documents, self._paths):
            self._tools = tools
            self._changed += 1
        return listing

    def _note(self, done: int, of: int) -> None:
        self.progress = (done, of)

    def _read(self, listing: Listing) -> tuple[Tool, ...]:
        self._paths = {tool.document.name: tool.path for tool in listing.tools}
        self._documents = {tool.document.name: tool.document for tool in listing.tools}
        return tools_of(*self._documents.values())


def _stamp(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - every call
    except OSError:
        return 0
