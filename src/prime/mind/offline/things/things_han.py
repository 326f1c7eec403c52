"""What a wish in Chinese is about: found behind a verb, or by what happened to it."""

import re
from collections.abc import Callable

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.places import ROUTE_ZH
from prime.mind.offline.figures.sums import limits_in
from prime.mind.offline.words.phrases import alternatives

_TEXT_ZH = re.compile(
    r"((?:硕士|博士|本科|毕业|学士)?论文|小说|书稿|白皮书)(?:要写|写(?![完好成得])|研究|关于|题目是|是关于)(?:的是)?([^，。；！？,;\s]{2,16})"
)
_MOVE_ZH = re.compile(r"(?:搬家?|搬迁)(?:到|去|往|至)([\u4e00-\u9fff]{2,4}?)(?=，|。|,|\s|$|的|住|工作)")
# “把我的相机卖了”.
_HANDED_ZH = re.compile(
    r"把(?:我们?的?|家里的?)?([^，。；！？,;\s]{1,16}?)(?:清干净|清理干净|清掉|清空|留下来|保下来|保住|救活|找回来|要回来|做起来|做大|做好|运营起来|经营好|降下来|整理好|办好|搞定)"
    r"|把(?:我们?的?|家里的?)?([^，。；！？,;\s]{1,12}?)(?:重新)?(?:卖|转让|处理|装修|修|翻新|粉刷|刷|改造)(?:掉|了|出|好|一下|一遍)"
    r"|把(?:我们?的?|[一两几]?[个份本篇套部])?([^，。；！？,;]{1,24}?)(?:从[^，。；！？,;]{1,8})?(?:翻译|迁移|迁|换|升级|改)[成到为]"
    r"|把(?:[^，。；！？,;]{1,24}?)(?:扫描|重新|都|全部)*(?:整理|制作|做|编|剪辑?|装订|打印|汇编|拼|写)成(?:一?[本个部套份张])?(?!一?[本个部套份张]?书(?:，|。|,|$))([^，。；！？,;\s]{2,12}?)(?=，|。|；|,|\s|$)"
    r"|把(?:我们?的?)?([^，。；！？,;]{1,24}?)(?:(?:整理|编|写)成(?:一?本)?书|扫描|归档|数字化|清点|登记|销毁|备份)(?:归档|入库|存档|一遍)?(?=，|。|；|,|\s|$)"
    r"|把(?:我们?的?|家里的?)?([^，。；！？,;\s]{1,10}?)从[^，。；,;]{1,8}(?:搬|运|抬|吊|挪)[上下出进到]?"
)
# “找人装修厨房”: it is the kitchen.
_SOMEBODY_ZH = re.compile(
    r"[找请雇](?:一?[个位名])?(?:人|师傅|老师傅)(?:来|帮忙|帮我们?|给我们?)*(?!的)(?=[\u4e00-\u9fff])"
)
# “从希腊进口两个托盘的有机橄榄油到宁波”: it is the oil.
_IMPORTED_ZH = re.compile(
    r"进口(?:[一两几\d二三四五六七八九十百]+[个箱吨桶件批](?:托盘|集装箱)?的?)?([^，。；！？,;\s]{2,12}?)(?=到|至|，|。|；|,|\s|$)"
)
# “组织30个人去体检”: it is what they go for.
_GO_ZH = re.compile(
    rf"(?:人|员工|大家|同事|全家|团队|同学|娃|孩子|父母|爸妈|家人|朋友|客户)(?:一起)?去(?!哪)({alternatives('things_outings_zh')})(?=，|。|；|,|\s|$)"
)
_WEIGHT_ZH = re.compile(r"(?:减|瘦)(?:掉|去|重|下来)?\s*((?:\d+|[一二三四五六七八九十]+)\s*(?:公?斤|kg))")
# “把老宅改成图书馆”: what it becomes says as much as what it was.
_TURNED_ZH = re.compile(r"(把[^，。；！？,;\s]{1,14}改(?:造|建)?[成为][^，。；！？,;\s]{2,10})(?=，|。|；|,|\s|$)")
# “给公司年会订场地” is about the 年会.
_VENUE_FOR_ZH = re.compile(
    r"[给为](?:我们?的?)?([^，。；！？,;\s]{2,8}?)(?:预?订|找|租|选)(?:一?[个处家])?(?:场地|会场|场馆|酒店|餐厅|包间)"
)
# “房东要把房租从3500涨到4200”.
_RAISED_ZH = re.compile(r"(房租|租金|物业费|学费|月供|管理费)(?:要|又|会)?(?:从|涨|太[高贵]|翻倍)")
# “把我爸从沈阳接到深圳养老”.
_BROUGHT_TO_ZH = re.compile(
    r"把((?:我们?|他|她)?[\u4e00-\u9fff]{1,4}?)(?:从[\u4e00-\u9fff]{2,6}?)?[接搬送带](?:到|去|来|回)([\u4e00-\u9fff]{2,8}?)(?=，|。|；|,|\s|$)"
)
# “老厂房改成攀岩馆”.
_BECOMES_ZH = re.compile(r"^([^，。；！？,;\s把想要]{2,8}改(?:造|建)?[成为][^，。；！？,;\s]{2,10})(?=，|。|；|,|\s|$)")
_CERTIFIED_ZH = re.compile(r"(?:通过|拿到?|申请|做)([A-Za-z][A-Za-z0-9 ]{1,14}认证)")
# “新出的酸梅汤六一上市”.
_COMES_OUT_ZH = re.compile(
    r"^(?:我们?的?)?(?:新出的|新款的?|新的)([^，。；！？,;\s]{2,16}?)(?:要|将|准备|计划)*(?:上市|开售|发售|上架)"
)
# “研究一下要不要搬厂”: whether to do it is what one looks into.
_WHETHER_ZH = re.compile(
    r"(?:研究|调研|评估|考虑|分析|看看|想想|琢磨)(?:一下|下)?((?:要不要|是否(?:应该|需要|值得)?|值不值得|该不该|能不能)[^，。；？！,;\s]{2,24})"
)
# “在地下室弄一间录音室”.
_ROOM_ZH = re.compile(
    r"在[^，。；,;\s]{2,6}?(?:里|上|中)?(?:弄|建|搭|搞|设|布置|改)(?:造|建|置)?(?:成|出)?(?:一?[个间座])([^，。；！？,;\s]{2,10}?)(?=，|。|；|,|\s|$)"
)
# “公司服务器要从阿里云迁到腾讯云”.
_FROM_TO_ZH = re.compile(
    r"(?:^|[，。；,;\s])(?:把|我们的?|咱们的?)?([^，。；！？,;\s]{2,12}?)(?:要|想|准备|打算|需要|得)?从[^，。；,;]{1,10}?"
    r"(?:迁移?|切换?|转|升级|换)[到成为至]"
)
# “公司要上ERP”.
_TAKEN_UP_ZH = re.compile(r"(?:要|想|准备|打算|需要)上(?:一套|一个|个|套)?([A-Za-z]{2,12}(?:系统)?)(?=，|。|；|,|\s|$)")
# “老房翻新”, “厨房重新装修”: the verb comes last.
_DONE_LAST_ZH = re.compile(
    r"^([\u4e00-\u9fff]{1,6}?)(?:重新)?(?:翻新|装修|改造|重装|维修|修缮|修复|翻修|重建|粉刷|扩建|加固|防水)(?=，|。|；|,|\s|$)"
)
_KEPT_ZH = re.compile(
    r"(?:想|要|打算|准备|开始|学)养(?:[一两几]?[只条头群箱窝])?([\u4e00-\u9fff]{1,4}?)(?=，|。|；|,|\s|$)"
)
_LEARN_ZH = re.compile(r"(?:想学|要学|开始学|学会|学习)(?:好|一下)?([^，。；！？,;\s]{1,10}?)(?=，|。|；|,|\s|$)")
_VERB_ZH = alternatives("slots_verbs_zh")
_SORTS_ZH = "个款场次套份名位家项台些部本趟只条辆间篇座栋口面封"
_THING_ZH = re.compile(
    rf"(?<![不别没])(?P<verb>{_VERB_ZH})(?:一下|到|出|好|掉)?(?:[一两几\d二三四五六七八九十]+[{_SORTS_ZH}件]|[一两几\d二三四五六七八九十百]+块(?!钱)|个|场(?![地馆所景次])"
    r"|(?:辆|篇|家(?![教具政庭居长电装务属用乡里])|块(?!钱)|套(?![餐装路件利])|部(?![门署件队委])|本(?![子地科土]))(?=[^，。；,;\s]{2}))?"
    r"(?:家里的?)?(?:(?:我们|咱们|我|自己|公司)(?:家)?(?:在[\u4e00-\u9fff]{2,6}?)?的?)?(?:的)?(?P<thing>[^，。；！？,.;!?\s]{1,16}?)"
    r"(?=，|。|；|！|？|,|\.|;|!|\?|\s|预算|必须|在(?!线)|到|去|给|$)"
)
# “前端工程师” is a thing; “前三个月” is none.
_NO_HEAD_ZH = re.compile("[前后时之](?!端|台|勤|厨|装|尚)")
_EMPTY_ZH = frozenset(alternatives("things_empty_zh").split("|"))
_HEADS_ZH = re.compile(
    r"^(?:公司|单位|全家|我们)?(?:的)?[\d一二两三四五六七八九十百几多]+[个名位]?(?:多)?(?:人|员工|同事|小时|块(?!(?![的钱])[\u4e00-\u9fff])|元)"
)
# “做到5万粉丝” says how many, and not what.
_HEADS_COUNTED_ZH = re.compile(rf"[\d.]+\s*[万千百kKwW]?\+?的?(?:{alternatives('amounts_heads_zh')})")
_NO_THING_ZH = frozenset("去来地走我你您他她它的了吧和与个点些事人好完成在要会能过起来业")
_MIDDLEMAN_ZH = re.compile(r"^(?:我们的|我的|家(?!宴|具|庭|居|电|教|政|长|用|装|务|属))|(?:供应商|厂家|工厂|货源)$")
_SAYS_NOTHING_ZH = frozenset({"做", "办", "开", "组织", "举办", "策划", "筹备", "准备", "安排", "计划"})


