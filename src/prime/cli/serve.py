"""`prime serve`."""

from pathlib import Path

import click

from prime.cli.client import load_settings
from prime.cli.output import data_option
from prime.cli.server_parts import server_parts
from prime.core.errors import InvalidInput
from prime.tools.atip import effects


@click.command()
@click.option("--host", default=None, help="Address to listen on (127.0.0.1; beyond loopback an owner must be set).")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=None, help="Port to listen on (8787; 0 takes a free one)."
)
@data_option
@click.option(
    "--demo", is_flag=True, help="Try it out: a throw-away data folder with a sample project already running."
)
@effects(
    filesystem={"read": True, "write": True, "delete": True},
    network=True,
    subprocess=True,
    idempotent=True,
    destructive=False,
    duration={"typical": "until it is stopped"},
)
def serve(host: str | None, port: int | None, data: Path | None, demo: bool) -> None:
    """Start Prime and its page."""
    settings = load_settings(data)
    changes = {"host": host or settings.host, "port": settings.port if port is None else port}
    with server_parts():
        from prime.app import gate_policy, open_prime
        from prime.web.server import run_server

    chosen = settings.model_copy(update=changes)
    gate_policy(chosen)  # before anything listens: an open instance is for loopback only
    if not demo:
        run_server(chosen, open_prime)
        return
    if data is not None:
        raise InvalidInput("A demo has a data folder of its own.", hint="Leave out --data or --demo.")
    from prime.cli.demo import demo_settings, ended_by_signals, open_demo

    with demo_settings(chosen) as thrown_away, ended_by_signals():
        click.echo("A demo: a sample project, played accounts, and nothing of it is kept.", err=True)
        run_server(thrown_away, open_demo)
