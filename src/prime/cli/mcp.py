"""`prime mcp`: the gateway on stdio, the servers behind it, the tokens of clients in front of it."""

import sys
from pathlib import Path

import click

from prime.cli.client import load_settings, way_in
from prime.cli.lazy import LazyGroup
from prime.cli.output import data_option
from prime.cli.server_parts import server_parts
from prime.core.event_loop import run_loop
from prime.core.settings import Settings
from prime.store.folder import DataFolder
from prime.tools.atip import effects

# name -> (module:attribute, what it does). Order is the order of `prime mcp --help`.
COMMANDS = {
    "serve": ("prime.cli.mcp:serve", "Serve MCP on standard input and output (the default)."),
    "list": ("prime.cli.mcp_servers:list_", "List the servers behind the gateway."),
    "add": ("prime.cli.mcp_servers:add", "Put a server behind the gateway."),
    "import": ("prime.cli.mcp_servers:import_", "Take over the servers of another client's configuration."),
    "remove": ("prime.cli.mcp_servers:remove", "Take a server out again."),
    "test": ("prime.cli.mcp_servers:test", "Open a server and show its tools, or what is wrong."),
    "accept": ("prime.cli.mcp_servers:accept", "Let a held server start, or a changed tool come back."),
    "token": ("prime.cli.mcp_tokens:token", "Tokens for clients that come from elsewhere."),
}


@click.group(cls=LazyGroup, table=COMMANDS, invoke_without_command=True)
@data_option
@click.pass_context
def mcp(context: click.Context, data: Path | None) -> None:
    """The MCP gateway. Without a command it serves on standard input and output, for an MCP client's configuration."""
    if context.invoked_subcommand is None:
        run(data)


@click.command()
@data_option
@effects(
    filesystem={"read": True, "write": True, "delete": True},
    network=True,
    subprocess=True,
    idempotent=True,
    destructive=False,
    interactive={"stdin": "required"},
    duration={"typical": "until its client goes"},
)
def serve(data: Path | None) -> None:
    """Serve MCP on standard input and output, until they are closed."""
    run(data)


def run(data: Path | None) -> None:
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input: put this command into its configuration.", err=True)
        click.echo("`prime mcp --help` says what else there is. Ctrl-D ends it.", err=True)
    run_loop(_serve(load_settings(data)))


async def _serve(settings: Settings) -> None:
    """As a client of the Prime that owns the data folder, else as its owner, whose socket others then find."""
    with server_parts():
        from prime.gateway.front.stdio import bridge, serve_stdio
        from prime.web.server import local_door

    async with way_in(settings) as prime:
        if prime is None:
            await bridge(DataFolder(settings.data_folder).socket)
            return
        async with local_door(settings, prime.app):
            prime.parts.gateway.start()
            await serve_stdio(prime.parts.gateway)
