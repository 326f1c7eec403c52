"""What a model is shown: the document above, the newest of the history that fits, and never half a tool call."""

import json
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.errors import PrimeError
from prime.core.json_text import JsonObject
from prime.dialogs.context import EARLIER, archive, assemble
from prime.dialogs.document import DocumentBuilder
from prime.dialogs.history import NO_RESULT, Call, Piece, Result, turns_of, weigh
from prime.dialogs.scripts.records import AgentWords, FuncCall, HumanText, TeammateCallResult, UiOnlyMarkdown
from prime.dialogs.window import bundled, newest, shortened
from prime.mind.turns import ToolStep, Words
from prime.rooms.views import OBSERVERS, View
from prime.store.message import Message, NewMessage

if TYPE_CHECKING:
    from tests.dialogs.conftest import House

MODEL = "openai:gpt-4"  # 8,000 tokens: small enough to overflow in a test


async def fill(house: "House", channel_id: str, turns: int, *, start: int = 0) -> None:
    """Turns of a question, a tool call with its result, and an answer; each has a few hundred tokens."""
    new: list[NewMessage] = []
    for number in range(start, start + turns):
        call: dict[str, object] = {"callId": f"c{number}", "name": "ls"}
        new += [
            _new(channel_id, "act_owner", "text", f"Question {number}. " + "word " * 60),
            _new(channel_id, "act_prime", "tool_call", body=call | {"arguments": {"path": f"/{number}"}}),
            _new(channel_id, "act_prime", "tool_result", "some result " * 60, body=call),
            _new(channel_id, "act_prime", "text", f"Answer {number}. " + "答" * 60),
        ]
    await house.parts.store.log.append(*new)


@pytest.mark.holds("D-RUN-9")
async def test_the_oldest_goes_first_and_the_brief_never(house: "House") -> None:
    channel = str((await house.dialog(brief="Never forget this brief."))["id"])
    await fill(house, channel, 60)
    context = await house.parts.dialogs.preview(channel, MODEL)
    assert context.tokens <= context.budget.tokens
    assert "Never forget this brief." in context.document.text
    assert context.turns[0] == Words(role="user", text=EARLIER)
    said = [turn.text for turn in context.turns if isinstance(turn, Words)]
    assert "Answer 59." in said[-1]
    assert not any("Question 0." in text for text in said)
    # What is kept is one unbroken stretch up to the newest.
    numbers = [int(text.split()[1].rstrip(".")) for text in said if text.startswith("Question")]
    assert numbers == list(range(numbers[0], 60))
    assert context.newly_out
    # A preview changes nothing.
    assert (await house.parts.dialogs.preview(channel, MODEL)).newly_out


@pytest.mark.holds("D-RUN-9")
async def test_what_left_is_archived_once_and_stays_out(house: "House") -> None:
    channel = str((await house.dialog())["id"])
    await fill(house, channel, 60)
    first = await house.parts.dialogs.prepare(channel, MODEL)
    again = await house.parts.dialogs.prepare(channel, MODEL)
    assert again.turns == first.turns
    notes = [m for m in await house.messages(channel) if m.body.get("op") == "archived"]
    assert len(notes) == 1
    # The beginning stays the same while turns are added, until it is full again.
    await fill(house, channel, 2, start=60)
    later = await house.parts.dialogs.prepare(channel, MODEL)
    assert later.turns[: len(first.turns)] == first.turns
    await fill(house, channel, 30, start=62)
    moved = await house.parts.dialogs.prepare(channel, MODEL)
    assert moved.newly_out
    lines = (await house.http.get(f"/api/channels/{channel}/archive")).text.splitlines()
    archived = [cast("JsonObject", json.loads(line)) for line in lines]
    shown = str(moved.turns)
    for number in range(92):
        assert (f"Question {number}." in str(archived)) != (f"Question {number}." in shown)
    calls = [call["id"] for line in archived for call in cast("list[JsonObject]", line.get("tool_calls", []))]
    assert calls == [line["tool_call_id"] for line in archived if line["role"] == "tool"]
    for shape in ("anthropic", "gemini"):
        assert (await house.http.get(f"/api/channels/{channel}/archive", params={"format": shape})).status_code == 200
    # A model that takes more is shown more, whatever a smaller one had to leave out.
    assert len((await house.parts.dialogs.preview(channel, "openai:gpt-4o")).turns) > len(moved.turns)


async def test_erased_words_are_in_no_archive(house: "House") -> None:
    channel = str((await house.dialog())["id"])
    await fill(house, channel, 60)
    await house.parts.dialogs.prepare(channel, MODEL)
    first = (await house.messages(channel))[1]
    assert "Question 0." in (await house.http.get(f"/api/channels/{channel}/archive")).text
    await house.parts.store.log.erase([first.id], by="act_owner")
    assert "Question 0." not in (await house.http.get(f"/api/channels/{channel}/archive")).text


