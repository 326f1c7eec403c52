"""`prime tools run`: one call through the pipeline, as any agent makes it."""

import sys
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

import click

from prime.cli.client import Client, Refused, ask_prime, segment
from prime.cli.output import data_option, json_option, one_line, plain, print_json
from prime.cli.waiting import Waiting, call_line
from prime.core.json_text import BadJson, read_json
from prime.tools.atip import effects

_AGENT = "prime-cli"


@click.command()
@click.argument("name")
@click.option("--arg", "pairs", multiple=True, metavar="KEY=VALUE", help="One argument; may be given more than once.")
@click.option("--input", "given", metavar="JSON|@FILE|-", help="All arguments as a JSON object, from a file or stdin.")
@click.option("--yes", is_flag=True, help="Say yes when the call needs the owner's yes.")
@click.option("--session-id", help="A session that has been primed; else one is primed for this call.")
@click.option("--agent-id", default=_AGENT, show_default=True, help="Who calls.")
@data_option
@json_option
@effects(subprocess=True)
def run(
    *,
    name: str,
    pairs: tuple[str, ...],
    given: str | None,
    yes: bool,
    session_id: str | None,
    agent_id: str,
    data: Path | None,
    as_json: bool,
) -> None:
    """Call the tool NAME and print what it gives.

    A value of --arg is JSON where the tool wants something else than text. Exits with 1 when the tool fails or the
    call is refused, with 2 when its arguments are wrong.
    """
    whole = _arguments(given)

    async def prime_and_call(prime: Client) -> dict[str, object]:
        shown = await prime.get(f"/api/tools/{segment(name)}")
        arguments = whole | _pairs(pairs, cast("dict[str, object]", shown["parameters"]))
        session = session_id or f"cli-{uuid.uuid4().hex[:12]}"
        who: dict[str, object] = {"agentId": agent_id, "sessionId": session}
        if session_id is None:
            await prime.post("/api/tools/prime", who)
        return await _call(prime, name, {"arguments": arguments, **who, "waitMs": 0}, yes=yes)

    result = ask_prime(data, prime_and_call)
    if as_json:
        print_json(result)
    else:
        _print(result)
    if result["isError"]:
        sys.exit(1)


async def _call(client: Client, name: str, body: dict[str, object], *, yes: bool) -> dict[str, object]:
    path = f"/api/tools/{segment(name)}/call"
    try:
        return await client.post(path, body)
    except Refused as refused:
        if refused.error_code != "approval_pending":
            raise
        choice = "yes" if yes else await _ask(client, refused)
        await client.post(f"/api/questions/{refused.data['questionId']}/answer", {"choice": choice})
        return await client.post(path, body)


async def _ask(client: Client, refused: Refused) -> str:
    """The person at the terminal is the owner; without a terminal somebody answers in the page."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused(
            refused.message,
            code=refused.error_code,
            hint="Answer the question in the page, or add --yes. Nothing has run.",
        )
    # In full, however long: the refusal has only its beginning.
    waiting = {str(question["id"]): question for question in await Waiting(client).look()}
    asked = waiting.get(str(refused.data["questionId"]))
    if asked is None:  # answered elsewhere meanwhile
        raise refused
    click.echo(plain(call_line(asked)), err=True)
    for reason in cast("list[dict[str, str]]", refused.data.get("reasons", [])):
        click.echo(f"  {one_line(reason['text'])}", err=True)
    return click.prompt("Run it?", type=click.Choice(["yes", "no", "always"]), default="no", err=True)


def _arguments(given: str | None) -> dict[str, object]:
    if given is None:
        return {}
    text = _text(given)
    try:
        value = read_json(text)
    except BadJson as error:
        raise click.UsageError(f"--input: {error.message}") from None
    if not isinstance(value, dict):
        raise click.UsageError("--input must be a JSON object.")
    return cast("dict[str, object]", value)


def _text(given: str) -> str:
    try:
        if given == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        if given.startswith("@"):
            return Path(given[1:]).read_text(encoding="utf-8")
        return given.encode("utf-8").decode()  # words of a command line may be bytes that are no text
    except UnicodeError:
        raise click.UsageError("--input is not UTF-8 text.") from None
    except OSError as error:
        raise click.UsageError(f"--input: {given[1:]} cannot be read: {error.strerror}.") from None


def _pairs(pairs: Sequence[str], parameters: dict[str, object]) -> dict[str, object]:
    properties = cast("dict[str, dict[str, object]]", parameters.get("properties", {}))
    found: dict[str, object] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not (key and equals):
            raise click.UsageError(f"--arg {pair!r} is not KEY=VALUE.")
        if not _is_text(pair):
            raise click.UsageError(f"--arg {key!r} is not UTF-8 text.")
        value = _value(text, properties.get(key, {}))
        # The same key again makes a list, where a list is wanted.
        before = found.get(key)
        together = isinstance(before, list) and isinstance(value, list)
        found[key] = [*cast("list[object]", before), *cast("list[object]", value)] if together else value
    return found


def _value(text: str, schema: dict[str, object]) -> object:
    """Text stays text where text is wanted; else it is read as JSON if it is any."""
    kind = schema.get("type")
    if kind == "string":
        return text
    value: object = text
    with suppress(BadJson):
        value = read_json(text)
    if kind == "array" and not isinstance(value, list):
        items = cast("dict[str, object]", schema.get("items", {}))
        return [text if items.get("type") == "string" else value]
    return cast("object", value)


def _is_text(words: str) -> bool:
    return words.isascii() or not any("\ud800" <= char <= "\udfff" for char in words)


def _print(result: dict[str, object]) -> None:
    for block in cast("list[dict[str, object]]", result["content"]):
        if block.get("type") == "text":
            text = str(block["text"])
            # Into a file or another program as it is; on a terminal nothing that would steer it.
            click.echo(plain(text) if sys.stdout.isatty() else text, nl=not text.endswith("\n"))
        elif block.get("type") == "json":
            print_json(block.get("json"))
        else:
            print_json(block)
    for note in cast("list[str]", result.get("notes") or []):
        click.echo(one_line(f"prime: {note}"), err=True)
