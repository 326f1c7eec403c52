"""One counterpart of a project as data: who they are, what they deal in, and what they say beat by beat."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from prime.mind.offline.library.archetype_faults import bracket_fault
from prime.mind.offline.words.language import Language, shortened
from prime.mind.offline.words.templates import SLOT
from prime.rooms.tier import Tier

BeatKind = Literal["open", "ask", "offer", "conflict", "commit", "deliver"]
Voice = Literal["teammate", "supplier", "partner", "prospect", "expert"]
BEATS: tuple[BeatKind, ...] = get_args(BeatKind)
SLOTS = frozenset(
    [
        "thing",
        "thing_cap",
        "project",
        "place",
        "destination",
        "along",
        "report",
        "date",
        "deadline",
        "budget",
        "count",
        "constraints",
        "deliverables",
        "item",
        "item_cap",
        "me",
        "first",
        "company",
        "quote",
        "low",
        "deposit",
        "extra",
        "little",
        "soon",
        "days",
        "heard",
        "heard_date",
        "change",
        "decision",
        "doing",
        "trade",
    ]
)
# What nobody outside the team may be told, not even by a brief that somebody wrote.
TEAM_SLOTS = frozenset({"budget", "constraints", "report"})

Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Template = Annotated[str, Field(min_length=1, max_length=600)]


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _check(template: str) -> None:
    """Refuse a slot that there is none of, and a part in brackets that does not end."""
    if unknown := set(SLOT.findall(template)) - SLOTS:
        message = f"{{{min(unknown)}}} is no slot; there are {', '.join(sorted(SLOTS))}"
        raise ValueError(message)
    if fault := bracket_fault(template):
        message = f"{fault}: “{shortened(template, 60)}”"
        raise ValueError(message)


class Text(Strict):
    """One sentence in both languages. Without Chinese the English one is used."""

    en: Template
    zh: Template | None = None

    @model_validator(mode="after")
    def _slots_are_known(self) -> "Text":
        for template in (self.en, self.zh or ""):
            _check(template)
        return self

    def of(self, language: Language) -> str:
        return (self.zh or self.en) if language == "zh" else self.en


class Said(Strict):
    """Sentences of which one is said."""

    en: Annotated[tuple[Template, ...], Field(min_length=1)]
    zh: tuple[Template, ...] = ()

    @model_validator(mode="after")
    def _slots_are_known(self) -> "Said":
        for template in (*self.en, *self.zh):
            _check(template)
        return self

    def of(self, language: Language) -> tuple[str, ...]:
        return (self.zh or self.en) if language == "zh" else self.en


class Beat(Said):
    """What is said at one beat; `yes` and `no` after the owner has decided so, `prime` is Prime's answer to it."""

    yes: Said | None = None
    no: Said | None = None
    prime: Said | None = None


class Role(Strict):
    """One counterpart of a project, in a channel of its own."""

    like: Voice
    tier: Tier
    channel: Text
    role: Text
    item: Text
    brief: Text
    # The one thing they want of us: of all with the same word here only one can have it.
    competes_for: Key | None = None
    # Whether they speak for a house of their own, or for themselves.
    firm: bool = True
    # The counterpart's share of what such a project costs, for the sums it names.
    share: Annotated[float, Field(ge=0, le=1)] = 0.2
    # What they usually ask for, in euros, where that says more than a share of something unknown.
    costs: Annotated[float, Field(gt=0)] | None = None
    # Whether there is one of them for us, or any will do.
    article: Literal["the", "a"] = "a"
    # Only where one of these words was written; always, where there are none.
    when: tuple[str, ...] = ()
    # Only where that other role of the archetype is not.
    instead_of: Key | None = None
    # Not where the owner does without one of these: “without an agency”, “不走中介”.
    refused: tuple[str, ...] = ()
    # A remote agent that can do one of these may take the role.
    capabilities: tuple[str, ...] = ()
    beats: Mapping[BeatKind, Beat] = Field(default_factory=dict[BeatKind, Beat])

    @model_validator(mode="after")
    def _outsiders_are_told_nothing_internal(self) -> "Role":
        texts = [self.brief.en, self.brief.zh or ""] if self.tier != "team" else []
        for text in texts:
            if told := TEAM_SLOTS & set(SLOT.findall(text)):
                message = f"a brief for tier {self.tier} cannot hold {{{min(told)}}}"
                raise ValueError(message)
        return self
