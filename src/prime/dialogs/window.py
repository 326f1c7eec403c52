"""What of a channel's history fits: the newest, read from the end, and never more of the channel than that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from prime.dialogs.history import Call, Perspective, Piece, Result, weigh
from prime.dialogs.transcript import corrected
from prime.mind.tokens import Counted, Family, correction, estimate
from prime.mind.windows import Budget
from prime.rooms.records import PRIME
from prime.rooms.views import View
from prime.store.message import Message

ARCHIVED = "archived"

_FIRST_PAGE = 200
_LARGEST_PAGE = 4000
# A history that is over its room is cut to this much of it, so that the next turns begin alike: providers keep what they
# read before, and each turn does not forget a little.
_KEPT_PART = 0.75


@dataclass(frozen=True, slots=True)
class Window:
    """The pieces that fit, and the place up to which the history has left the context."""

    pieces: tuple[Piece, ...]
    out_up_to: int | None
    # How far it was archived already; what is between the two has left just now.
    archived_up_to: int | None
    # What turns estimates into this provider's tokens.
    factor: float

    @property
    def estimated(self) -> int:
        return sum(piece.tokens for piece in self.pieces)


async def read_window(view: View, perspective: Perspective, budget: Budget, fixed: int) -> Window:
    """The newest part of the present course that fits into the budget beside `fixed` estimated tokens."""
    reader = _Reader(view, perspective, budget, fixed)
    await reader.read()
    pieces = [piece for m in corrected(reader.messages) if (piece := perspective.piece(m)) is not None]
    factor = reader.factor
    fitting = max(budget.tokens / factor - fixed, 1.0)
    kept = _newest(pieces, fitting, complete=reader.complete)
    kept = _shortened(kept, fitting, perspective.family)
    whole = reader.complete and len(kept) == len(pieces)
    out = reader.horizon if whole or not kept else kept[0].seq - 1
    return Window(tuple(kept), out, reader.archived, factor)


class _Reader:
    """Reads backwards until there is more than fits, or what is older has left before, or the course begins."""

    def __init__(self, view: View, perspective: Perspective, budget: Budget, fixed: int) -> None:
        self._view = view
        self._perspective = perspective
        self._budget = budget
        self._fixed = fixed
        self._weight = 0
        self._counted: list[Counted] = []
        self.messages: list[Message] = []
        self.horizon: int | None = None
        self.archived: int | None = None
        self.complete = False

    @property
    def factor(self) -> float:
        return correction(self._counted)

    @property
    def _left(self) -> float:
        return self._budget.tokens / self.factor - self._fixed - self._weight

    async def read(self) -> None:
        before: int | None = None
        limit = _FIRST_PAGE
        while not self.complete and self._left >= 0:
            page = await self._view.course_messages(before=before, limit=limit)
            taken = [await self._take(message) for message in reversed(page)]
            self.messages = [*(m for m in reversed(taken) if m is not None), *self.messages]
            self.complete = self.complete or len(page) < limit
            if page:
                before = page[0].seq
                limit = self._next_limit()

    async def _take(self, message: Message) -> Message | None:
        if self.horizon is not None and message.seq <= self.horizon:
            self.complete = True
            return None
        if message.kind == "system" and message.body.get("op") == ARCHIVED:
            self._notice(message)
            return None
        self._usage(message.body.get("usage"))
        if "fullTextAttachmentId" in message.body:
            message = replace(message, text=await self._view.full_text(message))
        piece = self._perspective.piece(message)
        self._weight += piece.tokens if piece else 0
        return message

    def _notice(self, message: Message) -> None:
        up_to, budget = message.body.get("upTo"), message.body.get("budget")
        if message.actor_id != PRIME or not isinstance(up_to, int) or not isinstance(budget, int):
            return
        self.archived = max(self.archived or 0, up_to)
        # What was too much for a smaller model may fit into this one.
        if self._budget.tokens <= budget:
            self.horizon = max(self.horizon or 0, up_to)

    def _usage(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        known = cast("Mapping[str, object]", usage)
        counted, estimated = known.get("inputTokens"), known.get("estimatedTokens")
        if known.get("model") == self._budget.model and isinstance(counted, int) and isinstance(estimated, int):
            self._counted.append(Counted(estimated, counted))

    def _next_limit(self) -> int:
        """As many as will fill what is left, by the weight of those seen."""
        typical = max(self._weight / max(len(self.messages), 1), 1.0)
        return max(_FIRST_PAGE, min(_LARGEST_PAGE, int(self._left / typical * 1.05)))


def _newest(pieces: Sequence[Piece], fitting: float, *, complete: bool) -> list[Piece]:
    if complete and sum(piece.tokens for piece in pieces) <= fitting:
        return list(pieces)
    last = _last_step(pieces)
    start, weight = len(pieces), 0
    while start > 0 and (start > last or weight + pieces[start - 1].tokens <= fitting * _KEPT_PART):
        start -= 1
        weight += pieces[start].tokens
    known = _without_strangers(pieces[start:])
    return known or [piece for piece in pieces if not isinstance(piece.what, Result)][-1:]


def _last_step(pieces: Sequence[Piece]) -> int:
    """Where that begins which must stay: the newest message, or the calls and results of the newest step."""
    start = len(pieces)
    while start > 0 and isinstance(pieces[start - 1].what, Result):
        start -= 1
    while start > 0 and isinstance(pieces[start - 1].what, Call):
        start -= 1
    return min(start, len(pieces) - 1)


def _without_strangers(pieces: Sequence[Piece]) -> list[Piece]:
    """Without results whose calls have left."""
    calls: set[str] = set()
    kept: list[Piece] = []
    for piece in pieces:
        if isinstance(piece.what, Call):
            calls.add(piece.what.call_id)
        elif isinstance(piece.what, Result) and piece.what.call_id not in calls:
            continue
        kept.append(piece)
    return kept


def _shortened(pieces: list[Piece], fitting: float, family: Family) -> list[Piece]:
    """The pieces with long texts cut, when even the newest step is more than fits."""
    if sum(piece.tokens for piece in pieces) <= fitting or not pieces:
        return pieces
    share = fitting / len(pieces)
    spare = sum(max(share - piece.tokens, 0) for piece in pieces)
    long = sum(piece.tokens > share for piece in pieces)
    return [_cut(piece, share + spare / long, family) if piece.tokens > share else piece for piece in pieces]


def _cut(piece: Piece, tokens: float, family: Family) -> Piece:
    what = piece.what
    if isinstance(what, Call):
        return piece
    room = max(int(len(what.text) * tokens * 0.9 / piece.tokens) - 60, 20)
    while True:
        left_out = len(what.text) - room
        if left_out <= 0:
            return piece
        mark = f"\n[… {left_out:,} characters left out …]\n"
        shorter = what.text[: room * 2 // 3] + mark + what.text[len(what.text) - room // 3 :]
        if estimate(shorter, family) <= tokens or room <= 20:
            changed = replace(what, text=shorter)
            return replace(piece, what=changed, tokens=weigh(changed, family))
        room = room * 3 // 4
