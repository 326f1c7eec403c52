"""The command line: one module per command group.

Commands parse, call one function and render; nothing is decided here. Groups are imported when they are used, so that
`prime --help` stays quick: their one-line summaries stand in the table below. This module itself imports nothing,
because `prime --agent` passes through it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from prime.cli.main import program, run

__all__ = ["COMMANDS", "program", "run"]

# name -> (module:attribute, what it does). Order is the order of `prime --help`.
COMMANDS = {
    "tools": ("prime.cli.tools:tools", "Command-line tools: find, check, translate and run them."),
    "scripts": ("prime.cli.scripts:scripts", "Startup scripts: histories that a dialog begins with."),
}


def __getattr__(name: str) -> object:
    if name not in {"program", "run"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from prime.cli import main

    return getattr(main, name)
