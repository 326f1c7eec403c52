"""Shapes of the routes about MCP servers and tokens."""

import json
from typing import Annotated, Literal

from pydantic import Field

from prime.core.clock import iso
from prime.core.errors import JsonValue
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


Text = Annotated[str, Field(min_length=1, max_length=4000)]
Table = Annotated[dict[Annotated[str, Field(min_length=1, max_length=200)], Text], Field(max_length=100)]


class ServerGiven(Given):
    """An entry of `mcpServers` and its name: a program with its arguments, or an address. `${NAME}` stands for a secret."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    command: Text | None = None
    args: Annotated[tuple[Annotated[str, Field(max_length=4000)], ...], Field(max_length=200)] = ()
    url: Text | None = None
    type: Literal["http", "sse"] | None = None
    env: Table = Field(default_factory=dict)
    headers: Table = Field(default_factory=dict)
    cwd: Text | None = None
    replace: bool = False

    @property
    def entry(self) -> dict[str, JsonValue]:
        """As it is written into the file; what was not said is not written."""
        return self.model_dump(exclude={"name", "replace"}, exclude_defaults=True, mode="json")


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