def chinese_thing(text: str) -> str:
    """What is named; "" where nothing is."""
    text = _without_bare_sums(_SOMEBODY_ZH.sub("", text))
    if told := next((said for pattern, says in _TOLD if (match := pattern.search(text)) and (said := says(match))), ""):
        return told
    found = [_bare(m["thing"].strip("的了")) for m in _THING_ZH.finditer(text)]
    if raised := _RAISED_ZH.search(text):
        return raised[1]
    if failing := _FAILING_ZH.search(text):
        return _OWNED_ZH.sub("", failing[1])
    if named := next((one for one in found if _is_a_thing(one)), ""):
        return named
    return broken[1] if (broken := _BROKEN_ZH.search(text)) else ""


def _without_bare_sums(text: str) -> str:
    """“融资五百万做天使轮” is about the 天使轮."""
    for money in reversed(limits_in(text)):
        if re.search("(?:融资|众筹|筹集?|募集?)$", text[: money.start]):
            text = text[: money.start] + re.sub("^(?:来)?[做办搞]", "", text[money.end :])
    return text


# Ways to say it that each have a form of their own, the surest first.
_TOLD: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_WHETHER_ZH, lambda m: m[1]),
    (_VENUE_FOR_ZH, lambda m: m[1]),
    (_BROUGHT_TO_ZH, lambda m: f"接{m[1]}到{m[2]}"),
    (_BECOMES_ZH, lambda m: m[1]),
    (_CERTIFIED_ZH, lambda m: m[1]),
    (_COMES_OUT_ZH, lambda m: without_days(m[1])),
    (ROUTE_ZH, lambda m: f"从{m[1]}到{m[2]}的搬家"),
    (_MOVE_ZH, lambda m: f"到{m[1]}的搬家"),
    (_TEXT_ZH, lambda m: f"关于{m[2]}的{m[1]}"),
    (_IMPORTED_ZH, lambda m: m[1]),
    (_FROM_TO_ZH, lambda m: m[1]),
    (_TAKEN_UP_ZH, lambda m: m[1]),
    (_DONE_LAST_ZH, lambda m: m[1]),
    (_ROOM_ZH, lambda m: m[1]),
    (_KEPT_ZH, lambda m: f"养{m[1]}"),
    (_TURNED_ZH, lambda m: m[1]),
    (_HANDED_ZH, lambda m: m[1] or m[2] or m[3] or m[4] or m[5] or f"搬{m[6]}"),
    (_GO_ZH, lambda m: m[1]),
    (_WEIGHT_ZH, lambda m: f"减重{m[1]}"),
    (_LEARN_ZH, lambda m: f"学{m[1]}"),
)


