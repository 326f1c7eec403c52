"""What billable calls may cost together: charged before they run, remembered through restarts, never twice the last of it."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import Forbidden
from prime.tools.pipeline import ToolCall
from prime.tools.tool import Tool

Programs = Callable[..., Tool]
DEAR = {
    "filesystem": {"read": False, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "cost": {"billable": True, "estimate": "medium"},
}


@pytest.fixture
def budget(tmp_path: Path) -> Callable[[float], None]:
    def write(limit: float) -> None:
        file = tmp_path / "config" / "prime" / "policy.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        allow = {"billable": True, "write": True, "network": True}
        file.write_text(json.dumps({"allow": allow, "budget": {"limit": limit, "estimates": {"medium": 2}}}))

    return write


def _call(house: Any) -> Any:
    return house.workshop.pipeline.call(ToolCall(name="render"), house.session())


async def test_a_budget_is_used_up_and_a_restart_gives_nothing_back(
    open_house: Any, programs: Programs, budget: Callable[[float], None]
) -> None:
    budget(5)
    tool = programs("render", "echo done", DEAR)
    house = await open_house(tool, mode="off")
    result = await _call(house)
    assert (result.is_error, result.notes) == (False, ("3 of the budget of 5 is left.",))
    await house.store.close()
    house = await open_house(tool, mode="off")
    assert not (await _call(house)).is_error
    with pytest.raises(Forbidden, match="1 of the budget of 5 is left") as told:
        await _call(house)
    assert told.value.error_code == "budget_exceeded"
    with pytest.raises(Forbidden, match="budget"):
        await house.workshop.pipeline.preview(ToolCall(name="render"), house.session())
    budget(6)
    assert not (await _call(house)).is_error
    charged = await house.logged("approval")
    assert [(entry["op"], entry["price"]) for entry in charged] == [("charged", 2)] * 3


async def test_what_is_left_is_told_to_nobody_below_the_team(
    open_house: Any, programs: Programs, budget: Callable[[float], None]
) -> None:
    """It would tell what the owner spends, and that others are at work."""
    budget(5)
    house = await open_house(programs("render", "echo done", DEAR), mode="off")
    partner = house.session(tier="business_relation")
    result = await house.workshop.pipeline.call(ToolCall(name="render"), partner)
    assert (result.is_error, result.notes) == (False, ())
    await _call(house)
    with pytest.raises(Forbidden) as told:
        await house.workshop.pipeline.call(ToolCall(name="render"), partner)
    assert told.value.error_code == "budget_exceeded"
    shown = f"{told.value} {told.value.data} {(await house.logged('tool_result'))[-1]}"
    assert not re.search(r"\b[1-5] of|budget of", shown)


async def test_of_many_calls_at_once_only_those_run_that_the_budget_has_room_for(
    open_house: Any, programs: Programs, budget: Callable[[float], None]
) -> None:
    budget(5)
    house = await open_house(programs("render", "echo ran >> ran", DEAR), mode="off")
    ended = await asyncio.gather(*(_call(house) for _ in range(6)), return_exceptions=True)
    refused = [error for error in ended if isinstance(error, Forbidden)]
    assert len(refused) == 4
    assert (house.folder / "ran").read_text().splitlines() == ["ran", "ran"]
    results = await house.logged("tool_result")
    assert sum(entry["isError"] for entry in results) == 4


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # a data folder has one owner
async def test_no_two_replicas_have_the_last_of_it(
    open_house: Any, programs: Programs, budget: Callable[[float], None]
) -> None:
    budget(3)
    tool = programs("render", "echo ran >> ran", DEAR)
    houses = [await open_house(tool, mode="off") for _ in range(3)]
    ended = await asyncio.gather(*(_call(house) for house in houses), return_exceptions=True)
    assert len([error for error in ended if isinstance(error, Forbidden)]) == 2
    assert (houses[0].folder / "ran").read_text().splitlines() == ["ran"]


async def test_a_call_that_never_ran_costs_nothing(
    open_house: Any, programs: Programs, budget: Callable[[float], None]
) -> None:
    budget(5)
    house = await open_house(programs("render", "echo ran", {**DEAR, "destructive": True}), mode="off")
    call = asyncio.create_task(_call(house))
    question = await house.asked()
    await house.questions.answer(question.id, choice="no")
    with pytest.raises(Forbidden):
        await call
    assert await house.logged("approval") == []
