"""The owner's yes: waited for, bound, used once, gone with time, there after a restart; and "always"."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput, NotFound, Unavailable
from prime.core.ids import new_id
from prime.core.tasks import end
from prime.rooms.records import OWNER
from prime.rooms.rooms import Rooms
from prime.tools.pipeline import ApprovalPending, ApprovalRefused, ApprovalStale, ToolCall
from prime.tools.pipeline.approvals import OwnerApprover
from prime.tools.priming import PrimeRequest
from prime.tools.tool import Tool

Programs = Callable[..., Tool]
WIPES = {
    "filesystem": {"read": True, "write": True, "delete": True},
    "network": False,
    "subprocess": False,
    "destructive": True,
    "cost": {"billable": False},
}


@pytest.fixture
async def house(open_house: Any, programs: Programs) -> Any:
    house = await open_house(programs("wipe", 'echo "$@" >> ran', WIPES))
    await house.prime()
    return house


def _runs(house: Any) -> list[str]:
    file: Path = house.folder / "ran"
    return file.read_text().splitlines() if file.exists() else []


def _call(house: Any, *words: str, call_id: str | None = None, **session: Any) -> "asyncio.Task[Any]":
    call = ToolCall(name="wipe", arguments={"words": list(words)}, id=call_id or new_id("call"))
    return asyncio.create_task(house.workshop.pipeline.call(call, house.session(**session)))


async def test_the_owner_reads_what_would_run_whatever_is_in_it(house: Any) -> None:
    name = "Prime\n\u202ekcatta"
    await house.workshop.sessions.prime(PrimeRequest(agent_id=name, session_id="s"))
    call = _call(house, "x" + " " * 5000 + "y\u202e", agent_id=name, wait_s=0)
    with pytest.raises(ApprovalPending) as pending:
        await call
    question = await house.asked()
    assert question.context == r"wipe 'x ␣×5000 y\u202e'" == pending.value.data["line"]
    assert question.text == r"May Prime \u202ekcatta run wipe?"


async def test_a_command_that_looks_like_a_secret_is_read_by_who_says_yes(house: Any) -> None:
    word = '{"api_key": "`rm -rf ~`"}'
    call = _call(house, word, "ghp_abcdefghijklmnopqrstuvwxyz0123456789", wait_s=0)
    with pytest.raises(ApprovalPending) as pending:
        await call
    question = await house.asked()
    assert question.context == f"wipe '{word}' '[redacted]'" == pending.value.data["line"]
    assert question.call["arguments"] == {"words": [word, "[redacted]"]}


async def test_a_destructive_call_waits_for_a_yes_and_says_who_gave_it(house: Any) -> None:
    call = _call(house, "x")
    question = await house.asked()
    assert question.kind == "approval"
    assert question.call["line"] == "wipe x"
    assert question.call["arguments"] == {"words": ["x"]}
    assert "destroys" in question.reason
    assert _runs(house) == []
    await house.questions.answer(question.id, choice="yes")
    result = await call
    assert (_runs(house), result.approved_by) == (["x"], "act_owner")
    [used] = await house.logged("approval")
    assert (used["op"], used["questionId"], used["callId"]) == ("used", question.id, result.call_id)
    [ended] = await house.logged("tool_result")
    assert ended["approvedBy"] == "act_owner"


async def test_no_means_no_also_for_the_same_call_again(house: Any) -> None:
    call = _call(house, "x")
    await house.questions.answer((await house.asked()).id, choice="no", text="Not today.")
    with pytest.raises(ApprovalRefused, match="Not today"):
        await call
    with pytest.raises(ApprovalRefused):
        await _call(house, "x")
    assert await house.questions.waiting() == []
    assert _runs(house) == []


async def test_nobody_in_time_means_no(house: Any, clock: FakeClock) -> None:
    call = _call(house, "x")
    question = await house.asked()
    while not call.done():  # the first day may be over before the call has begun to wait
        clock.advance(24 * 3600 + 1)
        await asyncio.sleep(0)
    with pytest.raises(ApprovalRefused) as caught:
        await call
    assert caught.value.error_code == "approval_expired"
    assert (await house.questions.get(question.id)).status == "expired"


async def test_a_call_that_waited_hears_that_nobody_answered_and_another_one_is_asked_about(
    house: Any, clock: FakeClock
) -> None:
    with pytest.raises(ApprovalPending):
        await _call(house, "x", wait_s=0, call_id="call_a")
    question = await house.asked()
    clock.advance(24 * 3600 + 1)
    await house.workshop.approver.expire_due()
    await house.prime()
    for _ in range(2):
        with pytest.raises(ApprovalRefused) as caught:
            await _call(house, "x", wait_s=0, call_id="call_a")
        assert caught.value.error_code == "approval_expired"
    assert await house.questions.waiting() == []
    with pytest.raises(ApprovalPending) as pending:
        await _call(house, "x", wait_s=0, call_id="call_b")
    assert pending.value.data["questionId"] != question.id


async def test_a_yes_is_used_once(house: Any) -> None:
    call = _call(house, "x")
    await house.questions.answer((await house.asked()).id, choice="yes")
    await call
    again = _call(house, "x", wait_s=0)
    with pytest.raises(ApprovalPending):
        await again
    assert _runs(house) == ["x"]


async def test_of_two_equal_calls_at_once_one_runs(house: Any) -> None:
    with pytest.raises(ApprovalPending):
        await _call(house, "x", wait_s=0)
    await house.questions.answer((await house.asked()).id, choice="yes")
    calls = [_call(house, "x", wait_s=0) for _ in range(2)]
    done = await asyncio.gather(*calls, return_exceptions=True)
    # The other one saw the same yes too late, or came when it was used and asks anew.
    assert [isinstance(one, ApprovalStale | ApprovalPending) for one in done].count(True) == 1
    assert _runs(house) == ["x"]


@pytest.mark.parametrize("other", [{"session_id": "t"}, {"agent_id": "b"}, {"actor_id": "act_x"}])
async def test_a_yes_is_for_one_session(house: Any, other: dict[str, str]) -> None:
    with pytest.raises(ApprovalPending):
        await _call(house, "x", wait_s=0)
    await house.questions.answer((await house.asked()).id, choice="yes")
    for agent, session in (("a", "t"), ("b", "s")):
        await house.workshop.sessions.prime(PrimeRequest(agent_id=agent, session_id=session))
    with pytest.raises(ApprovalPending):
        await _call(house, "x", wait_s=0, **other)
    with pytest.raises(ApprovalPending):
        await _call(house, "y", wait_s=0)
    assert _runs(house) == []
    await _call(house, "x", wait_s=0)
    assert _runs(house) == ["x"]


async def test_a_program_that_changed_meanwhile_does_not_run(house: Any, tmp_path: Path) -> None:
    call = _call(house, "x")
    question = await house.asked()
    (tmp_path / "bin" / "wipe").write_text("#!/bin/sh\necho evil >> ran\n")
    await house.questions.answer(question.id, choice="yes")
    with pytest.raises(ApprovalStale):
        await call
    assert _runs(house) == []


async def test_a_program_that_was_changed_in_place_and_dated_back_does_not_run(house: Any, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "wipe"
    before = program.stat()
    call = _call(house, "x")
    question = await house.asked()
    with program.open("r+") as file:
        file.write("#!/bin/sh\necho evil".ljust(before.st_size - 6, "#") + ">> ran")
    os.utime(program, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = program.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    await house.questions.answer(question.id, choice="yes")
    with pytest.raises(ApprovalStale):
        await call
    assert _runs(house) == []


async def test_a_policy_that_changed_meanwhile_asks_anew(house: Any, tmp_path: Path) -> None:
    call = _call(house, "x")
    question = await house.asked()
    (tmp_path / "config" / "prime").mkdir(parents=True)
    (tmp_path / "config" / "prime" / "policy.json").write_text('{"confirm": ["wipe"]}')
    await house.questions.answer(question.id, choice="yes")
    with pytest.raises(ApprovalStale):
        await call
    assert _runs(house) == []


async def test_a_waiting_call_survives_a_restart(open_house: Any, programs: Programs, clock: FakeClock) -> None:
    tool = programs("wipe", 'echo "$@" >> ran', WIPES)
    house = await open_house(tool)
    await house.prime()
    call = _call(house, "x")
    question = await house.asked()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await house.store.close()
    house = await open_house(tool)
    [waiting] = await house.questions.waiting()
    assert (waiting.id, waiting.call["line"]) == (question.id, "wipe x")
    with pytest.raises(ApprovalPending) as caught:
        await _call(house, "x", wait_s=0)
    assert caught.value.data["questionId"] == question.id
    await house.questions.answer(question.id, choice="yes")
    assert (await _call(house, "x", wait_s=0)).approved_by == "act_owner"
    assert _runs(house) == ["x"]


async def test_what_waits_since_before_a_restart_expires_too(house: Any, clock: FakeClock) -> None:
    with pytest.raises(ApprovalPending):
        await _call(house, "x", wait_s=0)
    question = await house.asked()
    assert await house.workshop.approver.expire_due() == 0
    clock.advance(24 * 3600 + 1)
    assert await house.workshop.approver.expire_due() == 1
    assert (await house.questions.get(question.id)).status == "expired"


async def _always(house: Any, *words: str, pattern: str | None = None) -> None:
    call = _call(house, *words)
    question = await house.asked()
    if pattern:
        house.workshop.approver.check_pattern(question, pattern)
    await house.questions.answer(question.id, choice="always", pattern=pattern)
    await call


async def test_always_covers_this_tool_with_these_arguments(house: Any, clock: FakeClock) -> None:
    await _always(house, "x")
    result = await _call(house, "x", wait_s=0)
    assert result.approved_by.startswith("rule:apr_")
    with pytest.raises(ApprovalPending):
        await _call(house, "y", wait_s=0)
    [rule] = await house.workshop.approver.rules()
    assert (rule.line, rule.pattern) == ("wipe x", None)
    await house.workshop.approver.revoke_rule(rule.id)
    with pytest.raises(ApprovalPending):
        await _call(house, "x", wait_s=0)
    assert _runs(house) == ["x", "x"]
    with pytest.raises(NotFound):
        await house.workshop.approver.revoke_rule(rule.id)


async def test_always_may_be_a_pattern_that_the_owner_edits(house: Any) -> None:
    await _always(house, "tmp/a", pattern="wipe tmp/*")
    await _call(house, "tmp/b", wait_s=0)
    for words in (("src/a",), ("tmp/b", "more"), ("tmp/../src",)):
        with pytest.raises(ApprovalPending):
            await _call(house, *words, wait_s=0)
    [rule] = await house.workshop.approver.rules()
    await house.workshop.approver.change_rule(rule.id, "wipe src/*")
    await _call(house, "src/a", wait_s=0)
    with pytest.raises(InvalidInput):
        await house.workshop.approver.change_rule(rule.id, "rm *")


async def test_a_pattern_must_cover_the_call_that_it_is_given_for(house: Any) -> None:
    call = _call(house, "x")
    question = await house.asked()
    for wrong in ("wipe y", "* x", "", "wipe 'x", "wipe ** x"):
        with pytest.raises(InvalidInput):
            house.workshop.approver.check_pattern(question, wrong)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)


async def test_rebuilding_gives_the_same_rules(house: Any) -> None:
    await _always(house, "x")
    before = await house.workshop.approver.rules()
    await house.store.projector.rebuild("tools")
    assert await house.workshop.approver.rules() == before


async def test_the_owner_reads_names_and_no_ids(house: Any) -> None:
    actor = await Rooms(house.store).add_actor("Bob the builder", "agent", "echo")
    await house.workshop.sessions.prime(PrimeRequest(agent_id=actor.id, session_id="s"))
    call = _call(house, "x", agent_id=actor.id)
    question = await house.asked()
    assert question.text == "May Bob the builder run wipe?"
    await house.questions.answer(question.id, choice="no")
    await asyncio.gather(call, return_exceptions=True)


async def test_the_owner_is_not_asked_about_themselves_as_about_somebody(house: Any) -> None:
    await house.workshop.sessions.prime(PrimeRequest(agent_id=OWNER, session_id="s"))
    call = _call(house, "x", agent_id=OWNER)
    question = await house.asked()
    assert question.text == "Run wipe now?"
    await house.questions.answer(question.id, choice="no")
    await asyncio.gather(call, return_exceptions=True)


async def test_what_waits_expires_also_after_the_database_was_away(house: Any, clock: FakeClock) -> None:
    class Tripping(OwnerApprover):
        looks = 0

        async def expire_due(self) -> int:
            self.looks += 1
            if self.looks == 1:
                raise Unavailable("The database does not answer.")
            return await super().expire_due()

    with pytest.raises(ApprovalPending):
        await _call(house, "x", wait_s=0)
    question = await house.asked()
    approver = Tripping(house.store, house.questions, clock)
    keeping = asyncio.create_task(approver.keep_expiring())
    clock.advance(24 * 3600 + 1)
    while approver.looks < 3:
        clock.advance(31)
        await asyncio.sleep(0.01)
    assert (await house.questions.get(question.id)).status == "expired"
    await end(keeping)