def doing_in_chinese(text: str, thing: str) -> str:
    """What is to be done about the thing; "" where the thing says it all."""
    if (broken := _BROKEN_ZH.search(text)) and broken[1] == thing:
        return "修"
    verb = next((m["verb"] for m in _THING_ZH.finditer(text) if _bare(m["thing"].strip("的了")) == thing), "")
    return "" if verb in _SAYS_NOTHING_ZH else verb


def without_sums(text: str) -> str:
    """“花200块修手机” is 修手机: what it may cost stands elsewhere."""
    for money in amounts(text):
        text = re.sub(
            rf"(?:花|用|拿|出|每[人个件]|人均|预算)+{re.escape(money.text)}(?:以内|以下|左右|之内)?(?:来|请)?", "", text
        )
    return text


def without_days(clause: str) -> str:
    """“孩子明年小升初” is 孩子小升初: when it is stands elsewhere."""
    for day in dates(clause):
        clause = re.sub(
            rf"(?:在|于)?{re.escape(day.text)}(?:[上下]午|晚上?|早上)?(?:[一二两三四五六七八九十\d]+点半?)?(?:之?前|以前|的时候)?",
            "",
            clause,
        )
    return clause


# “开发票的那个系统老是报错”: it is the system, and nobody opens one.
_FAILING_ZH = re.compile(
    r"(?:^|[，。；,;\s])([\u4e00-\u9fffA-Za-z]{2,14}?)(?:又|突然|全|都|老是|总是|一直|经常)?(?:报错|出错|出故障|出问题|鼓包|开不了机)"
)
_OWNED_ZH = re.compile(r"^(?:我们?家?的|家里的?|(?:去年|今年|前年|刚|新)?买的|.{2,6}的那个|那个|这个)")


