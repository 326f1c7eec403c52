"""Which kind of project a wish is: by its words, those for what is wanted before those for what it is wanted for."""

import re
from collections.abc import Callable

from prime.mind.offline.archetypes import GENERAL, Archetype, Library, Role
from prime.mind.offline.intents import asks_for_something
from prime.mind.offline.language import Language, is_written, language_of, sentences
from prime.mind.offline.needs import needs_in
from prime.mind.offline.phrases import alternatives
from prime.mind.offline.places import ROUTE
from prime.mind.offline.requested import SOMEBODY, SOMEBODY_ZH
from prime.mind.offline.sums import sums_in
from prime.mind.offline.telling import only_tells
from prime.mind.offline.things import MOVES, first_words, without_article
from prime.mind.offline.undertakings import without_who_wants

# “300 shirts for the conference” are about shirts, whatever they are for.
_PURPOSE = re.compile(
    r"\b(?:need|want|find|finding|buy|buying|get|getting|order|ordering|book|rent"
    r"|looking for|look for|search for|source|print|design|make"
    r"|write|draft|compose|prepare|draw|paint|sew|knit|bake|submit|file|get ready)\s+"
    r"(?P<thing>[^,.;!?]{2,60}?)\s+(?P<purpose>(?:for|about)\s+(?:our|my|the|his|her|their|an?)\s+[^,.;!?]{2,80})",
    re.IGNORECASE,
)
# “A presentation on hiring” is written, and hires nobody.
_SUBJECT_OF = re.compile(
    r"\b(presentation|speech|talk|article|report|paper|essay|podcast|newsletter|blog|lecture|book)\s+(?:on|about)\s+[^,.;!?]{2,60}",
    re.IGNORECASE,
)
# “写一份关于婚礼的报告”, “为婚礼设计请柬”: what a text is about, or what is made is for.
_PURPOSE_ZH = re.compile(
    r"关于[^，。；！？,;\s]{2,20}?的(?=[^，。；！？,;\s])"
    r"|(?:为|给)(?!我)[^，。；！？,;\s]{2,16}?(?=(?:写|起草|设计|绘?画|定制|订做|印|撰写)(?!完|好)[^，。；！？,;\s])"
)
# A text is written, whatever it applies for.
_WRITES = re.compile(
    r"\b(?:write|draft|compose|rewrite|writing|drafting)\s+(?:an?|my|our|the|his|her)\s+(?:[\w’'-]+\s+){0,3}?"
    r"(?:applications?|proposals?|essay|article|paper|manual|handbook|guide|business plan)\b"
    r"|(?:写|起草|撰写)[^，。；！？,;\s]{0,20}?(?:申请书?|申报书|标书|手册|指南|提案|倡议书)(?=[，。；！？,;\s]|$)",
    re.IGNORECASE,
)
_BY_THE_TEXT = 12.0
# “A podcast studio in the cellar” is built, whatever is done in it then.
_FITS_OUT = re.compile(
    r"\b(?:set(?:ting)? up|build|make|create|install|equip|fit(?:ting)? out|put|furnish|have|want|need)\s+"
    r"(?:an?|my|our|the)\s+(?:[\w’'-]+\s+){0,4}?"
    r"(?:studio|room|office|workshop|gym|bar|cinema|library|sauna|darkroom|kitchen|bathroom|nursery|den|playroom|lab|chapel)\s+"
    r"(?:in|under|above|behind|over)\s+(?:the|our|my|his|her|their|an?)\s+(?:old |empty |spare |former )?"
    r"(?:cellar|basement|attic|loft|garage|shed|barn|garden|yard|backyard|spare room|guest room|outhouse|stable|conservatory)\b"
    r"|\b(?:turn|convert|transform|make)\s+(?:the|our|my|an?)\s+(?:old |empty |spare )?"
    r"(?:cellar|basement|attic|loft|garage|shed|barn|spare room|guest room|outhouse|stable|conservatory)\s+into\b"
    r"|在?(?:地下室|阁楼|车库|院子|储藏室|客房|阳台|后院|仓库)里?(?:建|搭|弄|做|装|布置|改|设)(?:造|建|置)?(?:成|出)?(?:一?[个间])?[^，。；！？,;\s]{0,8}(?:室|间|房|棚|吧|影院|角)"
    r"|把(?:地下室|阁楼|车库|储藏室|客房|阳台|仓库)改(?:造|建)?成",
    re.IGNORECASE,
)
_BY_THE_ROOM = 14.0
_BY_THE_FAIR = 14.0
# Who exhibits at a fair does not hold it.
_FAIR = r"(?:(?:trade|craft|book|job|art|wine|science|career)\s?(?:fair|show)s?|expo)\b"
_EXHIBITS = re.compile(
    rf"^\W*(?:(?:the|our|an?|annual|international)\s+){{0,2}}{_FAIR}"
    r"|\b(?:exhibit(?:ing|s)?(?: at)?|attend(?:ing|s)?|tak(?:e|es|ing) part in|participat(?:e|es|ing) in"
    r"|(?:stand|booth|stall) (?:at|for))"
    rf"\s+(?:(?:the|our|an?)\s+)?(?:[\w’'-]+\s+){{0,3}}?{_FAIR}"
    r"|(?:参加|出席)[^，。；！？,;\s]{0,8}(?:展会|广交会|交易会|博览会|展览会|进博会|展销会|展)(?![^，。；！？,;\s])|参展|出展",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    rf"\b(?:organi[sz]|host|hold|run|put on)(?:e|ing)?\s+(?:[\w’'-]+\s+){{0,3}}?{_FAIR}"
    r"|(?:组织|举办|主办|承办|策划)[^，。；！？,;\s]{0,8}展",
    re.IGNORECASE,
)
# “招5个销售” are people, whatever they will do.
_HIRES_ZH = re.compile(r"招聘?\s*[一两二三四五六七八九十几\d]*[个名位]")
_BY_THE_HEAD = 8.0
_BY_THE_ROUTE = 8.0
# “5 days in Iceland”; an event may last that long as well, and then it says so.
_DAYS_AWAY = re.compile(
    r"\b(?:\d+|two|three|four|five|ten|a|one)\s+(?:days?|weeks?|nights?|weekend)\s+(?:in|to|around|through)\s+[A-Z]"
    r"(?!\w*(?:uary|arch|pril|ay|une|uly|ugust|ember|tober)\b)"
)
# “A raise” is asked for, and no money of investors'.
_PAY_RISE = re.compile(r"\b(?:a|my|the|pay|salary) raise\b", re.IGNORECASE)
# “Before the board meeting” says when, and not what.
_BY_THEN = re.compile(
    r"\b(?:before|until|in time for|during)\s+(?:the|our|my|his|her|[a-z]+[’']s)\s+[^,.;!?\n]{2,40}"
    r"|[^，。；！？]{0,10}(?:生日|婚礼|年会|会议|聚会|典礼|展会|纪念日|寿宴)(?:[（(][^（）()]{1,14}[）)])?(?:之前|以前|前夕|前)"
    r"|(?<=\w),\s+for\s+(?:our|the|my|his|her)\s+(?:[a-z]+ )?(?:reunion|wedding|birthday"
    r"|party|anniversary|conference|fair|meeting)\b",
    re.IGNORECASE,
)
# “Need 3 line cooks” are people to work for us.
_STAFF = re.compile(
    rf"\b(?:needs?|hir(?:e|ing)|looking for|want)\s+(?:\d+|an?|two|three|four|five|six|several|some|more)\s+"
    rf"(?:[a-z-]+\s+){{0,2}}?(?:{alternatives('kinds_staff')})\b",
    re.IGNORECASE,
)
# “My 40th” is a birthday.
_ROUND_YEARS = re.compile(
    r"\b(?:my|his|her|our|[a-z]+[’']s)\s+(?:\d0|18|21|65|75)(?:st|th)\b(?!\s+(?:of\b|floor|street|anniversary|century))",
    re.IGNORECASE,
)
_BY_THE_YEARS = 8.0
# “想开书店” opens one; a signing in a bookshop does not.
_OPENS_ZH = re.compile(r"(?:开|盘下?|加盟|经营)(?:一?[家个间])?[^，。；,;\s]{0,6}(?:店|馆|厅|吧|房|民宿|工作室|咖)")
_BY_OPENING = 6.0
# “研究一下要不要搬厂” looks into it, and moves nothing yet.
_LOOKS_INTO = re.compile(
    r"(?:研究|调研|评估|考虑|分析|看看|想想|琢磨)(?:一下|下)?(?:要不要|是否|值不值|该不该|能不能)"
    r"|\b(?:find out|research|figure out|work out|study|check|look into|decide) (?:whether|if)\b",
    re.IGNORECASE,
)
_BY_THE_QUESTION = 14.0
# A place at a university is applied for with papers, whatever is studied there.
_APPLIES = re.compile(
    r"申请[^，。；]{0,8}(?:硕士|博士|本科|研究生|大学|学校|学位|奖学金|留学)|留学申请|出国留学"
    r"|\bapply(?:ing)? (?:for|to) [^,.;]{0,40}\b(?:master[’']?s?|phd|university|college|degree|msc|mba|ba|school)\b",
    re.IGNORECASE,
)
_BY_THE_DEGREE = 14.0
# “让楼上赔8000”.
_CLAIMS = re.compile(
    r"(?:让|叫|要求?|找)[^，。；]{1,8}赔|赔偿?(?:我们?)?\s?\d|\bmake (?:him|her|them|my \w+|our \w+) pay for\b",
    re.IGNORECASE,
)
_BY_THE_CLAIM = 14.0
# What opens again was open before: “40 paintings need restoring, opening again 3 May”.
_REOPENS = re.compile(r"\b(?:re-?open(?:s|ing|ed)?|open(?:s|ing)? again)\b", re.IGNORECASE)
# What somebody of the family owns is sold privately.
_OWN_SOLD = re.compile(
    r"\bsell(?:ing)?\s+(?:my|our|his|her|their|the|[\w’']+s)\s+(?:[\w’'-]+\s+){0,2}?"
    r"(?:flat|house|apartment|home|cottage|farm|land|car|van|boat|bike|piano|motorbike|motorcycle|caravan|camper|tractor|trailer"
    r"|horse|guitar|violin|sofa|bed|wardrobe|laptop|phone|camera|watch|stamps?|collection|jewell?e?ry|furniture)\b"
    r"|\bsell(?:ing)?\s+(?:my\s+|our\s+)?(?:mum|mom|mother|dad|father|gran(?:d?(?:ma|mother|pa|father)|ny)?|aunt|uncle|brother|sister|son|daughter)[’']?s\s",
    re.IGNORECASE,
)
# A doctoral defence is a day with guests; the text is written by then.
_DEFENDS = re.compile(
    r"\bdefend(?:s|ing)?\s+(?:my|his|her|the|our)\s+(?:phd|doctorate|dissertation|[\w’']*\s?thesis)\b", re.IGNORECASE
)
# “Raise 12k for a school in Malawi” asks givers, and no investors.
_FOR_A_CAUSE = re.compile(
    r"\b(?:rais(?:e|ing)|collect(?:ing)?)\b[^,.;]{0,30}\bfor\s+(?:an?|the|our|my)\s+(?:[\w’'-]+\s+){0,2}?"
    r"(?:schools?|hospitals?|hospice|orphanage|village|church|parish|shelters?|kindergarten|library|clinic|refugees?|homeless|victims|families)\b"
    r"|(?:筹|募)[^，。；]{0,14}(?:学校|小学|医院|孤儿|村|灾区|老人院|流浪)",
    re.IGNORECASE,
)
_BY_THE_CAUSE = 12.0
# “Switch our clinic from paper to electronic records”.
_CHANGES_OVER = re.compile(
    r"\b(?:switch|convert|migrat|mov|chang|transition)\w*\s+[^,.;]{2,40}?\s+from\s+"
    r"(?:(?:paper|excel|spreadsheets?|manual|post|fax)\s+to\s+\w|[^,.;]{1,24}?\s+to\s+[^,.;]{0,30}\b"
    r"(?:records|software|digital|system|platform|cloud|app|database|tool)s?\b)"
    r"|(?:系统|软件|平台|服务器|数据库|网站|数据|后台|邮箱)(?:要|想|准备|打算|需要)?从[^，。；]{1,10}?(?:迁移?|换|切换?|转|升级)[到成为至]",
    re.IGNORECASE,
)
_LEAST = 1.5
# A price for each of many is a purchase.
_BY_THE_PIECE = 4.0


