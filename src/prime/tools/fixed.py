"""A source for a catalog that is told what it offers: the small one beside folders, commands and servers."""

from collections.abc import Iterable, Sequence

from prime.tools.tool import Tool


class FixedTools:
    """Its tools never change, unless it is told so."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = tuple(tools)
        self.changed = 0

    def tools(self) -> Sequence[Tool]:
        return self._tools

    def put(self, tools: Iterable[Tool]) -> None:
        """Offer these from now on."""
        self._tools = tuple(tools)
        self.changed += 1