class CountingView(View):
    """Knows how many messages were read through it."""

    counted = 0

    async def messages(self, *, before: int | None = None, limit: int = 200) -> list[Message]:
        found = await super().messages(before=before, limit=limit)
        self.counted += len(found)
        return found


async def test_reading_does_not_go_over_the_whole_channel(house: "House") -> None:
    channel = await house.dialog(brief="Far back.")
    await fill(house, str(channel["id"]), 1500)
    view = await CountingView.of(house.parts.store, str(channel["id"]))
    context = await assemble(view, DocumentBuilder(), MODEL)
    assert 0 < view.counted <= 2 * 200
    assert "Far back." in context.document.text


async def test_a_newest_message_larger_than_the_window_is_cut_in_the_middle(house: "House") -> None:
    channel = str((await house.dialog())["id"])
    await house.parts.rooms.say(channel, "act_owner", "BEGIN " + "word " * 40_000 + " END")
    context = await house.parts.dialogs.preview(channel, MODEL)
    assert context.tokens <= context.budget.tokens
    words = context.turns[-1]
    assert isinstance(words, Words)
    assert words.text.startswith("BEGIN")
    assert words.text.endswith("END")
    assert "characters left out" in words.text


async def test_a_brief_that_leaves_no_room_is_said_so(house: "House") -> None:
    channel = str((await house.dialog(brief="长" * 15_000))["id"])
    with pytest.raises(PrimeError) as refused:
        await house.parts.dialogs.preview(channel, MODEL)
    assert refused.value.error_code == "context_too_small"
    await house.get(f"/api/channels/{channel}/context", 413, model=MODEL)
    await house.get(f"/api/channels/{channel}/context", model="openai:gpt-4o")


async def test_the_providers_counts_correct_the_estimate(house: "House") -> None:
    channel = str((await house.dialog())["id"])
    await fill(house, channel, 5)
    plain = await house.parts.dialogs.preview(channel, MODEL)
    usage = {"model": MODEL, "inputTokens": plain.estimated * 2, "estimatedTokens": plain.estimated}
    other = {"model": "openai:gpt-4o", "inputTokens": 1, "estimatedTokens": 1000}
    await house.parts.store.log.append(
        _new(channel, "act_prime", "text", "ok", body={"usage": usage}),
        _new(channel, "act_prime", "text", "ok", body={"usage": other}),
    )
    counted = await house.parts.dialogs.preview(channel, MODEL)
    assert counted.window.factor == pytest.approx(2.0)
    assert counted.tokens > 1.9 * plain.tokens
    await fill(house, channel, 60, start=5)
    full = await house.parts.dialogs.preview(channel, MODEL)
    assert full.tokens <= full.budget.tokens


async def test_who_said_what(house: "House") -> None:
    await house.post("/api/actors", {"id": "act_ux", "name": "Ux", "kind": "agent"}, 201)
    await house.post("/api/actors", {"id": "act_dev", "name": "Dev", "kind": "agent"}, 201)
    ref = house.script(
        "individual/act_dev/start",
        HumanText(genseq=1, msg_id="m", grammar="markdown", content="Hello."),
        UiOnlyMarkdown(genseq=1, content="not for models"),
        TeammateCallResult(
            responder_id="act_ux",
            call_name="tellask",
            tellask_content="?",
            status="completed",
            call_id="t",
            result="Blue.",
        ),
        AgentWords(genseq=1, content="Hi."),
        FuncCall(genseq=1, id="open", name="ls", arguments={}),
    )
    channel = str((await house.dialog(ref, members=["act_ux", "act_dev"]))["id"])
    say = house.parts.rooms.say
    await say(channel, "act_ux", "Green, I mean.")
    await say(channel, "act_prime", "Noted.")
    await house.parts.store.log.append(
        _new(channel, "act_ux", "tool_call", body={"callId": "x", "name": "rm", "arguments": {}}),
        _new(channel, "act_ux", "tool_result", "gone", body={"callId": "x", "name": "rm"}),
        _new(channel, "act_prime", "decision", "secret decision", audience="hub"),
        _new(channel, "act_owner", "text", "between us", audience="hub"),
        _new(channel, "act_prime", "system", "paused"),
    )
    context = await house.parts.dialogs.preview(channel, MODEL)
    assert context.agent_id == "act_dev"
    exchange = context.turns[3]
    assert isinstance(exchange, ToolStep)
    assert (exchange.exchanges[0].result, exchange.exchanges[0].failed) == (NO_RESULT, True)
    assert [turn for turn in context.turns if isinstance(turn, Words)] == [
        Words(role="user", text="Hello."),
        Words(role="user", text="Ux: Blue."),
        Words(role="assistant", text="Hi."),
        Words(role="user", text="Ux: Green, I mean."),
        Words(role="user", text="Prime: Noted."),
    ]
    assert "You are Dev" in context.document.text


