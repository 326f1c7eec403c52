"""What a script may and may not look like, and what the errors say."""

import pytest

from prime.core.bad_text import BadText
from prime.core.errors import InvalidInput, PrimeError, TooLarge
from prime.dialogs.scripts.exporter import export_bytes, export_script
from prime.dialogs.scripts.fields import SHAPES
from prime.dialogs.scripts.parser import MAX_BYTES, parse_script
from prime.dialogs.scripts.records import AgentWords, FuncCall, FuncResult, GenStart, HumanText, WebSearchCall
from prime.dialogs.scripts.script import Script

# Every type's fields as the format has them; `?` marks those that may be left out, `=` what an enum takes.
FORMAT = {
    "human_text_record": "genseq msgId grammar=markdown userLanguageCode?=en,zh q4hAnswerCallIds? | content",
    "agent_words_record": "genseq | content",
    "agent_thought_record": "genseq provider_data? | content",
    "ui_only_markdown_record": "genseq | content",
    "func_call_record": "genseq id name arguments |",
    "func_result_record": "genseq id name contentItems? | content",
    "web_search_call_record": "genseq phase=added,done itemId? status? action? |",
    "quest_for_sup_record": "genseq mentionList? subDialogId | tellaskContent",
    "teammate_call_result_record": "responderId callName tellaskContent status=completed,failed callId"
    " calling_genseq? mentionList? | result",
    "teammate_response_record": "responderId callName tellaskContent status=completed,failed callId calling_genseq?"
    " mentionList? agentId originMemberId calleeDialogId? calleeCourse? calleeGenseq? | response",
    "teammate_call_anchor_record": "anchorRole=assignment,response callId genseq assignmentCourse? assignmentGenseq?"
    " callerDialogId? callerCourse? |",
    "gen_start_record": "genseq |",
    "gen_finish_record": "genseq contextHealth? llmGenModel? |",
}


def _block(body: str, kind: str = "agent_words_record", fence: str = "```", info: str = "markdown") -> str:
    return f"### record {kind}\n\n{fence}{info}\n{body}\n{fence}\n"


WORDS = _block("---\ngenseq: 1\n---\nhi")


def _error(text: str | bytes) -> BadText:
    with pytest.raises(BadText) as caught:
        parse_script(text, path="a.md")
    assert str(caught.value).startswith(f"a.md:{caught.value.line}:{caught.value.column}: ")
    return caught.value


@pytest.mark.holds("D-SCR-1")
def test_the_thirteen_types_have_the_fields_of_the_format() -> None:
    shown: dict[str, str] = {}
    for name, shape in SHAPES.items():
        parts = [
            field.name + ("" if field.required else "?") + ("=" + ",".join(field.choices) if field.choices else "")
            for field in shape.fields.values()
            if field.name != "sourceTag"
        ]
        text = {"tellask_content": "tellaskContent", None: ""}.get(shape.text, shape.text)
        shown[name] = " ".join([*parts, "|", *([text] if text else [])])
        assert shape.fields["sourceTag"].choices == ("priming_script",)
    assert shown == FORMAT


def test_a_script_by_hand() -> None:
    script = parse_script(
        "---\nkind: agent_priming_script\nversion: 3\ntitle: 环境探针启动\napplicableMemberIds:\n  - ux\n---\n\n# 探针\n\n"
        "### record human_text_record\n\n```markdown\n---\ngenseq: 1\nmsgId: priming-1\ngrammar: markdown\n---\n\n"
        "先做环境探针。\n```\n## 调用\n### record func_call_record\n~~~json\n"
        '{"type": "func_call_record", "genseq": 1, "id": "c1", "name": "sh", "arguments": {"cmd": "uname -a"}}\n~~~\n\n'
        "### record func_result_record\n\n~~~~~markdown\n---\ngenseq: 1\nid: c1\nname: sh\n---\nDarwin\n\n"
        "```sh\n---\nx: 1\n---\n### record user\n```\n~~~~~\n"
    )
    assert script.header.title == "环境探针启动"
    assert script.header.applicable_member_ids == ("ux",)
    assert script.records == (
        HumanText(genseq=1, msg_id="priming-1", grammar="markdown", content="先做环境探针。"),
        FuncCall(genseq=1, id="c1", name="sh", arguments={"cmd": "uname -a"}),
        FuncResult(genseq=1, id="c1", name="sh", content="Darwin\n\n```sh\n---\nx: 1\n---\n### record user\n```"),
    )


