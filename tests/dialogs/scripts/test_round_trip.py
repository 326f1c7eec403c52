"""Whatever is in a record comes back: through a file, through the log, and joined with other scripts."""

import dataclasses
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.core.canonical import canonical_json, clean_text
from prime.core.errors import Conflict
from prime.core.json_text import Json
from prime.dialogs.scripts.building import text_of, values_of
from prime.dialogs.scripts.combine import combine, moved
from prime.dialogs.scripts.exporter import export_bytes, export_script
from prime.dialogs.scripts.fields import MAX_COUNT, SHAPES, Field, RecordShape
from prime.dialogs.scripts.links import broken_link
from prime.dialogs.scripts.messages import from_message, to_message, to_messages, to_records
from prime.dialogs.scripts.parser import parse_script
from prime.dialogs.scripts.records import (
    AgentWords,
    FuncCall,
    FuncResult,
    HumanText,
    Record,
    TeammateCallResult,
    TeammateResponse,
    WebSearchAction,
)
from prime.dialogs.scripts.script import Header, Script, SourceDialog

_PIECES = [
    *("`", "```", "``````", "`" * 9, "~~~", "---", "--- ", "...", "### record gen_start_record", "## x", "```markdown"),
    *("\n", "\n\n", "\r", "\r\n", " ", "\t", "\u2028", "\u2029", "\x85", "\x0b", "\x00", "\x1b[2J", "\x7f", "\ufeff"),
    *(": ", " #", "- ", "? ", "'", '"', "\\", "\\u0041", "{", "}", "[", "]", ",", "&a", "*a", "!t", "|", ">", "%", "@"),
    *(
        "null",
        "~",
        "true",
        "No",
        "on",
        "1",
        "-1",
        "0x1f",
        "1e3",
        ".5",
        "1:30",
        "2026-01-31",
        "<<",
        "=",
        "a",
        "中文",
        "😀",
    ),
]
texts = st.text(max_size=12) | st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)
numbers = st.integers(0, MAX_COUNT) | st.integers(0, 9)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
objects = st.dictionaries(texts | st.text("k", min_size=190, max_size=1100), values, max_size=3)
actions = (
    st.builds(WebSearchAction, type=st.just("search"), query=st.none() | texts)
    | st.builds(WebSearchAction, type=st.just("open_page"), url=st.none() | texts)
    | st.builds(WebSearchAction, type=st.just("find_in_page"), url=st.none() | texts, pattern=st.none() | texts)
)
_BY_KIND: dict[str, st.SearchStrategy[object]] = {
    "count": numbers,
    "text": texts,
    "texts": st.lists(texts, max_size=3).map(tuple),
    "object": objects,
    "objects": st.lists(objects, max_size=2).map(tuple),
    "action": actions,
}


def _field(field: Field) -> st.SearchStrategy[object]:
    found = st.sampled_from(field.choices) if field.choices else _BY_KIND[field.kind]
    return found if field.required else st.none() | found


def _record(shape: RecordShape) -> st.SearchStrategy[Record]:
    arguments = {field.attribute: _field(field) for field in shape.fields.values() if field.name != "mentionList"}
    if "mentionList" in shape.fields:
        listed = _BY_KIND["texts"]
        arguments["mention_list"] = listed if shape.type == "quest_for_sup_record" else st.none() | listed
    if shape.text:
        arguments[shape.text] = texts
    return st.builds(shape.cls, **arguments)


records = st.one_of([_record(shape) for shape in SHAPES.values()])
headers = st.builds(
    Header,
    title=st.none() | texts,
    applicable_member_ids=st.none() | st.lists(texts, max_size=3).map(tuple),
    owner_agent_id=st.none() | texts,
    generated_at=st.none() | texts,
    source_dialog=st.none() | st.builds(SourceDialog, root_id=texts, self_id=texts, course=numbers, status=texts),
)
scripts = st.builds(Script, header=headers, records=st.lists(records, min_size=1, max_size=4).map(tuple))


def _exact(record: Record) -> str:
    """Equality that also tells 1 from 1.0 and true."""
    return json.dumps([record.TYPE, values_of(record), text_of(record)], sort_keys=True)


def _numbers(history: Sequence[Record]) -> list[int]:
    others = (TeammateCallResult, TeammateResponse)
    found = [record.calling_genseq if isinstance(record, others) else record.genseq for record in history]
    return [number for number in found if number is not None]


@pytest.mark.holds("D-SCR-1")
@pytest.mark.holds("D-SCR-3")
@pytest.mark.parametrize("record_type", list(SHAPES))
def test_every_record_type_comes_back_from_a_file(record_type: str) -> None:
    @settings(max_examples=120, deadline=None)
    @given(_record(SHAPES[record_type]))
    def holds(record: Record) -> None:
        read = parse_script(export_bytes(Script(records=(record,))), links=False).records
        assert read == (record,)
        assert _exact(read[0]) == _exact(record)

    holds()


