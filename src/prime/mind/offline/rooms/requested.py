"""Counterparts that the owner asks for by what they are: “we need a retailer, a factory and a photographer”."""

import re
from collections.abc import Sequence

from prime.mind.offline.library.archetypes import ASKED, GENERAL, Archetype, Library
from prime.mind.offline.library.roles import Role, Text
from prime.mind.offline.library.trades import TRADE
from prime.mind.offline.rooms.calling import trade_named
from prime.mind.offline.rooms.planning import MOST_CHANNELS, Project
from prime.mind.offline.slots.needs import Needs, needs_in
from prime.mind.offline.things.things import with_article, without_article
from prime.mind.offline.things.undertakings import is_done
from prime.mind.offline.words.language import Language, capitalised, listed

_ASKED = re.compile(r"\b(?:need|want|find|looking for|look for|hire|book|get|with)\s+([^.;!?\n]{3,120})", re.IGNORECASE)
_ASKED_ZH = re.compile(r"(?<![不别])(?:需要|找|请|联系|急?缺|要有?)(?:一[家位个名])?([^。；！？\n]{2,80})")
_PIECES = re.compile(r"\s*(?:,|\band\b|\bplus\b|&)\s*", re.IGNORECASE)
_TAIL = re.compile(r"\s+(?:for|in|by|to|who|that|from|with|at|near|until|before)\b.*$", re.IGNORECASE)
_PIECES_ZH = re.compile(r"[、，,和及与]")
_ARTICLE = re.compile(
    r"^(?:(?:find|hire|book|get|need|want|an?|the|some|one|our|my|two|three|good|great|local|new|cheap|reliable|experienced)\s+)+",
    re.IGNORECASE,
)
_ARTICLE_ZH = re.compile(
    r"^(?:需要|找|请|联系|急?缺)?(?:[一两二三四五六七八九十几\d]*[家位个名些])?(?:(?:靠谱|好|便宜|专业|可靠|有经验|合适)的)?"
)
# Somebody one talks to, by how the word ends or what it is. What is made or bought is not among them.
SOMEBODY = re.compile(
    r"^(?:[a-z-]+\s+)?(?:[a-z]+(?:grapher|wright|keeper|seller|maker|writer|lator|lerer|igner|eloper|tailer|owner|ltant|ntant|untant"
    r"|terer|ainer|sician|ician|nalist|rtist|cturer|butor|vider|plier|nsor|estor|yist|itor|tester|cleaner|driver|planner|printer)"
    r"|builder|roofer|carpenter|plumber|joiner|contractor|surveyor|house painter"
    r"|factory|agency|studio|shop|store|bank|hotel|venue|restaurant|bakery|lawyer|broker|dj|band|notary|courier|carrier"
    r"|architect|chef|model|coach|nanny|babysitter|au pair|tutor|gardener|teacher"
    r"|mechanic|vet|dentist|therapist|carer|(?<=dog )walker|sitter|planner|agent|speaker|host|doctor"
    r"|volunteer|helper|landlord|landlady|university|lab|school|airline|brewery|workshop|partner|editor)s?$",
    re.IGNORECASE,
)
SOMEBODY_ZH = re.compile(
    r"^[\u4e00-\u9fff]{0,6}(?:工厂|厂家|零售商|经销商|供应商|摄影师|设计师|律师|会计师?|护工|月嫂|司机|厨师|医生|老师|教练|保姆|中介|翻译|代理商?|公司|工作室|商店|酒店|场地方|餐厅|记者|讲师|主持人|乐队|银行|投资人|合作方|物流)$"
)


_MAKER = re.compile(r"(?:supplier|manufacturer|vendor|factory|producer|maker)s?$|供应商|厂家|工厂", re.IGNORECASE)


