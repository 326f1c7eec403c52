"""The client of the moment: what runs on its behalf can tell it how far it is, and ask it something.

The pipeline knows nothing of MCP; what belongs to one request of one client travels beside it in a context variable.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol

from prime.core.errors import JsonValue


class ClientLink(Protocol):
    """The way back to the client whose request is being served."""

    @property
    def wants_progress(self) -> bool: ...

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the request is; nothing happens when the client did not ask for it."""
        ...

    async def log(self, level: str, data: JsonValue, logger: str | None = None) -> None:
        """Send a log line of this request, when the client listens to its level."""
        ...

    async def ask(self, method: str, params: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """Send the client a request, such as `sampling/createMessage`; `Unavailable` when it takes none."""
        ...


LINK: ContextVar[ClientLink | None] = ContextVar("prime_mcp_client", default=None)
