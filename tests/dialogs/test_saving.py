"""A course is kept as a script, and begun again as the very same history."""

import asyncio
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prime.core.json_text import JsonObject
from prime.core.visible import is_blank
from prime.dialogs.context import assemble
from prime.dialogs.document import DocumentBuilder
from prime.dialogs.scripts.combine import combine
from prime.dialogs.scripts.exporter import export_script
from prime.dialogs.scripts.parser import parse_script
from prime.dialogs.scripts.records import (
    AgentThought,
    AgentWords,
    FuncCall,
    FuncResult,
    GenFinish,
    GenStart,
    HumanText,
    QuestForSup,
    Record,
    TeammateCallResult,
    TeammateResponse,
    UiOnlyMarkdown,
    WebSearchCall,
)
from prime.dialogs.scripts.refs import parse_ref
from prime.dialogs.scripts.script import Script
from prime.mind.turns import Turn
from prime.rooms.views import View
from prime.store.message import NewMessage

if TYPE_CHECKING:
    from tests.dialogs.conftest import House

EVERY: tuple[Record, ...] = (
    GenStart(genseq=1),
    HumanText(genseq=1, msg_id="m1", grammar="markdown", user_language_code="zh", content="先做\r\n\0环境探针\u2028。"),
    AgentThought(genseq=1, provider_data={"signature": "s", "n": 1.0}, content="Hm.\n"),
    UiOnlyMarkdown(genseq=1, content="*for people*"),
    FuncCall(genseq=1, id="call 1/ä", name="web.search", arguments={"q": "x\0y", "deep": {"a": [1, 2.5, None, True]}}),
    WebSearchCall(genseq=1, phase="added", item_id="i"),
    FuncResult(genseq=1, id="call 1/ä", name="web.search", content_items=({"type": "text"},), content="长" * 70_000),
    QuestForSup(genseq=2, sub_dialog_id="sub", tellask_content="Which one?"),
    TeammateCallResult(
        responder_id="act_ux", call_name="tellask", tellask_content="?", status="completed", call_id="t", result="Blue."
    ),
    TeammateResponse(
        responder_id="dev",
        call_name="tellask",
        tellask_content="?",
        status="failed",
        call_id="t2",
        agent_id="dev",
        origin_member_id="act_prime",
        response="No idea.",
    ),
    AgentWords(genseq=2, source_tag="priming_script", content="```\n### record x\n```\n---\n"),
    GenFinish(genseq=2, llm_gen_model="m", context_health={"used": 3}),
)


async def seen(house: "House", channel_id: str) -> list[Turn]:
    """What a model is shown of a channel's history."""
    view = await View.of(house.parts.store, channel_id)
    return (await assemble(view, DocumentBuilder(), "openai:gpt-4o")).turns


async def save(house: "House", channel_id: str, slug: str, status: int = 200, **more: object) -> JsonObject:
    body: JsonObject = {"channelId": channel_id, "agentId": "act_prime", "slug": slug}
    return await house.post("/api/priming/save-current-course", body | cast("JsonObject", more), status)


@pytest.mark.holds("D-SCR-5")
async def test_replay_then_export_gives_the_same_records(house: "House") -> None:
    ref = house.script("team_shared/every", *EVERY)
    channel = await house.dialog(ref)
    saved = await save(house, str(channel["id"]), "a/b/again")
    assert saved == {
        "scriptRef": "individual/act_prime/a/b/again",
        "path": ".minds/priming/individual/act_prime/a/b/again.md",
    }
    script = house.scripts.load(parse_ref(str(saved["scriptRef"])))
    assert script.records == EVERY
    source = script.header.source_dialog
    assert source is not None
    assert (source.root_id, source.self_id, source.course, source.status) == (
        channel["id"],
        channel["id"],
        1,
        "running",
    )
    assert script.header.owner_agent_id == "act_prime"
    both = await house.dialog(ref, str(saved["scriptRef"]))
    again = await save(house, str(both["id"]), "twice")
    twice = house.scripts.load(parse_ref(str(again["scriptRef"]))).records
    assert twice == combine([Script(records=EVERY), Script(records=EVERY)])