_BROKEN_ZH = re.compile(
    r"(?:^|[，。；,;\s])(?:我家?的?|我们家?的?|家里的?)?([\u4e00-\u9fff]{2,8}?)(?:又|突然|全)?(?:坏|碎|裂|断|堵|烂|漏水|进水|死机)了"
)


def _bare(thing: str) -> str:
    """“做包装盒的工厂” is about 包装盒, “好一点的养老院” about 养老院."""
    if (maker := _WHO_MAKES_ZH.fullmatch(thing)) and not _MIDDLEMAN_ZH.search(maker[2]):
        return f"{maker[1]}{maker[2]}"  # “做川菜的厨师”, “做纸箱的厂”
    thing = _FOR_SO_MANY_ZH.sub("", thing)
    bare = _GOOD_ZH.sub("", _MIDDLEMAN_ZH.sub("", _SORT_ZH.sub("", thing)))
    return made[1] if (made := _MADE_ZH.fullmatch(bare)) else bare.rstrip("的")


# “两百人的用户大会” is the 用户大会, “能做模具” the 模具.
_FOR_SO_MANY_ZH = re.compile(
    r"^(?:[\d一二两三四五六七八九十百千]+[来多几]?(?:人|个人|位客人|平米?)的|(?:能|可以|会)?(?:专门)?(?:做|生产|制造|加工)(?=[\u4e00-\u9fff]{3}))"
)
_WHO_MAKES_ZH = re.compile(r"(?:能|会|可以)?(?:专门)?(?:做|生产|加工|烧)([\u4e00-\u9fff]{2,4})的([\u4e00-\u9fff]{1,3})")
_SORT_ZH = re.compile(rf"^[一两几]?[{_SORTS_ZH}篇档集部期](?=关于|[\u4e00-\u9fff]{{2}}.*的)")
_GOOD_ZH = re.compile(r"^(?:好|便宜|靠谱|合适|专业|可靠|优质)(?:一?点|一?些)?的")
_MADE_ZH = re.compile(r"(?:专门)?(?:做|生产|制造|加工)(.+)的")


def _is_a_thing(one: str) -> bool:
    return (
        bool(one)
        and not _HEADS_COUNTED_ZH.match(one)
        and not one.isdigit()
        and not _NO_HEAD_ZH.match(one)
        and one not in _NO_THING_ZH
        and one not in _EMPTY_ZH
        and not _HEADS_ZH.match(one)
        and not amounts(one)
        and not limits_in(one)
        and not re.search("天天|每天|点(?:半|钟)", one)
        and not dates(one)
    )
