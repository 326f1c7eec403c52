"""What a wish is called: the object of the clause that asks, whole, and never a piece of the background."""

import pytest

from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind


async def _planned(wish: str) -> Plan:
    return await OfflineMind().plan(PlanRequest(wish=wish, today="2026-11-19"))


TITLES = [
    # The object of what asks, behind whomever it is for and whoever is to do it.
    ("I'd love a rocking chair for my grandmother", "Getting a rocking chair"),
    ("Get her a seat in the children's choir", "Getting the seat in the children's choir"),
    ("We want the railway to reopen our station before winter.", "Reopening the station"),
    ("I need a bit of help and patience to sort my mother's letters", "Sorting the letters"),
    ("Make the brewery pay for the broken fence.", "Paying for the broken fence"),
    ("Please do not cut down the chestnut trees", "The chestnut trees"),
    ("Please do not let the last cinema die.", "The last cinema"),
    ("Thirty chairs should go to the festival field by Saturday", "The chairs"),
    ("Keep our stage scenery dry somewhere, at most forty minutes from Turin", "Keeping the stage scenery"),
    ("More readers for the village library, please", "More readers for the village library"),
    ("New members wanted for the rowing club, no further than ten kilometres away", "Finding new members"),
    # What the trouble befell, without the verb of it.
    ("Our 1911 pipe organ wheezes", "The pipe organ"),
    ("The fiddle of my late uncle lies in pieces; I want to play it again by May.", "The fiddle of the late uncle"),
    ("Grandfather's clock stopped at the funeral and nobody dares to open it. Get it going again.", "The clock"),
    ("My aunt lost her hearing aid on the ferry", "The hearing aid"),
    ("Somebody stole the beehives from our orchard and sells the honey online.", "The beehives"),
    # Only named.
    ("A seat on a fishing boat, at most 40 a day, one week in July", "The seat on a fishing boat"),
    ("What we still lack: the signatures of the nine families along the lane", "The signatures of the nine families"),
]
TITLES_ZH = [
    ("村里的水车停了半年，想请木匠来修好它", "修村里的水车"),
    ("为了纪念老校长，我们想出一本文集", "文集"),
    ("请人把祠堂的匾额重新描金", "祠堂的匾额"),
    ("订一个……不，订两个冰雕，元旦前送到", "订冰雕"),
    ("谁能教我们村的老人用手机", "教老人用手机"),
    ("社区的旧书亭想换成自动借书机", "社区的旧书亭换成自动借书机"),
    ("老字号的招牌被台风吹走了，想重新做一块", "做老字号的招牌"),
    ("奶奶写过三百多首山歌，没人会唱了，想录下来", "录三百多首山歌"),
    ("原定的画展不办了，请帮我把三十幅画退给作者", "退三十幅画"),
    ("为了孩子的毕业演出，请人把礼堂的旧幕布洗干净", "洗礼堂的旧幕布"),
    ("村口的老槐树快倒了，根被挖断一半", "村口的老槐树"),
    ("学校还差十一万才能装上电梯", "装电梯"),
    ("请把家谱译成英文……不，译成法文，清明前要", "翻译：家谱"),
    ("推广费四万，帮我们的凉茶进驻厦门的写字楼", "凉茶"),
    ("楼上装修漏水，把我家书房的天花板泡塌了", "解决楼上装修漏水的事"),
]


@pytest.mark.parametrize(("wish", "title"), [*TITLES, *TITLES_ZH])
async def test_a_project_is_called_by_what_is_asked_for(wish: str, title: str) -> None:
    assert (await _planned(wish)).title == title
