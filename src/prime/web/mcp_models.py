"""Shapes of the routes about MCP servers and tokens."""

import json
from typing import Annotated

from pydantic import Field

from prime.core.clock import iso
from prime.gateway.behind.pool import Servers
from prime.gateway.behind.server import Server
from prime.gateway.queries import TokenRow
from prime.web.models import Given, Shown


class ServerShown(Shown):
    """One server behind the gateway. What stands in its environment and headers is never shown."""

    name: str
    transport: str
    line: str
    place: str
    file: str
    state: str
    problem: str | None
    info: str
    opened: int
    tools: list[str]
    held: list[str]

    @classmethod
    def of(cls, server: Server, servers: Servers) -> "ServerShown":
        config = server.config
        return cls(
            name=config.name,
            transport=config.transport,
            line=config.line,
            place=config.place,
            file=str(config.file),
            state=server.state,
            problem=str(server.problem) if server.problem else None,
            info=server.info,
            opened=server.opened,
            tools=servers.names_of(config.name),
            held=sorted(servers.held.get(config.name, {})),
        )


class ServersShown(Shown):
    items: list[ServerShown]
    problems: list[str]


class TokenGiven(Given):
    name: Annotated[str, Field(min_length=1, max_length=80)]
    tools: Annotated[tuple[str, ...], Field(max_length=200)] = ()
    # None leaves every effect to the client; a list leaves only these.
    effects: list[str] | None = None
    days: Annotated[float | None, Field(gt=0, le=36500)] = None


class TokenShown(Shown):
    name: str
    delegation: dict[str, object]
    created: str
    expires: str | None
    last_used: str | None

    @classmethod
    def of(cls, row: TokenRow) -> "TokenShown":
        return cls(
            name=row.name,
            delegation=json.loads(row.delegation),
            created=iso(row.created_at),
            expires=None if row.expires_at is None else iso(row.expires_at),
            last_used=None if row.last_used is None else iso(row.last_used),
        )


class NewTokenShown(Shown):
    """The token itself, this once."""

    name: str
    token: str
    delegation: dict[str, object]
