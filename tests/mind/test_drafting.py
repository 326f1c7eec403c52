"""The offline engine drafts as the owner: their greeting and sign-off, and their own answer where they gave one before."""

from prime.hub.gate.style import distill
from prime.mind.jobs.keeping import DraftRequest
from prime.mind.jobs.lines import Line
from prime.mind.offline import OfflineMind

STYLE = "Tone: casual.\nGreeting: “hi”.\nSign-off: “best”."


def line(text: str, *, own: bool = False) -> Line:
    return Line(message_id=text[:5], speaker="You" if own else "Mara Lindqvist", text=text, own=own)


async def drafted(*lines: Line, style: str = STYLE) -> str:
    return (await OfflineMind().draft(DraftRequest(lines=lines, style=style, person="Mara Lindqvist"))).text


async def test_the_owners_manners() -> None:
    polite = await drafted(line("Could you check it?"))
    assert polite.startswith("Hi Mara,\n\n")
    assert polite.endswith("\n\nBest")
    plain = await drafted(line("Could you check it?"), style="")
    assert plain
    assert plain in polite


async def test_manners_of_another_language_are_left_out() -> None:
    said = await drafted(line("请问什么时候可以发给我？"))
    assert said
    assert "hi" not in said.casefold()
    assert "best" not in said.casefold()


async def test_the_same_request_gets_the_owners_own_answer() -> None:
    before = (
        line("Could you send the invoice for the March workshop?"),
        line("The invoice is in your mailbox.", own=True),
    )
    assert await drafted(*before, line("Could you send the invoice for the April workshop?")) == before[1].text
    assert "invoice" not in await drafted(*before, line("Shall we have dinner at the harbour?"))


async def test_a_short_message_on_one_line_is_answered_by_one() -> None:
    sheet = distill([
        "Hi Mara, thanks for the notes! I'll go through them tonight. Best, A.",
        "Hey, sounds good. See you at ten. Best, A.",
        "Hi! The room is booked, no worries. Best, A.",
        "Hi Tom, yes, please go ahead. Thanks! Best, A.",
    ])  # fmt: skip
    said = await drafted(line("Could you send me the invoice for the March workshop?"), style=sheet.text())
    assert said.startswith("Hi Mara, thanks for asking! ")
    assert said.endswith(" Best")
    assert "\n" not in said
    assert len(said) < 100
    assert "will send" not in said, "nothing is promised"