def best_archetype(wish: str, library: Library) -> Archetype:
    """The one whose words were written most, those of the first sentence loudest; the general one where none were."""
    if is_somebody(_FIND.sub("", wish)):
        return library.archetypes[GENERAL]  # “wedding photographer” is somebody to be found, and no wedding
    if (needs := needs_in(wish)) and needs.matter:
        wish = needs.rest  # what is needed for it is not what it is
    best = _of_what_is_asked(wish, library) or _loudest(wish, library)
    if best.name in _AROUND and (sought := _SOUGHT.match(wish)) and _is_beside(sought["who"], best):
        return library.archetypes[GENERAL]  # a photographer is found for the wedding, which others plan
    if best.name == "private_sale" and not _GIVES_AWAY.search(wish):
        return library.archetypes[GENERAL]  # who buys a used car sells none
    if (
        best.name == "home"
        and not _FITS_OUT.search(wish)
        and not _WORKS_ON.search(_SETTING.sub(" ", wish))
        and _SETTING.search(wish)
    ):
        return library.archetypes[GENERAL]  # bees on the roof are no work on the roof
    if best.name == "hiring" and _HOUSEHOLD.search(wish):
        return library.archetypes[GENERAL]  # nobody prepares a desk for a nanny
    apart = _PURPOSE.search(wish)
    if best.name == GENERAL or not apart or any(names_role(apart["thing"], role) for role in best.roles.values()):
        return best
    return _loudest(wish.replace(apart["purpose"], " "), library)


