"""Prime's own words in the languages that the page speaks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence in every language that the page speaks."""

    en: str
    zh: str

    def in_language(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


def quoted(text: str) -> Said:
    return Said(text, text)


# What Prime itself asks; `{}` is a name, filled in. The page knows these by its own catalogue, and a test holds both together.
ASKED: Sequence[Said] = (
    Said("May {} run {}?", "允许 {} 运行 {} 吗？"),
    Said("Run {} now?", "现在运行 {} 吗？"),
    Said(
        "The tool {} of the MCP server {} describes itself differently now. Accept it?",
        "MCP 服务器 {1} 的工具 {0} 改变了自我描述。接受吗？",
    ),
    Said(
        "This workspace wants to start an MCP server named {}. May it?",
        "这个工作区想启动名为 {} 的 MCP 服务器。允许吗？",
    ),
    Said(
        "An MCP server named {} was added in the page. May it start?",
        "页面里添加了名为 {} 的 MCP 服务器。允许它启动吗？",
    ),
    Said(
        "The MCP server {} wants your model to answer something. May it?",
        "MCP 服务器 {} 想让你的模型回答一些内容。允许吗？",
    ),
    Said("The MCP server {} asks: {}", "MCP 服务器 {} 问：{}"),
    Said("yes", "是"),
    Said("no", "否"),
)
_FITTING = [(re.compile(re.escape(each.en).replace(r"\{\}", "(.*)"), re.DOTALL), each.zh) for each in ASKED]
# As the page has it: what is longer holds somebody's words, and a name in it may be anything.
_LONGEST = 600


def in_words(sentence: str) -> Said:
    """A sentence of Prime's own in every language; one that is not known stays as it was said."""
    if len(sentence) <= _LONGEST:
        for pattern, zh in _FITTING:
            if found := pattern.fullmatch(sentence):
                return Said(sentence, zh.format(*found.groups()))
    return quoted(sentence)
