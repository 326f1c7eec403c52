"""`prime chat`."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import cast

import click

from prime.cli.client import Client, connect, load_settings
from prime.cli.declared import writes
from prime.cli.happenings import Happenings
from prime.cli.output import data_option, folded, json_option, print_json
from prime.cli.terminal import Terminal, terminal
from prime.cli.waiting import Waiting
from prime.core.errors import PrimeError, TimedOut
from prime.core.ids import new_id
from prime.tools.atip import effects

POLL_SECONDS = 0.05
PATIENCE_SECONDS = 120.0
LOOK_SECONDS = 2.0
# Who waits for longer than this is told what for.
SILENCE_SECONDS = 2.0

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

    On a terminal, what happens meanwhile (cards of the feed, questions that wait for you) is shown as it comes.
    `/1 a` answers the first question with its first suggestion, `/1 your words` in your own; `/rule 1 …` makes a
    rule of the answer; an empty line shows what waits. A question's id does in place of its number.
    """
    try:
        asyncio.run(_chat(" ".join(text), data, as_json, watch))
    except KeyboardInterrupt:
        # Whoever was talking or looking on has seen enough; a sentence that waits for its answer has failed.
        sys.exit(1 if text and not watch else 0)


async def _chat(text: str, data: Path | None, as_json: bool, watch: int) -> None:
    async with connect(load_settings(data)) as client:
        room = _Room(client, as_json=as_json)
        await room.happenings.skip()
        if text:
            await room.say(text)
        elif sys.stdin.isatty() and sys.stdout.isatty() and not as_json:
            await room.talk()
        else:
            async for line in _lines():
                await room.say(line)
        await room.watch(watch)


class _Room:
    """The hub's room, as a terminal shows it."""

    def __init__(self, client: Client, *, as_json: bool) -> None:
        self._client = client
        self._as_json = as_json
        self._waiting = Waiting(client)
        self.happenings = Happenings(client, self._waiting)

    async def talk(self) -> None:
        """Line by line, with what happens meanwhile above the line."""
        with terminal(colour=not os.environ.get("NO_COLOR")) as person:
            looking = asyncio.create_task(self._look_on(person))
            try:
                async for line in person.lines():
                    await self._say_to(person, line)
            finally:
                looking.cancel()

    async def say(self, text: str) -> None:
        told = await self._waiting.answer(text)
        answers = [told] if told else await ask(self._client, text)
        if self._as_json:
            print_json(answers)
            return
        for answer in answers:
            click.echo(folded("Prime  " if sys.stdout.isatty() else "", str(answer["text"])))

    async def watch(self, seconds: int) -> None:
        waited = 0.0
        while waited < seconds:
            await asyncio.sleep(min(LOOK_SECONDS, seconds - waited))
            waited += LOOK_SECONDS
            await (self.happenings.print_json() if self._as_json else self.happenings.show(click.echo))

    async def _say_to(self, person: Terminal, line: str) -> None:
        try:
            await (self.say(line) if line.strip() else self.happenings.show_waiting(person.show))
        except PrimeError as error:
            # One line that does not fit ends no conversation.
            person.show(folded("", str(error)))
        await self.happenings.show(person.show)

    async def _look_on(self, person: Terminal) -> None:
        try:
            while True:
                await self.happenings.show(person.show)
                await asyncio.sleep(LOOK_SECONDS)
        except PrimeError as error:
            person.show(folded("", str(error)))


async def ask(client: Client, text: str) -> list[Shown]:
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
        if waited < SILENCE_SECONDS <= waited + POLL_SECONDS and sys.stderr.isatty():
            click.echo("Prime is thinking.", err=True)
        waited += POLL_SECONDS
    raise TimedOut("Prime has not answered in two minutes.", hint="Your message is kept; look at the page.")


async def _lines() -> AsyncGenerator[str]:
    while line := await asyncio.to_thread(sys.stdin.readline):
        if line.strip():
            yield line