def with_requested(project: Project, roles: Sequence[tuple[str, Role]], library: Library) -> list[tuple[str, Role]]:
    """The archetype's roles and a room for everybody who was asked for and is not among them."""
    general = library.archetypes[GENERAL].roles
    if "supplier" not in general:
        return list(roles)
    # Who looks for a lawyer, and for nothing more that an archetype knows of, talks to lawyers.
    needs, needed = needs_in(project.wish), listed_needs(project.wish, project.archetype.name)
    named = [
        n
        for n in dict.fromkeys([*needed, *requested(project.wish)])
        if project.archetype.name == GENERAL or not _is_the_aim(n, project)
    ]
    asked = [name for name in named if not any(_is(name, role, thing=name in needed) for _, role in roles)]
    added = [
        (
            f"{key}-{number}",
            _known(model, name)
            if name not in needed and _is_ours(name, project.wish)
            else _needed(model, name, needs)
            if needs and name in needed and not (needs.matter and _is_anybody(name))
            else _role(model, name, sought=_is_the_aim(name, project)),
        )
        for number, name in enumerate(asked[:4], 1)
        for key, model in [_like(name, library)]
    ]
    if asked and project.archetype.name == GENERAL:
        roles = [each for each in roles if each[0] != "supplier"]  # whoever was named does the main part
    # Nobody asked for the last ones of an archetype by name; they make room.
    kept = list(roles)[: max(1, MOST_CHANNELS - len(added))]
    return [*kept, *added]


# Where what is listed is itself what one looks for.
_LOOKED_FOR = frozenset({"hiring", "supplier_search", "household"})


def listed_needs(wish: str, archetype: str) -> tuple[str, ...]:
    """What is listed as needed and gets a room each: beside somebody who is needed too, or for something named apart."""
    needs = needs_in(wish)
    if needs is None or archetype in _LOOKED_FOR:
        return ()
    return needs.names if needs.matter or any(_is_anybody(name) for name in needs.names) else ()


def with_needs(slots: dict[str, str], wish: str, archetype: Archetype, language: Language) -> dict[str, str]:
    """What a list of needs is for instead of one thing on it; what is done is no thing where the rooms speak of one."""
    if archetype.name in _OF_A_THING and is_done(slots.get("thing", ""), wish):
        return {name: value for name, value in slots.items() if name != "thing"}  # nobody buys “selling online”
    needs = needs_in(wish)
    about = _about_needs(needs, slots.get("thing", ""), wish, archetype, language) if needs else ""
    if not about:
        # A roofer who is needed is no work on the house, and has a room of their own.
        apart = _is_anybody(slots.get("thing", "")) and listed_needs(wish, archetype.name)
        return {name: value for name, value in slots.items() if name != "thing"} if apart else slots
    # What has a room each is not delivered besides.
    dropped = {"deliverables"} if listed_needs(wish, archetype.name) else set[str]()
    return {name: value for name, value in slots.items() if name not in dropped} | (
        # What is needed is found and got; what it is needed for is not.
        {"thing": about, "doing": ""} if needs and about == needs.matter else {"thing": about}
    )


# Kinds of project whose rooms speak of a thing, and not of what is done.
_OF_A_THING = frozenset({"sales", "moving"})


def _about_needs(needs: Needs, thing: str, wish: str, archetype: Archetype, language: Language) -> str:
    """What a list of needs is for, or all of it where one of it would stand for the rest; "" where the thing is another."""
    rooms = listed_needs(wish, archetype.name)
    if rooms and archetype.name == GENERAL:
        return needs.matter or listed(list(needs.members), language)
    if not any(re.match(rf"{re.escape(without_article(name))}(?![\w-])", thing, re.IGNORECASE) for name in needs.names):
        return ""
    if rooms and needs.matter:
        return needs.matter
    return (
        ""
        if rooms or " and " in thing or archetype.name in {GENERAL, *_LOOKED_FOR}
        else listed(list(needs.members), language)
    )