@pytest.mark.parametrize("info", ["markdown", "Markdown", "md", ""])
def test_a_block_may_name_its_language_or_not(info: str) -> None:
    assert parse_script(_block("---\ngenseq: 1\n---\nhi", info=info)).records == (AgentWords(genseq=1, content="hi"),)


@pytest.mark.holds("D-SCR-3")
@pytest.mark.parametrize("fence", ["```", "````", "``````", "`" * 40, "~~~", "~~~~~~~"])
def test_any_fence_is_read(fence: str) -> None:
    assert parse_script(_block("---\ngenseq: 1\n---\nhi", fence=fence)).records == (AgentWords(genseq=1, content="hi"),)


def test_windows_lines_and_a_byte_order_mark() -> None:
    text = "---\ntitle: a\n---\n" + _block("---\ngenseq: 1\n---\n\none\n\ntwo")
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    assert parse_script(windows) == parse_script(text)
    assert parse_script(text).records == (AgentWords(genseq=1, content="one\n\ntwo"),)


def test_the_empty_line_below_frontmatter_is_not_text() -> None:
    bodies = ["---\ngenseq: 1\n---", "---\ngenseq: 1\n---\n", "---\ngenseq: 1\n---\nx", "---\ngenseq: 1\n---\n\n\nx\n"]
    read = [parse_script(_block(body)).records[0] for body in bodies]
    assert [record.content for record in read if isinstance(record, AgentWords)] == ["", "", "x", "\nx\n"]


def test_a_web_search_action_may_be_one_word() -> None:
    found = parse_script(_block("---\ngenseq: 1\nphase: done\naction: search\n---", "web_search_call_record")).records[
        0
    ]
    assert isinstance(found, WebSearchCall)
    assert found.action is not None
    assert found.action.type == "search"


