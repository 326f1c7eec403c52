"""Wishes of many kinds, in hurried, mixed and odd forms: each opens a room of its kind, with what was written."""

import pytest

from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.slots.slots import names_in, slots_in
from prime.mind.offline.words.numbers import han_number

MIND = OfflineMind()


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today="2026-11-16"))


@pytest.mark.parametrize(
    ("wish", "archetype"),
    [
        ("Migrate our Postgres 12 database to 16 with less than 10 minutes downtime", "system_change"),
        ("Replace our CRM; 40 sales reps, currently on spreadsheets, GDPR, go-live Q2", "system_change"),
        ("换掉现在的CRM系统，40个销售，目前都用Excel", "system_change"),
        ("把我们的MySQL数据库迁移到PostgreSQL，停机不能超过五分钟", "system_change"),
        ("Translate a 180 page manual from German into English and Japanese, two weeks", "translation"),
        ("把一本180页的说明书从德语翻译成中文和英文，两周内", "translation"),
        ("find a nanny for our twins, 3 days a week, from febuary, must speak spanish", "household"),
        ("给双胞胎找个住家阿姨，要会做辅食，月薪8000以内", "household"),
        ("Find a flat in Zurich under 2'200 CHF", "renting"),
        ("帮我在杭州租房，月租4500以内，离地铁近", "renting"),
        ("I have to give a conference talk on zero-knowledge proofs in Lisbon on 12 May, 25 minutes", "talk"),
        ("5月12日在北京的大会上做一个25分钟的演讲，讲零知识证明", "talk"),
        ("File a patent for our self-sealing valve before the trade fair on 20 April", "paperwork"),
        ("在4月20日的展会之前申请一项自密封阀的专利", "paperwork"),
        ("申请英国计算机博士，12月15日截止，雅思还没考", "paperwork"),
        ("Import olive oil from Crete to Sweden, 2 pallets, organic certified only", "supplier_search"),
        ("Lose 10 kilos before my brother's wedding in July", "learning"),
        ("四十五岁开始学大提琴", "learning"),
        ("My father has a hip operation on Monday at St. Mary's, please help me organise everything", "care"),
        ("三年级42个孩子去科技馆春游，每人不超过80元，有两个孩子花生过敏", "travel"),
        ("周六下午给8个孩子办生日会，恐龙主题，有一个孩子对坚果过敏", "event"),
        ("We need 1.2 Mio € for our battery startup, without giving up more than 15%", "fundraising"),
    ],
)
async def test_a_wish_opens_rooms_of_its_kind(wish: str, archetype: str) -> None:
    assert (await planned(wish)).aims.get("archetype") == archetype


@pytest.mark.parametrize("told", ["四月的房租是六千元", "我妈对花生过敏"])
async def test_a_price_or_an_allergy_that_is_only_told_opens_no_room(told: str) -> None:
    assert not (await planned(told)).channels


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("装修卫生间，预算三万五，不要砸墙，春节前完工", "budget", "3.5万元"),
        ("卖掉我的2016款大众帕萨特，跑了9万公里，想卖七万五", "budget", "7.5万元"),
        ("帮我筹划婚礼，宾客一百二十人，预算二十万左右", "count", "一百二十人"),
        ("八月中旬二十三口人在黄山家庭聚会", "count", "二十三口人"),
        ("八月中旬二十三口人在黄山家庭聚会", "place", "黄山"),
        ("三年级42个孩子去科技馆春游", "place", "科技馆"),
        ("把我们的MySQL数据库迁移到PostgreSQL", "place", None),
        ("想在阳台上种菜，春天开始", "place", None),
        ("Rock band tour in autumn, van + 5 people, we have 9 grand", "budget", "9,000"),
        ("organise a party for 15 people, budget 2w", "budget", "20,000"),
        ("Hire a bookkeeper, max 30€/h", "budget", None),
        ("Hire a bookkeeper, max 30€/h", "constraints", "up to 30 EUR an hour"),
        ("A client owes me 4,300 since August", "deadline", None),
        ("Open a café in Porto, not before May", "deadline", None),
        ("Open a café in Porto, not before May", "constraints", "not before May"),
        ("我想在成都开一家咖啡馆，五月之前不开业", "deadline", None),
        ("我想在成都开一家咖啡馆，五月之前不开业", "constraints", "五月之前不开业"),
        ("Plan a reunion for 23 people, sometime between 10 and 20 August", "date", "10–20 August"),
        ("从希腊进口两个托盘的有机橄榄油到宁波", "thing", "有机橄榄油"),
        ("把一本180页的说明书从德语翻译成中文和英文", "thing", "180页的说明书"),
    ],
)
def test_odd_forms_mean_what_was_meant(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, "2026-11-16").get(slot) == meant


@pytest.mark.parametrize(
    ("text", "value"),
    [("三万五", 35_000), ("一百五", 150), ("两千八", 2_800), ("一百零五", 105), ("二十五", 25), ("一万零五百", 10_500)],
)
def test_a_number_may_leave_out_its_last_unit(text: str, value: int) -> None:
    assert han_number(text) == value


def test_a_country_that_one_travels_through_is_nobody_to_deal_with() -> None:
    assert names_in("Rock band tour through Germany and Poland in autumn") == []


@pytest.mark.parametrize(
    ("wish", "without"),
    [
        ("Hire a part-time bookkeeper without an agency, half a day a week", "Recruiter"),
        ("帮我招个兼职会计，不走中介，每周半天", "猎头"),
        ("I'm moving house from Leeds to Bristol on 14 March, without a removal company if possible", "Movers"),
        ("Find a nanny in Leeds, no agency", "Agency"),
        ("帮我在杭州租房，不要中介，月租4500以内", "中介"),
    ],
)
async def test_whom_the_owner_does_without_gets_no_room(wish: str, without: str) -> None:
    names = [channel.name for channel in (await planned(wish)).channels]
    assert len(names) >= 3
    assert without not in names


async def test_not_before_a_day_is_a_date_that_was_written() -> None:
    words = (await planned("I want to open a café in Porto, budget about €120k, not before May")).words
    assert "did not find" not in words
    assert "May as the date" not in words
