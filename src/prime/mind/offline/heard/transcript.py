"""Where a conversation stands for one who is about to speak in it, read from its lines alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from prime.mind.jobs.lines import Line
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.heard.decisions import Decision, decision_in
from prime.mind.offline.words.language import Language

BRIEF_SPEAKERS = frozenset({"brief", "简报"})


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a speaker has said, what was last said to them, and what the owner has decided meanwhile."""

    own: tuple[str, ...]
    # What others said since the speaker's last words, and the last of it ever.
    new: tuple[str, ...]
    last_other: str
    others: int
    # The last decision of the owner's, and whether the speaker has yet to say something about it.
    decision: Decision | None
    owes_answer: bool
    # What has changed, where the speaker has yet to say something about it; or only what the owner has said besides.
    change: str = ""
    only_told: bool = False

    @property
    def waits(self) -> bool:
        """Whether the speaker spoke last, so that it is the others' turn."""
        return bool(self.own) and not self.new and not self.owes_answer and not self.change


def read_transcript(lines: Sequence[Line], brief: str) -> Transcript:
    own: list[str] = []
    new: list[str] = []
    others = 0
    last_other = ""
    decision: Decision | None = None
    owes = False
    change = asked = ""
    only_told = False
    for line in lines:
        if is_brief(line) and (told := _change_in(line.text) or _told_in(line.text)):
            change, only_told = (told if own or others else ""), not _change_in(line.text)
        elif is_brief(line):
            # The first brief says what the channel is for; later ones are decisions.
            if (own or others) and line.text.strip() != brief.strip():
                decision, owes = _against(asked, decision_in(line.text)), True
        elif line.own:
            own.append(line.text)
            asked = _asking(line.text) or asked
            owes = False
            change = ""
            new = []
        else:
            others += 1
            asked = _asking(line.text) or asked
            new.append(line.text)
            last_other = line.text
    return Transcript(tuple(own), tuple(new), last_other, others, decision, owes, change, only_told)


def _asking(text: str) -> str:
    """The text, where it asks something about a sum."""
    return text if amounts(text) and ("?" in text or "？" in text) else ""


def _against(asked: str, decision: Decision) -> Decision:
    """“Up to 300 EUR” to whoever wants 510 is a no: nothing is booked by it."""
    limit = decision.money
    wanted = [money.value for money in amounts(asked) if limit and money.fits(limit)]
    short = decision.polarity == "words" and limit is not None and bool(wanted) and limit.value < min(wanted)
    return replace(decision, polarity="no") if short else decision


# How a brief begins that decides nothing, and only tells what is different now, or what the owner has said besides.
CHANGED: Mapping[Language, str] = {"en": "Changed: ", "zh": "变更："}
TOLD: Mapping[Language, str] = {"en": "The owner says: ", "zh": "补充："}


def _change_in(text: str) -> str:
    """What has changed, as part of a sentence, and what the owner has said with it; "" where it is no such brief."""
    lead = next((each for each in CHANGED.values() if text.startswith(each)), "")
    change, _, behind = text.partition("\n")
    said = _told_in(behind)
    change = change.removeprefix(lead).strip().rstrip(".。") if lead else ""
    return f"{change} ({said})" if change and said else change


def _told_in(text: str) -> str:
    """The owner's own words."""
    lead = next((each for each in TOLD.values() if text.startswith(each)), "")
    return text.removeprefix(lead).strip() if lead else ""


def decides(brief: str) -> bool:
    """Whether a later brief answers something, and does not only tell."""
    return not (_change_in(brief) or _told_in(brief))


def is_brief(line: Line) -> bool:
    """A decision comes from the hub itself: what somebody outside said is none, whatever they call themselves."""
    return not line.quoted and line.speaker.strip().casefold() in BRIEF_SPEAKERS
