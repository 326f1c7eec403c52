"""What happens in the house while somebody looks on from the terminal."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from prime.cli.client import Client
from prime.cli.names import names_of
from prime.cli.output import folded, print_json
from prime.cli.waiting import Waiting

Shown = dict[str, object]


@dataclass(frozen=True, slots=True)
class News:
    """What is new since the last look."""

    cards: Sequence[Shown]
    questions: Sequence[Shown]
    paused: str | None


class Happenings:
    """Cards, questions and pauses, each told once."""

    def __init__(self, client: Client, waiting: Waiting) -> None:
        self._client = client
        self._waiting = waiting
        self._seen: set[object] = set()
        self._paused: object = None
        self._looking = asyncio.Lock()

    async def skip(self) -> None:
        """Count what is there already as seen, questions that wait aside."""
        self._seen |= {card["id"] for card in await self._cards()}

    async def show(self, tell: Callable[[str], None]) -> None:
        news = await self._news()
        names = await names_of(self._client, [str(each["channelId"]) for each in (*news.cards, *news.questions)])
        for card in news.cards:
            label = "settled  " if card["type"] == "auto_resolved" else "news     "
            asked = f"{card['question']}\n" if card["question"] else ""
            tell(folded(label, f"{names[str(card['channelId'])]}: {asked}{card['text']}"))
        for question in news.questions:
            tell(self._waiting.shown(question, names[str(question["channelId"])]))
        if news.paused:
            tell(folded("paused   ", news.paused))

    async def show_waiting(self, tell: Callable[[str], None]) -> None:
        """All that waits, also what was told before."""
        pending = await self._waiting.look()
        names = await names_of(self._client, [str(question["channelId"]) for question in pending])
        for question in pending:
            tell(self._waiting.shown(question, names[str(question["channelId"])]))
        if not pending:
            tell("Nothing waits for you.")

    async def print_json(self) -> None:
        news = await self._news()
        print_json({"feed": news.cards, "questions": news.questions, "pausedBecause": self._paused})

    async def _news(self) -> News:
        # One look at a time: two at once would tell the same twice.
        async with self._looking:
            return await self._look()

    async def _look(self) -> News:
        cards = [card for card in reversed(await self._cards()) if card["id"] not in self._seen]
        pending = await self._waiting.look()
        questions = [question for question in pending if question["id"] not in self._seen]
        self._seen |= {each["id"] for each in (*cards, *questions)}
        paused, before = (await self._client.get("/api/status"))["pausedBecause"], self._paused
        self._paused = paused
        return News(cards, questions, str(paused) if paused and paused != before else None)

    async def _cards(self) -> list[Shown]:
        return cast("list[Shown]", (await self._client.get("/api/feed", limit=50))["items"])