@pytest.mark.holds("D-SCR-2")
@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("", 1, 1, "no record"),
        ("# only a heading\n\n", 2, 1, "no record"),
        ("---\ntitle: x\n---\n", 3, 4, "no record"),
        (_block("x", "user_record"), 1, 12, "no record type 'user_record'"),
        (_block("x", "human_text_recrod"), 1, 12, "Did you mean `human_text_record`"),
        (_block("x", "human_text"), 1, 12, "Did you mean `human_text_record`"),
        (f"{WORDS}\n### user\n\nhello\n", 10, 1, "older format"),
        ("### assistant\n", 1, 1, "agent_words_record"),
        (f"{WORDS}\nprose\n", 10, 1, "belongs to no record"),
        (f"prose\n{WORDS}", 1, 1, "belongs to no record"),
        (f"{WORDS}#### deep\n", 9, 1, "belongs to no record"),
        (f"{WORDS}```\nx\n```\n", 9, 1, "block belongs to no record"),
        ("### record agent_words_record\n\ntext\n", 3, 1, "``````markdown"),
        ("### record agent_words_record\n", 1, 30, "``````markdown"),
        (_block("---\ngenseq: 1\n---", info="json"), 3, 1, "``````markdown"),
        (_block("{}", "func_call_record"), 3, 1, "```json"),
        (
            f"{WORDS}### record agent_words_record\n``````markdown\n---\ngenseq: 1\n---\nx\n`````\n",
            10,
            1,
            "never closed",
        ),
        (_block("---\ngenseq: 1\nx"), 4, 1, "never closed"),
        (_block("hello"), 4, 1, "does not begin with frontmatter"),
        (_block("---\n---\nx"), 4, 1, "needs the field `genseq`"),
        (_block("---\ngenseq: 1\nmood: good\n---\nx"), 6, 1, "no field `mood`"),
        (_block("---\ngenseq: 1\nsourcetag: x\n---\nx"), 6, 1, "Did you mean `sourceTag`"),
        (_block("---\ngenseq: 1\ntype: agent_words_record\n---\nx"), 6, 1, "the heading names the type"),
        (_block("---\ngenseq: 1\ncontent: y\n---\nx"), 6, 1, "below the frontmatter"),
        (_block("---\ngenseq: -1\n---\nx"), 5, 1, "0 or more"),
        (_block(f"---\ngenseq: {'9' * 4000}\n---\nx"), 5, 1, "at most"),
        (_block("---\ngenseq: 9007199254740992\n---\nx"), 5, 1, "9007199254740991 at most"),
        (_block("---\ngenseq: 1.0\n---\nx"), 5, 1, "whole number"),
        (_block("---\ngenseq: true\n---\nx"), 5, 1, "`genseq` is true"),
        (_block("---\ngenseq: '1'\n---\nx"), 5, 1, "whole number"),
        (_block("---\ngenseq:\n---\nx"), 5, 1, "`genseq` is empty"),
        (_block("---\ngenseq: 1\ngenseq: 2\n---\nx"), 6, 1, "twice"),
        (_block("---\ngenseq: 1\nsourceTag: other\n---\nx"), 6, 1, "priming_script"),
        (_block("---\ngenseq: 1\nprovider_data: null\n---\nx", "agent_thought_record"), 6, 1, "an object"),
        (_block("---\ngenseq: 1\nid: 5\nname: a\n---\nx", "func_result_record"), 6, 1, "double quotes"),
        (_block("---\ngenseq: 1\nmsgId: a\ngrammar: html\n---\nx", "human_text_record"), 7, 1, "Expected: markdown"),
        (
            _block("---\ngenseq: 1\nmsgId: a\ngrammar: markdown\nuserLanguageCode: de\n---\nx", "human_text_record"),
            *(8, 1, "en or zh"),
        ),
        (_block("---\ngenseq: 1\nphase: gone\n---", "web_search_call_record"), 6, 1, "added or done"),
        (
            _block("---\ngenseq: 1\nphase: done\naction: {type: fly}\n---", "web_search_call_record"),
            7,
            1,
            "find_in_page",
        ),
        (
            _block('---\ngenseq: 1\nphase: done\naction: {type: search, url: "x"}\n---', "web_search_call_record"),
            7,
            1,
            "query",
        ),
        (_block("---\ngenseq: 1\n---\nsome text", "gen_start_record"), 7, 1, "has no text"),
        (_block("---\ngenseq: 1\n---\n\n.", "web_search_call_record"), 4, 1, "needs the field `phase`"),
        ("---\nkind: other\n---\n" + WORDS, 2, 1, "agent_priming_script"),
        ("---\nkind: agent_priming_script\nversion: 2\n---\n" + WORDS, 3, 1, "version: 3"),
        ("---\nversion: '3'\n---\n" + WORDS, 2, 1, "version: 3"),
        ("---\ntitel: x\n---\n" + WORDS, 2, 1, "Did you mean `title`"),
        ("---\ntitle: 5\n---\n" + WORDS, 2, 1, "double quotes"),
        ("---\napplicableMemberIds: ux\n---\n" + WORDS, 2, 1, "a list of texts"),
        ("---\nsourceDialog: {rootId: a}\n---\n" + WORDS, 2, 1, "selfId"),
        ("---\ntitle: x\n" + WORDS[:29], 1, 1, "never closed"),
        (_block("{", "func_call_record", info="json"), 5, 1, "not JSON"),
        (_block("[]", "func_call_record", info="json"), 4, 1, "not an object"),
        (_block('{"genseq": 1,\n "genseq": 2}', "func_call_record", info="json"), 4, 1, "twice"),
        (_block('{"type": "x"}', "func_call_record", info="json"), 4, 2, "heading's"),
        (_block('{"genseq": 1, "id": "a", "name": "b"}', "func_call_record", info="json"), 4, 1, "`arguments`"),
        (
            _block('{"genseq": 1, "id": "a",\n"name": "b", "arguments": []}', "func_call_record", info="json"),
            *(5, 14, "an object"),
        ),
        (_block('{"genseq": NaN}', "func_call_record", info="json"), 4, 1, "NaN"),
        (_block('{"genseq": ' + "1" * 5000 + "}", "func_call_record", info="json"), 4, 1, "digits"),
        (_block('{"a": ' + "[" * 3000 + "]" * 3000 + "}", "func_call_record", info="json"), 4, 1, "nested"),
        (_block('{"name": "\\ud800"}', "func_call_record", info="json"), 4, 1, "surrogate"),
    ],
)
def test_what_is_refused_says_where_and_what_to_do(text: str, line: int, column: int, says: str) -> None:
    error = _error(text)
    assert says in str(error)
    assert (error.line, error.column) == (line, column)


