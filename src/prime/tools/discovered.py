"""Tools of this machine as a source for the catalog, each with the file that discovery found for it."""

from collections.abc import Sequence

from prime.tools.discovery import Discovery, Listing
from prime.tools.tool import Tool, tools_of


class DiscoveredTools:
    """What the last scan found. Reads files only; `refresh` looks again."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery
        self._changed = 0
        self._tools: tuple[Tool, ...] | None = None
        self._paths: dict[str, str] = {}

    @property
    def changed(self) -> int:
        return self._changed

    def tools(self) -> Sequence[Tool]:
        if self._tools is None:
            self._take(self._discovery.load())
        return self._tools or ()

    def executable(self, tool: Tool) -> str | None:
        """The file that runs for this tool, where discovery found one."""
        return self._paths.get(tool.document.name) if tool.document is not None else None

    def refresh(self) -> None:
        """Read again what the scans have found. To be called from a thread: a large registry takes its time."""
        self._take(self._discovery.load())

    def scan(self) -> Listing:
        """Look for tools now, in a thread."""
        listing = self._discovery.scan()
        self._take(listing)
        return listing

    def _take(self, listing: Listing) -> None:
        self._paths = {tool.document.name: tool.path for tool in listing.tools}
        # Two programs may claim one name; the first on the path is the one that is meant.
        documents = {tool.document.name: tool.document for tool in reversed(listing.tools)}
        self._tools = tools_of(*documents.values())
        self._changed += 1
