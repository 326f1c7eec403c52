"""First users with odd projects: what it is about, what was written beside it, and whom one meets."""

import re

import pytest

from prime.mind.jobs.judging import JudgeRequest, KnownQuestion, RuleRequest
from prime.mind.jobs.keeping import PictureRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.heard.decisions import hands_over, polarity_of
from prime.mind.offline.heard.transcript import read_transcript
from prime.mind.offline.judging.judging import judged
from prime.mind.offline.judging.rules import distilled
from prime.mind.offline.judging.summarising import summary
from prime.mind.offline.slots.slots import names_in, slots_in
from prime.mind.offline.words.templates import filled

MIND = OfflineMind()
TODAY = "2026-11-19"


async def planned(wish: str, **more: object) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today=TODAY, **more))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("keep bees on the roof of our school, 2 hives to start, max 1,200 EUR", "general", "the bees"),
        ("keep 6 chickens in our backyard in Bristol, is that even allowed", "general", "6 chickens"),
        ("convert our 300 vinyl records to digital", "general", "converting the 300 vinyl records to digital"),
        ("write and shoot a short art heist film in Lisbon, 25k", "film", "the short art heist film"),
        ("Documentary about the last ferryman on the Drina, 3 shooting weeks in June", "film", "the documentary"),
        ("find 6 volunteers who drive old people to the doctor on saturdays", "general", "6 volunteers"),
        (
            "our tiny museum got a water damage, 40 paintings need restoring, opening again 3 May",
            "general",
            "40 paintings",
        ),
        ("The bells of our church need repairing before Easter", "general", "the bells of the church"),
        ("Photograph every bridge in Hamburg", "general", "every bridge"),
        ("apply for planning permission for a loft conversion in Bristol, 65k", "home", "the loft conversion"),
        (
            "Switch our clinic from paper to electronic records by 1 July",
            "system_change",
            "the clinic from paper to electronic records",
        ),
        ("get my driving licence back", "paperwork", "getting the driving licence back"),
        ("Raise 40k on Kickstarter for a board game about lighthouses", "product_launch", "the board game"),
        ("raise 12k for a school in Malawi until summer", "charity", "the school"),
        ("We need to cut 15% of our cloud bill, without touching latency", "general", "the cloud bill"),
        ("i defend my phd on 14 january in delft, need a gown, a party for 40", "event", "the doctoral defence"),
        ("hi can u help me sell grannys flat in porto, she still lives there till march", "private_sale", "the flat"),
        ("buy a second-hand cargo bike, under 2,000 EUR", "general", "a second-hand cargo bike"),
        (
            "Stop the council from cutting down our street's trees, 5 weeks left",
            "general",
            "stopping the council from cutting down the street's trees",
        ),
        ("wedding for 30 in a village near Siena, 5 September", "event", "the wedding"),
        ("My teenage daughter wants to busk in Edinburgh during the festival", "general", "busking"),
        ("Need someone to look after our goats 10-24 July", "general", "somebody to look after the goats"),
        (
            "get our amateur football team promoted next season",
            "general",
            "getting the amateur football team promoted",
        ),
        (
            "Bring my late father's record collection (4,000 LPs) to a museum",
            "general",
            "bringing the late father's record collection to a museum",
        ),
        ("I'd like to reconcile with my brother before mum's 80th on 2 May", "general", "reconciling with the brother"),
        ("Evacuate and digitise the parish archive, out by Friday", "general", "the parish archive"),
        ("replace the 22 streetlights in our hamlet with LED before winter", "general", "22 streetlights"),
        ("prepare my 3 kids for a year on a sailing boat", "general", "preparing the 3 kids for a year"),
        ("想把外婆的老宅改成图书馆，预算20万，两年内", "general", "把外婆的老宅改成图书馆"),
        ("让孩子少玩手机", "general", "让孩子少玩手机"),
        ("把公司2000份纸质合同扫描归档，不能外包", "general", "公司2000份纸质合同"),
        ("写一封辞职信，不想撕破脸", "general", "辞职信"),
        ("想养蜂，院子不大，邻居怕蜜蜂", "general", "养蜂"),
        ("老房翻新，60平，15万，五月前住进去", "home", "老房"),
        ("想买辆二手车，10万以内，省油", "general", "二手车"),
        ("申请英国硕士，计算机转传播，明年1月15日截止", "paperwork", "英国硕士"),
        ("楼上漏水把我家天花板泡了，物业不管，想让楼上赔8000", "dispute", "漏水赔偿"),
        ("我们公众号半年没涨粉了，想做到5万粉丝，不买粉", "media", "公众号"),
        ("研究一下要不要把豆腐厂搬到安徽", "research", "要不要把豆腐厂搬到安徽"),
        ("把1200张老照片扫描整理成相册，妈妈60岁生日（4月8日）前做完", "book", "相册"),
        ("帮我把爷爷的日记整理成一本书，80页", "book", "爷爷的日记"),
        ("公司服务器要从阿里云迁到腾讯云，不能停机", "system_change", "公司服务器"),
        ("公司要上ERP，200人，6月1日上线", "system_change", "ERP"),
        ("把钢琴从六楼搬下来，没有电梯，下周六", "general", "搬钢琴"),
        ("给村里修一条800米的水泥路，预算26万", "general", "800米的水泥路"),
        ("五一带娃去露营，3个家庭7个孩子", "travel", "露营"),
        ("拍一部12分钟的毕业短片，在重庆，4万块", "film", "12分钟的毕业短片"),
    ],
)
async def test_what_it_is_about(wish: str, archetype: str, thing: str) -> None:
    aims = (await planned(wish)).aims
    assert (aims["archetype"], aims["thing"]) == (archetype, thing)


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("charity run, 400 runners, sunday 18 april", "date", "18 April"),
        ("repair the roof before the rain season", "deadline", "the rain season"),
        ("a pizza oven before midsummer", "deadline", "Midsummer"),
        ("wedding for 30 in a village, 5 September", "count", "30 people"),
        ("wedding near Siena, 5 September", "place", "near Siena"),
        ("a reunion somewhere cheap in summer, not in the US", "place", None),
        ("wedding, vegetarian, grandma is in a wheelchair", "constraints", "vegetarian and grandma is in a wheelchair"),
        ("restore 40 paintings, insurance pays only half", "constraints", None),
        ("cut our cloud bill, currently 82,000 USD a month", "constraints", None),
        ("Raise 40k on Kickstarter for a board game", "budget", "40,000"),
        ("Kitchen remodel, 22k incl. everything, done by May", "budget", "22,000"),
        ("sell the tractor, 4,500 or more", "budget", "4,500"),
        ("a strike ballot for 300 warehouse workers", "count", "300 warehouse workers"),
        ("帮我爸过七十大寿，摆12桌，每桌不超过1200", "budget", "14,400元"),
        ("去露营，3个家庭7个孩子，人均500", "budget", None),
        ("去露营，3个家庭7个孩子，人均500", "constraints", "人均500"),
        ("组织三个部门80人去徒步，人均300以内", "budget", "2.4万元"),
        ("组织旧衣捐赠，10个志愿者，3月5日", "count", "10个志愿者"),
        ("找护工，住家，会说四川话，一个月七千以内", "constraints", "住家、会说四川话、一个月七千以内"),
        ("开发小程序，寒假做完，没钱", "constraints", "没钱"),
        ("研究一下要不要搬厂", "constraints", None),
        ("跑马拉松，现在只能跑5公里", "constraints", None),
        ("翻译小说，稿费千字150，半年", "constraints", "稿费千字150"),
        ("翻译小说，稿费千字150，半年", "date", "半年内"),
        ("修路，雨季之前", "deadline", "雨季"),
        ("把老宅改成图书馆，两年内", "date", "两年内"),
        ("去哈尔滨看冰雪，腊月廿五出发", "place", "哈尔滨"),
        ("去哈尔滨看冰雪，腊月廿五出发", "date", "腊月廿五"),
        ("给小区50个老人办手机课", "count", "50个老人"),
        ("从五道口搬家到望京，没有电梯", "along", None),
        ("从五道口搬家到望京，只有两个人和一只猫", "along", "一只猫"),
        ("财务系统要从用友换到金蝶，数据不能丢", "place", None),
        ("财务系统要从用友换到金蝶，数据不能丢", "constraints", "数据不能丢"),
    ],
)
def test_what_was_written_beside_it_is_found(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, TODAY).get(slot) == meant