def test_an_error_has_its_place_on_the_wire() -> None:
    shown = _error(_block("---\ngenseq: -1\n---\nx")).as_json()
    assert shown["file"] == "a.md"
    assert (shown["line"], shown["column"], shown["expected"]) == (5, 1, "a whole number, 0 or more")


def test_bytes_that_are_not_utf8_say_where() -> None:
    error = _error(b"### record\n a\xff\n")
    assert (error.line, error.column) == (2, 3)


def _call(call_id: str, name: str = "ls") -> FuncCall:
    return FuncCall(genseq=1, id=call_id, name=name, arguments={})


def _result(call_id: str, name: str = "ls") -> FuncResult:
    return FuncResult(genseq=1, id=call_id, name=name, content="")


@pytest.mark.parametrize(
    ("records", "which", "says"),
    [
        ([_result("a")], 0, "no call 'a'"),
        ([_result("a"), _call("a")], 0, "before its call"),
        ([_call("a"), _result("b"), _call("b"), _result("a")], 1, "before its call"),
        ([_call("a"), _call("a"), _result("a")], 1, "used again"),
        ([_call("a"), _result("a"), _result("a")], 2, "a result already"),
        ([_call("a"), _result("a", "rm")], 1, "names 'rm'"),
    ],
)
def test_links_that_do_not_fit_are_refused_at_their_record(
    records: list[FuncCall | FuncResult], which: int, says: str
) -> None:
    text = export_script(Script(records=tuple(records)))
    headings = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("### ")]
    error = _error(text)
    assert says in str(error)
    assert error.line == headings[which]


def test_links_that_fit() -> None:
    records = (_call("a"), _call("b"), _result("b"), _result("a"), _call("a"), _result("a"), _call("open"))
    assert parse_script(export_script(Script(records=records))).records == records


def test_a_script_of_50_mb_is_too_large() -> None:
    for data in (b"x" * 50_000_000, "x" * 50_000_000):
        with pytest.raises(TooLarge, match="32 MiB"):
            parse_script(data)


def test_the_largest_script_is_read() -> None:
    frame = len(export_bytes(Script(records=(AgentWords(genseq=1, content=""),))))
    script = Script(records=(AgentWords(genseq=1, content="`\n" * ((MAX_BYTES - frame) // 2)),))
    assert parse_script(export_bytes(script)) == script


def test_a_hundred_thousand_records() -> None:
    script = Script(records=tuple(GenStart(genseq=number) for number in range(100_000)))
    assert parse_script(export_bytes(script)) == script


@pytest.mark.parametrize(
    "text",
    [
        "### record a" + " " * 1_000_000 + "b\n",
        "\n" * 1_000_000 + "x",
        "# a\n\n" * 200_000,
        "```" + "`" * 1_000_000,
        "### record agent_words_record\n```markdown\n" + "`` \n" * 300_000,
        _block('---\ngenseq: 1\nprovider_data: {"a": "' + '\\"' * 500_000 + "}\n---", "agent_thought_record"),
        _block("---\ngenseq: 1\nx: " + "a " * 300_000 + "#\n---\n"),
        _block("---\ngenseq: 1\nx: " + "[" * 300_000 + "\n---\n"),
        _block("{" + '"a": 1, ' * 100_000 + '"a": 2}', "func_call_record", info="json"),
        "---\n" * 300_000,
    ],
)
@pytest.mark.timeout(20)
def test_texts_made_to_take_long_are_refused_soon(text: str) -> None:
    with pytest.raises(PrimeError):
        parse_script(text)


def test_what_no_file_can_hold_is_not_exported() -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        export_bytes(Script(records=(AgentWords(genseq=1, content="\ud800"),)))
    with pytest.raises(InvalidInput, match="finite"):
        export_script(Script(records=(FuncCall(genseq=1, id="a", name="b", arguments={"x": float("nan")}),)))
    with pytest.raises(InvalidInput, match="without records"):
        export_script(Script(records=()))
