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
    "serve": ("prime.cli.serve:serve", "Start Prime and its page."),
    "chat": ("prime.cli.chat:chat", "Say something to Prime from the terminal."),
    "login": ("prime.cli.login:login", "Print a sign-in link for the person at this machine."),
    "doctor": ("prime.cli.doctor:doctor", "What is here, what is missing, and what to do about it."),
    "settings": ("prime.cli.settings:settings", "Every variable: its value, where it comes from, what it means."),
    "recall": ("prime.cli.recall:recall", "Search everything that was said."),
    "facts": ("prime.cli.facts:facts", "What is known of something, since when, and where it was said."),
    "rebuild": ("prime.cli.rebuild:rebuild", "Throw derived tables away and fold the log into them again."),
    "backup": ("prime.cli.backup:backup", "Make, list, check and restore backups."),
    "export": ("prime.cli.moving:export_command", "Write everything to a file, as JSON Lines."),
    "import": ("prime.cli.moving:import_command", "Put an exported file into an empty Prime."),
    "agent": ("prime.cli.agent:agent", "Run an agent of your own on the network."),
    "tools": ("prime.cli.tools:tools", "Command-line tools: find, check, translate and run them."),
    "mcp": ("prime.cli.mcp:mcp", "The MCP gateway: every tool for an MCP client, and servers behind it."),
    "dialogs": ("prime.cli.dialogs:dialogs", "What a model is shown of a channel, and training sets."),
    "prime": ("prime.cli.priming:prime", "Tell an agent how Prime is to be used; to be called first."),
    "scripts": ("prime.cli.scripts:scripts", "Startup scripts: histories that a dialog begins with."),
}


def __getattr__(name: str) -> object:
    if name not in {"program", "run"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from prime.cli import main

    return getattr(main, name)