def _is_beside(who: str, archetype: Archetype) -> bool:
    """Somebody who works for such a project and is no part of it: the photographer of a wedding, and not its venue."""
    return bool(SOMEBODY.match(who)) and not any(names_role(who, role) for role in archetype.roles.values())


_AROUND = frozenset({"event", "travel", "product_launch", "media", "charity"})
_GIVES_AWAY = re.compile(
    r"\b(?:sell(?:ing)?|sold|sale|get(?:ting)? rid|give away|part with|trade in)\b|卖|转让|出手|出售|闲置|处理|变现",
    re.IGNORECASE,
)
# Where something is to be, and what is done to a house.
_SETTING = re.compile(
    r"\b(?:on|in|at|from|behind|under) (?:the|our|my|his|her|their|a) (?:[a-z]+ )?"
    r"(?:roof|garden|yard|backyard|kitchen|basement|cellar|attic|balcony|terrace|patio|shed|greenhouse|bathroom)\b"
    r"|(?:院子|花园|阳台|厨房|客厅|露台|屋顶|卫生间|浴室)(?:里|上|中|不大|不小|太小|很小|很大|有点小|比较小)",
    re.IGNORECASE,
)
_WORKS_ON = re.compile(
    r"\b(?:build|fix|repair|renovat|paint|lay|replac|insulat|instal|restor|tile|remodel|redo|dig|leak|mou?ld|crack|hole|broken|damp"
    r"|wasps?|mice|rats|ants|shed|fence|deck|carport|treehouse|greenhouse|boiler|heating|floor|wall|window|door|roof|bathroom|kitchen|loft)"
    r"|修|装|建|盖|搭|刷|漏|换|铺|拆|改|翻|砌|贴|围栏|木屋|棚",
    re.IGNORECASE,
)
_SOUGHT = re.compile(
    r"^\W*(?:(?:please|hi|hello|can you|could you|help me)[\s,]+)*"
    r"(?:(?:i|we)\s+(?:urgently )?)?(?:(?:need|want|have|would like) to )?"
    r"(?:find|need|want|hire|book|get|look for|looking for)\s+(?:me |us )?"
    r"(?:an?|somebody|someone|some|\d{1,3}|two|three|four|five|six|ten)\s+(?:good |great |cheap |reliable )?"
    r"(?P<who>[a-z-]+(?: [a-z-]+)?)(?=\s+(?:for|in|at|near|on|who|with|by|until|before)\b|\s*[,.;!]|$)",
    re.IGNORECASE,
)


