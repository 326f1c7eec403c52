"""Conversations in providers' shapes, judged by the providers' own types."""

import json
from itertools import pairwise
from typing import cast

from anthropic.types import MessageParam
from google.genai import types as gemini
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from prime.mind.shapes import Shape, message_lines, to_anthropic, to_gemini, to_openai, tool_name
from prime.mind.turns import Conversation, Exchange, ToolStep, Turn, Words

OPENAI = TypeAdapter[object](list[ChatCompletionMessageParam])
ANTHROPIC = TypeAdapter[object](list[MessageParam])


def step(*names: str, result: str = "ok", failed: bool = False) -> ToolStep:
    return ToolStep(
        exchanges=tuple(
            Exchange(call_id=f"c{n}", name=name, arguments={"n": n}, result=result, failed=failed)
            for n, name in enumerate(names)
        )
    )


TALK: list[Turn] = [
    Words(role="user", text="Look."),
    Words(role="assistant", text="I look."),
    step("ls", "df"),
    Words(role="user", text="And?"),
    Words(role="user", text="Well?"),
    step("ls", failed=True),
    Words(role="assistant", text="Done."),
]


def test_openai() -> None:
    messages = to_openai(Conversation(system="S", turns=TALK))
    OPENAI.validate_python(messages)
    assert [m["role"] for m in messages] == [
        "system", "user", "assistant", "tool", "tool", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert messages[2]["content"] == "I look."
    calls = cast("list[Shape]", messages[2]["tool_calls"])
    assert [call["id"] for call in calls] == [messages[3]["tool_call_id"], messages[4]["tool_call_id"]]
    assert messages[5]["content"] == "And?\n\nWell?"
    assert messages[7]["content"] == "Error: ok"


def test_anthropic() -> None:
    body = to_anthropic(Conversation(system="S", turns=TALK))
    messages = cast("list[Shape]", body["messages"])
    ANTHROPIC.validate_python(messages)
    assert [m["role"] for m in messages] == ["user", "assistant", "user", "assistant", "user", "assistant"]
    blocks = [[block["type"] for block in cast("list[Shape]", m["content"])] for m in messages]
    assert blocks[1:3] == [["text", "tool_use", "tool_use"], ["tool_result", "tool_result", "text"]]
    assert cast("list[Shape]", messages[4]["content"])[0]["is_error"] is True
    ids = [block["id"] for m in messages for block in cast("list[Shape]", m["content"]) if block["type"] == "tool_use"]
    assert len(set(map(str, ids))) == 3, "an id that was used before gets another name"


def test_gemini() -> None:
    body = to_gemini(Conversation(system="S", turns=TALK))
    contents = cast("list[Shape]", body["contents"])
    for content in contents:
        gemini.Content.model_validate(content)
    assert [c["role"] for c in contents] == ["user", "model", "user", "user", "model", "user", "model"]
    answers = [part["functionResponse"] for part in cast("list[Shape]", contents[2]["parts"])]
    assert answers == [{"name": "ls", "response": {"result": "ok"}}, {"name": "df", "response": {"result": "ok"}}]


def test_a_person_speaks_first() -> None:
    turns = [Words(role="assistant", text="Hi.")]
    assert [m["role"] for m in message_lines(turns, "anthropic")] == ["user", "assistant"]
    assert [m["role"] for m in message_lines(turns, "gemini")] == ["user", "model"]
    assert [m["role"] for m in message_lines(turns, "openai")] == ["assistant"]
    assert message_lines([], "anthropic") == []


def test_names() -> None:
    assert tool_name("exec_command") == "exec_command"
    names = ["web.search", "web/search", "读", "1st", "", "x" * 80, "x" * 81]
    assert len({tool_name(name) for name in names}) == len(names)


texts = st.text(max_size=20)
exchanges = st.builds(
    Exchange, call_id=texts, name=texts, arguments=st.dictionaries(texts, texts), result=texts, failed=st.booleans()
)
turns = st.lists(
    st.one_of(
        st.builds(Words, role=st.sampled_from(["user", "assistant"]), text=texts),
        st.builds(ToolStep, exchanges=st.lists(exchanges, max_size=3).map(tuple)),
    ),
    max_size=8,
)


@given(turns)
def test_any_conversation_is_taken(any_turns: list[Turn]) -> None:
    talk = Conversation(system="S", turns=any_turns)
    OPENAI.validate_python(openai := to_openai(talk))
    waiting: list[object] = []
    for message in openai:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting, "results follow their calls at once"
        for call in cast("list[Shape]", message.get("tool_calls", [])):
            waiting.append(call["id"])
            assert isinstance(json.loads(str(cast("Shape", call["function"])["arguments"])), dict)
    assert not waiting
    claude = cast("list[Shape]", to_anthropic(talk)["messages"])
    ANTHROPIC.validate_python(claude)
    roles = [message["role"] for message in claude]
    assert roles[:1] in ([], ["user"])
    assert all(one != other for one, other in pairwise(roles))
    for content in cast("list[Shape]", to_gemini(talk)["contents"]):
        gemini.Content.model_validate(content)
