"""Wishes that nobody had in mind: each is understood as it was written, and what comes back is about it."""

from collections.abc import Sequence

import pytest

from prime.mind.jobs.judging import Judgement, JudgeRequest, KnownQuestion, KnownRule, RuleRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.rooms.names import people
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.words.language import Language

MIND = OfflineMind()
TODAY = "2026-01-20"
ROOMS = (
    OpenChannel(id="ch_1", key="event-venue", name="Venue", tier="business_relation"),
    OpenChannel(id="ch_2", key="event-food", name="Catering", tier="business_relation"),
)


async def planned(wish: str, **more: object) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today=TODAY, **more))  # pyright: ignore[reportArgumentType]


async def judged(text: str, aims: dict[str, str] | None = None, rules: Sequence[KnownRule] = ()) -> Judgement:
    line = Line(message_id="m", speaker="Ann Moreau (Linden House)", text=text)
    request = JudgeRequest(channel_name="Room", tier="business_relation", lines=[line], aims=aims or {}, rules=rules)
    return (await MIND.judge(request)).items[0]


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("I need a good divorce lawyer in Leeds, can't spend more than £6k", "general", "a good divorce lawyer"),
        (
            "Help me finish my PhD thesis on bird migration by the end of June",
            "writing",
            "the PhD thesis on bird migration",
        ),
        ("Redo our back garden this spring: raised beds and a pond, about 3.5k euros", "home", "the back garden"),
        ("School trip for 28 pupils to Bath in May, £45 per child", "travel", "the school trip"),
        ("Adopt a dog from a shelter near Ghent before Christmas", "general", "a dog"),
        ("Get my O-1 visa for the US approved by August", "paperwork", "the O-1 visa"),
        ("Plan my sister's wedding in Ghent on 5 June", "event", "the wedding"),
        ("Charity run through the old town on 4 May, 300 runners", "charity", "the charity run"),
        ("Wedding", "event", "the wedding"),
        ("婚礼", "event", "婚礼"),
        ("装修我们在成都的房子，90平米，预算25万，三个月内完工", "home", "房子"),
        ("帮我跟房东谈一下合同续签，租金不能超过6500", "general", "合同续签"),
        ("我想申请英国留学，明年9月入学，计算机硕士", "paperwork", "英国留学"),
        ("供应链优化，降低物流成本10%", "general", "供应链优化"),
        ("卖掉我的车，至少8万", "private_sale", "车"),
    ],
)
async def test_what_it_is_about(wish: str, archetype: str, thing: str) -> None:
    aims = (await planned(wish)).aims
    assert (aims["archetype"], aims["thing"]) == (archetype, thing)


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("Renovate our flat in Porto, 35k max, ready by October", "budget", "35,000"),
        ("plan offsite 12ppl near munich mid-march ~8k", "budget", "8,000"),
        ("School trip for 28 pupils to Bath in May, £45 per child", "budget", "1,260 GBP"),
        ("Newsletter for neighbours, budget 1.500 €", "budget", "1,500 EUR"),
        ("Raise a seed round of 800k for our battery startup", "budget", "800,000"),
        ("Invite up to 500 people to the opening", "budget", None),
        ("帮我跟房东谈一下合同续签，租金不能超过6500", "budget", "6,500元"),
        ("帮我跟房东谈一下合同续签，租金不能超过6500", "constraints", None),
        ("预算改成7000", "budget", "7,000元"),
        ("三个月内装修好", "count", None),
        ("公司年会，150人，预算20万，上海", "place", "上海"),
        ("Summer party, 80 people, Lisbon", "place", "Lisbon"),
        ("Translate the book from Polish into English", "names", None),
        ("Release version 2.0 of our library on 1 March", "thing", "version 2.0 of our library"),
    ],
)
def test_odd_forms_are_read(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, TODAY).get(slot) == meant


async def test_a_room_without_a_known_kind_speaks_of_what_was_written() -> None:
    plan = await planned("给外公的收音机配木盒，预算500")
    assert plan.title == "给外公的收音机配木盒"
    assert all("收音机配木盒" in channel.brief for channel in plan.channels)
    plan = await planned("I need a good divorce lawyer in Leeds")
    assert plan.title == "Finding a good divorce lawyer"
    assert "Partner" not in [channel.name for channel in plan.channels], "nobody shares a lawyer"


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("what is the status?", "Venue and Catering"),
        ("who is waiting for me?", "Shall we pay 300 EUR?"),
        ("现在什么情况？", "Venue、Catering"),
        ("谁在等我？", "Shall we pay 300 EUR?"),
    ],
)
async def test_how_things_stand_is_told_from_what_is_there(wish: str, said: str) -> None:
    pending = [KnownQuestion(id="q", text="Shall we pay 300 EUR?")]
    plan = await planned(wish, channels=ROOMS, pending=pending)
    assert said in plan.words
    assert not plan.channels


async def test_nobody_waits_where_nothing_was_asked() -> None:
    assert (await planned("who is waiting for me?", channels=ROOMS)).words == "Nobody is waiting for you."


@pytest.mark.parametrize(
    ("wish", "name", "value"),
    [
        ("raise the budget to 25k", "budget", "25,000"),
        ("move the date to 3 May", "deadline", "3 May"),
        ("预算提高到8万", "budget", "8万元"),
    ],
)
async def test_another_budget_opens_no_room(wish: str, name: str, value: str) -> None:
    plan = await planned(wish, channels=ROOMS)
    assert not plan.channels
    assert plan.aims[name] == value
    assert value in plan.words
    assert "thing" not in plan.aims