def _of_what_is_asked(wish: str, library: Library) -> Archetype | None:
    """Who first tells something and then asks for something is asking for that: “I run a bakery. …; we need an oven”."""
    told, *rest = re.split(r"[.;!?。；！？\n]\s*", wish, maxsplit=1)
    if not rest or not only_tells(told) or UNDERTAKES.search(told):
        return None
    if asks_for_something(told) or not asks_for_something(rest[0]):
        return None
    asked = _loudest(rest[0], library)
    return asked if asked.name != GENERAL else None


UNDERTAKES = re.compile(
    r"\b(?:plan|organi[sz]e|launch|open|build|host|throw|celebrate|start|move|hire|raise|defend)\b|策划|组织|筹备|举办|发布|招聘|搬",
    re.IGNORECASE,
)
_HOUSEHOLD = re.compile(
    r"\b(?:nann(?:y|ies)|au pair|baby-?sitters?|cleaners?|cleaning lad(?:y|ies)|housekeepers?|gardeners?|dog walkers?|tutors?"
    r"|carers?)\b"
    r"|保姆|阿姨|月嫂|护工|家教|钟点工|育儿嫂",
    re.IGNORECASE,
)


def is_somebody(text: str) -> bool:
    """Whether a text only names whom one wants to talk to: “wedding photographer”, “婚礼摄影师”."""
    name = text.strip(" .!。！")
    return bool(
        SOMEBODY_ZH.match(name) if language_of(name) == "zh" else len(name.split()) < 4 and SOMEBODY.match(name)
    )


