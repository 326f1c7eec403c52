"""The rooms of a project that is of no kind of its own: whoever its words call for, beside those who plan it."""

from collections.abc import Iterable, Sequence

from prime.mind.offline.library.archetypes import GENERAL, Library
from prime.mind.offline.library.roles import Role
from prime.mind.offline.library.trades import TRADE
from prime.mind.offline.library.trades import parts as all_parts
from prime.mind.offline.rooms.calling import MOST_CALLED, Called, called_for
from prime.mind.offline.rooms.planning import MOST_CHANNELS, Project

# Who does or brings the main part; where nobody is called for that, somebody is looked for who does such work.
_MAIN = frozenset({"work", "goods"})
# Who has a view of it already, so that no further partner is looked for.
_ENOUGH = 2
# Who is called as loudly as this is who or what is asked for.
_MAINLY = 2.95


def with_trades(project: Project, roles: Sequence[tuple[str, Role]], library: Library) -> list[tuple[str, Role]]:
    """Beside those that are there: for each whom the words call for a room, where it is a project like no other."""
    if project.archetype.name != GENERAL:
        return list(roles)
    own = project.archetype.roles
    asked = [each for each in roles if each[0] not in own]
    taken = {role.channel.of(project.language).casefold() for _, role in roles}
    called = [
        each
        for each in called_for(project.wish, project.bare_thing, project.language, library.trades)
        if not _is_there(each, taken)
    ][: max(0, MOST_CALLED - len(asked))]
    if not called:
        return list(roles)
    known = [(f"{TRADE}{each.key}-{len(asked) + n}", library.trade_role(each.key)) for n, each in enumerate(called, 1)]
    kept = [each for each in roles if each[0] in own and each[0] not in _without(called, len(asked))]
    team = [each for each in kept if each[1].tier == "team"]
    others = [each for each in kept if each[1].tier != "team"]
    room = MOST_CHANNELS - len(team) - len(asked) - len(known)
    return [*team, *asked, *known, *others[-room:]] if room > 0 else [*team, *asked, *known][:MOST_CHANNELS]


def _is_there(called: Called, taken: Iterable[str]) -> bool:
    """Whether somebody for the same is asked for already: a “Studio” and a “Recording studio” are one."""
    name, own = called.trade.name, f"{called.trade.name.zh or ''}\0"
    heads = {name.en.casefold().split()[-1], *name.en.casefold().split()}
    return any(
        said == own.strip("\0") or said.split()[-1] in heads or bool(called.words & {said, said.split()[-1]})
        for said in taken
        if said
    )


def _without(called: Sequence[Called], asked: int) -> set[str]:
    """The general roles that nobody needs beside those who were called."""
    parts = {each.trade.part for each in called}
    many = len(called) + asked >= _ENOUGH
    # Who is there already does the main part, brings others along, or has seen such things before.
    mainly = parts & _MAIN or any(each.loud >= _MAINLY for each in called)
    gone = {"supplier"} if mainly or len(called) > _ENOUGH else set[str]()
    gone |= {"partner"} if parts & {"people", "public", "side", "money"} else set[str]()
    # Somebody outside is asked already.
    outside = any((each.trade.tier or all_parts()[each.trade.part].tier) == "external" for each in called)
    gone |= {"voice"} if outside and len(called) > _ENOUGH else set[str]()
    return gone | ({"work"} if many else set[str]())