def _is_anybody(name: str) -> bool:
    return bool(SOMEBODY.match(name) or SOMEBODY_ZH.match(name) or _BY_TRADE.search(name))


# Who does such things, by how the word ends; a wish that only names one is read more narrowly.
_BY_TRADE = re.compile(
    r"\b[a-z]{3,}(?:(?<!wishl)(?<!checkl)(?<!playl)ists?|wom[ae]n|m[ae]n)$|\b(?:host|actr|waitr)ess(?:es)?$"
    r"|\b(?:crew|trio|quartet|choir|orchestra|tiler|magician|welder)s?$"
    r"|^[\u4e00-\u9fff]{0,4}(?:师|员|者|歌手|鼓手|助理|裁判|保安|(?:木|电|瓦|焊|义|漆)工)$",
    re.IGNORECASE,
)


def requested(wish: str) -> list[str]:
    """The counterparts that a wish names by what they are, in its order."""
    english = [
        _ARTICLE.sub("", _TAIL.sub("", piece.strip()))
        for match in _ASKED.finditer(wish)
        for piece in _PIECES.split(match[1])
    ]
    chinese = [
        _ARTICLE_ZH.sub("", piece.strip()) for match in _ASKED_ZH.finditer(wish) for piece in _PIECES_ZH.split(match[1])
    ]
    found = [name for name in english if SOMEBODY.match(name)] + [name for name in chinese if SOMEBODY_ZH.match(name)]
    # “最好是女老师” says what the one should be like, and not whom else one wants.
    return [name for name in dict.fromkeys(found) if not _QUALITY_ZH.match(name) and not _NONE.match(name)]


# “14 players and no coach” asks for none.
_NONE = re.compile(r"no\s", re.IGNORECASE)
_QUALITY_ZH = re.compile("最好|必须|[要不会能是有]")


def whoever(trade: str | None, library: Library, number: int = 1) -> tuple[str, Role]:
    """Somebody of a trade; of no trade that is known, whoever does such work."""
    if trade:
        return f"{TRADE}{trade}-{number}", library.trade_role(trade)
    roles = library.archetypes[GENERAL].roles
    key = "supplier" if "supplier" in roles else list(roles)[-1]
    return key, roles[key]


def asked_for(model: Role, what: str) -> Role:
    """Somebody for exactly this, whatever it is."""
    item = "the work itself" if what.startswith("somebody ") else f"the {what}"
    names = {"channel": Text(en=capitalised(what), zh=what), "item": Text(en=item, zh=what)}
    return _role(model, what) if SOMEBODY.match(what) or SOMEBODY_ZH.match(what) else model.model_copy(update=names)


def _is_the_aim(name: str, project: Project) -> bool:
    """Whom one hires, or the supplier one searches for, is what the whole room is about."""
    thing, name = project.bare_thing.casefold(), name.casefold()
    # A roofer is not the roof.
    if name in thing or (re.search(rf"\b{re.escape(thing)}\b", name) if name.isascii() else thing in name):
        return True
    return project.archetype.name == "supplier_search" and bool(_MAKER.search(name))


def _is(name: str, role: Role, *, thing: bool = False) -> bool:
    """Whether a role is what was asked for: a “retail partner” is a retailer, and a hall is what a venue offers."""
    said = f"{role.channel.en} {role.role.en} {role.channel.zh or ''} {role.role.zh or ''}".casefold()
    said += f" {role.item.en} {role.item.zh or ''}".casefold() if thing else ""
    if not name.isascii():
        return name[:2] in said
    return name.casefold()[: max(4, len(name) - 3)] in said


# Who brings something into it instead of being paid for it.
_GIVES = re.compile(
    r"(?:sponsor|investor|donor|partner|co-host|ambassador)s?$|(?:赞助商|赞助方|投资人|合作方|伙伴)$", re.IGNORECASE
)


