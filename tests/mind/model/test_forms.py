"""Forms: servers of one's own hold their model to them, and one that cannot is asked as all others."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prime.mind.jobs.judging import JudgeRequest
from prime.mind.jobs.lines import NOTHING, Line
from prime.mind.jobs.planning import OpenChannel, Plan, PlannedChannel, PlanRequest
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.model.errors import ModelNonsense
from prime.mind.model.outputs import PlanForm
from prime.mind.model.sense import is_sentence, loop_begins, meant, plan_fits, speaks_of
from prime.mind.model.spec import parse_spec

Provider = Callable[[str], Awaitable[Any]]
Mind = Callable[..., Any]
LINE = Line(message_id="m7", speaker="Ann", text="Shall I book the hall?")
SILENT = {"items": [{"line_id": "m7", "decision": "silent", "necessity": 0, "reason": "small"}]}


def kinds_of(fake: Any) -> Any:
    return sys.modules[type(fake).__module__]


@pytest.mark.parametrize(
    ("spec", "base", "holds"),
    [
        ("openai:gpt-4o-mini", None, False),
        ("openai:gpt-4o-mini", "https://api.openai.com/v1", False),
        ("openai:local", "http://127.0.0.1:8080/v1", True),
        ("ollama:qwen3:8b", None, True),
        ("anthropic:claude-haiku-4-5", None, False),
        ("gemini:gemini-2.5-flash", None, False),
    ],
)
def test_who_is_asked_to_hold_a_model_to_the_form(spec: str, base: str | None, holds: bool) -> None:
    assert parse_spec(spec, None, base).holds_to_forms is holds


async def test_a_server_of_ones_own_is_given_the_form_with_ends_and_the_ids_there_are(
    provider: Provider, mind: Mind
) -> None:
    fake = await provider("openai")
    fake.will(kinds_of(fake).Answers(json.dumps(SILENT)))
    judged = await mind(fake).judge(JudgeRequest(channel_name="V", tier="team", lines=[LINE]))
    assert [item.message_id for item in judged.items] == ["m7"]
    body = fake.received[0].body
    assert "tools" not in body
    schema = body["response_format"]["json_schema"]["schema"]
    item = schema["$defs"]["JudgementForm"]["properties"]
    assert item["line_id"] == {"enum": ["m7"]}
    assert item["rule_id"] == {"enum": [None]}
    assert item["text"]["maxLength"] <= 800
    assert schema["properties"]["items"]["maxItems"] <= 8


async def test_a_server_that_refuses_that_is_asked_with_a_tool_from_then_on(provider: Provider, mind: Mind) -> None:
    fake = await provider("openai")
    kinds = kinds_of(fake)
    call = kinds.Answers("", (kinds.Call("fill_form", SILENT),))
    fake.will(kinds.Fails(400), call, call)
    thinking = mind(fake)
    for _ in range(2):
        await thinking.judge(JudgeRequest(channel_name="V", tier="team", lines=[LINE]))
    assert ["response_format" in r.body for r in fake.received] == [True, False, False]
    assert fake.received[1].body["tools"][0]["function"]["name"] == "fill_form"


async def test_a_question_about_something_else_is_asked_in_the_words_of_the_line(
    provider: Provider, mind: Mind
) -> None:
    fake = await provider("openai")
    astray = {"line_id": "m7", "decision": "ask", "necessity": 0.9, "reason": "r", "text": "Do cats like Zanzibar?"}
    fake.will(kinds_of(fake).Answers(json.dumps({"items": [astray]})))
    [item] = (await mind(fake).judge(JudgeRequest(channel_name="V", tier="team", lines=[LINE]))).items
    assert item.text == "Shall I book the hall?"


def asked(**more: Any) -> ReplyRequest:
    return ReplyRequest(speaker="P", channel_name="V", tier="team", brief="", lines=[LINE], **more)


@pytest.mark.parametrize("streams", [True, False])
async def test_a_reply_that_goes_round_is_cut_before_it_does(
    streams: bool,
    provider: Provider,
    mind: Mind,
) -> None:
    fake = await provider("openai")
    fake.will(kinds_of(fake).Answers("The hall is free on Monday. " + "And we have tables, " * 400))
    heard: list[str] = []
    reply = await mind(fake).reply(asked(on_words=heard.append if streams else None))
    assert reply.text == "The hall is free on Monday."
    assert len("".join(heard)) < 1_000
    assert reply.usage.input_tokens, "what was broken off has a cost, too"
    assert reply.usage.output_tokens
    assert fake.received[0].body["stream"] is True, "whoever hears it: a loop is not waited for to its last token"


async def test_nothing_of_a_reply_that_was_broken_off_is_left_to_the_collector(provider: Provider, mind: Mind) -> None:
    """It comes in any thread, and what it finds half read cannot be closed there."""
    fake = await provider("openai")
    fake.will(kinds_of(fake).Answers("And we have tables, " * 400))
    with pytest.raises(ModelNonsense):
        await mind(fake).reply(asked())
    loop: Any = asyncio.get_running_loop()
    half_read = [each for each in loop._asyncgens if each.ag_frame is not None]
    assert not [each for each in half_read if "site-packages" in each.ag_code.co_filename]


async def test_a_reply_that_is_nothing_but_a_loop_is_nonsense(provider: Provider, mind: Mind) -> None:
    fake = await provider("openai")
    fake.will(kinds_of(fake).Answers("ha" * 300))
    with pytest.raises(ModelNonsense):
        await mind(fake).reply(asked())


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('<said by="Prime" id="m1">We can do Monday.</said>', "We can do Monday."),
        ("(It is your turn.)", ""),
        ("The conversation begins.", ""),
        ("Brief: take the hall", "take the hall"),
        ("No, no, no. Never on a Sunday.", "No, no, no. Never on a Sunday."),
        ("一二三四。" * 30, "一二三四。"),
        ("-" * 30, "-" * 30),
    ],
)
def test_words_are_kept_without_marks_and_loops(said: str, words: str) -> None:
    assert meant(said) == words


def test_instructions_are_not_said_aloud() -> None:
    told = 'You are Prime, an agent in the channel "Venue". You speak for yourself and in your own words only.'
    said = f"There is a hall in Graz.\n{told}"
    assert meant(said, told) == "There is a hall in Graz."
    assert meant(told, told) == ""
    assert meant("It is 9.30 now. OK.", told) == "It is 9.30 now. OK."


def test_a_long_text_without_a_loop_is_none() -> None:
    assert loop_begins(" ".join(f"Row {n} has {n * n} seats." for n in range(90))) is None


def test_a_plan_is_for_the_wish_or_it_is_not() -> None:
    def plan(*briefs: str, words: str = "On it.") -> Plan:
        rooms = tuple(
            PlannedChannel(key=f"k{n}", name="Room", tier="team", participants=(), brief=brief)
            for n, brief in enumerate(briefs)
        )
        return Plan(title="t", summary="s", words=words, channels=rooms)

    wish = PlanRequest(wish="Plan a summer party in Graz").wish
    assert plan_fits(plan("Find a hall in Graz soon."), wish)
    assert not plan_fits(plan("Write code for the moon landing."), wish)
    assert not plan_fits(plan("graz"), wish)
    assert not plan_fits(plan("The party needs a hall.", "The party needs a hall."), wish)
    assert plan_fits(plan("为夏天的聚会找一个场地。"), "办一场夏天的聚会")
    assert speaks_of("anything", "…")
    assert is_sentence("我来安排这件事")
    assert not is_sentence("data")


def test_a_plan_tells_only_channels_that_are_there() -> None:
    told = [
        {"channel_id": "ch_1", "text": "The date is now 5 May."},
        {"channel_id": "ch_9", "text": "Nobody hears it."},
    ]
    form = PlanForm.model_validate({"title": "t", "summary": "s", "words": "w", "telling": told})
    there = OpenChannel(id="ch_1", key="venue", name="Venue", tier="team")
    plan = form.plan(PlanRequest(wish="Two days later", channels=[there]), NOTHING)
    assert [(each.channel_id, each.text) for each in plan.telling] == [("ch_1", "The date is now 5 May.")]