async def test_what_a_lawyer_may_cost_is_not_what_one_hopes_to_get() -> None:
    plan = await planned(
        "my neighbour's tree is cracking our wall. I want to go to court, not more than 3k for a lawyer"
    )
    assert "budget" not in plan.aims
    assert "not more than 3k for a lawyer" in plan.words
    assert "hope" not in plan.words


async def test_another_wish_about_doing_something_has_no_article() -> None:
    plan = await planned("Build a pizza oven in the garden AND teach my husband to bake, 700 quid tops")
    assert "and teaching the husband to bake" in plan.words


async def test_who_wrote_the_poems_does_not_translate_them() -> None:
    wish = "Translate three poems by Szymborska into English"
    assert names_in(wish) == []
    assert names_in("Order the chairs by Lindqvist") == ["Lindqvist"]
    assert names_in("replace the streetlights with LED") == []
    assert names_in("replace the streetlights with Lindqvist") == ["Lindqvist"]


async def test_what_somebody_should_be_like_is_no_room() -> None:
    plan = await planned("孩子数学不好，想找家教，一次200以内，最好是女老师")
    assert not [channel.name for channel in plan.channels if "最好" in channel.name]


async def test_whom_one_does_not_have_is_no_room() -> None:
    plan = await planned("get our football team promoted, we have 14 players and no coach")
    assert not [channel.name for channel in plan.channels if channel.name.startswith("No ")]


