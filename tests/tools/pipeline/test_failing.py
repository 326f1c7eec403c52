"""Every refusal has a next step, also one whose author knew of none."""

from typing import Any

import pytest

from prime.core.errors import JsonValue, PrimeError, TimedOut, Unavailable
from prime.tools.pipeline import ToolCall
from prime.tools.pipeline.approving import ApprovalPending, ApprovalStale
from prime.tools.pipeline.builtins import HARMLESS
from prime.tools.pipeline.failing import with_next_step
from prime.tools.runtime import RunContext


@pytest.mark.parametrize("kind", [PrimeError, *PrimeError.__subclasses__(), ApprovalPending, ApprovalStale])
def test_every_kind_of_error_gets_one(kind: type[PrimeError]) -> None:
    error = kind.__new__(kind)
    PrimeError.__init__(error, "It is so.")
    told = with_next_step(error)
    assert told.hint


def test_the_authors_own_is_kept() -> None:
    assert with_next_step(Unavailable("It is away.", hint="Call Ann.")).hint == "Call Ann."
    assert with_next_step(TimedOut("It is late.")).hint != with_next_step(Unavailable("It is away.")).hint


async def test_a_tool_that_fails_without_a_word_about_it(open_house: Any) -> None:
    house = await open_house()
    await house.prime()

    async def away(_arguments: object, _context: RunContext) -> JsonValue:
        raise Unavailable("The server is away.", code="server_gone")

    house.workshop.builtins.add("away", "Is away.", {"type": "object"}, away, effects=HARMLESS)
    result = await house.workshop.pipeline.call(ToolCall(name="away"), house.session())
    assert (result.error["code"], bool(result.error["hint"])) == ("server_gone", True)
    assert result.error["hint"] in result.content[0]["text"]
