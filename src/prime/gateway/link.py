"""The client of the moment: what runs on its behalf can tell it how far it is, and ask it something.

The pipeline knows nothing of MCP; what belongs to one request of one client travels beside it in a context variable.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from prime.core.errors import JsonValue, PrimeError


@dataclass(frozen=True, slots=True)
class Asking:
    """One request to the client: `sampling/createMessage`, `elicitation/create` or `roots/list`."""

    method: str
    params: Mapping[str, JsonValue]


class InputRequired(PrimeError):
    """The client answers nothing while a request runs; it repeats the request with the answers to these."""

    code = "input_required"

    def __init__(self, wanted: Mapping[str, Asking]) -> None:
        super().__init__("The client is asked for more.")
        self.wanted = wanted


class ClientLink(Protocol):
    """The way back to the client whose request is being served."""

    @property
    def wants_progress(self) -> bool: ...

    def able(self, capability: str) -> bool:
        """Whether the client says that it can do this: `sampling`, `elicitation`, `roots`."""
        ...

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the request is; nothing happens when the client did not ask for it."""
        ...

    async def log(self, level: str, data: JsonValue, logger: str | None = None) -> None:
        """Send a log line of this request, when the client listens to its level."""
        ...

    async def ask(self, wanted: Mapping[str, Asking]) -> Mapping[str, Mapping[str, JsonValue]]:
        """The client's answers, by the names of the requests.

        On the stateless revision the first call of this in a request ends the request with `InputRequired`, and what
        runs begins again when the answers are there: so ask before anything is done that must happen once.
        """
        ...


LINK: ContextVar[ClientLink | None] = ContextVar("prime_mcp_client", default=None)
