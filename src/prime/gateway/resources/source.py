"""Where resources come from."""

from typing import Protocol

from prime.core.errors import JsonValue

Shown = dict[str, JsonValue]


class ResourceSource(Protocol):
    """Resources whose addresses begin alike."""

    @property
    def begins(self) -> str:
        """What all its addresses begin with."""
        ...

    async def listed(self) -> list[Shown]:
        """Entries of `resources/list`."""
        ...

    async def templates(self) -> list[Shown]:
        """Entries of `resources/templates/list`."""
        ...

    async def contents(self, uri: str) -> list[Shown]:
        """What `resources/read` gives; `NotFound` for what is not there."""
        ...

    async def watch(self, uri: str) -> None:
        """Told that somebody wants to know of changes; raises for what can never change or never be."""
        ...
