"""What of a channel's history fits: the newest, read from the end, and never more of the channel than that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from prime.dialogs.history import Call, Perspective, Piece, Result, weigh
from prime.dialogs.transcript import corrected
from prime.mind.tokens import Counted, Family, correction
from prime.mind.windows import Budget
from prime.rooms.records import PRIME
from prime.rooms.views import View, observed_by
from prime.store.message import Message

ARCHIVED = "archived"

_FIRST_PAGE = 200
_LARGEST_PAGE = 4000
_BUNDLE = 32
# A history that is over its room is cut to this much of it, so that the next turns begin alike: providers keep what they
# read before, and each turn does not forget a little.
_KEPT_PART = 0.75


@dataclass(frozen=True, slots=True)
class Window:
    """The pieces that fit, and the place up to which the history has left the context."""

    pieces: tuple[Piece, ...]
    estimated: int
    out_up_to: int | None
    # How far it was archived already; what is between the two has left just now.
    archived_up_to: int | None
    # What turns estimates into this provider's tokens.
    factor: float


@observed_by("prime.dialogs.context.shown")
async def read_window(view: View, perspective: Perspective, budget: Budget, fixed: int) -> Window:
    """The newest part of the present course that fits into the budget beside `fixed` estimated tokens."""
    reader = _Reader(view, perspective, budget, fixed)
    await reader.read()
    factor = reader.factor
    fitting = max(budget.tokens / factor - fixed, 1.0)
    weight = sum(bundle.tokens for bundle in reader.bundles)
    if reader.complete and weight <= fitting:
        return Window(_flat(reader.bundles), weight, reader.horizon, reader.archived, factor)
    kept = shortened(newest(reader.bundles, fitting * _KEPT_PART, budget.family), fitting, budget.family)
    out = kept[0].seq - 1 if kept else reader.horizon
    return Window(tuple(kept), weigh(kept, budget.family), out, reader.archived, factor)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Some neighbouring pieces, newest first, weighed together: one look at all costs a fraction of a look at each."""

    pieces: Sequence[Piece]
    tokens: int


def bundled(pieces: Sequence[Piece], family: Family) -> list[Bundle]:
    """Pieces that come newest first, in bundles."""
    parts = [pieces[start : start + _BUNDLE] for start in range(0, len(pieces), _BUNDLE)]
    return [Bundle(part, weigh(part, family)) for part in parts]


def _flat(bundles: Sequence[Bundle]) -> tuple[Piece, ...]:
    """All pieces, oldest first."""
    return tuple(piece for bundle in reversed(bundles) for piece in reversed(bundle.pieces))


class _Reader:
    """Reads backwards until there is more than fits, or what is older has left before, or the course begins."""

    @observed_by("prime.dialogs.context.shown")
    def __init__(self, view: View, perspective: Perspective, budget: Budget, fixed: int) -> None:
        self._view = view
        self._perspective = perspective
        self._budget = budget
        self._fixed = fixed
        self._counted: list[Counted] = []
        self._seen = 0
        self._weight = 0
        self._edits: list[Message] = []
        self.bundles: list[Bundle] = []
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
            self.complete = len(page) < limit
            await self._take(page)
            if page:
                before = page[0].seq
                limit = self._next_limit()
            if self.horizon is not None and before is not None:
                # No more than this many messages of anyone lie between.
                limit = min(limit, before - self.horizon - 1)
                self.complete = self.complete or limit <= 0

    async def _take(self, page: Sequence[Message]) -> None:
        pieces: list[Piece] = []
        for message in reversed(page):
            if self.horizon is not None and message.seq <= self.horizon:
                self.complete = True
                break
            whole = await self._looked_at(message) if message.body or self._edits else message
            if whole.kind == "edit":
                self._edits.append(whole)
            elif (piece := self._perspective.piece(whole)) is not None:
                pieces.append(piece)
        found = bundled(pieces, self._budget.family)
        self._seen += len(pieces)
        self._weight += sum(bundle.tokens for bundle in found)
        self.bundles += found

    async def _looked_at(self, message: Message) -> Message:
        """The message with its whole text and as it was corrected; what it says about contexts is noted."""
        if message.kind == "system" and message.body.get("op") == ARCHIVED:
            self._notice(message)
        self._usage(message.body.get("usage"))
        if "fullTextAttachmentId" in message.body:
            message = message._replace(text=await self._view.full_text(message))
        # A correction is newer than what it corrects, so all of them are known by now.
        if not self._edits or message.kind == "edit":
            return message
        return corrected([message, *reversed(self._edits)])[0]

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
        typical = max(self._weight / max(self._seen, 1), 1.0)
        return max(_FIRST_PAGE, min(_LARGEST_PAGE, int(self._left / typical * 1.05)))


def newest(bundles: Sequence[Bundle], fitting: float, family: Family) -> list[Piece]:
    """The newest pieces that fit, at least the newest step, and no result without its call."""
    kept, left = 0, fitting
    for bundle in bundles:
        if bundle.tokens <= left:
            kept, left = kept + len(bundle.pieces), left - bundle.tokens
            continue
        for piece in bundle.pieces:
            left -= weigh([piece], family)
            if left < 0:
                break
            kept += 1
        break
    pieces = _flat(bundles)
    start = min(len(pieces) - kept, _last_step(pieces))
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


def shortened(pieces: list[Piece], fitting: float, family: Family) -> list[Piece]:
    """The pieces with long texts cut, when even the newest step is more than fits."""
    if not pieces or weigh(pieces, family) <= fitting:
        return pieces
    weights = [weigh([piece], family) for piece in pieces]
    share = fitting / len(pieces)
    spare = sum(max(share - weight, 0) for weight in weights)
    long = sum(weight > share for weight in weights)
    cut = share + spare / long
    return [
        _cut(piece, weight, cut, family) if weight > share else piece
        for piece, weight in zip(pieces, weights, strict=True)
    ]


def _cut(piece: Piece, weight: int, tokens: float, family: Family) -> Piece:
    what = piece.what
    if isinstance(what, Call):
        return piece  # arguments are not text, and cutting them would make another call of it
    room = max(int(len(what.text) * tokens * 0.9 / weight) - 60, 20)
    while True:
        left_out = len(what.text) - room
        if left_out <= 0:
            return piece
        mark = f"\n[… {left_out:,} characters left out …]\n"
        shorter = what.text[: room * 2 // 3] + mark + what.text[len(what.text) - room // 3 :]
        changed = replace(piece, what=replace(what, text=shorter))
        shrunk = weigh([changed], family)
        if shrunk <= tokens or room <= 20:
            return changed if shrunk < weight else piece  # a short text is longer with the mark in it
        room = room * 3 // 4
