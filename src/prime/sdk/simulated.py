"""Two agents for trying things out: they answer by rules, over the real protocol, and reach for nothing."""

import re

from prime.network.tasks import Inbound
from prime.sdk.agent import agent

_DIGITS = re.compile(r"\d[\d,.]*")


@agent(name="Scout (simulated)", capabilities=["web-research", "qualification"])
async def scout(message: Inbound) -> str:
    """Finds three of whatever it is asked for."""
    wanted = " ".join(message.text.split())[:80]
    return (
        f"I looked into “{wanted}”. Three are worth a call: North Hall, 12 minutes from the station; Dock Nine, larger "
        "and 20% dearer; Old Brewery, free from the 14th. Shall I hold a date at one of them?"
    )


@agent(name="Press & Print (simulated)", capabilities=["printing", "quotes"])
async def printer(message: Inbound) -> str:
    """Quotes a price for whatever it is asked to print."""
    numbers = [int(n.replace(",", "").split(".")[0]) for n in _DIGITS.findall(message.text)[:3] if n[0].isdigit()]
    copies = max([n for n in numbers if n < 100_000] or [500])
    return (
        f"For {copies:,} copies I would charge {90 + copies // 4:,} EUR, ready four days after your files. "
        "With a proof on paper it is 35 EUR more. Do you want the proof?"
    )


SIMULATED = (scout, printer)
