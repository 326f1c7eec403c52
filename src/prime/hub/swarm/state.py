"""One channel as the swarm sees it, and whose turn it is: pure rules over what was said."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from prime.core.classes import profile
from prime.core.words import terms
from prime.rooms.records import HUB, OWNER, PRIME

Driven = Literal["none", "answers", "full"]

# The owner's own accounts: nothing is ever said there but through the drafts gate.
MANAGED = "ch_pp_"

# Until then a member does not speak who stands back: only the owner or a brief ends it.
STANDS_BACK = 2**62

# Turns without a word from the owner or the hub; then the channel rests.
MOST_TURNS = 40
# Courtesies in a row: both have thanked, and one has thanked for the thanks.
MOST_COURTESIES = 3
# Messages in a row that were said before in the same words.
MOST_REPEATS = 2
RECENT = 8
_COURTESY_WORDS = 14
# What people say to each other without saying anything, beside the courtesies of `prime.core.classes`.
_PLEASANT = re.compile(
    r"\b(?:so much|very much|a lot|again|likewise|same|pleasure|my pleasure|you too|appreciate[ds]?|grateful|lovely|"
    r"wonderful|perfect|looking forward|forward|keep in touch|touch|talk|bye|goodbye|take care|problem|worries)\b|"
    r"(?:非常|十分|太)?(?:感谢|谢谢)(?:您|你|大家)?(?:了|啦)?|不(?:用)?客气|好的?(?:呀|啊|吧)?|没问题|再见|辛苦了|收到|"
    r"祝(?:您|你)?(?:愉快|顺利)|(?:您|你)(?:们)?(?:好|也是)",
    re.IGNORECASE,
)


@dataclass(slots=True, kw_only=True)
class MemberState:
    actor_id: str
    place: int
    spoke_seq: int = 0
    passed_seq: int = 0
    failures: int = 0
    until: int = 0
    asked_at: int | None = None
    # The turn with tools that it is in the middle of.
    turn_id: str | None = None


@dataclass(slots=True, kw_only=True)
class ChannelState:
    channel_id: str
    driven: Driven = "none"
    closed: bool = False
    course: int = 1
    last_seq: int = 0
    last_actor: str = ""
    owner_seq: int = 0
    heard_seq: int = 0
    judged_seq: int = 0
    turns: int = 0
    courtesies: int = 0
    repeats: int = 0
    recent: list[str] = field(default_factory=list[str])
    resting: str | None = None
    paused: bool = False
    waiting: dict[str, str] = field(default_factory=dict[str, str])
    members: dict[str, MemberState] = field(default_factory=dict[str, MemberState])

    @property
    def stands(self) -> bool:
        """Whether nobody may speak, whoever it would be."""
        silent = self.closed or self.paused or self.driven == "none"
        return silent or self.resting is not None or bool(self.waiting)

    @property
    def active(self) -> bool:
        """Whether somebody is to speak, or an answer is under way whose time may run out."""
        return not self.stands and (any(self.ready()) or any(m.asked_at is not None for m in self.members.values()))

    def ready(self) -> Iterator[MemberState]:
        """Who may speak next, in the order of their turns."""
        begun = [m for m in self.members.values() if m.turn_id is not None]
        waits = begun or [m for m in self.members.values() if self._may_speak(m)]
        yield from sorted(waits, key=lambda m: (m.spoke_seq, m.place))

    def _may_speak(self, member: MemberState) -> bool:
        if member.asked_at is not None or member.until >= STANDS_BACK:
            return False
        if self.driven == "answers":
            answered = max(member.spoke_seq, member.passed_seq) >= self.owner_seq
            return not answered and (member.actor_id != PRIME or len(self.members) == 1)
        if member.actor_id == PRIME and self.heard_seq > self.judged_seq:
            return False  # what the others said may be a question for the owner
        return member.actor_id != self.last_actor and member.passed_seq < self.last_seq

    def tired(self) -> str | None:
        """Why the channel should rest now, if it should."""
        if self.courtesies >= MOST_COURTESIES:
            return "They only thank each other."
        if self.repeats >= MOST_REPEATS:
            return "They repeat what was said before."
        if self.turns >= MOST_TURNS:
            return f"{MOST_TURNS} turns without a word from you."
        return None

    def hear(self, actor_id: str, text: str, seq: int) -> None:
        """Somebody said something."""
        self.last_seq, self.last_actor = seq, actor_id
        if actor_id == OWNER:
            self.owner_seq = seq
            self.refresh()
            if self.driven == "none":
                self.driven = "answers"
            return
        if actor_id != PRIME:
            self.heard_seq = seq
        if member := self.members.get(actor_id):
            member.spoke_seq, member.failures, member.until, member.asked_at = seq, 0, 0, None
        self.turns += 1
        self.courtesies = self.courtesies + 1 if is_courtesy(text) else 0
        mark = _mark(actor_id, text)
        self.repeats = self.repeats + 1 if mark in self.recent else 0
        self.recent = [*self.recent, mark][-RECENT:]

    def refresh(self) -> None:
        """The owner or the hub has spoken: counts begin anew."""
        self.turns = self.courtesies = self.repeats = 0
        self.recent = []
        self.resting = None
        for member in self.members.values():
            member.until = 0 if member.until >= STANDS_BACK else member.until


def is_driven(channel_id: str) -> bool:
    """Whether the swarm may ever advance a channel by itself."""
    return channel_id != HUB and not channel_id.startswith(MANAGED)


def is_courtesy(text: str) -> bool:
    """Whether a message says nothing but thanks and pleasantries."""
    if len(text) > 200 or "?" in text or "？" in text or any(c.isdigit() for c in text):
        return False
    said = profile(_PLEASANT.sub(" ", text))
    return not said.specific and len(list(terms(text, stop=True))) <= _COURTESY_WORDS


def _mark(actor_id: str, text: str) -> str:
    plain = " ".join(text.casefold().split())
    return hashlib.sha256(f"{actor_id}\n{plain}".encode("utf-8", "replace")).hexdigest()[:16]