_FIND = re.compile(r"^(?:find|need|looking for|i need|we need)\s+(?:an?\s+)?|^找一?[位个家名]?", re.IGNORECASE)


def _is_bought_by_the_piece(wish: str) -> bool:
    return any(each.per == "each" for each in sums_in(wish))


# What no single word shows: the kind of project, how loudly it speaks, and whether a wish shows it.
_SHOWN: tuple[tuple[str, float, Callable[[str], object]], ...] = (
    ("supplier_search", _BY_THE_PIECE, _is_bought_by_the_piece),
    ("moving", _BY_THE_ROUTE, lambda wish: MOVES.search(wish) and ROUTE.search(wish)),
    ("travel", _BY_THE_ROUTE, _DAYS_AWAY.search),
    ("event", _BY_THE_YEARS, _ROUND_YEARS.search),
    ("opening", _BY_OPENING, _OPENS_ZH.search),
    ("research", _BY_THE_QUESTION, _LOOKS_INTO.search),
    ("paperwork", _BY_THE_DEGREE, _APPLIES.search),
    ("event", _BY_THE_DEGREE, _DEFENDS.search),
    ("charity", _BY_THE_CAUSE, _FOR_A_CAUSE.search),
    ("private_sale", _BY_THE_DEGREE, _OWN_SOLD.search),
    ("dispute", _BY_THE_CLAIM, _CLAIMS.search),
    ("system_change", _BY_THE_DEGREE, _CHANGES_OVER.search),
    ("writing", _BY_THE_TEXT, _WRITES.search),
    ("home", _BY_THE_ROOM, _FITS_OUT.search),
    (GENERAL, _BY_THE_FAIR, lambda wish: _EXHIBITS.search(wish) and not _HOLDS.search(wish)),
    ("event", _BY_THE_FAIR, _HOLDS.search),
    ("hiring", _BY_THE_HEAD, lambda wish: _HIRES_ZH.search(wish) or _STAFF.search(wish)),
)


def _loudest(wish: str, library: Library) -> Archetype:
    wish = _PURPOSE_ZH.sub("", without_who_wants(_REOPENS.sub(" ", wish)))
    wish = _BY_THEN.sub(" ", _PAY_RISE.sub("pay rise", _SUBJECT_OF.sub(r"\1 about", wish)))
    text, first = wish.casefold(), next(iter(sentences(wish)), "").casefold()
    scored = [(_score(a, text) + _score(a, first), a.name) for a in library.archetypes.values()]
    shown = {name: more for name, more, shows in _SHOWN if shows(wish)}
    scored = [(score + shown.get(name, 0.0), name) for score, name in scored]
    # Of two that are as loud, the one that knows more.
    best = max(scored, key=lambda each: (each[0], each[1] != GENERAL), default=(0.0, GENERAL))
    return library.archetypes[best[1] if best[0] >= _LEAST else GENERAL]


def _score(archetype: Archetype, text: str) -> float:
    english = sum(w for word, w in archetype.words.en.items() if is_written(word, text))
    return english if text.isascii() else english + sum(w for word, w in archetype.words.zh.items() if word in text)


