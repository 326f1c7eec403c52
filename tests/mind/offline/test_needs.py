"""What a wish needs, what it is about, and what only stands beside it."""

import pytest

from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.slots.needs import needs_in

MIND = OfflineMind()
TODAY = "2026-11-19"


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today=TODAY))


@pytest.mark.parametrize(
    ("wish", "archetype", "thing", "rooms"),
    [
        (
            "We need a stand, a printer and a caterer",
            "general",
            "a stand, a printer and a caterer",
            ["Stand", "Printer", "Caterer"],
        ),
        (
            "Trade fair in Milan in May: we need a stand, a printer and a caterer, 15,000 EUR",
            "general",
            "the trade fair",
            ["Stand", "Printer", "Caterer"],
        ),
        (
            "Street festival in Leeds on 12 June, we need toilets, a sound system, security and a first aid crew",
            "event",
            "the street festival",
            ["Toilets", "Sound system", "Security", "First aid crew"],
        ),
        (
            "We are attending the wine expo in Lyon. We need a booth, a hostess and flyers, max 9k",
            "general",
            "the wine expo",
            ["Booth", "Hostess", "Flyers"],
        ),
        (
            "Mountain race on 4 July: need a timekeeper, medals and 300 bananas",
            "event",
            "the mountain race",
            ["Timekeeper", "Medals", "Bananas"],
        ),
        (
            "Need a dj, a tent and a generator for the village party, 2k",
            "event",
            "the village party",
            ["Tent", "Generator"],
        ),
        (
            "Our choir needs a pianist, a rehearsal room and new robes",
            "general",
            "a pianist, a rehearsal room and new robes",
            ["Pianist", "Rehearsal room", "New robes"],
        ),
        (
            "Our parish needs a roofer, scaffolding and a new organ",
            "home",
            "the roof",
            ["Roofer", "Scaffolding", "New organ"],
        ),
        ("我们要参加广交会，需要展台、印刷和翻译，预算8万", "general", "广交会", ["展台", "印刷", "翻译"]),
        ("去广州参加家具展，需要样品运输、翻译和酒店", "general", "家具展", ["样品运输", "翻译", "酒店"]),
        ("五月办婚礼，需要场地、摄影和花艺", "event", "婚礼", ["场地", "摄影", "花艺"]),
        ("新店下月开业，需要招牌、收银系统和保洁", "opening", "新店", ["招牌", "收银系统", "保洁"]),
        (
            "需要一个摄影师、一个化妆师和一套西装",
            "general",
            "摄影师、化妆师、西装",
            ["摄影师", "化妆师", "西装"],
        ),
    ],
)
async def test_each_that_is_needed_has_a_room(wish: str, archetype: str, thing: str, rooms: list[str]) -> None:
    plan = await planned(wish)
    names = [channel.name for channel in plan.channels]
    assert (plan.aims["archetype"], plan.aims["thing"]) == (archetype, thing)
    assert [name for name in rooms if name not in names] == []


async def test_who_is_needed_is_looked_for_and_told_what_for() -> None:
    plan = await planned("Trade fair in Milan in May: we need a stand, a printer and a caterer, 15,000 EUR")
    briefs = {channel.name: channel.brief for channel in plan.channels}
    assert briefs["Stand"].startswith("For the trade fair in Milan (May) we need a stand.")
    assert briefs["Caterer"].startswith("For the trade fair in Milan (May) we look for a caterer.")
    assert "15,000" not in briefs["Stand"] + briefs["Printer"] + briefs["Caterer"]
    chinese = {channel.name: channel.brief for channel in (await planned("参加书展，还缺展位和翻译")).channels}
    assert chinese["展位"].startswith("为书展寻找展位供应方")
    assert chinese["翻译"].startswith("为书展寻找翻译")  # and no translator of whom one has heard before


async def test_each_of_several_hears_of_their_own_part_alone() -> None:
    plan = await planned("We need a stand, a printer and a caterer")
    [caterer] = [channel for channel in plan.channels if channel.name == "Caterer"]
    assert caterer.brief.startswith("We need a caterer.")


@pytest.mark.parametrize(
    "wish",
    [
        "We need a new oven and more customers",
        "I need help and advice",
        "we need a hall",
        "I need to find a lawyer and call my mother",
        "我需要时间和钱",
        "需要一个展台",
        "不需要展台和翻译",
    ],
)
def test_what_nobody_provides_is_no_list(wish: str) -> None:
    assert needs_in(wish) is None


async def test_none_of_a_list_stands_for_the_others() -> None:
    thing = (await planned("We need a new kitchen, new windows and a heat pump, 60k")).aims["thing"]
    assert thing == "a new kitchen, new windows and a heat pump"
    assert (await planned("We need two nurses and a receptionist")).aims["archetype"] == "hiring"


