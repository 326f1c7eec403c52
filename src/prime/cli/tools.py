"""`prime tools`: a command is one row here and a function in its own module."""

import click

from prime.cli.lazy import LazyGroup

# name -> (module:attribute, what it does). Order is the order of `prime tools --help`.
COMMANDS = {
    "scan": ("prime.cli.tools_discovery:scan", "Find the tools of this machine."),
    "list": ("prime.cli.tools_discovery:list_", "List the tools that were found or added."),
    "show": ("prime.cli.tools_discovery:show", "Show one tool and its commands."),
    "run": ("prime.cli.tools_run:run", "Call a tool and print what it gives."),
    "infer": ("prime.cli.tools_discovery:infer", "Describe a tool from its own help."),
    "trust": ("prime.cli.tools_discovery:trust", "Vouch for a tool as it is now."),
    "forget": ("prime.cli.tools_discovery:forget", "Drop what was learned about a tool."),
    "add": ("prime.cli.tools_folders:add", "Add a tool that is a folder with a tool.json."),
    "remove": ("prime.cli.tools_folders:remove", "Delete the folder of a tool that was added."),
    "check": ("prime.cli.tools_folders:check", "Run the examples that a tool declares."),
    "validate": ("prime.cli.atip_files:validate", "Check ATIP documents against the protocol."),
    "lint": ("prime.cli.atip_files:lint", "Tell what would make ATIP documents more useful."),
    "schema": ("prime.cli.atip_files:schema", "Print the JSON Schema of ATIP documents."),
    "emit": ("prime.cli.atip_programs:emit", "Write the ATIP document of a click, typer or argparse program."),
    "compile": ("prime.cli.atip_programs:compile_", "Translate tools for a language model's API."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def tools() -> None:
    """Command-line tools: find, check, translate and run them."""
