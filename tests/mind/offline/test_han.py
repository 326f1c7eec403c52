"""Chinese wishes as people write them: their words, their kind, what they are called, whom they call, and what is kept."""

import re

import pytest

from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.rooms.calling import called_for
from prime.mind.offline.words.han import in_simplified, stands_in, words_in

MIND = OfflineMind()


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today="2026-11-19"))


@pytest.mark.parametrize(
    ("word", "text", "stands"),
    [
        ("泥", "修一条水泥路", False),
        ("学", "孩子要上学", False),
        ("学", "想学吉他", True),
        ("锁", "开一家连锁店", False),
        ("学生", "给小学生讲课", True),
        ("年会", "公司年会定在1月16日", True),
        ("孩子", "村里的孩子们", True),
    ],
)
def test_what_stands_across_two_words_is_none_of_its_own(word: str, text: str, *, stands: bool) -> None:
    assert stands_in(word, text) is stands


def test_a_text_is_its_words_one_behind_the_other() -> None:
    text = "从杭州搬家到深圳，8月"
    words = words_in(text)
    assert "".join(word.text for word in words) == text
    assert all(text[word.start : word.end] == word.text for word in words)


def test_traditional_writing_is_read_as_the_same_wish() -> None:
    assert in_simplified("幫我訂一個蛋糕") == "帮我订一个蛋糕"
    assert in_simplified("于是开始") == "于是开始"


# What kind of project it is, and what it is called.
WISHES = [
    ("公司年会定在1月16日，120人，要场地和主持人，预算8万", "event", "年会"),
    ("租的房子漏水，房东不修，怎么办", "dispute", "解决房东不修的事"),
    ("健身房跑路了，我还有两年的卡，4800块怎么要回来", "dispute", "解决健身房跑路的事"),
    ("物业三个月不修电梯，业主想联合起来要个说法", "dispute", "解决物业不修电梯的事"),
    ("从杭州搬家到深圳", "moving", "从杭州到深圳的搬家"),
    ("办公室要从三楼搬到隔壁写字楼，50个工位，周末搬", "moving", "办公室搬迁"),
    ("我们乐队想录一张专辑，五首歌，预算两万", "general", "录专辑"),
    ("找个会做淮扬菜的大厨，给我们饭馆，月薪一万二起", "hiring", "招聘：淮扬菜大厨"),
    ("我有套两居室要出租，望京，月租7000，不租给养宠物的", "general", "出租两居室"),
    ("想租个一室一厅，离地铁近，月租不超过3500，12月初入住", "renting", "租房：一室一厅"),
    ("自家养的土鸡蛋想卖到城里去，每天两百个", "sales", "销售：土鸡蛋"),
    ("老家的核桃今年丰收，三千斤，不想让贩子压价，怎么卖出去", "sales", "销售：核桃"),
    ("想给爷爷过八十大寿，腊月十八，在县城找个能摆12桌的酒楼，一桌一千以内", "event", "八十大寿"),
    ("公司年底要搞一场客户答谢会，1月10号晚上，150位客户，预算12万", "event", "客户答谢会"),
    ("学校元旦晚会缺一个主持人和一套音响", "event", "元旦晚会"),
    ("我和女朋友准备明年五一结婚，她家在青岛，我家在兰州，想两边各办一场，总共不超过15万", "event", "婚礼"),
    ("下周三要在行业大会上讲20分钟，题目是储能安全，帮我准备", "talk", "储能安全的演讲"),
    ("带父母去趟西藏，爸爸有高血压，七月，十天左右", "travel", "西藏之行"),
    ("小区要加装电梯，一楼两户不同意", "general", "加装电梯"),
    ("手机屏摔碎了，华为Mate60，哪里换屏划算", "general", "修手机屏"),
    ("家里wifi老掉线，客服让我重启了八百遍", "general", "修wifi"),
    ("想承包村里的鱼塘，15亩，签五年，租金怎么谈", "general", "承包村里的鱼塘"),
    ("我们公司的考勤系统太老了，想换成新的，200个员工，年底前上线", "system_change", "系统切换：考勤系统"),
    ("我的小说写完了，二十万字，想找出版社", "book", "小说"),
    ("老人去世了，房产怎么过户到我名下", "paperwork", "房产过户"),
    ("孩子九月要上小学，户口还没迁过来，想赶在四月报名前把这事办妥", "paperwork", "户口"),
    ("想給媽媽訂一個六寸蛋糕，週日下午取，少糖", "general", "订六寸蛋糕"),
    ("外甥女考上大学了，想办个升学宴，十五桌，八月初", "event", "升学宴"),
    ("准备年前去趟日本，两大一小，预算3万", "travel", "日本之行"),
    ("合唱队要租个排练厅，每周四晚上，20来人", "general", "租排练厅"),
    ("我家狗要寄养五天，腊月二十九到初四，泰迪", "general", "狗寄养"),
]


