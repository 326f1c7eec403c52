from dataclasses import replace

import pytest

from prime.mind.jobs.judging import JudgeRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.talk.talk import plain_reply


def request(*texts: str) -> ReplyRequest:
    lines = [Line(message_id=f"m{n}", speaker="You", text=text) for n, text in enumerate(texts)]
    return ReplyRequest(speaker="Prime", channel_name="Prime", tier="team", brief="", lines=lines)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("We launch in March 2027. Budget 5,000.", "March 2027, 5,000."),
        ("The budget is 900 EUR", "Noted: 900 EUR."),
        ("我们三月发布，预算 5,000", "已记下：三月、5,000。"),
        ("We are here", "Noted. I work by rules"),
        ("Pay $40 by 2026-12-01", "$40, 2026-12-01"),
    ],
)
async def test_a_reply_names_what_was_said_in_the_language_of_the_question(said: str, named: str) -> None:
    reply = await OfflineMind().reply(request(said))
    assert named in reply.text


async def test_the_same_question_gets_the_same_answer() -> None:
    mind = OfflineMind()
    assert await mind.reply(request("Budget 10 EUR")) == await mind.reply(request("Budget 10 EUR"))


async def test_it_has_nothing_to_say_to_nobody() -> None:
    assert (await OfflineMind().reply(request())).text == ""


async def test_questions_are_worth_asking_about_and_small_talk_is_not() -> None:
    lines = [
        Line(message_id="a", speaker="Shop", text="Do you accept 40 units for 3,200 EUR?"),
        Line(message_id="b", speaker="Shop", text="Thank you."),
        Line(message_id="c", speaker="Shop", text="We deliver on 2026-12-01."),
        Line(message_id="d", speaker="Prime", text="Shall we?", own=True),
    ]
    judged = await OfflineMind().judge(JudgeRequest(channel_name="Deal", tier="team", lines=lines))
    assert [(j.message_id, j.decision) for j in judged.items] == [("a", "ask"), ("b", "silent"), ("c", "surface")]


async def test_plain_statements_become_facts() -> None:
    lines = [Line(message_id="a", speaker="You", text="The price is 40 EUR. Is it? Our supplier is Acme.")]
    found = await OfflineMind().extract(lines)
    assert [(s.subject, s.object, s.source) for s in found.statements] == [
        ("The price", "40 EUR", "a"),
        ("Our supplier", "Acme", "a"),
    ]


def test_what_was_said_last_answers_and_not_an_older_answer() -> None:
    lines = [
        Line(message_id="m1", speaker="Ann", text="In March the price was 38 EUR."),
        Line(message_id="m2", speaker="Ann", text="The price is 42 EUR."),
        Line(message_id="m3", speaker="Prime", text="You wrote: “In March the price was 38 EUR.”", own=True),
        Line(message_id="m4", speaker="Ann", text="What is the price?"),
    ]
    assert plain_reply(lines) == "You wrote: “The price is 42 EUR.”"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the price in February?", "The price is 40 EUR since January 2026."),
        ("What was the price in March?", "In March 2026 the price was 38 EUR."),
        ("What was the price in May 2026?", "The price is 40 EUR since January 2026."),
        ("What is the price?", "The price is 42 EUR."),
    ],
)
def test_a_question_of_a_time_is_answered_with_what_held_then(question: str, answer: str) -> None:
    said = [
        "The price is 40 EUR since January 2026.",
        "In March 2026 the price was 38 EUR.",
        "The price is 42 EUR.",
        question,
    ]
    november = 1_795_000_000_000
    lines = [Line(message_id=f"m{n}", speaker="Ann", text=text, ts=november + n) for n, text in enumerate(said)]
    assert plain_reply(lines) == f"You wrote: “{answer}”"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("咖啡机三月份的价格是多少", "三月份咖啡机的价格是3800元"),
        ("三月咖啡机多少钱？", "三月份咖啡机的价格是3800元"),
        ("咖啡机现在多少钱", "咖啡机的价格现在是4200元"),
        ("房租四月份是多少钱", "四月的房租是六千元"),
    ],
)
def test_a_question_without_its_mark_is_no_answer(question: str, answer: str) -> None:
    november = 1_795_000_000_000
    said = [
        "三月份咖啡机的价格是3800元",
        "咖啡机的价格现在是4200元",
        "四月的房租是六千元",
        "咖啡机三月份的价格是多少呢",
    ]
    lines = [
        Line(message_id=f"m{n}", speaker="Ann", text=text, ts=november + n) for n, text in enumerate([*said, question])
    ]
    assert plain_reply(lines) == f"你写过：“{answer}”"


def test_what_holds_now_does_not_answer_for_another_time() -> None:
    lines = [
        Line(message_id="m1", speaker="Ann", text="The price is 42 EUR.", ts=1_795_000_000_000),
        Line(message_id="m2", speaker="Ann", text="What was the price in February?", ts=1_795_000_000_001),
    ]
    assert plain_reply(lines).startswith("That I do not know")


def test_what_comes_later_is_not_what_is_so_now() -> None:
    november = 1_795_000_000_000
    said = ["The price is 42 EUR.", "Next month the price will be 50 EUR.", "What is the price?"]
    lines = [Line(message_id=f"m{n}", speaker="Ann", text=text, ts=november + n) for n, text in enumerate(said)]
    assert plain_reply(lines) == "You wrote: “The price is 42 EUR.”"
    asked = replace(lines[-1], text="What will the price be next month?")
    assert plain_reply([*lines[:-1], asked]) == "You wrote: “Next month the price will be 50 EUR.”"


def test_an_older_answer_does_not_answer_for_another_time() -> None:
    november = 1_795_000_000_000
    lines = [
        Line(message_id="m1", speaker="Ann", text="The price is 42 EUR.", ts=november),
        Line(message_id="m2", speaker="Prime", text="You wrote: “The price is 42 EUR.”", own=True, ts=november + 1),
        Line(message_id="m3", speaker="Ann", text="What was the price in 2019?", ts=november + 2),
    ]
    assert plain_reply(lines).startswith("That I do not know")