@pytest.mark.holds("D-SCR-3")
@settings(max_examples=150, deadline=None)
@given(scripts)
def test_a_script_comes_back_from_its_text(script: Script) -> None:
    assert parse_script(export_script(script), links=False) == script
    assert parse_script("\ufeff" + export_script(script), links=False) == script


@settings(max_examples=150, deadline=None)
@given(st.lists(records, max_size=5))
def test_records_come_back_from_the_log(history: list[Record]) -> None:
    messages = to_messages(history)
    assert all(message.source_tag == "priming_script" for message in messages)
    # What the log does to a message on its way in and out.
    stored = [
        dataclasses.replace(each, text=clean_text(each.text), body=json.loads(canonical_json(each.body)))
        for each in messages
    ]
    assert to_records(stored) == tuple(history)
    assert [_exact(record) for record in to_records(stored)] == [_exact(record) for record in history]


@settings(max_examples=60, deadline=None)
@given(_record(SHAPES["func_call_record"]), _record(SHAPES["func_result_record"]))
def test_tool_calls_are_native_in_the_log(call: FuncCall, result: FuncResult) -> None:
    asked, given_back = to_message(call), to_message(result)
    assert (asked.kind, asked.body["callId"], asked.body["arguments"]) == ("tool_call", call.id, call.arguments)
    assert (given_back.kind, given_back.body["callId"], given_back.text) == ("tool_result", result.id, result.content)
    assert from_message(asked) == call


@pytest.mark.holds("D-SCR-5")
@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(records, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3))
def test_joined_scripts_differ_from_their_parts_by_one_offset_each(parts: list[tuple[Record, ...]]) -> None:
    whole = [part for part in parts if broken_link(part) is None]
    if not whole or broken_link([record for part in whole for record in part]) is not None:
        return
    if sum(max(_numbers(part), default=0) + 1 for part in whole) > MAX_COUNT:
        return  # one behind the other they may not be counted; see the next test
    joined = combine([Script(records=part) for part in whole])
    position, highest = 0, -1
    for index, part in enumerate(whole):
        here = joined[position : position + len(part)]
        pairs = list(zip(_numbers(here), _numbers(part), strict=True))
        offset = pairs[0][0] - pairs[0][1] if pairs else None
        if index == 0:
            assert here == part
        elif offset is not None:
            assert offset >= 0
            assert min(now for now, _ in pairs) > highest
            assert here == tuple(moved(record, offset) for record in part)
        highest = max([highest, *(now for now, _ in pairs)])
        position += len(part)


def test_scripts_that_cannot_be_counted_one_behind_the_other_are_not_joined() -> None:
    last, first = (Script(records=(AgentWords(genseq=number, content="x"),)) for number in (MAX_COUNT, 0))
    with pytest.raises(Conflict, match="beyond what can be counted"):
        combine([last, first])
    assert len(combine([first, last])) == 2


def test_fences_grow_with_what_they_hold() -> None:
    def opening(text: str) -> str:
        return export_script(Script(records=(AgentWords(genseq=1, content=text),))).split("\n\n")[2].split("\n")[0]

    assert opening("no ticks") == "``````markdown"
    assert opening("a ```` b") == "``````markdown"
    assert opening("``````") == "```````markdown"
    assert opening("x " + "`" * 20) == "`" * 21 + "markdown"


def test_what_is_said_after_a_replay_goes_on_counting() -> None:
    from prime.dialogs.scripts.messages import HistoryMessage

    begun = to_messages([HumanText(genseq=4, msg_id="m", grammar="markdown", content="hello")])
    said = [
        HistoryMessage(kind="text", actor="agent", text="hi"),
        HistoryMessage(kind="text", actor="human", text="look", body={"msgId": "msg_1"}),
        HistoryMessage(kind="tool_call", actor="agent", body={"callId": "c", "name": "ls", "arguments": {"p": "."}}),
        HistoryMessage(kind="tool_result", actor="tool", text="a b", body={"callId": "c", "name": "ls"}),
        HistoryMessage(kind="thought", actor="agent", text="hm"),
        HistoryMessage(kind="text", actor="agent", text="two files"),
        HistoryMessage(kind="system", actor="agent", text="paused"),
    ]
    found = to_records([*begun, *said])
    assert list(zip([record.TYPE for record in found], _numbers(found), strict=True)) == [
        ("human_text_record", 4),
        ("agent_words_record", 4),
        ("human_text_record", 5),
        ("func_call_record", 5),
        ("func_result_record", 5),
        ("agent_thought_record", 6),
        ("agent_words_record", 6),
    ]
    assert broken_link(found) is None
    assert parse_script(export_script(Script(records=found))).records == found