def _like(name: str, library: Library) -> tuple[str, Role]:
    """Whom somebody speaks like who was asked for: their trade, else those who give, else those who are paid."""
    if trade := trade_named(name, library.trades):
        return f"{TRADE}{trade}", library.trade_role(trade)
    general = library.archetypes[GENERAL].roles
    key = "partner" if _GIVES.search(name) and "partner" in general else "supplier"
    return f"{ASKED}{key}", general[key]


def _is_ours(name: str, wish: str) -> bool:
    """“Negotiate with our landlord”: there is one, and nobody looks for another."""
    if name.isascii():
        return bool(
            re.search(
                rf"\b(?:with|from|to|by|ask|tell)\s+(?:my|our|the)\s+(?:current\s+)?{re.escape(name)}\b",
                wish,
                re.IGNORECASE,
            )
        )
    return bool(
        re.search(
            rf"(?:跟|向|让|对|(?:^|[，。；想要去得])(?:和|与|给)|(?:和|与|给)我们?的?)(?:我们?的?)?{re.escape(name)}",
            wish,
        )
    )


def _known(model: Role, name: str) -> Role:
    """Somebody with whom one deals already."""
    words = {
        "channel": Text(en=capitalised(name), zh=name),
        "role": Text(en=name, zh=name),
        "item": Text(en=f"the {name}’s side", zh=f"{name}那边"),
        "brief": Text(
            en=f"This is the {name}, with whom we deal already: it is about {{project}}[ ({{date}})]. "
            "Hear their side, and find out what they would agree to and by when.",
            zh=f"这是我们现在的{name}：关于{{project}}[，时间{{date}}]。听听对方怎么说，能同意什么、什么时候定。",
        ),
    }
    return model.model_copy(update=words)


def _needed(model: Role, name: str, needs: Needs) -> Role:
    """Whoever provides what is needed; where nothing is named that it is for, each hears of nothing but their own part."""
    member = next(m for m, n in zip(needs.members, needs.names, strict=True) if n == name)
    lead, lead_zh = ("For {thing}[ in {place}][ ({date})] we need", "为{project}") if needs.matter else ("We need", "")
    when = "" if needs.matter else "[ in {place}][ ({date})]"
    somebody = _is_anybody(name)
    words = {
        "channel": Text(en=capitalised(name), zh=name),
        "role": Text(en=name if somebody else f"who provides {member}", zh=name if somebody else f"{name}供应方"),
        "item": Text(en=f"the {name}’s part" if somebody else f"the {name}", zh=name),
        "brief": Text(
            en=f"{lead} {member}{when}. Find out what they offer, at what price, and when.",
            zh=f"{lead_zh}寻找{name}{'' if somebody else '供应方'}[，地点{{place}}][，时间{{date}}]。了解内容、价格和时间。",
        ),
    }
    return model.model_copy(update=words)


def _role(model: Role, name: str, *, sought: bool = False) -> Role:
    lead = (
        "We look for {thing}[ in {place}][ ({date})]."
        if sought
        else (f"For {{thing}}[ in {{place}}][ ({{date}})] we look for {with_article(name)}.")
    )
    lead_zh = "我们在找{thing}" if sought else f"为{{project}}寻找{name}"
    gives = model.like == "partner"
    asked = "what they bring and what they expect" if gives else "what they offer, at what price, and when"
    asked_zh = "能带来什么、期望什么" if gives else "内容、价格和时间"
    words = {
        "channel": Text(en=capitalised(name), zh=name),
        "role": Text(en=name, zh=name),
        # Who is of a trade deals in what all of that trade do.
        "item": model.item
        if gives or model.costs
        else Text(
            en="the work itself" if sought else f"the {name}’s part", zh="具体工作" if sought else f"{name}这部分"
        ),
        "brief": Text(
            en=f"{lead} Find out {asked}.",
            zh=f"{lead_zh}[，地点{{place}}][，时间{{date}}]。了解{asked_zh}。",
        ),
    }
    return model.model_copy(update=words)
