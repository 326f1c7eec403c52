"""Changes as people tell them: what is so no more, what is so instead, and lists."""

import pytest

from prime.mind.jobs.lines import Line
from prime.mind.offline.facts.extracting import statements_in

TODAY = "2026-06-20"


def stated(text: str) -> list[str]:
    """`subject | predicate | object`, and since and until when it holds where that was said; `+` is one of several."""
    found = statements_in([Line(message_id="msg_1", speaker="Ann", text=text)], TODAY)
    return [
        f"{s.subject} | {s.predicate} | {s.object}"
        + (f" since {s.valid_from}" if s.valid_from else "")
        + (f" until {s.valid_to}" if s.valid_to else "")
        + (" +" if s.many else "")
        for s in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Marie moved to Lyon last year.", ["Marie | lives in | Lyon since 2025-01-01"]),
        ("The office has moved to Porto.", ["The office | is in | Porto"]),
        ("The office has moved to 12 Rue de Lyon.", ["The office | is in | 12 Rue de Lyon"]),
        ("Our office has moved to 12 Rue de Lyon, Paris.", ["Our office | is in | 12 Rue de Lyon, Paris"]),
        ("The office moved from Berlin to Porto in May.", ["The office | is in | Porto since 2026-05-01"]),
        ("Marie moved to 8 Quay Street.", ["Marie | lives in | 8 Quay Street"]),
        ("The price has moved to 42 EUR.", ["The price | is | 42 EUR"]),
        ("The deadline has moved to 12 December 2026.", ["The deadline | is | 2026-12-12"]),
        ("The launch has moved from Q3 to Q4.", ["The launch | is | Q4"]),
        ("We switched from Acme to Borealis.", ["Acme | is replaced by | Borealis", "Borealis | replaces | Acme +"]),
        ("We've switched from Acme to Borealis in May.",
         ["Acme | is replaced by | Borealis since 2026-05-01", "Borealis | replaces | Acme since 2026-05-01 +"]),
        ("We switched from Acme to Borealis as our supplier.",
         [f"Acme | is | our supplier until {TODAY}", "Borealis | is | our supplier", "our supplier | is | Borealis"]),
        ("The team switched from Slack to Zulip.", [f"The team | uses | Slack until {TODAY} +", "The team | uses | Zulip +"]),
        ("The status changed from Open to Closed.", ["The status | is | Closed"]),
        ("We switched from Monday to Tuesday.", []),
        ("We switched from talking to writing.", []),
        ("The meeting has moved to Friday.", ["The meeting | is | 2026-06-26"]),
        ("Tom used to live in Berlin, now he lives in Porto.",
         [f"Tom | lives in | Berlin until {TODAY}", "Tom | lives in | Porto"]),
        ("Tom used to be our CEO.", [f"Tom | is | our CEO until {TODAY}"]),
        ("Tom is not our CEO any more, it's Nina.",
         [f"Tom | is | our CEO until {TODAY}", "Nina | is | our CEO", "our CEO | is | Nina"]),
        ("Tom is no longer our CEO, Nina is.",
         [f"Tom | is | our CEO until {TODAY}", "Nina | is | our CEO", "our CEO | is | Nina"]),
        ("Tom is no longer our CEO. Nina is.",
         [f"Tom | is | our CEO until {TODAY}", "Nina | is | our CEO", "our CEO | is | Nina"]),
        ("The price is 40 EUR. Everybody is.", ["The price | is | 40 EUR"]),
        ("Nina replaced Tom as CEO.",
         [f"Tom | is | CEO until {TODAY}", "Nina | is | CEO", "the CEO | is | Nina"]),
        ("Acme isn't our supplier anymore.", [f"Acme | is | our supplier until {TODAY}"]),
        ("Our supplier is Borealis instead of Acme.", ["Our supplier | is | Borealis"]),
        ("The contact at Acme is now Lena Ortiz.", ["The contact at Acme | is | Lena Ortiz"]),
        ("Ana doesn't work at Globex any more.", [f"Ana | works at | Globex until {TODAY}"]),
        ("Ana left Globex in May.", ["Ana | works at | Globex until 2026-05-31"]),
        ("Ana joined Initech in May.", ["Ana | works at | Initech since 2026-05-01"]),
        ("We have two suppliers: Acme and Borealis.",
         ["our suppliers | is | Acme +", "our suppliers | is | Borealis +"]),
        ("Our offices are Lyon, Porto and Ghent.",
         ["Our offices | is | Lyon +", "Our offices | is | Porto +", "Our offices | is | Ghent +"]),
        ("The price was 40 EUR until last week.", ["The price | is | 40 EUR until 2026-06-14"]),
        ("The price is 45 EUR since March.", ["The price | is | 45 EUR since 2026-03-01"]),
        ("The price went from 40 to 48 EUR in May.", ["The price | is | 48 EUR since 2026-05-01"]),
        ("The price has gone up to 48 EUR.", ["The price | is | 48 EUR"]),
        ("The launch was moved from May 3 to July 10.", ["The launch | is | 2026-07-10"]),
        ("The contract runs until 31 December 2026.", ["The contract | ends | 2026-12-31"]),
        ("The price is no longer 40 EUR, it's 42 EUR.",
         [f"The price | is | 40 EUR until {TODAY}", "The price | is | 42 EUR"]),
        ("Bob isn't the CFO, Anna is.", ["Anna | is | the CFO", "the CFO | is | Anna"]),
        ("Bob isn't the CFO, he is on leave.", []),
        ("We raised the budget to 25k.", ["the budget | is | 25k"]),
        ("The deadline slipped to August 1.", ["The deadline | is | 2026-08-01"]),
        ("Price: 44 EUR", ["Price | is | 44 EUR"]),
        ("Note: nothing else.", []),
        ("Noted: 44 EUR.", []),
        ("已记下：44 元。", []),
        ("The price will be 50 EUR from July.", ["The price | is | 50 EUR since 2026-07-01"]),
        ("Next month the price will be 50 EUR.", ["the price | is | 50 EUR since 2026-07-01"]),
        ("Starting in July, the price is 50 EUR.", ["the price | is | 50 EUR since 2026-07-01"]),
        ("Yesterday the price was 41 EUR.", ["the price | is | 41 EUR since 2026-06-19 until 2026-06-19"]),
        ("Two weeks ago the price was 39 EUR.", ["the price | is | 39 EUR since 2026-06-06 until 2026-06-06"]),
        ("The rent was 1,100 EUR last year.", ["The rent | is | 1,100 EUR since 2025-01-01 until 2025-12-31"]),
        ("In Q1 the price was 36 EUR.", ["the price | is | 36 EUR since 2026-01-01 until 2026-03-31"]),
        ("In Q4 the price was 36 EUR.", ["the price | is | 36 EUR since 2025-10-01 until 2025-12-31"]),
        ("Until May the price was 38 EUR.", ["the price | is | 38 EUR until 2026-05-31"]),
        ("The price is 77 EUR and my hobby is falconry.", ["The price | is | 77 EUR"]),
        ("The colours are red and blue.", ["The colours | is | red +", "The colours | is | blue +"]),
        ("My birthday is 3 May.", ["My birthday | is | 3 May"]),
        ("Maybe Tom is no longer our CEO.", []),
        ("Is Tom no longer our CEO?", []),
        ("We moved on to the next point last week.", []),
        ("We dropped Acme as a supplier.",
         [f"Acme | is | supplier until {TODAY}", f"the supplier | is | Acme until {TODAY}"]),
        ("We added Acme as a supplier in May.",
         ["Acme | is | supplier since 2026-05-01 +", "the supplier | is | Acme since 2026-05-01 +"]),
        ("We've just hired Nina Ortiz as our CTO.",
         ["Nina Ortiz | is | our CTO +", "our CTO | is | Nina Ortiz +"]),
        ("Acme and Borealis were dropped as suppliers in May.",
         ["Acme | is | suppliers until 2026-05-31", "the suppliers | is | Acme until 2026-05-31",
          "Borealis | is | suppliers until 2026-05-31", "the suppliers | is | Borealis until 2026-05-31"]),
        ("We dropped the idea as a whole.", []),
        ("We added it as a comment.", []),
        ("Acme charges 40.", ["Acme | charges | 40"]),
        ("Acme now charges us 40 EUR a month.", ["Acme | charges | 40 EUR a month"]),
        ("Acme charged 36 EUR in March.", ["Acme | charges | 36 EUR since 2026-03-01 until 2026-03-31"]),
        ("Acme charges too much.", []),
        ("We pay Acme 400 EUR a month.", ["Acme | charges | 400 EUR a month"]),
        ("We pay 900 EUR a month for the office.", ["the office | costs | 900 EUR a month"]),
        ("Project Falcon's budget: 30,000", ["Project Falcon's budget | is | 30,000"]),
        ("Weight: 12 kg", ["Weight | is | 12 kg"]),
        ("Step: 3", []),
        ("我们新增了甲公司作为供应商。", ["甲公司 | 是 | 供应商 +", "供应商 | 是 | 甲公司 +"]),
        ("我们不再用甲公司做供应商了。",
         [f"甲公司 | 是 | 供应商 until {TODAY}", f"供应商 | 是 | 甲公司 until {TODAY}"]),
        ("甲公司收费40元。", ["甲公司 | 收费 | 40元"]),
        ("甲公司每月收40元。", ["甲公司 | 收费 | 每月40元"]),
        ("我们每月付给甲公司400元。", ["甲公司 | 收费 | 每月400元"]),
        ("猎鹰项目的预算：30000", ["猎鹰项目的预算 | 是 | 30000"]),
        ("王伟不再是经理。", [f"王伟 | 是 | 经理 until {TODAY}"]),
        ("张伟不是CEO了，李娜才是。", [f"张伟 | 是 | CEO until {TODAY}", "李娜 | 是 | CEO", "CEO | 是 | 李娜"]),
        ("张伟不是经理，李娜是。", []),
        ("张伟不是CEO了。李娜才是。", [f"张伟 | 是 | CEO until {TODAY}", "李娜 | 是 | CEO", "CEO | 是 | 李娜"]),
        ("玛丽去年搬到了里昂。", ["玛丽 | 住在 | 里昂 since 2025-01-01"]),
        ("我们有两家供应商：甲公司和乙公司。", ["供应商 | 是 | 甲公司 +", "供应商 | 是 | 乙公司 +"]),
        ("价格从三月起是45元。", ["价格 | 是 | 45元 since 2026-03-01"]),
        ("价格上周之前是40元。", [f"价格 | 是 | 40元 until {TODAY}"]),
        ("价格从40元涨到45元。", ["价格 | 是 | 45元"]),
        ("价格从40元涨到45元了。", ["价格 | 是 | 45元"]),
        ("从七月起价格是50元。", ["价格 | 是 | 50元 since 2026-07-01"]),
        ("下个月价格是50元。", ["价格 | 是 | 50元 since 2026-07-01"]),
        ("现在价格是45元。", ["价格 | 是 | 45元"]),
        ("价格：44元", ["价格 | 是 | 44元"]),
        ("合同12月31日到期。", ["合同到期日 | 是 | 2026-12-31"]),
        ("我们的供应商是甲公司和乙公司。", ["供应商 | 是 | 甲公司 +", "供应商 | 是 | 乙公司 +"]),
        ("预算减到一万五了。", ["预算 | 是 | 一万五"]),
        ("我们把供应商从甲换成了乙。", ["供应商 | 是 | 乙"]),
        ("小王以前住在北京，现在住在上海。", [f"小王 | 住在 | 北京 until {TODAY}", "小王 | 住在 | 上海"]),
        ("小王已经不在腾讯工作了。", [f"小王 | 工作于 | 腾讯 until {TODAY}"]),
    ],
)  # fmt: skip
def test_what_a_change_says(text: str, expected: list[str]) -> None:
    assert stated(text) == expected


def test_what_ends_does_so_at_the_moment_of_speaking() -> None:
    line = Line(message_id="msg_1", speaker="Ann", text="Tom is no longer our CEO.", ts=1_781_949_600_000)
    [ended] = statements_in([line], TODAY)
    assert ended.valid_to == "2026-06-20T10:00:00.000Z"