@pytest.mark.parametrize(("wish", "kind", "title"), WISHES)
async def test_a_wish_is_of_its_kind_and_called_after_what_is_asked_for(wish: str, kind: str, title: str) -> None:
    plan = await planned(wish)
    assert (plan.aims["archetype"], plan.title) == (kind, title)


def pairs(text: str) -> set[str]:
    """Every two signs that stand together."""
    plain = re.sub(r"\W", "", text)
    return {plain[n : n + 2] for n in range(len(plain) - 1)}


@pytest.mark.parametrize("wish", [wish for wish, _, _ in WISHES])
async def test_the_team_has_all_that_was_written(wish: str) -> None:
    plan = await planned(wish)
    team = next(channel.brief for channel in plan.channels if channel.tier == "team")
    for part in re.split(r"[，。；、]", in_simplified(wish)):
        assert len(pairs(part) - pairs(in_simplified(team))) <= len(pairs(part)) * 0.5, f"{part}: {team}"
    others = [channel.brief for channel in plan.channels if channel.tier != "team"]
    assert not any("原话" in brief for brief in others), "what the owner wrote stays inside"


def called(wish: str, thing: str = "") -> set[str]:
    return {each.key for each in called_for(wish, thing, "zh", MIND.library.trades)}


@pytest.mark.parametrize(
    ("wish", "whom", "not_whom"),
    [
        ("村里要修一条三公里的水泥路，想申请补助，还差20万", {"civil_engineer"}, {"potter"}),
        ("想把户口从河南迁到天津，孩子要上学", {"civil_registry"} & set(MIND.library.trades), {"teacher", "school"}),
        ("猫走丢了三天了，橘色的，戴蓝色项圈", set[str](), {"vet"}),
        ("我们宿舍四个人想合买一台投影仪，一千五以内，别太吵", set[str](), {"mediator", "acoustics_expert"}),
        ("我有套两居室要出租，不租给养宠物的", {"tenant", "letting_agent"}, {"rental_plain"}),
        ("想请个唢呐班子给我爷爷送葬，后天出殡", {"funeral_band"}, set[str]()),
        ("相亲角太累了，想正经找个对象", {"matchmaker"}, set[str]()),
        ("帮我们社区搞一次旧衣回收，12月5号，居委会给场地", {"neighbourhood_committee"}, {"council"}),
    ],
)
def test_words_call_whom_they_mean(wish: str, whom: set[str], not_whom: set[str]) -> None:
    assert whom <= called(wish)
    assert not called(wish) & not_whom


async def test_nobody_needs_a_visa_at_home() -> None:
    assert "证件" not in [channel.name for channel in (await planned("周末带两个娃去北京玩三天")).channels]
    assert "证件" in [channel.name for channel in (await planned("周末带两个娃去东京玩三天")).channels]


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ("把播客剪成短视频发到小红书，每周三条", {"place": "", "constraints": ""}),
        ("公司年底要搞一场答谢会，1月10号晚上，150位客户", {"date": "1月10号"}),
        ("孩子九月要上小学，想赶在四月报名前把户口办好", {"deadline": "四月"}),
        ("想摆酒席，一桌一千以内，12桌", {"budget": "1.2万元"}),
        ("拍一部纪录片，经费六万", {"budget": "6万元"}),
        ("课题组要采购一台二手流式细胞仪，三月底前到货装好", {"destination": ""}),
        ("公司拖欠我三个月工资，想要回来", {"count": ""}),
    ],
)
async def test_what_is_not_said_is_no_value(wish: str, expected: dict[str, str]) -> None:
    plan = await planned(wish)
    assert {name: plan.aims.get(name, "") for name in expected} == expected


@pytest.mark.parametrize(
    "told",
    [
        "今天北京真冷",
        "搬家终于搬完了，累死了",
        "老板今天又骂我了，烦",
        "厨师做的菜真咸",
        "上周我们公司开了年会，挺热闹的",
        "昨天我把房子租出去了",
    ],
)
async def test_what_is_over_or_only_vented_opens_nothing(told: str) -> None:
    assert not (await planned(told)).channels
