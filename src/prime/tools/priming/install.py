"""A `prime` command for other people's programs: click, typer and argparse (RFC 6)."""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, cast

from prime.core.errors import InvalidInput, JsonValue, PrimeError
from prime.core.json_text import BadJson, read_json
from prime.tools.atip import effects
from prime.tools.priming.request import InvalidPrimeRequest, half_character

if TYPE_CHECKING:
    import click

    from prime.tools.priming.directive import Directive

SUMMARY = "Tell an agent how this tool is to be used; to be called before anything else in a session."
# Option, field of the request, what it is.
OPTIONS = (
    ("--agent-id", "agentId", "Who calls: the agent or persona."),
    ("--session-id", "sessionId", "The session that the calls belong to."),
    ("--capabilities", "capabilities", "What the agent can handle, as a JSON object."),
    ("--locale", "locale", "The language wanted, such as en-US."),
    ("--user-role", "userRole", "For whom it is: end_user, admin or system."),
    ("--metadata", "metadata", "Anything else, as a JSON object."),
)
_harmless = effects(
    filesystem={"read": False, "write": False, "delete": False},
    network=False,
    subprocess=False,
    idempotent=True,
    destructive=False,
)
_JSON = frozenset({"capabilities", "metadata"})
_IDS = frozenset({"agentId", "sessionId"})
_FLAGS = {field: flag for flag, field, _ in OPTIONS}


def request_of(given: Mapping[str, str | None]) -> dict[str, JsonValue]:
    """Option values as a request; text that should be JSON and is not, is named."""
    return {field: _value(field, text) for field, text in given.items() if text is not None}


def spoken(error: PrimeError) -> str:
    """The sentence for a command line: options are called as they are typed."""
    if not isinstance(error, InvalidPrimeRequest):
        return str(error)
    return re.sub(r"\b(?:" + "|".join(_FLAGS) + r")\b", lambda found: _FLAGS[found[0]], str(error))


def install(directive: "Directive", program: object) -> None:
    """Add the command, by what the program is, without importing a framework that it does not use itself."""
    if hasattr(program, "registered_commands") and hasattr(program, "registered_groups"):
        _install_typer(directive, cast("Any", program))
    elif hasattr(program, "add_command") and hasattr(program, "params"):
        cast("click.Group", program).add_command(click_command(directive))
    elif isinstance(program, argparse.ArgumentParser):
        _install_argparse(directive, program)
    else:
        raise InvalidInput(
            f"{type(program).__name__} cannot be given a prime command.",
            hint="Give a click group, a typer app or an argparse parser; an MCP server uses mcp_tool() and respond().",
        )


def click_command(directive: "Directive") -> "click.Command":
    """The command by itself, for a click group that is put together elsewhere."""
    import click

    @_harmless
    def run(**given: str | None) -> None:
        _print_or_leave(directive, given)

    params: list[click.Parameter] = [click.Option([flag, field], help=help_) for flag, field, help_ in OPTIONS]
    return click.Command("prime", params=params, callback=run, help=SUMMARY)


def _install_typer(directive: "Directive", app: Any) -> None:
    """Typer reads a function's signature, so it gets one that is typed as it wants."""
    import typer

    def option(place: int) -> Any:
        return typer.Option(None, OPTIONS[place][0], help=OPTIONS[place][2])

    @_harmless
    def prime(
        agent_id: str | None = option(0),
        session_id: str | None = option(1),
        capabilities: str | None = option(2),
        locale: str | None = option(3),
        user_role: str | None = option(4),
        metadata: str | None = option(5),
    ) -> None:
        values = (agent_id, session_id, capabilities, locale, user_role, metadata)
        _print_or_leave(directive, {field: value for (_, field, _), value in zip(OPTIONS, values, strict=True)})

    app.command("prime", help=SUMMARY)(prime)


class _PrimeParser(argparse.ArgumentParser):
    """A subparser that answers as soon as it has read its part, since argparse itself calls nobody."""

    directive: "Directive"

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        found, rest = super().parse_known_args(args)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        _print_or_leave(self.directive, vars(found))
        sys.exit(0)


def _install_argparse(directive: "Directive", parser: argparse.ArgumentParser) -> None:
    """Into the parser's own subcommands; a parser without any gets them looked for before it reads a line."""
    actions = cast("Any", parser)._actions  # noqa: SLF001  (argparse has no other way to find them)
    groups: list[Any] = [action for action in actions if type(action).__name__ == "_SubParsersAction"]
    prime = _PrimeParser(prog=f"{parser.prog} prime", description=SUMMARY, allow_abbrev=False)
    prime.directive = directive
    _harmless(prime)
    for flag, field, help_ in OPTIONS:
        prime.add_argument(flag, dest=field, help=help_)
    if groups:
        groups[0].add_parser("prime", help=SUMMARY)
        groups[0].choices["prime"] = prime
        return
    whole = parser.parse_known_args

    def parse_known_args(args: Sequence[str] | None = None, namespace: Any = None) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        return prime.parse_known_args(words[1:]) if words[:1] == ["prime"] else whole(words, namespace)

    cast("Any", parser).__atip_commands__ = {"prime": prime}  # for `--agent`
    parser.parse_known_args = parse_known_args  # pyright: ignore[reportAttributeAccessIssue]


def _value(field: str, text: str) -> JsonValue:
    # How Python gives bytes of a command line that are no text.
    if half_character(text):
        raise InvalidPrimeRequest(field, f"{field} is not UTF-8.", "Write it in UTF-8.")
    if field in _JSON:
        return _parsed(field, text)
    if field in _IDS and not text.strip():
        raise InvalidPrimeRequest(field, f"{field} is empty.", "A prime request needs agentId and sessionId.")
    return text


def _parsed(field: str, text: str) -> JsonValue:
    try:
        return read_json(text)
    except BadJson:
        raise InvalidPrimeRequest(
            field, f"{field} is not JSON.", "Write an object: '{\"supportsStreaming\": true}'."
        ) from None


def _print_or_leave(directive: "Directive", given: Mapping[str, str | None]) -> None:
    try:
        answer = directive.respond(request_of(given))
    except PrimeError as error:
        _leave(spoken(error))
    sys.stdout.write(json.dumps(answer, indent=2) + "\n")


def _leave(reason: str) -> NoReturn:
    sys.stderr.write(f"prime: {reason}\n")
    sys.exit(2)
