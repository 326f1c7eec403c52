"""`prime tools`: a command is one row here and a function in its own module."""

import click

from prime.cli.lazy import LazyGroup

# name -> (module:attribute, what it does). Order is the order of `prime tools --help`.
COMMANDS = {
    "validate": ("prime.cli.atip_files:validate", "Check ATIP documents against the protocol."),
    "lint": ("prime.cli.atip_files:lint", "Tell what would make ATIP documents more useful."),
    "schema": ("prime.cli.atip_files:schema", "Print the JSON Schema of ATIP documents."),
    "emit": ("prime.cli.atip_programs:emit", "Write the ATIP document of a click, typer or argparse program."),
    "compile": ("prime.cli.atip_programs:compile_", "Translate tools for a language model's API."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def tools() -> None:
    """Command-line tools: find, check, translate and run them."""
