"""What has left a course's context.

Messages stay in the log, where recall finds them; the archive is the part of a course up to the last note that something
left. It is written out when it is asked for, so that what a person has erased is not kept in a copy.
"""

from collections.abc import Sequence

from prime.dialogs.history import Call, Piece, Result
from prime.dialogs.window import ARCHIVED
from prime.rooms.records import PRIME
from prime.store.log import Log

_PAGE = 200


async def archived_up_to(log: Log, channel_id: str, course: int) -> int:
    """The place up to which a course is archived; 0 when it is not."""
    place: int | None = None
    while True:
        page = await log.page(channel_id, before=place, limit=_PAGE, kinds=["system"])
        for message in reversed(page):
            up_to = message.body.get("upTo")
            ours = message.actor_id == PRIME and message.body.get("op") == ARCHIVED
            if ours and message.body.get("course") == course and isinstance(up_to, int):
                return up_to
        if len(page) < _PAGE:
            return 0
        place = page[0].seq


def before(pieces: Sequence[Piece], up_to: int) -> list[Piece]:
    """The pieces up to a place, with the results of their calls, wherever those stand."""
    open_calls: set[str] = set()
    kept: list[Piece] = []
    for piece in pieces:
        if isinstance(piece.what, Call) and piece.seq <= up_to:
            open_calls.add(piece.what.call_id)
        elif isinstance(piece.what, Result):
            if piece.what.call_id not in open_calls:
                continue
            open_calls.discard(piece.what.call_id)
        elif piece.seq > up_to:
            continue
        kept.append(piece)
    return kept
