"""What happens in the house while somebody looks on from the terminal."""

from typing import cast

import click

from prime.cli.client import Client
from prime.cli.output import paint, print_json

Shown = dict[str, object]


class Happenings:
    """Cards, questions and pauses, each shown once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._seen: set[object] = set()
        self._paused: object = None

    async def skip(self) -> None:
        """Count what is there already as seen, questions that wait aside."""
        self._seen |= {card["id"] for card in await self._cards()}

    async def show(self, *, as_json: bool = False) -> None:
        cards = [card for card in reversed(await self._cards()) if card["id"] not in self._seen]
        waiting = cast("list[Shown]", (await self._client.get("/api/questions", status="pending"))["items"])
        questions = [question for question in waiting if question["id"] not in self._seen]
        self._seen |= {each["id"] for each in (*cards, *questions)}
        status = await self._client.get("/api/status")
        paused, self._paused = (
            status["pausedBecause"] if status["pausedBecause"] != self._paused else None,
            status["pausedBecause"],
        )
        if as_json:
            print_json({"feed": cards, "questions": questions, "pausedBecause": status["pausedBecause"]})
            return
        for card in cards:
            settled = card["type"] == "auto_resolved"
            click.echo(f"{paint('settled' if settled else 'news', bold=True)}  {card['title']}: {card['text']}")
        for question in questions:
            click.echo(f"{paint('question', bold=True)}  {question['text']}  (/answer {question['id']} …)")
        if paused:
            click.echo(f"{paint('paused', bold=True)}  {paused}")

    async def _cards(self) -> list[Shown]:
        return cast("list[Shown]", (await self._client.get("/api/feed", limit=50))["items"])