@pytest.mark.parametrize("wish", ["you are useless", "垃圾", "https://example.com/spec.pdf"])
async def test_an_insult_or_a_link_is_answered_and_opens_nothing(wish: str) -> None:
    plan = await planned(wish)
    assert not plan.channels
    assert len(plan.words) > 20


async def test_somebody_more_costs_what_this_project_costs() -> None:
    rooms = [OpenChannel(id="ch", key="general-plan", name="统筹", tier="team")]
    [lawyer] = (await planned("再找个律师", channels=rooms)).channels
    assert lawyer.name == "律师"
    assert "万" not in lawyer.facts["deposit"], "not the lawyer of a company that raises millions"


async def test_the_name_of_the_project_makes_nothing_a_legal_matter() -> None:
    said = "What does the lawyer have to know about a good divorce lawyer?"
    assert (await judged(said, {"thing": "a good divorce lawyer"})).decision == "silent"
    judgement = await judged("合同续签的时间您看可以吗？", {"thing": "合同续签"})
    assert not [f for f in judgement.features if f.name == "legal or public"]


async def test_a_question_for_information_is_answered_where_it_was_asked() -> None:
    assert (await judged("And how much work is it for us today, before the contract?")).decision == "silent"


@pytest.mark.parametrize(
    ("question", "answer", "rule", "fires", "leaves"),
    [
        (
            "Emeka Costa: “At 340 EUR I need your word and a signed contract by Tuesday.” Do we agree?",
            "Yes, accept 340 EUR",
            "Accept offers of 340 EUR or more without asking.",
            "My offer of 500 EUR holds until Monday. Do you accept?",
            "My offer of 120 EUR holds until Monday. Do you accept?",
        ),
        (
            "Emeka Costa: “My offer of 340 EUR holds until Monday.” Do we accept?",
            "No, decline",
            "Decline offers of 340 EUR or less without asking.",
            "My offer of 200 EUR holds until Friday. Do you accept?",
            "My offer of 900 EUR holds until Friday. Do you accept?",
        ),
        (
            "马婉清：“4.7万元的出价到周五为止。”接受吗？",
            "接受4.7万元",
            "出价达到4.7万元以上不用问我，直接接受。",
            "5万元的出价到周五为止。接受吗？",
            "3万元的出价到周五为止。接受吗？",
        ),
        (
            "Luca Ortiz needs a choice: book the guide, or plan the walk?",
            "Book the guide",
            "Choose “book the guide” over “plan the walk”.",
            None,
            "The deposit is 400 EUR. Shall I pay it?",
        ),
    ],
)
async def test_a_rule_says_which_way_the_money_goes(
    question: str, answer: str, rule: str, fires: str | None, leaves: str
) -> None:
    made = await MIND.distill_rule(RuleRequest(question=question, answer=answer, context=""))
    assert made.text == rule
    known = [KnownRule(id="r", text=made.text)]
    assert fires is None or (await judged(fires, rules=known)).rule_id == "r"
    assert (await judged(leaves, rules=known)).rule_id is None


async def test_what_is_offered_to_us_is_no_cost() -> None:
    aims = {"budget": "6,000 EUR", "thing": "the lamp"}
    judgement = await judged("For an order of 3,300 EUR we need your word by Monday. Do you accept?", aims)
    assert "of the budget" not in judgement.context
    assert judgement.suggestions == ("Yes, accept 3,300 EUR", "No, decline", "Ask for more first")
    judgement = await judged("I need a non-refundable deposit of 300 EUR by Monday. Shall I book it?", aims)
    assert "5% of the budget" in judgement.context
    assert judgement.suggestions[0] == "Yes, pay 300 EUR"


async def test_one_signature_is_no_leave_to_sign_everything() -> None:
    made = await MIND.distill_rule(
        RuleRequest(
            question="Should Ann put our name down?", answer="Yes, sign", context="The lease is to be signed by Monday."
        )
    )
    assert "lease" in made.text
    known = [KnownRule(id="r", text=made.text)]
    other = await judged("Our board wants a signed contract over two years by Monday. Do you accept?", rules=known)
    assert other.rule_id is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nobody_in_a_project_seems_to_be_related(language: Language) -> None:
    for wish in range(50):
        names = people(language, 12, f"wish {wish}")
        families = {name[0] if language == "zh" else name.split()[-1] for name in names}
        assert len(families) == 12


@pytest.mark.parametrize(
    "told",
    [
        "In March the price of the lamp was 38 EUR.",
        "The price was 40 EUR in February and 45 EUR in March.",
        "The rent is 1,200 EUR per month since January 2025.",
        "The contract with Acme ends on 31 March 2027",
        "三月的价格是38元",
        "办公室租金是3500元",
    ],
)
async def test_what_is_only_told_opens_no_room(told: str) -> None:
    made = await MIND.plan(PlanRequest(wish=told, today=TODAY))
    assert not made.channels
    assert made.words.startswith(("Noted", "已记下"))


@pytest.mark.parametrize(
    "wish",
    [
        "The rent is 1,200 EUR, I want to find a cheaper flat",
        "The wedding is on 12 June and the budget is 20,000 EUR",
        "the roof is leaking, max 5k by friday",
        "办一场婚礼，预算三万元",
    ],
)
async def test_what_is_told_with_a_wish_opens_rooms(wish: str) -> None:
    assert (await MIND.plan(PlanRequest(wish=wish, today=TODAY))).channels
