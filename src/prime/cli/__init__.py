"""The command line: one module per command group.

Commands parse, call one function and render; nothing is decided here. Groups are imported when they are used, so that
`prime --help` stays quick: their one-line summaries stand in the table below.
"""

import importlib
import sys

import click

from prime import __version__
from prime.core.errors import PrimeError, wire_codes

# name -> (module:attribute, what it does). Order is the order of `prime --help`.
COMMANDS = {
    "serve": ("prime.cli.serve:serve", "Start Prime and its page."),
    "login": ("prime.cli.login:login", "Print a sign-in link for the person at this machine."),
    "doctor": ("prime.cli.doctor:doctor", "What is here, what is missing, and what to do about it."),
    "settings": ("prime.cli.settings:settings", "Every variable: its value, where it comes from, what it means."),
    "rebuild": ("prime.cli.rebuild:rebuild", "Throw derived tables away and fold the log into them again."),
    "backup": ("prime.cli.backup:backup", "Make, list, check and restore backups."),
    "tools": ("prime.cli.tools:tools", "Command-line tools: find, check, translate and run them."),
    "dialogs": ("prime.cli.dialogs:dialogs", "What a model is shown of a channel, and training sets."),
    "scripts": ("prime.cli.scripts:scripts", "Startup scripts: histories that a dialog begins with."),
}


class LazyGroup(click.Group):
    """A group that imports a command only when it is called or asked for its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="prime %(version)s")
def program() -> None:
    """Prime: one chat for you, and behind it every agent and every tool."""


def run() -> None:
    """Run the program as the console scripts do: expected errors are one sentence on stderr and an exit code."""
    try:
        program(prog_name="prime")
    except PrimeError as error:
        click.echo(f"prime: {error}", err=True)
        sys.exit(wire_codes(error).exit)
    except BrokenPipeError:
        # The reader went away (`prime … | head`): not worth a traceback.
        sys.stderr.close()
        sys.exit(1)
