"""MCP servers behind the gateway and tokens for clients in front of it, for the owner."""

from fastapi import APIRouter

from prime.core.errors import InvalidInput
from prime.gateway.tokens import delegation_of
from prime.rooms.records import HUB, OWNER
from prime.store.message import NewMessage
from prime.web.logs import hide
from prime.web.mcp_models import NewTokenShown, ServerGiven, ServerShown, ServersShown, TokenGiven, TokenShown
from prime.web.models import Ok, Page
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/mcp", tags=["mcp"])
_DAY_MS = 24 * 60 * 60 * 1000


@router.get("/servers")
async def list_servers(parts: PartsNeeded) -> ServersShown:
    """Every server that the configuration names, with its state and tools, and what is wrong with the configuration."""
    servers = parts.gateway.servers
    return ServersShown(
        items=[ServerShown.of(server, servers) for server in servers.servers()],
        problems=[str(problem) for problem in servers.problems],
    )


@router.post("/servers", status_code=201)
async def add_server(given: ServerGiven, parts: PartsNeeded) -> ServerShown:
    """Put a server into the owner's configuration. It does not start before the owner has said yes to it: the answer to the
    question about it, or `accept`."""
    if (given.command is None) == (given.url is None):
        raise InvalidInput("An MCP server is either a command or an address.", field="command")
    hide(*given.env.values(), *given.headers.values())
    await parts.gateway.opened()
    servers = parts.gateway.servers
    return ServerShown.of(await servers.add(given.name, given.entry, replace=given.replace), servers)


@router.delete("/servers/{name}")
async def remove_server(name: str, parts: PartsNeeded) -> Ok:
    """Take a server out of the configuration and end it. What it stored itself is not touched."""
    await parts.gateway.opened()
    await parts.gateway.servers.remove(name)
    removed = NewMessage(
        channel_id=HUB,
        actor_id=OWNER,
        kind="policy",
        audience="hub",
        text=f"The MCP server {name[:80]} was removed.",
        body={"key": "mcp.servers", "removed": name[:80]},
    )
    await parts.store.log.append(removed)
    return Ok()


@router.post("/servers/{name}/test")
async def try_server(name: str, parts: PartsNeeded) -> ServerShown:
    """Open it if it is not, and say what came of it."""
    await parts.gateway.opened()
    servers = parts.gateway.servers
    await servers.reload()
    await servers.tried(name)
    return ServerShown.of(servers.server(name), servers)


@router.post("/servers/{name}/accept")
async def accept_server(name: str, parts: PartsNeeded) -> ServerShown:
    """The owner has looked: a server of a workspace may start; tools that changed their description are back."""
    await parts.gateway.opened()
    servers = parts.gateway.servers
    await servers.accept(name)
    return ServerShown.of(servers.server(name), servers)


@router.get("/tokens")
async def list_tokens(parts: PartsNeeded) -> Page[TokenShown]:
    """Clients that may come in from elsewhere. The tokens themselves are nowhere to be read."""
    return Page(items=[TokenShown.of(row) for row in await parts.gateway.tokens.all()])


@router.post("/tokens")
async def create_token(given: TokenGiven, parts: PartsNeeded) -> NewTokenShown:
    """A token for one client; what it may do can only be less than what the owner's policy allows."""
    lifetime = None if given.days is None else round(given.days * _DAY_MS)
    made = await parts.gateway.tokens.create(
        given.name, delegation_of(given.tools, given.effects), lifetime_ms=lifetime
    )
    return NewTokenShown(name=given.name, token=made.token, delegation=made.client.delegation.to_json())


@router.post("/tokens/{name}/revoke")
async def revoke_token(name: str, parts: PartsNeeded) -> Ok:
    """From now on it opens nothing."""
    await parts.gateway.tokens.revoke(name)
    return Ok()
