"""The program `prime` itself."""

import sys

import click

from prime import __version__
from prime.cli import COMMANDS
from prime.cli.lazy import LazyGroup
from prime.cli.screen import guard_terminal
from prime.core.errors import PrimeError, wire_codes


@click.group("prime", cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="prime %(version)s")
def program() -> None:
    """Prime: one chat for you, and behind it every agent and every tool."""


def run() -> None:
    """Run the program as the console scripts do: expected errors are one sentence on stderr and an exit code."""
    guard_terminal()
    try:
        program(prog_name="prime")
    except PrimeError as error:
        click.echo(f"prime: {error}", err=True)
        sys.exit(wire_codes(error).exit)
    except BrokenPipeError:
        # The reader went away (`prime … | head`): not worth a traceback.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        # The disk is full, a folder may not be written to: the machine's matter, told like any other.
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"prime: {where}{error.strerror or error}.", err=True)
        sys.exit(1)
