"""Puts the hub together."""

from collections.abc import Callable
from dataclasses import dataclass

from prime.core.clock import Clock
from prime.dialogs.turns.streaming import Listener, TurnEvent
from prime.hub.answers import Answerers, Answers
from prime.hub.connector import Connectors
from prime.hub.directive.engine import DirectiveEngine
from prime.hub.hub import Hub, HubParts
from prime.hub.learning import Learning
from prime.hub.metrics.metrics import Metrics
from prime.hub.pace import PaceSource
from prime.hub.spending import Spending
from prime.hub.swarm.pictures import Pictures
from prime.hub.swarm.swarm import Swarm
from prime.hub.swarm.turns import Turns, Words
from prime.hub.warroom import Outside, WarRoom
from prime.mind.present import is_free
from prime.mind.protocol import Mind
from prime.mind.spend import SpendGuard
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class HubSetup:
    """What the hub is given."""

    store: Store
    rooms: Rooms
    questions: Questions
    mind: Mind
    connectors: Connectors
    outside: Outside
    spend: SpendGuard
    clock: Clock
    pace: PaceSource


def build_hub(setup: HubSetup) -> Hub:
    store, rooms, clock, pace, mind = setup.store, setup.rooms, setup.clock, setup.pace, setup.mind
    listeners: list[Callable[[Words], None]] = []
    watchers: list[Listener] = []

    def on_words(words: Words) -> None:
        for listener in listeners:
            listener(words)

    def on_turn(event: TurnEvent) -> None:
        for watcher in watchers:
            watcher(event)

    turns = Turns(store, rooms, setup.connectors, clock, on_words, Pictures(mind, setup.spend))
    spending = Spending(setup.spend, free=lambda: is_free(mind))
    swarm = Swarm(store, turns, spending, clock, pace)
    warroom = WarRoom(store, rooms, setup.questions, mind, setup.outside, clock)
    parts = HubParts(
        mind=mind,
        connectors=setup.connectors,
        answers=Answers(
            store, clock, Answerers(connectors=setup.connectors, warroom=warroom, swarm=swarm, tell=on_turn)
        ),
        swarm=swarm,
        engine=DirectiveEngine(store, rooms, setup.questions, mind, swarm, clock, pace),
        learning=Learning(store, rooms, setup.questions, mind),
        metrics=Metrics(store, clock),
        listeners=listeners,
        watchers=watchers,
    )
    return Hub(store, rooms, parts)
