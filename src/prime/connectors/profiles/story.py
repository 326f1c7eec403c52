"""The people that the mocks play: what they write first, and what they answer. Nothing of it leaves this process."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who writes to the owner. `lines` come one by one: the first by itself, each further one after an answer."""

    id: str
    name: str
    lines: tuple[str, ...]
    # Seconds after the start, or after an answer.
    after: float = 3.0


MARA = Person(
    id="710001",
    name="Mara Lindqvist",
    lines=(
        "Hi! Could you send me the invoice for the March workshop?",
        "Got it, thank you! Could you send me the invoice for the April workshop, too?",
        "Perfect, that is everything. Have a good weekend!",
    ),
)
WEI = Person(
    id="710002",
    name="陈伟",
    lines=("你好，请问产品目录的报价单什么时候可以发给我？", "收到了，谢谢！"),
    after=20.0,
)
NOOR = Person(
    id="820001",
    name="Noor Haddad",
    lines=(
        "@you Loved your talk on local-first software. Will the slides be online somewhere?",
        "Thanks! Will the slides of the first talk be online as well?",
    ),
    after=6.0,
)
TELEGRAM_PEOPLE = (MARA, WEI)
X_PEOPLE = (NOOR,)

# What the owner is taken to have written before, so that there is a voice to learn.
OWN_MESSAGES = (
    "Hi Mara, thanks for the notes! I'll go through them tonight. Best, A.",
    "Hey, sounds good. See you at ten. Best, A.",
    "Hi! The room is booked, no worries. Best, A.",
    "Hi Tom, yes, please go ahead. Thanks! Best, A.",
    "Hi, could you move it to Thursday? Would suit me better. Best, A.",
)
