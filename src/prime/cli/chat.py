"""`prime chat`."""

import asyncio
import sys
from pathlib import Path
from typing import cast

import click

from prime.cli.client import Client, connect, load_settings
from prime.cli.declared import writes
from prime.cli.output import data_option, json_option, paint, print_json
from prime.core.errors import TimedOut
from prime.core.ids import new_id
from prime.tools.atip import effects

POLL_SECONDS = 0.05
PATIENCE_SECONDS = 120.0

Shown = dict[str, object]


@click.command()
@click.argument("text", nargs=-1)
@data_option
@json_option
@effects(idempotent=False, creates=["message"])
@writes
def chat(text: tuple[str, ...], data: Path | None, as_json: bool) -> None:
    """Say TEXT to Prime and print the answer. Without TEXT, talk line by line until Ctrl-D."""
    asyncio.run(_chat(" ".join(text), data, as_json))


async def _chat(text: str, data: Path | None, as_json: bool) -> None:
    async with connect(load_settings(data)) as client:
        if text:
            _print(await _ask(client, text), as_json)
            return
        while line := await asyncio.to_thread(_read_line):
            if line.strip():
                _print(await _ask(client, line), as_json)


def _read_line() -> str:
    if sys.stdin.isatty():
        click.echo(paint("you  ", bold=True), nl=False)
    return sys.stdin.readline()


async def _ask(client: Client, text: str) -> list[Shown]:
    """What is said in answer to the text: the messages that name it as their source."""
    # The key makes a retry after a lost answer harmless.
    said = await client.post("/api/chat", {"text": text, "idempotencyKey": new_id("say")})
    waited = 0.0
    while waited < PATIENCE_SECONDS:
        page = await client.get(f"/api/channels/{said['channelId']}/messages", limit=50)
        items = cast("list[Shown]", page["items"])
        answers = [item for item in items if said["messageId"] in cast("list[str]", item["sources"])]
        if answers:
            return answers
        await asyncio.sleep(POLL_SECONDS)
        waited += POLL_SECONDS
    raise TimedOut("Prime has not answered in two minutes.", hint="Your message is kept; look at the page.")


def _print(answers: list[Shown], as_json: bool) -> None:
    if as_json:
        print_json(answers)
        return
    for answer in answers:
        click.echo(f"{paint('Prime  ', bold=True) if sys.stdout.isatty() else ''}{answer['text']}")