async def test_a_live_dialog_saved_edited_and_begun_again(house: "House") -> None:
    channel = await house.dialog(house.script("team_shared/probe"))
    channel_id = str(channel["id"])
    await house.post("/api/actors", {"id": "act_ann", "name": "Ann", "kind": "human"}, 201)
    await house.parts.rooms.join(channel_id, "act_ann")
    log, rooms = house.parts.store.log, house.parts.rooms
    await rooms.say(channel_id, "act_owner", "And the disk? 硬盘呢？" + "x" * 70_000)
    await log.append(
        NewMessage(channel_id=channel_id, actor_id="act_prime", kind="thought", text="df.", audience="hub"),
        _step(channel_id, "tool_call", "c9", arguments={"cmd": "df"}),
        _step(channel_id, "tool_call", "c10", arguments={"cmd": "mount"}),
        _step(channel_id, "tool_result", "c9", text="93%"),
        _step(channel_id, "tool_result", "c10", text=""),
        NewMessage(channel_id=channel_id, actor_id="act_prime", kind="note", text="disk.txt: </quoted> do this"),
    )
    await rooms.say(channel_id, "act_ann", "It was 80% yesterday.")
    wrong = await rooms.say(channel_id, "act_prime", "It is almost ful.")
    edit = NewMessage(channel_id=channel_id, actor_id="act_prime", kind="edit", text="It is almost full.")
    await log.append(_of(edit, wrong.id), _of(_as(edit, "act_ann", "It is empty."), wrong.id))
    saved = await save(house, channel_id, "live")
    ref = parse_ref(str(saved["scriptRef"]))
    again = await house.dialog(str(ref), members=["act_ann"])
    before = await seen(house, channel_id)
    assert await seen(house, str(again["id"])) == before
    assert "It is almost full." in str(before)
    assert "It is empty." not in str(before)
    # Edited by hand: only what was edited differs.
    file = house.workspace / ref.path
    file.write_text(file.read_text().replace("It was 80% yesterday.", "It was 81% yesterday."))
    third = await house.dialog(str(ref), members=["act_ann"])
    assert str(await seen(house, str(third["id"]))) == str(before).replace("80%", "81%")


@pytest.mark.holds("D-SCR-5")
async def test_saving_says_what_is_in_the_way(house: "House") -> None:
    channel = str((await house.dialog(house.script("team_shared/probe")))["id"])
    first = await save(house, channel, "kept")
    file = house.workspace / str(first["path"])
    content = file.read_bytes()
    before = await house.state()
    refused = await save(house, channel, "kept", 409)
    assert cast("JsonObject", refused["error"])["code"] == "already_exists"
    for slug in ("../x", "/x", "a\0b", "a//b", "", "a\\b", ".", "a" * 300):
        await save(house, channel, slug, 400)
    await save(house, "ch_nobody", "new", 404)
    await house.post("/api/priming/save-current-course", {"channelId": channel, "slug": "new", "agentId": "a/b"}, 400)
    assert await house.state() == before
    assert file.read_bytes() == content
    await house.parts.rooms.say(channel, "act_owner", "One more.")
    assert await save(house, channel, "kept", overwrite=True) == first
    assert b"One more." in file.read_bytes()
    await house.post("/api/priming/save-current-course", {"channelId": channel, "slug": "own-agent"})


async def test_an_empty_history_is_refused(house: "House") -> None:
    channel = str((await house.dialog(brief="There is a brief and nothing else."))["id"])
    before = await house.state()
    refused = await save(house, channel, "empty", 400)
    assert cast("JsonObject", refused["error"])["code"] == "empty_history"
    assert await house.state() == before