@pytest.mark.parametrize(
    ("said", "sums"),
    [
        ("找个人修复三块老手表", []),
        ("买五块太阳能板", []),
        ("请木工打3块搁板", []),
        ("铺300块地砖，4000块搞定", [4000]),
        ("三块电池换新，预算300块", [300]),
        ("房东欠我3000块押金", [3000]),
        ("花200块修手机", [200]),
        ("20块钱一个", [20]),
        ("八块以内", [8]),
        ("每人50块吃顿饭", [50]),
        ("500块一天", [500]),
        ("大概三百块吧", [300]),
        ("4万块", [40000]),
        ("三元", [3]),
    ],
)
def test_a_classifier_is_no_money(said: str, sums: list[float]) -> None:
    assert [money.value for money in amounts(said)] == sums


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("Write a grant application for a coral reef survey", "writing", "the grant application"),
        ("Draft a proposal for a new bike rental", "writing", "the proposal for a new bike rental"),
        ("Write a business plan for a bakery", "writing", "the business plan"),
        ("Prepare a manual for our new café staff", "general", "the manual"),
        ("Write a letter about the survey to the council", "general", "the letter"),
        ("Knit a blanket for my daughter's wedding", "general", "the blanket"),
        ("Draw a poster for the film festival", "general", "the poster"),
        ("Our bakery wants to start delivering by bike", "general", "delivering by bike"),
        ("The gym wants to start teaching online", "general", "teaching online"),
        (
            "Our restaurant plans to switch to renewable energy by June",
            "general",
            "switching to renewable energy",
        ),
        ("Our translation agency wants to move to a bigger office", "moving", "the move"),
        ("Our podcast team wants to hire an editor", "hiring", "an editor"),
        ("Our wedding band wants to record an album", "media", "recording an album"),
        ("Set up a small podcast studio in the cellar", "home", "the small podcast studio"),
        ("Set up a home cinema in the basement under 5,000 EUR", "home", "the home cinema"),
        ("Turn the garage into a yoga room", "home", "turning the garage into a yoga room"),
        ("Start a podcast in our cellar", "media", "the podcast"),
        ("Launch our new lamp at the trade fair in Milan", "product_launch", "the lamp"),
        ("organise a trade fair for 40 exhibitors in Essen", "event", "the trade fair"),
        ("plan a survey of the coral reef", "research", "the survey of the coral reef"),
        ("open a bakery in Leeds", "opening", "the bakery"),
        ("我们翻译公司想换个新办公室", "general", "换个新办公室"),
        ("我们面包店想开始骑车送货", "general", "骑车送货"),
        ("我们餐厅打算减少食物浪费", "general", "减少食物浪费"),
        ("在地下室弄一间录音室", "home", "录音室"),
        ("把车库改成健身房，3万", "home", "把车库改成健身房"),
        ("为珊瑚礁调查写一份经费申请", "writing", "经费申请"),
        ("写一本旅游手册", "writing", "旅游手册"),
        ("给儿子的婚礼设计请柬", "general", "给儿子的婚礼设计请柬"),
        ("找个人修复三块老手表", "general", "修复三块老手表"),
        ("找个师傅修水管", "general", "修水管"),
        ("两块手表坏了，找人修", "general", "两块手表"),
        ("花200块修手机", "general", "修手机"),
        ("卖掉家里的四块地毯", "private_sale", "四块地毯"),
        ("找人翻译一份合同，500元", "translation", "合同"),
    ],
)
async def test_what_stands_beside_it_is_not_what_it_is_about(wish: str, archetype: str, thing: str) -> None:
    aims = (await planned(wish)).aims
    assert (aims["archetype"], aims["thing"]) == (archetype, thing)


async def test_whoever_is_against_us_is_still_a_trouble() -> None:
    assert "insurance" in (await planned("Our insurance wants to charge us twice")).aims["thing"]
    assert "company" in (await planned("My company wants to fire me")).aims["thing"]


async def test_what_is_quoted_reads_as_one_says_it() -> None:
    briefs = " ".join(channel.brief for channel in (await planned("找个人修复三块老手表")).channels)
    assert "为修复三块老手表做前期准备" in briefs
    assert "找个人" not in briefs
    briefs = " ".join(channel.brief for channel in (await planned("We need a stand, a printer and a caterer")).channels)
    assert "getting a stand" not in briefs


async def test_what_has_no_name_of_its_own_has_no_room() -> None:
    plan = await planned("We need a coach and somewhere to sleep for our choir's tour in Wales")
    assert "Coach" in [channel.name for channel in plan.channels]
    assert "Somewhere" not in [channel.name for channel in plan.channels]


@pytest.mark.parametrize(
    ("wish", "archetype"),
    [
        ("Our landlord wants to raise the rent by 15 percent, what can we do?", "dispute"),
        ("房东要涨房租，怎么办", "dispute"),
        ("Raise 500k for our seed round", "fundraising"),
        ("We need a flat near the station, rent up to 1,200 EUR", "renting"),
        ("想租一套离地铁近的两居室", "renting"),
    ],
)
async def test_a_rent_is_raised_and_paid(wish: str, archetype: str) -> None:
    assert (await planned(wish)).aims["archetype"] == archetype
