"""`prime chat`."""

import asyncio
import sys
from pathlib import Path
from typing import cast

import click

from prime.cli.client import Client, connect, load_settings
from prime.cli.declared import writes
from prime.cli.happenings import Happenings
from prime.cli.output import data_option, json_option, paint, print_json
from prime.core.errors import InvalidInput, TimedOut
from prime.core.ids import new_id
from prime.tools.atip import effects

POLL_SECONDS = 0.05
PATIENCE_SECONDS = 120.0
LOOK_SECONDS = 2.0

Shown = dict[str, object]


@click.command()
@click.argument("text", nargs=-1)
@data_option
@json_option
@click.option(
    "--watch", type=click.IntRange(0), default=0, metavar="SECONDS",
    help="Then show what happens for so long: the feed, questions, pauses.",
)  # fmt: skip
@effects(idempotent=False, creates=["message"])
@writes
def chat(text: tuple[str, ...], data: Path | None, as_json: bool, watch: int) -> None:
    """Say TEXT to Prime and print the answer. Without TEXT, talk line by line until Ctrl-D.

    On a terminal, what has happened since (cards of the feed, questions that wait for you) is shown before each line.
    Answer a question with `/answer ID TEXT`, and let it become a rule with `/rule ID TEXT`.
    """
    asyncio.run(_chat(" ".join(text), data, as_json, watch))


async def _chat(text: str, data: Path | None, as_json: bool, watch: int) -> None:
    async with connect(load_settings(data)) as client:
        happenings = Happenings(client)
        await happenings.skip()
        if text:
            _print(await _said(client, text), as_json)
            await _watch(happenings, watch, as_json)
            return
        while line := await asyncio.to_thread(_read_line):
            if line.strip():
                _print(await _said(client, line), as_json)
            if sys.stdin.isatty() and not as_json:
                await happenings.show()
        await _watch(happenings, watch, as_json)


async def _watch(happenings: Happenings, seconds: int, as_json: bool) -> None:
    waited = 0.0
    while waited < seconds:
        await asyncio.sleep(min(LOOK_SECONDS, seconds - waited))
        waited += LOOK_SECONDS
        await happenings.show(as_json=as_json)


async def _said(client: Client, text: str) -> list[Shown]:
    """What comes of a line: an answer to a question, or words to Prime."""
    command, _, rest = text.strip().partition(" ")
    if command not in {"/answer", "/rule"}:
        return await _ask(client, text)
    question, _, answer = rest.strip().partition(" ")
    if not question or not answer.strip():
        raise InvalidInput(f"{command} needs a question's id and an answer.", hint=f"For example: {command} q_1 Yes.")
    body: dict[str, object] = {"text": answer.strip(), "makeRule": command == "/rule"}
    settled = await client.post(f"/api/questions/{question}/answer", body)
    rule = cast("Shown | None", settled.get("rule"))
    return [{"text": f"Learned: {rule['text']}" if rule else "Thank you, told.", **settled}]


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
        answers = [i for i in items if i["text"] and said["messageId"] in cast("list[str]", i["sources"])]
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