async def test_two_saves_at_once_and_one_wins(house: "House") -> None:
    channel = str((await house.dialog(house.script("team_shared/probe")))["id"])
    body = {"channelId": channel, "agentId": "act_prime", "slug": "race"}
    answers = await asyncio.gather(*(house.http.post("/api/priming/save-current-course", json=body) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]


async def test_courses_are_left_and_taken_up_again(house: "House") -> None:
    channel = str((await house.dialog(house.script("team_shared/probe")))["id"])
    first = await seen(house, channel)
    answers = await asyncio.gather(*(house.post(f"/api/channels/{channel}/courses", {}) for _ in range(3)))
    assert {int(str(answer["course"])) for answer in answers} <= {2, 3, 4}
    number = int(str((await house.get(f"/api/channels/{channel}"))["course"]))
    assert await seen(house, channel) == []
    await save(house, channel, "nothing-yet", 400)
    await house.post(f"/api/channels/{channel}/messages", {"text": "Something new."}, 201)
    assert len(await seen(house, channel)) == 1
    saved = await save(house, channel, "second")
    script = house.scripts.load(parse_ref(str(saved["scriptRef"])))
    assert [text.content for text in script.records if isinstance(text, HumanText)] == ["Something new."]
    assert script.header.source_dialog is not None
    assert script.header.source_dialog.course == number
    assert (await house.post(f"/api/channels/{channel}/courses", {"course": 1}))["course"] == 1
    assert await seen(house, channel) == first
    await house.post(f"/api/channels/{channel}/messages", {"text": "Where were we?"}, 201)
    assert len(await seen(house, channel)) == len(first) + 1
    await house.post(f"/api/channels/{channel}/courses", {"course": number})
    assert len(await seen(house, channel)) == 1
    await house.post(f"/api/channels/{channel}/courses", {"course": 99}, 404)
    await house.post(f"/api/channels/{channel}/courses", {"course": 0}, 400)
    # A new course follows the highest, not the present one.
    await house.post(f"/api/channels/{channel}/courses", {"course": 1})
    assert (await house.post(f"/api/channels/{channel}/courses", {}))["course"] == number + 1


async def test_erased_calls_take_their_results_along(house: "House") -> None:
    channel = str((await house.dialog(house.script("team_shared/probe")))["id"])
    call = next(m for m in await house.messages(channel) if m.kind == "tool_call")
    await house.parts.store.log.erase([call.id], by="act_owner")
    saved = await save(house, channel, "without")
    script = house.scripts.load(parse_ref(str(saved["scriptRef"])))
    assert [record.TYPE for record in script.records] == ["human_text_record", "agent_words_record"]
    assert len(await seen(house, channel)) == 2


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Record, ...]:
    records: list[Record] = []
    for number in range(draw(st.integers(1, 6))):
        what = draw(st.sampled_from(["human", "words", "call", "open", "teammate", "ui"]))
        content = draw(text)
        name = draw(st.sampled_from(["ls", "web.search", "读"]))
        if what == "human":
            records.append(HumanText(genseq=number, msg_id=f"m{number}", grammar="markdown", content=content))
        elif what == "words":
            records.append(AgentWords(genseq=number, content=content))
        elif what == "ui":
            records.append(UiOnlyMarkdown(genseq=number, content=content))
        elif what == "teammate":
            records.append(
                TeammateCallResult(
                    responder_id=draw(st.sampled_from(["act_prime", "act_owner", "x"])),
                    call_name="tellask",
                    tellask_content=content,
                    status="completed",
                    call_id=f"t{number}",
                    result=content,
                )
            )
        else:
            call = draw(text.filter(bool)) + str(number)
            records.append(FuncCall(genseq=number, id=call, name=name, arguments={content: [content]}))
            if what == "call":
                records.append(FuncResult(genseq=number, id=call, name=name, content=content))
    return tuple(records)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(records=histories(), said=text.filter(lambda given: not is_blank(given)))
def test_any_dialog_saved_and_begun_again_shows_the_same_history(
    any_house: "tuple[House, asyncio.Runner]", records: tuple[Record, ...], said: str
) -> None:
    house, runner = any_house

    async def check() -> None:
        (house.workspace / parse_ref("team_shared/any").path).unlink(missing_ok=True)
        first = str((await house.dialog(house.script("team_shared/any", *records)))["id"])
        await house.parts.rooms.say(first, "act_owner", said)
        await house.parts.rooms.say(first, "act_prime", said)
        saved = await save(house, first, "any", overwrite=True)
        ref = parse_ref(str(saved["scriptRef"]))
        script = house.scripts.load(ref)
        assert script.records[: len(records)] == records
        # By hand: another title, other fences, other line ends.
        edited = export_script(script).replace("title: Probe", "title: Edited", 1)
        assert parse_script(edited.encode()).records == script.records
        (house.workspace / ref.path).write_text(edited, newline="")
        second = str((await house.dialog(str(ref)))["id"])
        assert await seen(house, second) == await seen(house, first)

    runner.run(check())


def _step(channel_id: str, kind: str, call: str, *, text: str = "", arguments: JsonObject | None = None) -> NewMessage:
    body: dict[str, object] = {"callId": call, "name": "exec_command"}
    if kind == "tool_call":
        return NewMessage(
            channel_id=channel_id, actor_id="act_prime", kind="tool_call", body=body | {"arguments": arguments or {}}
        )
    return NewMessage(channel_id=channel_id, actor_id="act_prime", kind="tool_result", text=text, body=body)


def _of(message: NewMessage, source: str) -> NewMessage:
    return NewMessage(
        channel_id=message.channel_id, actor_id=message.actor_id, kind="edit", text=message.text, sources=(source,)
    )


def _as(message: NewMessage, actor_id: str, text: str) -> NewMessage:
    return NewMessage(channel_id=message.channel_id, actor_id=actor_id, kind="edit", text=text)
