"""Dialogs put together: what a channel begins with, the turns in it, and who takes them."""

from collections.abc import Callable
from dataclasses import dataclass

from prime.core.clock import Clock
from prime.core.settings import Settings
from prime.dialogs.answering import Answering
from prime.dialogs.dialogs import Dialogs
from prime.dialogs.document import ContextSource, DocumentBuilder
from prime.dialogs.turn import Turns
from prime.dialogs.turns.driving import TurnParts
from prime.dialogs.turns.limits import TurnLimits
from prime.dialogs.turns.toolbox import Toolbox, ToolList, ToolSafety
from prime.mind.protocol import Mind
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.store.store import Store
from prime.tools.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Talk:
    dialogs: Dialogs
    turns: Turns
    answering: Answering


@dataclass(frozen=True, slots=True, kw_only=True)
class Beneath:
    """What dialogs stand on."""

    store: Store
    rooms: Rooms
    questions: Questions
    workshop: Workshop
    clock: Clock


def open_talk(
    settings: Settings, beneath: Beneath, mind: Callable[[], Mind], sources: tuple[ContextSource, ...] = ()
) -> Talk:
    """The dialogs of a house. `mind` is whose words they are; `sources` fill further values of the context document."""
    store, clock = beneath.store, beneath.clock
    toolbox = Toolbox(beneath.workshop)
    builder = DocumentBuilder(settings.config_folder / "prompts", (ToolList(toolbox), ToolSafety(toolbox), *sources))
    dialogs = Dialogs(store, beneath.rooms, clock, settings.workspace_folder, builder)
    parts = TurnParts(
        store=store,
        dialogs=dialogs,
        workshop=beneath.workshop,
        toolbox=toolbox,
        limits=TurnLimits.of(settings),
        clamp=beneath.rooms.briefs.clamp,
    )
    turns = Turns(parts, beneath.questions, clock)
    return Talk(dialogs, turns, Answering(store, turns, clock, mind))
