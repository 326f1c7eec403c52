"""What a turn shows while it is under way: it is not logged, and nobody waits for it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from prime.dialogs.turns.state import TurnId

# Words come faster than a page can show them; they are told at most this often.
PAUSE_S = 0.05
# Who is not heard of for long is taken for gone, and somebody may have begun to listen: it is told again this often.
AGAIN_S = 6.0

Doing: TypeAlias = Literal["thinking", "speaking", "calling", "waiting", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """Who is writing where, and what they have written of their present words so far."""

    channel_id: str
    actor_id: str
    turn_id: str
    doing: Doing
    text: str = ""

    @property
    def done(self) -> bool:
        """Whether nobody writes any more."""
        return self.doing in {"waiting", "ended"}

    def as_json(self) -> dict[str, object]:
        return {
            "channelId": self.channel_id,
            "actorId": self.actor_id,
            "turnId": self.turn_id,
            "state": self.doing,
            "text": self.text,
            "done": self.done,
        }


Listener: TypeAlias = Callable[[TurnEvent], None]


class Stream:
    """The words of one turn on their way to listeners."""

    def __init__(self, turn: TurnId, tell: Listener, *, again_s: float = AGAIN_S) -> None:
        self._turn = turn
        self._tell = tell
        self._again_s = again_s
        self._later: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None
        self._told_at = 0.0
        self._over = False
        self.text = ""

    def words(self, more: str) -> None:
        """Some more words of the present reply; a mind that does not stop speaks to nobody."""
        if self._over:
            return
        self.text += more
        loop = asyncio.get_running_loop()
        wait = self._told_at + PAUSE_S - loop.time()
        if wait <= 0:
            self.now("speaking")
        elif self._later is None:
            self._later = loop.call_later(wait, self.now, "speaking")

    def now(self, doing: Doing, text: str | None = None) -> None:
        """Tell it at once, and again while it lasts; `text` instead of the words so far."""
        if text is not None:
            self.text = text
        loop, turn = asyncio.get_running_loop(), self._turn
        if doing == "speaking":
            self._told_at = loop.time()
        event = TurnEvent(
            channel_id=turn.channel_id, actor_id=turn.agent_id, turn_id=turn.id, doing=doing, text=self.text
        )
        self._tell(event)
        self._forget_timers()
        self._over = event.done
        if not event.done:
            self._again = loop.call_later(self._again_s, self.now, doing)

    def close(self) -> None:
        """The turn is in nobody's hands here: nothing more is told of it."""
        self._over = True
        self._forget_timers()

    def _forget_timers(self) -> None:
        for timer in (self._later, self._again):
            if timer is not None:
                timer.cancel()
        self._later = self._again = None
