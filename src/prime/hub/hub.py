"""The hub: the owner speaks here, a war room comes of it, and what needs the owner comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prime.dialogs.turns.streaming import Listener
from prime.hub import queries
from prime.hub.answers import Answers
from prime.hub.connector import Connectors
from prime.hub.directive.engine import DirectiveEngine
from prime.hub.feed import FeedItem
from prime.hub.learning import Learning, OwnersAnswer
from prime.hub.metrics.metrics import Metrics
from prime.hub.queries import FEED
from prime.hub.rules import Rule
from prime.hub.swarm.swarm import Swarm
from prime.hub.swarm.turns import Words
from prime.mind.protocol import Mind
from prime.rooms.records import HUB, OWNER, Question
from prime.rooms.rooms import Rooms
from prime.store.message import Message
from prime.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class HubParts:
    """What the hub is made of."""

    mind: Mind
    connectors: Connectors
    answers: Answers
    swarm: Swarm
    engine: DirectiveEngine
    learning: Learning
    metrics: Metrics
    # Called with words as they are being written, before they are logged.
    listeners: list[Callable[[Words], None]]
    # Called when Prime begins to think about the owner's words, and when it has.
    watchers: list[Listener]


class Hub:
    def __init__(self, store: Store, rooms: Rooms, parts: HubParts) -> None:
        self._store = store
        self._rooms = rooms
        self.mind = parts.mind
        self.connectors = parts.connectors
        self.swarm = parts.swarm
        self.engine = parts.engine
        self.learning = parts.learning
        self.metrics = parts.metrics
        self.listeners = parts.listeners
        self.watchers = parts.watchers
        self._answers = parts.answers

    async def say(
        self, text: str, *, idempotency_key: str | None = None, attachment_ids: Sequence[str] = ()
    ) -> Message:
        """The owner's words in the hub's room; Prime's answer and what it plans follow by themselves."""
        said = await self._rooms.say(HUB, OWNER, text, idempotency_key=idempotency_key, attachment_ids=attachment_ids)
        await self.swarm.hear_owner(text)
        self._answers.begin()
        return said

    async def answer(self, question_id: str, given: OwnersAnswer) -> tuple[Question, Rule | None]:
        """The owner's answer to a question; the swarm goes on where it was asked."""
        answered = await self.learning.answer(question_id, given)
        await self.swarm.hear_owner()
        return answered

    async def feed(self, *, before: int | None = None, limit: int = 50) -> list[tuple[int, FeedItem]]:
        """Cards, newest first, each with its place for the next page."""
        return await self._store.projector.read(lambda c: queries.read_feed(c, before=before, limit=limit), FEED)

    async def counters(self) -> tuple[int, int]:
        """How much was settled without the owner, and how many rules stand."""
        resolved = await self._store.projector.read(queries.count_auto_resolved, FEED)
        return resolved, sum(rule.active for rule in await self.learning.rules())

    # --- its life ---

    async def resume(self) -> None:
        """Take up what a process that ended left undone: words without an answer, plans that were not carried out."""
        await self._answers.look()

    def start(self) -> None:
        self.swarm.on_quiet.insert(0, self._last_look)
        self.swarm.start()
        self.engine.start()
        self._answers.start()

    async def stop(self) -> None:
        await self._answers.stop()
        await self.engine.stop()
        await self.swarm.stop()

    async def settle(self) -> None:
        """Wait until the owner's words so far are answered."""
        await self._answers.settle()

    async def _last_look(self) -> None:
        """What was said right before a pause is judged, too."""
        await self.engine.run(also_paused=True)
