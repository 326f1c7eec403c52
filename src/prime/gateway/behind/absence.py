"""Why a tool is not there that would be if its server were: it is being opened, away, held or switched off."""

from collections.abc import Iterator, Mapping

from prime.core.errors import InvalidInput, PrimeError
from prime.gateway.behind.server import Server
from prime.tools.atip.names import base_name
from prime.tools.catalog import ToolAway


def owner_of(name: str, servers: Mapping[str, Server]) -> Server | None:
    """The server whose tools are named like this; of two, the one with the longer name."""
    fits = [server for server in servers.values() if name.startswith(name_of(server, ""))]
    return max(fits, key=lambda server: len(server.config.name), default=None)


def name_of(server: Server, tool: str) -> str:
    """How a tool of a server is called here, as long as no other has that name."""
    return base_name((server.config.name, "", tool))


def opening(name: str) -> PrimeError:
    return ToolAway(
        f"{name[:100]!r} is not known yet: MCP servers are being opened.",
        code="server_opening",
        hint="Call it again in a moment; `prime mcp list` shows how far they are.",
        tool=name[:100],
    )


def absence(name: str, server: Server, *, listed: bool, held: Mapping[str, str]) -> PrimeError | None:
    """What to say of a tool that is not there; None when the server has none of this name. `held` are its held tools."""
    own = server.config.name
    for wrong in unusable(server):
        if name == name_of(server, str(wrong.data["tool"])):
            return ToolAway(wrong.message, code="invalid_schema", hint=wrong.hint, tool=name)
    if question := next((held[tool] for tool in held if name_of(server, tool) == name), None):
        why = f"{name!r} describes itself differently than when it was accepted, and waits for the owner."
        hint = f"The owner answers the question about it, or says `prime mcp accept {own}`."
        return ToolAway(why, code="tool_held", hint=hint, tool=name, questionId=question)
    if listed:
        return None
    if server.state in {"starting", "ready"} and server.problem is None:
        return opening(name)
    if server.state == "held":
        hint = f"The owner answers the question about it, or says `prime mcp accept {own}`."
        return ToolAway(f"The MCP server {own} waits for the owner's yes.", code="server_held", hint=hint, server=own)
    if server.state == "disabled":
        hint = "The owner takes `disabled` out of its entry."
        return ToolAway(f"The MCP server {own} is switched off.", code="server_disabled", hint=hint, server=own)
    return ToolAway(
        f"The MCP server {own} could not be opened. {server.problem or ''}".rstrip(),
        code="server_unavailable",
        hint=f"It is tried again by itself; `prime mcp test {own}` says what is wrong.",
        server=own,
    )


def unusable(server: Server) -> Iterator[PrimeError]:
    """Tools of a server that cannot be offered."""
    for tool, why in server.left_out.items():
        yield InvalidInput(
            f"The tool {tool} of the MCP server {server.config.name} is left out: its schema is none: {why}.",
            code="invalid_schema",
            hint="Tell the server's author.",
            tool=tool,
        )
