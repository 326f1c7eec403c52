"""What is handed over, summed up and kept: what is known, without chatter, echoes and what was decided."""

import pytest

from prime.mind.jobs.judging import JudgeRequest
from prime.mind.jobs.keeping import DescribeRequest, PictureRequest
from prime.mind.jobs.lines import Line
from prime.mind.offline import OfflineMind
from prime.mind.offline.facts.extracting import statements_in
from prime.mind.offline.judging.drawing import bars_in, rows_of
from prime.mind.offline.judging.judging import judged
from prime.mind.offline.judging.page import points_of
from prime.mind.offline.judging.summarising import summary


def line(speaker: str, text: str) -> Line:
    return Line(message_id=f"m{hash((speaker, text))}", speaker=speaker, text=text, own=speaker == "Prime")


@pytest.mark.parametrize(
    "text",
    [
        "Comfortable shoes are a good idea.",
        "The brief is above: the hackathon.",
        "Take what is usual, and mark it as open.",
        "Ask what is free, what it costs.",
        "The next step is a short call.",
        "Usually there is no objection to such a thing.",
        "Migrate our 3 on-prem file servers to SharePoint by the end of Q1, 85 users.",
        "Our side of hosting it together is confirmed and ready in the calendar.",
        "Understood: the date is now 5 May.",
        "知道了：时间是5月2号。",
        "收到：数量是三个。",
        "十点以后有邻居。",
        "少些附加项能是1.4万元。",
        "用现有的。",
    ],
)
def test_chatter_is_no_fact(text: str) -> None:
    assert statements_in([line("Ann", text)], "2026-11-19") == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The hall for the whole day is 840 GBP.", "840 GBP"),
        ("The status is Closed.", "Closed"),
        ("供应商是蓝港公司。", "蓝港公司"),
    ],
)
def test_a_fact_stays_one(text: str, told: str) -> None:
    assert [each.object for each in statements_in([line("Ann", text)], "2026-11-19")] == [told]


TALK = [
    line("Brief", "Plan the party for 40 people in Bath."),
    line("Prime", "May I ask you about it?"),
    line("Ravi", "A photographer for two hours would be 50 GBP. Should I take the photographer, or the music?"),
    line("Brief", "Take the photographer"),
    line("Prime", "Please keep 50 GBP as the upper end."),
    line("Ravi", "There is one condition: a signed contract by Tuesday."),
]


def test_what_was_decided_is_open_no_more() -> None:
    text = summary(TALK, "")
    assert "Should I take the photographer, or the music? – Take the photographer" in text
    assert "Open questions" not in text
    assert "## Done" not in text, "what is to be signed is not done"
    figures = text.partition("## Figures and dates")[2].partition("##")[0]
    assert "Prime" not in figures, "an echo"
    asked = summary(TALK[:3], "")
    assert "Should I take the photographer" in asked.partition("## Open questions")[2]
    assert "Should I take" not in summary(TALK[3:], asked).partition("## Open questions")[2]


def test_a_page_has_what_is_known_and_nothing_else() -> None:
    facts = {
        "report": "Plan a party for 40 people in Bath.",
        "place": "Bath",
        "budget": "3,000 GBP",
        "quote": "900 GBP",
    }
    points = points_of(PictureRequest(title="Run of show", lines=TALK, facts=facts))
    assert points[:3] == ["Asked for: Plan a party for 40 people in Bath.", "Where: Bath", "Budget: 3,000 GBP"]
    assert "Named by Ravi: 50 GBP" in points
    assert any(each.startswith("Decided: Ravi: Should I take") for each in points)
    assert not any("900 GBP" in each or "Prime" in each for each in points)


def test_a_chart_counts_no_sum_twice() -> None:
    said = [line("Kofi", "It is 30 EUR."), line("Prime", "I note 30 EUR."), line("Brief", "Up to 780 EUR.")]
    assert [each.label for each in bars_in(said)] == ["Kofi"]


def test_rows_break_between_words() -> None:
    text = "This is a number that must not be broken, " * 4
    rows = rows_of(text)
    assert " ".join(rows) == text.strip()
    assert all(len(row) <= 72 for row in rows)
    assert all(len(row) <= 36 for row in rows_of("字" * 100))
    assert rows_of("x" * 100) == ["x" * 72, "x" * 28]


async def test_letters_that_nobody_wrote_are_not_quoted() -> None:
    mind = OfflineMind()
    for text in ("{E18", "ARES", "RA"):
        note = await mind.describe(DescribeRequest(name="图.png", mime_type="image/png", text=text))
        assert note.text == "No text could be read in it."
    read = await mind.describe(DescribeRequest(name="a.png", mime_type="image/png", text="Invoice over 1,200 EUR"))
    assert "Invoice" in read.text


def test_a_card_is_labelled_by_its_room_unless_its_topic_is_certain() -> None:
    def title(text: str, room: str) -> str:
        return judged(JudgeRequest(channel_name=room, tier="external", lines=[line("Ann", text)]))[0].title

    assert (
        title("There is a short way for 25 EUR, and Mondays are free. Shall I take it?", "Permits")
        == "Permits · 25 EUR"
    )
    assert title("The deposit is 300 EUR. Shall I pay it?", "Venue") == "Deposits · 300 EUR"
