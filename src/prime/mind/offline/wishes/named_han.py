"""What a project in Chinese is about, where what was found at first cuts a word, or says only how one comes by it."""

import re
from collections.abc import Mapping

from prime.mind.offline.heard.intents import asks_for_something
from prime.mind.offline.library.archetypes import GENERAL, Archetype
from prime.mind.offline.rooms.kinds import called_by
from prime.mind.offline.rooms.kinds_han import quarrel_in
from prime.mind.offline.things.asked import Asked
from prime.mind.offline.things.asked_han import asked_in_chinese
from prime.mind.offline.things.object_han import (
    failing_in,
    is_cut_from_words,
    is_unusual,
    is_wanted,
    object_in,
    without_how_it_came,
)
from prime.mind.offline.things.occasions_han import named_for, occasion_in
from prime.mind.offline.things.things import first_words

_SHORT_HEADING = 12


def asked_anyhow(wish: str) -> Asked | None:
    asked = asked_in_chinese(wish)
    heading = first_words(wish, "zh")
    if (
        not asked
        and len(heading) <= _SHORT_HEADING
        and "哪" not in heading
        and not asks_for_something(heading)
        and not failing_in(heading)
    ):
        return None  # “给儿子的婚礼设计请柬” says it shortly enough
    return object_in(wish) if not asked or is_cut_from_words(asked.thing, wish) else asked


def named_in_words(slots: Mapping[str, str], wish: str, archetype: Archetype) -> dict[str, str] | None:
    """With what a Chinese wish is about by its whole words, where what was found cuts one; None where nothing is to be mended."""
    thing = slots.get("thing", "")
    if archetype.name == "dispute" and (named := _quarrel(thing, wish, archetype)) is not None:
        return {**slots, "thing": named}
    if thing and (thing in archetype.called.values() or not is_cut_from_words(thing, wish)):
        better = _better_named(thing, wish, archetype, slots.get("place", ""))
        return None if better == thing else {**slots, "thing": better}
    if named := named_for(archetype.name, wish, slots.get("place", "")):
        return {**slots, "thing": named}
    if not thing and archetype.name in {GENERAL, *_NAMED_OTHERWISE}:
        return None
    asked = asked_in_chinese(wish) if thing and archetype.name not in _NAMED_BY_KIND else None
    whole = asked if asked and is_wanted(asked.thing, wish) else object_in(wish)
    found = _fitting(whole, archetype, wish)
    found = None if found and is_cut_from_words(found.thing, wish) else found
    if found is None:
        return {name: value for name, value in slots.items() if name != "thing"} if thing else None
    named = archetype.called.get(found.thing, found.thing)
    if archetype.name == "learning" and found.doing in _LEARNED:
        named = f"{found.doing}{named}"
    if archetype.name == GENERAL and is_unusual(found.doing):
        return {**slots, "thing": f"{found.doing}{named}", "doing": ""}
    return {**slots, "thing": named, "doing": found.doing}


_NAMED_BY_KIND = frozenset({"event", "learning", "repair", "system_change"})


def _quarrel(thing: str, wish: str, archetype: Archetype) -> str | None:
    """What a quarrel is about, where nothing good was found: who only tells of a leak has asked for no damages."""
    called = called_by(archetype, wish, "zh")
    if called.startswith("漏水") and "赔" not in wish:
        called, thing = "", "" if thing == called else thing
    if thing and (thing in archetype.called.values() or not is_cut_from_words(thing, wish)):
        return None
    if called.startswith("漏水"):
        return called
    named = quarrel_in(wish) or failing_in(wish) or called
    return named or (asked.thing if (asked := object_in(wish)) else None)


_LEARNED = frozenset({"学", "考", "戒", "练", "提高"})


def _fitting(found: Asked | None, archetype: Archetype, wish: str) -> Asked | None:
    """What is asked for, where it is something that such a project can be about."""
    if archetype.name == "repair":
        return Asked(broken) if (broken := failing_in(wish)) else None
    if found and archetype.name == "event" and found.doing not in _HELD:
        return None
    if found and archetype.name == "system_change" and not _SYSTEM.search(found.thing):
        return None
    return found


_HELD = frozenset({"办", "搞", "组织", "策划", "举办", "举行", "筹备", "过", "摆", "做", "开", "发起", "安排", "弄"})
_SYSTEM = re.compile(r"系统|软件|平台|数据|服务器|网|[A-Za-z]")


def _better_named(thing: str, wish: str, archetype: Archetype, place: str) -> str:
    """A whole thing that is not what the kind is about: a hall of a feast, a house that one moves to."""
    if archetype.name == "event" and not occasion_in(thing) and (occasion := occasion_in(wish)):
        return occasion
    if (
        archetype.name == "travel"
        and ("去" in thing or "趟" in thing)
        and (journey := named_for("travel", wish, place))
    ):
        return journey
    if archetype.name == "moving" and "搬" not in thing and (moves := named_for("moving", wish, "")):
        return moves
    return without_how_it_came(thing)


# Kinds that speak of where one goes, who is ill or what one hopes for, and not of an object.
_NAMED_OTHERWISE = frozenset(
    {"travel", "care", "moving", "fundraising", "renting", "translation", "home", "household", "charity"}
)
