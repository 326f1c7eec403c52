"""What models and their providers do wrong, and what becomes of it."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from prime.core.errors import PrimeError, RateLimited, TimedOut, Unavailable
from prime.mind.jobs.judging import JudgeRequest
from prime.mind.jobs.keeping import PictureRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import PlanRequest
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.model.errors import ModelKeyRefused, ModelNonsense, ModelRefused

Provider = Callable[[str], Awaitable[Any]]
Mind = Callable[..., Any]
WIRES = ["openai", "anthropic", "gemini"]
ASKED = ReplyRequest(
    speaker="Prime", channel_name="V", tier="team", brief="b", lines=[Line(message_id="m", speaker="A", text="Hi")]
)


def behaviours(fake: Any) -> Any:
    return sys.modules[type(fake).__module__]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_what_passes_is_tried_again_with_growing_waits(
    wire: str, status: int, provider: Provider, mind: Mind, clock: Any, ledger: Any
) -> None:
    fake = await provider(wire)
    kinds = behaviours(fake)
    fake.will(kinds.Fails(status), kinds.Fails(status), kinds.Answers("At last."))
    reply = await mind(fake).reply(ASKED)
    assert reply.text == "At last."
    assert clock.slept == [1.0, 4.0]
    assert ledger.calls == len(fake.received) == 3


@pytest.mark.parametrize("wire", WIRES)
async def test_a_rate_limit_that_stays_is_told_after_three_attempts(wire: str, provider: Provider, mind: Mind) -> None:
    fake = await provider(wire)
    fake.will(*[behaviours(fake).Fails(429)] * 5)
    with pytest.raises(RateLimited, match="too many requests"):
        await mind(fake).reply(ASKED)
    assert len(fake.received) == 3


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("status", "kind"), [(401, ModelKeyRefused), (404, ModelRefused), (400, ModelRefused)])
async def test_what_does_not_pass_is_told_at_once_and_without_the_key(
    wire: str, status: int, kind: type[PrimeError], provider: Provider, mind: Mind
) -> None:
    fake = await provider(wire)
    fake.will(behaviours(fake).Fails(status))
    with pytest.raises(kind) as caught:
        await mind(fake).reply(ASKED)
    assert len(fake.received) == 1
    assert "key-1234" not in str(caught.value)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_model_that_never_answers_times_out(wire: str, provider: Provider, mind: Mind) -> None:
    fake = await provider(wire)
    fake.will(*[behaviours(fake).Hangs()] * 3)
    with pytest.raises(TimedOut, match="did not answer in time"):
        await mind(fake, seconds=0.3, attempts=2).reply(ASKED)


@pytest.mark.parametrize("wire", WIRES)
async def test_nobody_listening_is_said_so(wire: str, provider: Provider, mind: Mind) -> None:
    fake = await provider(wire)
    fake.will(*[behaviours(fake).Cuts()] * 3)
    with pytest.raises(Unavailable):
        await mind(fake, attempts=2).reply(ASKED)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_that_breaks_after_words_is_not_begun_again(wire: str, provider: Provider, mind: Mind) -> None:
    fake = await provider(wire)
    heard: list[str] = []
    fake.will(behaviours(fake).Cuts(after="The hall is free"))
    request = ReplyRequest(
        speaker="P", channel_name="V", tier="team", brief="", lines=ASKED.lines, on_words=heard.append
    )
    with pytest.raises(PrimeError):
        await mind(fake).reply(request)
    assert heard
    assert len(fake.received) == 1


@pytest.mark.parametrize("wire", WIRES)
async def test_what_was_called_off_or_cut_is_paid_all_the_same(
    wire: str, provider: Provider, mind: Mind, ledger: Any
) -> None:
    fake = await provider(wire)
    kinds = behaviours(fake)
    heard, said = asyncio.Event(), list[str]()
    fake.heard = heard.set
    fake.will(kinds.Hangs(), kinds.Hangs(), kinds.Cuts(after="The hall is free"), kinds.Fails(401))
    asked = asyncio.create_task(mind(fake).reply(ASKED))
    await heard.wait()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    with pytest.raises(TimedOut):
        await mind(fake, seconds=0.3, attempts=1).reply(ASKED)
    with pytest.raises(PrimeError):
        await mind(fake, attempts=1).reply(replace(ASKED, on_words=said.append))
    called_off, late, cut = ledger.usages
    assert called_off == late
    assert called_off.input_tokens > 20
    assert called_off.micro_dollars > 0 or wire == "openai", "what is served at such an address has no known price"
    assert (called_off.output_tokens, cut.output_tokens > 0) == (0, True)
    with pytest.raises(PrimeError):
        await mind(fake).reply(ASKED)
    assert len(ledger.usages) == 3, "who refuses takes no money"


@pytest.mark.parametrize("wire", WIRES)
async def test_nonsense_is_sent_back_once_and_then_told(wire: str, provider: Provider, mind: Mind, ledger: Any) -> None:
    fake = await provider(wire)
    kinds = behaviours(fake)
    nonsense = kinds.Answers("", (kinds.Call("fill_form", {"items": "none", "x": 1}),))
    fake.will(nonsense, kinds.Answers("I would rather sing."))
    request = JudgeRequest(channel_name="V", tier="team", lines=ASKED.lines)
    with pytest.raises(ModelNonsense, match="twice"):
        await mind(fake).judge(request)
    assert ledger.calls == len(fake.received) == 2
    assert "does not fit the form" in str(fake.received[1].body)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_second_try_that_fits_is_taken_and_both_are_paid(wire: str, provider: Provider, mind: Mind) -> None:
    fake = await provider(wire)
    kinds = behaviours(fake)
    good = {"title": "T", "summary": "S", "words": "W"}
    fake.will(kinds.Answers("Sure!"), kinds.Answers("", (kinds.Call("fill_form", good),)))
    plan = await mind(fake).plan(PlanRequest(wish="A party"))
    assert plan.words == "W"
    assert plan.usage.requests == 2
    assert plan.usage.input_tokens == 22


async def test_a_body_that_is_no_json_is_an_error_of_ours(provider: Provider, mind: Mind) -> None:
    for wire in WIRES:
        fake = await provider(wire)
        fake.will(*[behaviours(fake).Raw(b"<html>proxy</html>", "text/html")] * 3)
        with pytest.raises(PrimeError):
            await mind(fake).reply(ASKED)


async def test_a_cap_stops_the_request_before_it_goes_out(provider: Provider, mind: Mind, ledger: Any) -> None:
    fake = await provider("openai")
    ledger.most = 0
    with pytest.raises(PrimeError) as caught:
        await mind(fake).reply(ASKED)
    assert caught.value.error_code == "spend_stopped"
    assert not fake.received


async def test_a_retry_that_meets_the_cap_stops(provider: Provider, mind: Mind, ledger: Any) -> None:
    fake = await provider("openai")
    ledger.most = 2
    fake.will(*[behaviours(fake).Fails(503)] * 5)
    with pytest.raises(PrimeError) as caught:
        await mind(fake).reply(ASKED)
    assert caught.value.error_code == "spend_stopped"
    assert len(fake.received) == 2


async def test_arguments_that_are_no_object_come_back_raw(provider: Provider, mind: Mind) -> None:
    fake = await provider("openai")
    kinds = behaviours(fake)
    fake.will(kinds.Answers("", (kinds.Call("t", "not json"), kinds.Call("t", "[1]"))))
    reply = await mind(fake).reply(ASKED)
    assert [dict(r.arguments) for r in reply.tool_requests] == [{"__raw__": "not json"}, {"__raw__": "[1]"}]


ODD = {
    "a list": b"[]",
    "nothing": b"null",
    "a number": b"5",
    "nothing in it": b"{}",
    "an error that says it is none": b'{"error": {"message": "overloaded", "code": 502}}',
    "lists of nothing": b'{"choices": [], "content": [], "candidates": []}',
    "other types": b'{"choices": ["a"], "content": [{"type": "text"}], "candidates": [5], "usage": "many"}',
    "deep": b"[" * 100_000,
    "a number without end": b'{"usage": {"prompt_tokens": ' + b"9" * 5_000 + b"}}",
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
async def test_json_of_another_shape_is_an_error_of_ours_in_every_job(
    wire: str, body: bytes, provider: Provider, mind: Mind
) -> None:
    fake = await provider(wire)
    fake.will(*[behaviours(fake).Raw(body)] * 30)
    heard: list[str] = []
    model = mind(fake)
    judging = JudgeRequest(channel_name="V", tier="team", lines=ASKED.lines)
    for asked in (ASKED, replace(ASKED, on_words=heard.append)):
        with pytest.raises(PrimeError):
            await model.reply(asked)
    with pytest.raises(PrimeError):
        await model.judge(judging)
    if wire != "anthropic":  # which draws nothing
        with pytest.raises(PrimeError):
            await model.picture(PictureRequest(title="V", lines=[]))
    assert not heard


DECLINED = {
    "anthropic": b'{"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": "refusal",'
    b' "usage": {"input_tokens": 11, "output_tokens": 1}}',
    "gemini": b'{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 11}}',
}


@pytest.mark.parametrize("wire", DECLINED)
async def test_a_model_that_declines_says_so_and_is_not_taken_to_have_nothing_to_add(
    wire: str, provider: Provider, mind: Mind, ledger: Any
) -> None:
    fake = await provider(wire)
    fake.will(behaviours(fake).Raw(DECLINED[wire]), behaviours(fake).Answers(""))
    with pytest.raises(ModelRefused, match="declined to answer"):
        await mind(fake).reply(ASKED)
    assert [usage.input_tokens for usage in ledger.usages] == [11], "it is paid all the same"
    assert not (await mind(fake).reply(ASKED)).text, "who ends without a word has nothing to add"


async def test_an_answer_that_its_thoughts_used_up_is_none(provider: Provider, mind: Mind) -> None:
    fake = await provider("gemini")
    spent = b'{"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model"}}]}'
    fake.will(behaviours(fake).Raw(spent))
    with pytest.raises(ModelNonsense, match="came to no answer"):
        await mind(fake).reply(ASKED)


async def test_a_picture_is_asked_for_once_and_counted_once(provider: Provider, mind: Mind, ledger: Any) -> None:
    fake = await provider("openai")
    fake.will(*[behaviours(fake).Fails(500)] * 3)
    with pytest.raises(Unavailable):
        await mind(fake).picture(PictureRequest(title="V", lines=[]))
    assert (ledger.calls, ledger.images, len(fake.received)) == (1, 1, 1)


async def test_a_server_that_does_not_draw_is_asked_once(provider: Provider, mind: Mind, ledger: Any) -> None:
    fake = await provider("openai")
    fake.will(*[behaviours(fake).Fails(404)] * 3)
    model = mind(fake)
    for _ in range(3):
        assert await model.picture(PictureRequest(title="V", lines=[])) is None
    assert (ledger.images, len(fake.received)) == (1, 1)
