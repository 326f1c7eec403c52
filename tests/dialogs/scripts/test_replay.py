"""Several scripts as one history, and what goes into the log."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from prime.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from prime.core.json_text import JsonObject
from prime.dialogs.scripts.combine import combine, moved
from prime.dialogs.scripts.folder import ScriptFolder
from prime.dialogs.scripts.messages import HistoryMessage, to_messages, to_records
from prime.dialogs.scripts.records import (
    AgentWords,
    FuncCall,
    FuncResult,
    GenStart,
    HumanText,
    Record,
    TeammateCallAnchor,
    TeammateCallResult,
    TeammateResponse,
    UiOnlyMarkdown,
)
from prime.dialogs.scripts.refs import individual, shared
from prime.dialogs.scripts.replay import load_for
from prime.dialogs.scripts.script import Header, Script


def _probe(first: int) -> Script:
    return Script(
        records=(
            HumanText(genseq=first, msg_id="m", grammar="markdown", content="look"),
            FuncCall(genseq=first, id="call_1", name="ls", arguments={"path": "."}),
            FuncResult(genseq=first, id="call_1", name="ls", content="a"),
            AgentWords(genseq=first + 1, content="one file"),
        )
    )


def _numbers(records: Sequence[Record]) -> list[int]:
    return [record.genseq for record in records if not isinstance(record, (TeammateCallResult, TeammateResponse))]


@pytest.mark.holds("D-SCR-5")
def test_the_first_script_keeps_its_numbers_and_later_ones_follow() -> None:
    joined = combine([_probe(3), _probe(1), _probe(0), _probe(50)])
    assert _numbers(joined) == [3, 3, 3, 4, 5, 5, 5, 6, 7, 7, 7, 8, 50, 50, 50, 51]
    assert joined[:4] == _probe(3).records
    assert [record.id for record in joined if isinstance(record, (FuncCall, FuncResult))] == ["call_1"] * 8


def test_numbers_of_other_dialogs_stay() -> None:
    response = TeammateResponse(
        responder_id="r",
        call_name="tellask",
        tellask_content="t",
        status="completed",
        call_id="c",
        calling_genseq=2,
        agent_id="a",
        origin_member_id="o",
        callee_genseq=7,
        response="r",
    )
    anchor = TeammateCallAnchor(anchor_role="response", call_id="c", genseq=3, assignment_genseq=1, caller_course=4)
    now = moved(response, 10)
    assert isinstance(now, TeammateResponse)
    assert (now.calling_genseq, now.callee_genseq) == (12, 7)
    assert moved(anchor, 10) == TeammateCallAnchor(
        anchor_role="response", call_id="c", genseq=13, assignment_genseq=11, caller_course=4
    )


def test_scripts_that_do_not_fit_together() -> None:
    waiting = Script(records=(FuncCall(genseq=1, id="call_1", name="ls", arguments={}),))
    with pytest.raises(Conflict, match="used again"):
        combine([waiting, _probe(1)])
    with pytest.raises(InvalidInput):
        combine([])


@pytest.mark.holds("D-SCR-5")
def test_a_joined_history_comes_back_as_the_same_records() -> None:
    messages = to_messages(combine([_probe(1), _probe(1)]))
    assert [message.kind for message in messages][:4] == ["text", "tool_call", "tool_result", "text"]
    assert to_records(messages) == combine([_probe(1), _probe(1)])


def test_what_only_people_see_is_a_system_message() -> None:
    messages = to_messages((GenStart(genseq=1), UiOnlyMarkdown(genseq=1, content="*hi*")))
    assert [(message.kind, message.text) for message in messages] == [("system", ""), ("system", "*hi*")]


@pytest.mark.holds("D-SCR-5")
def test_one_bad_script_and_nothing_is_loaded(tmp_path: Path) -> None:
    folder = ScriptFolder(tmp_path)
    folder.save(individual("ux", "good"), _probe(1))
    folder.save(individual("dev", "other"), _probe(1))
    folder.save(shared("dev-only"), Script(header=Header(applicable_member_ids=("dev",)), records=_probe(1).records))
    broken = folder.save(shared("broken"), _probe(1))
    (tmp_path / broken).write_text("### user\n")
    good = individual("ux", "good")
    for bad, error in (
        (shared("broken"), InvalidInput),
        (shared("gone"), NotFound),
        (shared("dev-only"), Forbidden),
        (individual("dev", "other"), Forbidden),
    ):
        with pytest.raises(error):
            load_for(folder, [good, bad], "ux")
    assert len(load_for(folder, [good, good], "ux")) == 8
    assert not (tmp_path / ".dialogs").exists()


def test_messages_that_name_no_record_type_or_miss_fields() -> None:
    bodies: list[JsonObject] = [
        {"type": "other"},
        {"type": "agent_words_record"},
        {"type": "agent_words_record", "genseq": -1},
    ]
    for body in bodies:
        with pytest.raises(InvalidInput):
            to_records([HistoryMessage(kind="text", actor="agent", text="x", body={"record": body})])
    with pytest.raises(InvalidInput, match="callId"):
        to_records([HistoryMessage(kind="tool_call", actor="agent")])


def test_an_excerpt_is_not_taken_for_the_whole_text() -> None:
    with pytest.raises(InvalidInput, match="attachment"):
        to_records([HistoryMessage(kind="text", actor="agent", text="begins…", body={"fullTextAttachmentId": "att_1"})])