async def test_a_system_is_no_place() -> None:
    assert "place" not in (await planned("migrate our 14 microservices from Heroku to Kubernetes by Q1")).aims
    assert "place" not in (await planned("公司服务器要从阿里云迁到腾讯云，春节前搞定")).aims
    assert (await planned("migrate the CRM of our office in Berlin by Q1")).aims["place"] == "Berlin"


async def test_a_builder_who_is_looked_for_is_somebody_and_no_building() -> None:
    plan = await planned("apply for planning permission for a loft conversion in Bristol and find a builder, 65k")
    assert "the building of" not in plan.words


async def test_a_documentary_has_people_in_it_and_a_short_film_a_cast() -> None:
    documentary = await planned("make a documentary on lighthouse keepers by June, 40k")
    short = await planned("shoot a short film by June, 9k")
    assert "People in it" in [channel.name for channel in documentary.channels]
    assert "Cast" in [channel.name for channel in short.channels]
    assert "Cast" not in [channel.name for channel in documentary.channels]


async def test_one_more_room_is_of_the_size_of_the_whole() -> None:
    rooms = (OpenChannel(id="ch_1", key="event-venue", name="Venue", tier="business_relation"),)
    aims = {"thing": "the school play", "budget": "900 EUR", "archetype": "event"}
    plan = await planned("also find a photographer", channels=rooms, aims=aims)
    quote = plan.channels[0].facts["quote"]
    assert float(re.sub(r"[^\d.]", "", quote)) < 900
    assert "900" not in plan.channels[0].brief


def test_near_a_town_is_not_in_it() -> None:
    assert filled("A place[ in {place}].", {"place": "near Siena"}) == "A place near Siena."


@pytest.mark.parametrize(
    "answer",
    [
        "you decide",
        "You decide, please.",
        "it's up to you",
        "Your call",
        "whatever you think is best",
        "I don't care, you choose",
        "你定吧",
        "听你的",
        "你看着办",
        "都行",
        "随便你",
        "你决定就好",
    ],
)
def test_who_leaves_it_to_prime_has_decided_nothing_else(answer: str) -> None:
    assert hands_over(answer)
    assert polarity_of(answer) == "open"


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "no",
        "you decide the colour, but stay below 300",
        "Do it",
        "whatever happens, no",
        "可以",
        "你定好价格再说",
        "好，都要",
    ],
)
def test_what_decides_something_is_not_left_to_prime(answer: str) -> None:
    assert not hands_over(answer)


def _judge(text: str, settled: tuple[KnownQuestion, ...] = ()) -> tuple[str, str, float]:
    line = Line(message_id="m1", speaker="Mateo Lindqvist (Larch Group)", text=text)
    [one] = judged(JudgeRequest(channel_name="Catering", tier="business_relation", lines=[line], settled=settled))
    return one.text, one.self_answer or "", one.necessity


def test_a_card_says_what_it_is_that_is_ready() -> None:
    text, _, _ = _judge(
        "You have everything in writing now: the food as discussed, with names and times. It is all ready here."
    )
    assert "the food" in text
    text, _, _ = _judge("您要的菜单已经写好了。这边都已就绪。")
    assert "菜单" in text


def test_a_summary_says_what_it_is_that_is_ready() -> None:
    said = "You have everything in writing now: the food as discussed. It is all ready here."
    assert "the food" in summary([Line(message_id="m1", speaker="Mateo", text=said)], "")


def test_a_question_asked_back_is_no_precedent() -> None:
    asked = (
        "I can reserve the hall for you until Tuesday against a deposit of 57 EUR, not refundable. Shall I reserve it?"
    )
    question = _judge(asked)[0]
    before = (KnownQuestion(id="q1", text=question, answer="Why is it so expensive?", place="Catering"),)
    decided = (KnownQuestion(id="q1", text=question, answer="No, not this time", place="Catering"),)
    _, own, necessity = _judge(asked, before)
    assert own != "Why is it so expensive?"
    assert necessity == _judge(asked)[2]
    assert _judge(asked, decided)[1] == "No, not this time"