async def test_the_preview_over_http(house: "House") -> None:
    channel = str((await house.dialog(house.script("team_shared/probe"), brief="Look around."))["id"])
    shown = await house.get(f"/api/channels/{channel}/context")
    parts = cast("list[JsonObject]", shown["parts"])
    assert [part["name"] for part in parts] == ["Who you are", "This channel", "Your brief", "Tools", "History"]
    assert shown["tokens"] == sum(int(str(part["tokens"])) for part in parts)
    assert (shown["model"], shown["leftOut"], shown["messages"]) == ("offline", False, 4)
    roles = [line["role"] for line in cast("list[JsonObject]", cast("JsonObject", shown["request"])["messages"])]
    assert roles == ["system", "user", "assistant", "tool", "assistant"]
    gemini = await house.get(f"/api/channels/{channel}/context", format="gemini")
    assert cast("JsonObject", gemini["request"]).keys() == {"systemInstruction", "contents"}
    await house.get(f"/api/channels/{channel}/context", 400, format="cobol")
    await house.get("/api/channels/ch_none/context", 404)


async def test_the_hubs_own_room(house: "House") -> None:
    await house.parts.rooms.say("ch_hub", "act_owner", "Hello.")
    context = await house.parts.dialogs.preview("ch_hub", MODEL)
    assert context.turns == [Words(role="user", text="Hello.")]


async def test_prompt_builders_are_registered() -> None:
    assert {"prime.dialogs.context.shown", "prime.dialogs.document.channel_values"} <= OBSERVERS.keys()


async def test_nothing_of_other_channels_or_of_the_hub_is_seen(house: "House") -> None:
    builder = DocumentBuilder()
    channel = str((await house.dialog(house.script("team_shared/probe"), brief="B."))["id"])
    before = await assemble(await View.of(house.parts.store, channel), builder, MODEL)
    other = str((await house.dialog(brief="Other."))["id"])
    await fill(house, other, 3)
    await house.parts.store.log.append(
        _new(channel, "act_prime", "brief", "for the hub", audience="hub"),
        _new(channel, "act_prime", "extraction", "facts", audience="hub"),
        _new(channel, "act_prime", "thought", "hm"),
    )
    after = await assemble(await View.of(house.parts.store, channel), builder, MODEL)
    assert (after.document, after.turns) == (before.document, before.turns)


async def test_two_who_assemble_at_once_leave_one_note(house: "House") -> None:
    channel = str((await house.dialog())["id"])
    await fill(house, channel, 60)
    context = await house.parts.dialogs.preview(channel, MODEL)
    await archive(house.parts.store.log, context)
    await archive(house.parts.store.log, context)
    assert sum(m.body.get("op") == "archived" for m in await house.messages(channel)) == 1


@st.composite
def some_pieces(draw: st.DrawFn) -> list[Piece]:
    ids = st.sampled_from("abc")
    words = st.builds(Words, role=st.sampled_from(["user", "assistant"]), text=st.text(max_size=200))
    call = st.builds(Call, ids, st.just("ls"), st.just({}))
    result = st.builds(Result, ids, st.text(max_size=400), st.booleans())
    found = draw(st.lists(st.one_of(words, call, result), min_size=1, max_size=80))
    return [Piece(number, what) for number, what in enumerate(found, 1)]


@given(some_pieces(), st.integers(1, 2000))
@pytest.mark.holds("D-RUN-9")
def test_any_history_in_any_room(pieces: list[Piece], room: int) -> None:
    kept = newest(bundled(pieces[::-1], "openai"), room, "openai")
    assert [piece for piece in pieces if piece in kept] == kept, "in order, and nothing new"
    calls: set[str] = set()
    for piece in kept:
        if isinstance(piece.what, Call):
            calls.add(piece.what.call_id)
        if isinstance(piece.what, Result):
            assert piece.what.call_id in calls, "no result without its call"
    if any(not isinstance(piece.what, Result) for piece in pieces):
        assert kept
    cut = shortened(kept, room, "openai")
    assert [piece.seq for piece in cut] == [piece.seq for piece in kept]
    assert weigh(cut, "openai") <= max(room, weigh(kept, "openai"))
    turns = turns_of(pieces)
    answered = sum(len(turn.exchanges) for turn in turns if isinstance(turn, ToolStep))
    assert answered == sum(isinstance(piece.what, Call) for piece in pieces)


def _new(
    channel_id: str,
    actor_id: str,
    kind: str,
    text: str = "",
    *,
    body: dict[str, object] | None = None,
    audience: str = "room",
) -> NewMessage:
    return NewMessage(
        channel_id=channel_id,
        actor_id=actor_id,
        kind=kind,  # pyright: ignore[reportArgumentType]
        text=text,
        body=body or {},
        audience=audience,  # pyright: ignore[reportArgumentType]
    )
