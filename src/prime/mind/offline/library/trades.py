"""Trades: who there is in the world that a project may need, as data. A trade says by which words it is called for and what
part it plays; the part says how all who play it speak.
"""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import Field, model_validator

from prime.mind.offline.library.archetype_faults import read_as
from prime.mind.offline.library.roles import Beat, BeatKind, Key, Role, Strict, Text, Voice
from prime.mind.offline.words.language import capitalised
from prime.rooms.tier import Tier

# What the key of a counterpart begins with who is of a trade.
TRADE = "trade-"
PartName = Literal["work", "goods", "place", "office", "money", "people", "public", "side", "advice", "media"]
Call = Annotated[str, Field(min_length=1, max_length=60)]


class Calls(Strict):
    """Words that call for a trade; of those with a plus between them all must be written."""

    en: tuple[Call, ...] = ()
    zh: tuple[Call, ...] = ()


class Part(Strict):
    """What a trade is in a project: it does work, lends a place, has to allow it, pays, joins in, …"""

    like: Voice
    tier: Tier
    # How many of them a project has room for.
    most: Annotated[int, Field(ge=1, le=3)] = 1
    share: Annotated[float, Field(ge=0, le=1)] = 0.2
    costs: Annotated[float, Field(gt=0)]
    firm: bool = True
    article: Literal["the", "a"] = "a"
    brief: Text
    beats: Mapping[BeatKind, Beat] = Field(default_factory=dict[BeatKind, Beat])


class Trade(Strict):
    """One kind of counterpart: an electrician, a municipal office, a choir's audience."""

    name: Text
    part: PartName
    # What this counterpart deals in.
    item: Text
    calls: Calls
    # Whether a thing alone calls for it only where that is mended, or only where it is to be got.
    only: Literal["mending", "selling"] | None = None
    # Whether it only stands in where nobody more fitting plays its part.
    plain: bool = False
    tier: Tier | None = None
    firm: bool | None = None
    # What they usually ask for, in euros.
    costs: Annotated[float, Field(gt=0)] | None = None
    capabilities: tuple[str, ...] = ()
    brief: Text | None = None
    # What they ask first, where that is no question that anybody of their part would ask.
    asks: Text | None = None
    beats: Mapping[BeatKind, Beat] = Field(default_factory=dict[BeatKind, Beat])

    @model_validator(mode="after")
    def _can_be_called(self) -> "Trade":
        if not (self.calls.en or self.calls.zh):
            message = "no word calls for it"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _is_a_role(self) -> "Trade":
        as_role(self)  # what its tier may not be told is refused where it is written
        return self


class _Parts(Strict):
    parts: Mapping[PartName, Part]


class _Trades(Strict):
    trades: Annotated[Mapping[Key, Trade], Field(min_length=1)]


@cache
def parts() -> Mapping[PartName, Part]:
    text = resources.files("prime.mind").joinpath("trades/parts.yaml").read_text("utf-8")
    return read_as(text, "parts.yaml", _Parts).parts


def parse_trades(text: str, where: str) -> Mapping[str, Trade]:
    """Read one file of trades; an error names the place in it that does not fit."""
    return read_as(text, where, _Trades).trades


def as_role(trade: Trade) -> Role:
    part = parts()[trade.part]
    return Role(
        like=part.like,
        tier=trade.tier or part.tier,
        channel=Text(en=capitalised(trade.name.en), zh=trade.name.zh),
        role=trade.name,
        item=trade.item,
        brief=trade.brief or part.brief,
        firm=part.firm if trade.firm is None else trade.firm,
        share=part.share,
        costs=trade.costs or part.costs,
        article=part.article,
        capabilities=trade.capabilities,
        beats={**part.beats, **_asking(trade), **trade.beats},
    )


def _asking(trade: Trade) -> Mapping[BeatKind, Beat]:
    if trade.asks is None:
        return {}
    return {"ask": Beat(en=(trade.asks.en,), zh=(trade.asks.zh,) if trade.asks.zh else ())}