def names_role(wish: str, role: Role) -> bool:
    """Whether a role of an archetype is spoken of by its name."""
    text = wish.casefold()
    names = [role.channel.en, role.role.en, *role.when, *(t for t in (role.channel.zh, role.role.zh) if t)]
    return any(re.search(rf"\b{re.escape(n.casefold())}" if n.isascii() else re.escape(n), text) for n in names)


def named_by(archetype: Archetype, wish: str, language: Language) -> str:
    """What a wish is about that names no thing by its verb: the heading, where it has a word of the archetype's in it, or that
    word alone (“我们的婚礼” is a 婚礼), or what the archetype calls it."""
    ways = (called_by, _heading) if language == "zh" else (_heading, called_by)
    return next((name for way in ways if (name := way(archetype, wish, language))), "")


def called_by(archetype: Archetype, wish: str, language: Language) -> str:
    """What the archetype calls it by a word of the wish; "" where none was written."""
    text = wish.casefold()
    said = ((word, name) for word, name in archetype.called.items() if name.isascii() == (language == "en"))
    return next((name for word, name in said if (is_written(word, text) if word.isascii() else word in text)), "")


# What is done about a thing. Where the archetype says so itself, the thing alone is what it is about: nobody plans the launch of
# the launch of a lamp.
_DONE = (
    "(?:re)?launch|opening|search|release|introduction|sale|funding(?: round)?|development|redesign|translation|repair|purchase"
    "|changeover"
)
_DONE_OF = re.compile(rf"(?P<kind>(?:[\w-]+ ){{0,3}}?)(?:{_DONE})(?: (?:of|for|on) (?P<what>.+))?", re.IGNORECASE)
_DONE_FOR = re.compile(
    rf"\b(?:{_DONE}) (?:of|for) (?P<what>(?:(?!\b(?:on|in|at|by|with|for|before)\b)[^,.;!?]){{2,60}})", re.IGNORECASE
)
_DONE_ZH = re.compile(r"\{thing\}的?(\w+)")
# Who asks leave for a loft conversion wants the loft; the changeover of switching is the changeover.
_TO_BE_ALLOWED = re.compile(
    r"^(?:planning |building )?(?:permission|permit|consent|approval) for (?:an? |the )?", re.IGNORECASE
)
_SWITCHING = re.compile(r"^(?:switching|converting|migrating|moving|changing|transforming) (?:the )?", re.IGNORECASE)
_PLAIN = frozenset({"the", "our", "product", "soft", "big", "official", "grand", "new", "first", "public"})
_PLAIN_ZH = frozenset({"", "产品", "新品", "新产品"})


def beneath(archetype: Archetype, thing: str, wish: str) -> str:
    """What a “product launch of the lamp” is the launch of; "" if nobody wrote it."""
    if done := _DONE_ZH.fullmatch(archetype.project.zh or ""):
        what = thing.removesuffix(done[1]).removesuffix("的")
        thing = "" if what in _PLAIN_ZH else what
    thing = _TO_BE_ALLOWED.sub("", thing) if archetype.name == "home" else thing
    thing = _SWITCHING.sub("", thing) if archetype.name == "system_change" else thing
    said = _DONE_OF.fullmatch(thing)
    if said is None or archetype.project.en == "{thing}":
        return thing
    named = " ".join(word for word in said["kind"].split() if word.casefold() not in _PLAIN)
    behind = _DONE_FOR.search(wish)
    return without_article(said["what"] or named or (behind["what"].strip() if behind else ""))


def _heading(archetype: Archetype, wish: str, language: Language) -> str:
    if archetype.name == GENERAL or language == "en":
        heading = first_words(wish, language)
        if language == "en" and re.search(r"[\u4e00-\u9fff]|\d(?:st|nd|rd|th)$", heading):
            return ""  # half a sentence in another language is no name, and nor is “the 40th”
        known = archetype.name == GENERAL or any(is_written(w, heading.casefold()) for w in archetype.words.en)
        return heading if known else ""
    if archetype.title.en != "{thing}":
        return ""
    loud = [word for word, weight in archetype.words.zh.items() if weight >= 3 and word in wish]
    return max(loud, key=lambda word: archetype.words.zh[word], default="")
