"""What a turn shows while it is under way: it is not logged, and nobody waits for it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from prime.dialogs.turns.state import TurnId

# Words come faster than a page can show them; they are told at most this often.
PAUSE_S = 0.05

Doing: TypeAlias = Literal["thinking", "speaking", "calling", "waiting", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """Who is writing where, and what they have written of their present words so far."""

    channel_id: str
    actor_id: str
    turn_id: str
    doing: Doing
    text: str = ""

    def as_json(self) -> dict[str, object]:
        return {
            "channelId": self.channel_id,
            "actorId": self.actor_id,
            "turnId": self.turn_id,
            "state": self.doing,
            "text": self.text,
            "done": self.doing in {"waiting", "ended"},
        }


Listener: TypeAlias = Callable[[TurnEvent], None]


class Stream:
    """The words of one turn on their way to listeners."""

    def __init__(self, turn: TurnId, tell: Listener) -> None:
        self._turn = turn
        self._tell = tell
        self._later: asyncio.TimerHandle | None = None
        self._told_at = 0.0
        self.text = ""

    def words(self, more: str) -> None:
        """Some more words of the present reply."""
        self.text += more
        loop = asyncio.get_running_loop()
        wait = self._told_at + PAUSE_S - loop.time()
        if wait <= 0:
            self.now("speaking")
        elif self._later is None:
            self._later = loop.call_later(wait, self.now, "speaking")

    def now(self, doing: Doing, text: str | None = None) -> None:
        """Tell it at once; `text` instead of the words so far."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if text is not None:
            self.text = text
        if doing == "speaking":
            self._told_at = asyncio.get_running_loop().time()
        turn = self._turn
        self._tell(
            TurnEvent(channel_id=turn.channel_id, actor_id=turn.agent_id, turn_id=turn.id, doing=doing, text=self.text)
        )
