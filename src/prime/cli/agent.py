"""`prime agent`: run an agent of your own."""

import click

from prime.core.errors import InvalidInput
from prime.tools.atip import effects


@click.group()
def agent() -> None:
    """Run an agent on the network."""


@agent.command()
@click.argument("reference", metavar="[MODULE:FUNCTION]", required=False)
@click.option("--command", default=None, envvar="AGENT_COMMAND", help="Run this for every message; text in, text out.")
@effects(network=True, subprocess=True, duration={"typical": "until it is stopped"})  # the rest is its author's to know
def run(reference: str | None, command: str | None) -> None:
    """Serve a function, or a command, as an agent.

    Reads AGENT_NAME, AGENT_CAPABILITIES, AGENT_OWNER, AGENT_HOST, AGENT_PORT, AGENT_PUBLIC_URL and PRIME_DIRECTORY_URL.
    """
    from prime.sdk.running import Place, load_agent, named_by_environment
    from prime.sdk.running import run as serve

    if bool(reference) == bool(command):
        raise InvalidInput(
            "Name a function or a command, one of them.", hint="For example: prime agent run module:function"
        )
    if command:
        from prime.sdk.command import command_agent

        made = command_agent(command)
    else:
        made = load_agent(reference or "")
    serve(named_by_environment(made), Place.of_environment())