def test_who_was_named_is_not_named_in_full_again() -> None:
    text, _, _ = _judge(
        "I have to fix the order of things by Tuesday; what is booked after that is final. Shall I fix it?"
    )
    assert text.count("Mateo Lindqvist") == 1
    assert text.endswith("Should Mateo fix it?")


async def test_a_limit_below_what_is_asked_books_nothing() -> None:
    asked = "I keep it for you until Tuesday against a deposit of 510 EUR, which is not refundable. Shall I?"
    lines = [Line(message_id="m1", speaker="Brief", text="Find a photographer.")]
    lines += [
        Line(message_id=f"o{n}", speaker="Maud", text=each, own=True)
        for n, each in enumerate(("Hello.", "What is it?", "It is 1,700 EUR.", asked))
    ]
    far, enough = ([*lines, Line(message_id="m9", speaker="Brief", text=f"up to {n} EUR")] for n in (300, 600))
    said = [read_transcript(each, "Find a photographer.").decision for each in (far, enough)]
    assert [each and each.polarity for each in said] == ["no", "words"]


async def test_a_picture_of_letters_that_no_font_has_is_not_drawn() -> None:
    assert await MIND.picture(PictureRequest(title="𓀀𓀁𓂀", lines=[])) is None
    assert await MIND.picture(PictureRequest(title="Café", lines=[])) is not None


async def test_what_one_hopes_to_get_is_no_budget_that_is_spent() -> None:
    sold = (await planned("sell dads old tractor, 4,500 EUR or more")).aims
    bought = (await planned("buy a used tractor, 4,500 EUR at most")).aims
    line = Line(
        message_id="m1", speaker="Carmen", text="Small repairs for 900 EUR would lift it. Should I have it repaired?"
    )
    told = [
        judged(JudgeRequest(channel_name="Preparation", tier="team", lines=[line], aims=aims))[0]
        for aims in (sold, bought)
    ]
    assert ["hope" in one.context and "budget" not in one.context for one in told] == [True, False]
    assert ["budget" in one.reason for one in told] == [False, True]


async def test_what_binds_in_english_binds_in_chinese() -> None:
    """A filing that cannot be taken back is asked about in either language, whatever it is worth."""
    library = MIND.library
    slots = dict.fromkeys(("thing", "thing_cap", "project", "item", "item_cap", "me", "first", "company", "place"), "x")
    common = {**slots, "count": "20", "heard": "5", "heard_date": "May"}
    said = {
        "en": {**common, "soon": "Tuesday", "days": "two weeks", "date": "12 June", "deadline": "12 June"},
        "zh": {**common, "soon": "周二", "days": "两周", "date": "6月12日", "deadline": "6月12日"},
    }
    sums = {"quote": "2,000", "low": "1,700", "deposit": "600", "extra": "500", "budget": "9,000"}
    apart: list[str] = []
    for archetype in library.archetypes.values():
        for key, role in archetype.roles.items():
            if "conflict" not in role.beats:
                continue
            beat = role.beats["conflict"]
            for english, chinese in zip(beat.of("en"), beat.of("zh"), strict=True):
                found: list[bool] = []
                for language, template in (("en", english), ("zh", chinese)):
                    money = {name: f"{value} EUR" if language == "en" else f"{value}元" for name, value in sums.items()}
                    text = filled(template, {**said[language], **money}) or ""
                    aims = {"budget": money["budget"], "deadline": said[language]["deadline"]}
                    [one] = judged(
                        JudgeRequest(
                            channel_name="Room",
                            tier=role.tier,
                            lines=[Line(message_id="m1", speaker="Ann", text=text)],
                            aims=aims,
                        )
                    )
                    found.append(one.commits)
                if found[0] != found[1]:
                    apart.append(f"{archetype.name}-{key}: {english} / {chinese}")
    assert apart == []


@pytest.mark.parametrize(
    ("asked", "prudent"),
    [
        ("Once it is signed there is no way back. Should I sign now, or wait for the permit?", "Wait for the permit"),
        ("一次切换后不可撤回。应该一晚切完，还是分两次？", "分两次"),
        ("有个很好的熟手想在拿证前就签约。应该现在签，还是等许可证？", "等许可证"),
    ],
)
def test_of_two_ways_prime_takes_the_one_that_binds_nobody(asked: str, prudent: str) -> None:
    assert _judge(asked)[1] == prudent


def test_a_rule_is_about_what_is_signed_and_not_about_how_it_was_led_up_to() -> None:
    asked = "Ann: “Somebody has to stand for it in the end: the papers are to be signed by Tuesday.” Should Ann sign?"
    rule = distilled(RuleRequest(question=asked, answer="Yes, sign", context="", place="Planning"))
    assert "the papers are to be signed" in rule
    assert "Somebody" not in rule
