# ruff: noqa: INP001
"""An agent that uses a tool and takes its time: it counts the words of a page that it is given.

Run it in this folder: prime agent run tool_agent:reply
A short request is answered at once; "slowly: …" becomes a task whose result is pushed or asked for later.
"""

import asyncio
import re

from prime.sdk import Message, NeedsInput, Task, agent

_WORD = re.compile(r"\w+")


def count_words(text: str) -> dict[str, int]:
    """The tool."""
    counts: dict[str, int] = {}
    for word in _WORD.findall(text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts


async def work_slowly(text: str) -> str:
    await asyncio.sleep(2)
    return describe(count_words(text))


def describe(counts: dict[str, int]) -> str:
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]
    return f"{sum(counts.values())} words. Most frequent: " + ", ".join(f"{word} ({n})" for word, n in top)


@agent(name="Word counter", capabilities=["word-count", "statistics"])
async def reply(message: Message) -> str | Task | NeedsInput:
    kind, _, text = message.text.partition(":")
    if not text.strip():
        return NeedsInput("Which text? Write “count: …” or “slowly: …”.")
    if kind.strip().lower() == "slowly":
        return Task(work_slowly(text))
    return describe(count_words(text))
