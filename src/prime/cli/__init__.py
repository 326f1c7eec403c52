"""The command line: one module per command group.

Commands parse, call one function and render; nothing is decided here.
"""

import click


@click.group()
def program() -> None:
    """Prime: one chat for you, and behind it every agent and every tool."""


def run() -> None:
    """Run the program as the console scripts do."""
    program(prog_name="prime")
