"""What a sum is to the owner, told by the words around it; and a new one that stands for another."""

from time import process_time

import pytest

from prime.mind.jobs.planning import OpenChannel, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.figures.sums import main_sum, sums_in
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.things.things import thing_in


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("We have saved fifteen thousand dollars", [(15_000, "held", "")]),
        ("The council gives us 10,000 GBP, we can add two grand", [(10_000, "promised", ""), (2_000, "spent", "")]),
        ("县里补贴10万，自己最多出两万", [(100_000, "promised", ""), (20_000, "limit", "")]),
        ("预算每月两千", [(2_000, "budget", "often")]),
        ("My salary is 3,200 a month and I can pay at most 900", [(3_200, "told", "often"), (900, "limit", "")]),
        ("They quoted 18k, I want to pay 16k at most", [(18_000, "told", ""), (16_000, "limit", "")]),
        ("no more than 6块5一斤", [(6.5, "limit", "each")]),
        ("sell the boat, I hope for 4k", [(4_000, "income", "")]),
        ("The rent goes up from 900 to 1,150 EUR", [(900, "told", ""), (1_150, "told", "")]),
        ("The house was built in 1930 and has 12 windows", []),
    ],
)
def test_the_words_around_a_sum_tell_what_it_is(text: str, read: list[tuple[float, str, str]]) -> None:
    assert [(each.money.value, each.role, each.per) for each in sums_in(text)] == read


def test_what_others_say_is_no_sum_of_the_project() -> None:
    assert main_sum("The neighbour wants 5,000 EUR, the state subsidy covers 2,000 EUR") is None


def test_a_text_of_nothing_but_numbers_is_read_in_no_time() -> None:
    began = process_time()
    slots_in("5 a b 12 " * 2000)
    assert process_time() - began < 8


async def test_a_new_budget_without_a_currency_is_in_the_one_of_before() -> None:
    rooms = (OpenChannel(id="c1", key="event-lead", name="Run of show", tier="team"),)
    aims = {"thing": "the wedding", "budget": "5,000 GBP", "archetype": "event"}
    plan = await OfflineMind().plan(
        PlanRequest(wish="the budget is now two and a half grand", channels=rooms, aims=aims, today="2026-11-19")
    )
    assert plan.aims == {"budget": "2,500 GBP"}


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("Our cellar flooded twice this winter and I want it waterproofed", "waterproofing the cellar"),
        ("I need to get my uncle's driving... sorry, his house in Alicante registered", "house"),
        ("Commission a brass quintet for my parents' golden wedding", "brass quintet"),
        ("Write and print 500 copies of a cookbook", "cookbook"),
        ("在杭州办一场两百人的用户大会", "用户大会"),
        ("融资五百万做天使轮", "天使轮"),
    ],
)
def test_a_wish_has_a_name_however_it_is_put(text: str, thing: str) -> None:
    assert thing_in(text, "zh" if thing[0] > "\u4e00" else "en") == thing
