"""Who is calling, and what the gateway remembers of their session (D-DIR-4).

A session is a connection on stdio and WebSocket, the MCP session on HTTP, and on the stateless revision the client's
token with the `sessionId` that it puts into `_meta`. Ids from the wire are hashed: they are keys, and the log is read.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from prime.core.errors import JsonValue
from prime.core.ids import new_id
from prime.gateway.tokens import Client

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One connection or request as its transport knows it. `client` is None for the owner and everyone in open mode."""

    key: str
    client: Client | None = None
    # Ends the connection, where there is one.
    end: Callable[[], None] | None = None


def connection_key() -> str:
    """A session of its own for a connection that has no id."""
    return new_id("mcp")


def hashed_key(*parts: str) -> str:
    return "mcp_" + hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


CALLER: ContextVar[Caller] = ContextVar("prime_mcp_caller")


def _no_names() -> dict[str, None]:
    return {}


def _no_uris() -> set[str]:
    return set()


@dataclass(slots=True, kw_only=True, eq=False)
class Session:
    """What is remembered between two requests of a client."""

    key: str
    client: Client | None
    # As the client calls itself; when it has primed, as it named itself then.
    agent_id: str = "mcp"
    # The `sessionId` that it gave when it primed.
    named: str | None = None
    # Tools that were used, in order: the surface `search` lists them from then on.
    used: dict[str, None] = field(default_factory=_no_names)
    subscribed: set[str] = field(default_factory=_no_uris)
    level: str = "debug"
    # Of the protocol, as it was agreed on.
    revision: str | None = None
    # The way to tell it something unasked; None on the stateless revision.
    push: "ServerSession | None" = None


class Sessions:
    """Sessions by key, those that were used last."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def of(self, caller: Caller) -> Session:
        session = self._sessions.get(caller.key)
        if session is None or session.client != caller.client:
            session = Session(key=caller.key, client=caller.client)
            self._sessions[caller.key] = session
            if len(self._sessions) > _REMEMBERED:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(caller.key)
        return session

    def find(self, key: str) -> Session | None:
        """The session of this key, if there is one."""
        return self._sessions.get(key)

    def end(self, key: str) -> None:
        """The connection is gone, and nobody else can come back under its key."""
        self._sessions.pop(key, None)

    def all(self) -> list[Session]:
        return list(self._sessions.values())


def stateless_key(client: Client | None, meta: Mapping[str, JsonValue]) -> str:
    """The session of a request that stands alone."""
    info = meta.get("io.modelcontextprotocol/clientInfo")
    name = cast("Mapping[str, JsonValue]", info).get("name") if isinstance(info, Mapping) else None
    session = meta.get("sessionId")
    holder = client.id if client is not None else f"local:{name}"
    return hashed_key("stateless", holder, session[:200] if isinstance(session, str) else "")
