"""A mind as a participant: what the rules have said in a room they do not say there again."""

from typing import cast

import pytest

from prime.connectors.agents.llm_generic import LlmGeneric
from prime.hub.connector import Context
from prime.mind.jobs.lines import Line
from prime.mind.offline import OfflineMind
from prime.rooms.records import OWNER, PRIME, Actor
from prime.store.leases import Lease
from prime.store.message import Message

PRIMES = LlmGeneric(Actor(id=PRIME, name="Prime", kind="agent", connector="llm_generic"), OfflineMind())
BUILT = "The page is built."


def room(*lines: Line, said_by: str, lease: Lease | None) -> Context:
    last = Message(9, "m9", "ch", said_by, 0, "text", "room", BUILT, {}, 1, None, (), "")
    return Context(
        channel_id="ch", channel_name="Build", tier="team", speaker="Prime", role="prime", brief="Build a page.",
        lines=lines, last=last, lease=lease,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said_by", "driven", "again"), [("act_builder", True, False), ("act_builder", False, True), (OWNER, True, True)]
)
async def test_who_waits_for_an_answer_gets_the_same_again_and_nobody_else(
    said_by: str, driven: bool, again: bool
) -> None:
    lease = cast("Lease", object()) if driven else None
    built = Line(message_id="m1", speaker="Builder", text=BUILT, quoted=said_by != OWNER)
    first = (await PRIMES.reply(room(built, said_by=said_by, lease=lease))).text
    assert first
    answered = Line(message_id="m2", speaker="Prime", text=first, own=True)
    second = (await PRIMES.reply(room(built, answered, built, said_by=said_by, lease=lease))).text
    assert second == (first if again else "")
