"""What a mind does for memory and for the owner's pen: facts, summaries, descriptions, drafts, pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prime.mind.jobs.lines import NOTHING, Line, Usage, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A fact as it was said: subject, predicate, object, since when and until when it holds (ISO dates)."""

    subject: str
    predicate: str
    object: str
    # The message it was said in.
    source: str
    valid_from: str | None = None
    valid_to: str | None = None
    # Whether a subject may have several of these at once (members, tags), so that a new one closes no old one.
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    statements: tuple[Statement, ...]
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeRequest:
    """An attachment to be written down: what was read out of it, and the picture itself where it is one."""

    name: str
    mime_type: str
    text: str
    # What is certain about it: size, format, pages, columns.
    facts: Sequence[str] = ()
    image: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """Write as the owner, in one conversation. `style` says how they write and nothing of what they wrote elsewhere."""

    lines: Sequence[Line]
    style: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text that a mind wrote: a rule, a summary, a description, a draft."""

    text: str
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRequest:
    """A work image: a card or a chart of what was said."""

    title: str
    lines: Sequence[Line]
    # What those in the channel were told beside the words: dates, places, and a team also the budget.
    facts: Mapping[str, str] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image file; `mime_type` says which."""

    data: bytes
    mime_type: str
    caption: str
    usage: Usage = NOTHING
