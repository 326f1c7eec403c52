"""The 13 kinds of record that a startup script is made of.

A record is one step of a dialog's history. Python names are snake_case; `fields.py` derives the names in the file
(`msgId`, `mentionList`, …), what each field takes and whether it must be there from the annotations here.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from prime.core.json_text import JsonObject

SourceTag: TypeAlias = Literal["priming_script"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchAction:
    """What a web search did: `query` belongs to `search`, `url` to the other two, `pattern` to `find_in_page`."""

    type: Literal["search", "open_page", "find_in_page"]
    query: str | None = None
    url: str | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanText:
    """What a person said."""

    TYPE: ClassVar = "human_text_record"
    TEXT: ClassVar = "content"
    genseq: int
    msg_id: str
    grammar: Literal["markdown"]
    user_language_code: Literal["en", "zh"] | None = None
    q4h_answer_call_ids: tuple[str, ...] | None = None
    source_tag: SourceTag | None = None
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWords:
    """What the agent said."""

    TYPE: ClassVar = "agent_words_record"
    TEXT: ClassVar = "content"
    genseq: int
    source_tag: SourceTag | None = None
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentThought:
    """What the agent thought; `provider_data` is the provider's own (signatures, for example)."""

    TYPE: ClassVar = "agent_thought_record"
    TEXT: ClassVar = "content"
    genseq: int
    provider_data: JsonObject | None = None
    source_tag: SourceTag | None = None
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UiOnlyMarkdown:
    """Shown to people, never to a model."""

    TYPE: ClassVar = "ui_only_markdown_record"
    TEXT: ClassVar = "content"
    genseq: int
    source_tag: SourceTag | None = None
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FuncCall:
    """A tool call; its result has the same `id`."""

    TYPE: ClassVar = "func_call_record"
    TEXT: ClassVar = None
    genseq: int
    id: str
    name: str
    arguments: JsonObject
    source_tag: SourceTag | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FuncResult:
    """What a tool call gave back."""

    TYPE: ClassVar = "func_result_record"
    TEXT: ClassVar = "content"
    genseq: int
    id: str
    name: str
    content_items: tuple[JsonObject, ...] | None = None
    source_tag: SourceTag | None = None
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchCall:
    """A search that the model's provider ran itself."""

    TYPE: ClassVar = "web_search_call_record"
    TEXT: ClassVar = None
    genseq: int
    phase: Literal["added", "done"]
    item_id: str | None = None
    status: str | None = None
    action: WebSearchAction | None = None
    source_tag: SourceTag | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestForSup:
    """A question that a dialog below asks the one above."""

    TYPE: ClassVar = "quest_for_sup_record"
    TEXT: ClassVar = "tellask_content"
    genseq: int
    mention_list: tuple[str, ...] = ()
    sub_dialog_id: str
    source_tag: SourceTag | None = None
    tellask_content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeammateCallResult:
    """What became of asking a teammate."""

    TYPE: ClassVar = "teammate_call_result_record"
    TEXT: ClassVar = "result"
    responder_id: str
    call_name: str
    tellask_content: str
    status: Literal["completed", "failed"]
    call_id: str
    calling_genseq: int | None = None
    mention_list: tuple[str, ...] | None = None
    source_tag: SourceTag | None = None
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeammateResponse:
    """A teammate's answer, with where it was given."""

    TYPE: ClassVar = "teammate_response_record"
    TEXT: ClassVar = "response"
    responder_id: str
    call_name: str
    tellask_content: str
    status: Literal["completed", "failed"]
    call_id: str
    calling_genseq: int | None = None
    mention_list: tuple[str, ...] | None = None
    agent_id: str
    origin_member_id: str
    callee_dialog_id: str | None = None
    callee_course: int | None = None
    callee_genseq: int | None = None
    source_tag: SourceTag | None = None
    response: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeammateCallAnchor:
    """Marks where a teammate's assignment began or was answered."""

    TYPE: ClassVar = "teammate_call_anchor_record"
    TEXT: ClassVar = None
    anchor_role: Literal["assignment", "response"]
    call_id: str
    genseq: int
    assignment_course: int | None = None
    assignment_genseq: int | None = None
    caller_dialog_id: str | None = None
    caller_course: int | None = None
    source_tag: SourceTag | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GenStart:
    """A generation of the model begins."""

    TYPE: ClassVar = "gen_start_record"
    TEXT: ClassVar = None
    genseq: int
    source_tag: SourceTag | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GenFinish:
    """A generation of the model is over."""

    TYPE: ClassVar = "gen_finish_record"
    TEXT: ClassVar = None
    genseq: int
    context_health: JsonObject | None = None
    llm_gen_model: str | None = None
    source_tag: SourceTag | None = None


Record: TypeAlias = (
    HumanText
    | AgentWords
    | AgentThought
    | UiOnlyMarkdown
    | FuncCall
    | FuncResult
    | WebSearchCall
    | QuestForSup
    | TeammateCallResult
    | TeammateResponse
    | TeammateCallAnchor
    | GenStart
    | GenFinish
)
RECORD_CLASSES: tuple[type[Record], ...] = (
    HumanText,
    AgentWords,
    AgentThought,
    UiOnlyMarkdown,
    FuncCall,
    FuncResult,
    WebSearchCall,
    QuestForSup,
    TeammateCallResult,
    TeammateResponse,
    TeammateCallAnchor,
    GenStart,
    GenFinish,
)
