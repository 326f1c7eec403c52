"""Whatever reads text from outside takes anything: it answers, or refuses with an error of ours, soon.

Valid examples are damaged at random: bits, pieces, repetitions, other files' pieces, values inside JSON. A short run is part
of the suite, always with the same damage; `PRIME_FUZZ_SECONDS=600` makes every reader run that long with new damage.
What once broke a reader stands in CRASHES and is read again every time.
"""

import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from prime.brain.recall.query import parse_query
from prime.core.canonical import canonical_json, parse_json
from prime.core.classes import match
from prime.core.errors import PrimeError
from prime.core.fences import fences
from prime.core.frontmatter import read_frontmatter
from prime.core.redaction import Redactor
from prime.core.words import terms
from prime.dialogs.scripts.exporter import export_script
from prime.dialogs.scripts.parser import parse_script
from prime.network.a2a.errors import RpcError
from prime.network.a2a.reading import read_listing, read_sending
from prime.network.wire import read_message
from prime.tools.atip import parse_document
from prime.tools.infer.reader import read_help
from prime.tools.policy.delegation import Delegation
from prime.tools.priming.request import PrimeRequest
from prime.tools.providers import compile_tools, parse_tool_calls
from prime.tools.runtimes.answer import NotAnAnswer, Transcript
from prime.tools.tool import tools_of

ROUNDS = 250
SLOW_SECONDS = 2.0
SECONDS = float(os.environ.get("PRIME_FUZZ_SECONDS", "0"))

DOCUMENT = json.dumps(
    {
        "atip": {"version": "0.3", "features": ["partial-discovery"]},
        "name": "notes",
        "version": "1.0",
        "description": "Keeps notes.",
        "globalOptions": [{"name": "quiet", "flags": ["-q", "--quiet"], "type": "boolean"}],
        "commands": {
            "add": {
                "description": "Keep a note.",
                "arguments": [{"name": "text", "type": "string", "variadic": True}],
                "options": [{"name": "tag", "flags": ["--tag"], "type": "enum", "enum": ["a", "b"], "default": "a"}],
                "effects": {"filesystem": {"write": True}, "network": False, "duration": {"timeout": "5s"}},
                "commands": {"many": {"description": "Keep many.", "effects": {"destructive": True}}},
            }
        },
        "patterns": [{"name": "keep", "description": "Keep it.", "steps": [{"command": "notes add"}]}],
    }
)
SCRIPT = """---
kind: agent-priming-script
version: 1
title: 环境探针
---

### record human_text_record

---
genseq: 1
msgId: m1
grammar: markdown
---

``````markdown
Look around; ```code``` stays.
``````

### record func_call_record

```json
{"genseq": 1, "id": "c1", "name": "ls", "arguments": {"path": "."}}
```
"""
MESSAGE = '{"id": "m-1", "from": {"id": "me", "name": "Me", "tier": "team"}, "text": "Hello", "threadId": "t", "attachments": []}'
SENDING = (
    '{"message": {"messageId": "m", "role": "user", "contextId": "c", "parts": [{"kind": "text", "text": "Hi"},'
    ' {"kind": "file", "file": {"uri": "https://example.org/a.txt", "name": "a"}}]},'
    ' "configuration": {"historyLength": 3, "blocking": true}}'
)
LISTING = (
    '{"pageSize": 10, "pageToken": "x", "status": "TASK_STATE_WORKING", "lastUpdatedAfter": "2026-01-01T00:00:00Z"}'
)
HELP = """Usage: notes [OPTIONS] COMMAND [ARGS]...

  Keeps notes.

Options:
  -q, --quiet          Say nothing.
  --tag {a,b}          A word. [default: a]
  --help               Show this message and exit.

Commands:
  add   Keep a note.
  list  Show them.
"""
OPENAI = '{"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "a_b", "arguments": "{\\"x\\": 1}"}}]}}]}'
GEMINI = '{"candidates": [{"content": {"parts": [{"functionCall": {"name": "a", "args": {"x": [1, null]}}}]}}]}'
ANTHROPIC = '{"content": [{"type": "tool_use", "id": "t", "name": "a", "input": {"x": {"y": 2}}}]}'
PRIMING = '{"agentId": "a", "sessionId": "s", "capabilities": {"x": true}, "locale": "en", "userRole": "developer"}'
DELEGATION = (
    '{"allowedTools": ["git", "ls *"], "deniedCommands": ["git push"], "effectRestrictions": {"network": false}}'
)
QUERY = '"payment terms" from:retailer -draft before:2026-03-01 after:2026 kind:note 价格 in:Deal'
ANSWER = 'log line\n{"content": [{"type": "text", "text": "x"}], "isError": false, "structuredContent": {"a": 1}}\n'


def document(data: bytes) -> None:
    tools = tools_of(parse_document(data, where="x"))
    for provider in ("openai", "gemini", "anthropic"):
        compile_tools(tools, provider, strict=True)


def script(data: bytes) -> None:
    read = parse_script(data)
    assert parse_script(export_script(read)).records == read.records


def as_json(reader: Callable[[Any], object]) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        reader(parse_json(data))

    return read


def as_object(reader: Callable[[Any], object]) -> Callable[[bytes], None]:
    return as_json(lambda value: reader(value) if isinstance(value, dict) else None)


def as_text(reader: Callable[[str], object]) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        reader(data.decode("utf-8", "surrogateescape"))

    return read


def answer(data: bytes) -> None:
    transcript = Transcript()
    for line in data.split(b"\n"):
        transcript.line(line)
    assert isinstance(transcript.log, str)


def canonical(value: object) -> None:
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text


def matched(text: str) -> None:
    half = len(text) // 2
    found = match(text[:half], text[half:])
    assert found is None or len(found.shared) >= 2


def calls(provider: Any) -> Callable[[bytes], None]:
    return as_json(lambda value: parse_tool_calls(provider, value))


READERS: Mapping[str, tuple[Callable[[bytes], None], str]] = {
    "atip document": (document, DOCUMENT),
    "startup script": (script, SCRIPT),
    "frontmatter": (as_text(read_frontmatter), SCRIPT),
    "fences": (as_text(lambda text: list(fences(text))), SCRIPT),
    "prime message": (as_json(read_message), MESSAGE),
    "a2a sending": (as_object(read_sending), SENDING),
    "a2a listing": (as_object(read_listing), LISTING),
    "help text": (as_text(lambda text: read_help(text, ("notes",))), HELP),
    "openai calls": (calls("openai"), OPENAI),
    "gemini calls": (calls("gemini"), GEMINI),
    "anthropic calls": (calls("anthropic"), ANTHROPIC),
    "prime request": (as_json(PrimeRequest.from_json), PRIMING),
    "delegation": (as_json(Delegation.from_json), DELEGATION),
    "search": (as_text(parse_query), QUERY),
    "words": (as_text(terms), QUERY),
    "class matching": (as_text(matched), "We ship on Friday to the warehouse in Lyon. 我们周五发货到仓库。"),
    "tool answer": (answer, ANSWER),
    "canonical json": (as_json(canonical), DOCUMENT),
    "redaction": (as_text(Redactor().redact), f"{DOCUMENT} password=hunter2 sk-abcdefghijklmnopqrstuvwxyz0123456789"),
}

CRASHES: Sequence[tuple[str, bytes]] = (
    ("a2a sending", b'{"message": {"messageId": "m", "role": {}, "parts": [{"text": "Hi"}]}}'),
)

# --- damage ---

ODD = [
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "é中\u202e".encode(),
    b"```",
    b"---\n",
    b'"',
    b"{",
    b"]",
    b"\\",
    b"1e999",
    b"-",
    b"\r\n",
]
VALUES = json.loads(
    '[null, true, -1, 1e9, 0.5, "", "\\ud800", "long", [], {}, [[[[]]]], {"": {"": null}}, 99999999999999999999]'
)


def damaged(seed: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        try:
            return json.dumps(swapped(json.loads(seed), chance)).encode("utf-8", "surrogatepass")
        except ValueError:
            pass
    data = bytearray(seed)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice([1, 2, 8, 40]))
        piece = chance.choice(
            [
                b"",
                chance.choice(ODD),
                chance.randbytes(3),
                bytes(data[at:to]) * chance.choice([2, 200]),
                chance.choice(others),
            ]
        )
        data[at : to if chance.random() < 0.5 else at] = piece
    return bytes(data[:200_000])


def swapped(value: object, chance: random.Random) -> object:
    """The value with something in it replaced, removed, renamed or doubled."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        known = dict(cast("dict[str, object]", value))
        key = chance.choice(list(known))
        kind = chance.random()
        if kind < 0.15:
            known.pop(key)
        elif kind < 0.3:
            known[chance.choice(["", "__proto__", key + "x", "x-" + key, "\ud800"])] = known[key]
        else:
            known[key] = swapped(known[key], chance)
        return known
    if isinstance(value, list) and value and chance.random() < 0.85:
        items = list(cast("list[object]", value))
        at = chance.randrange(len(items))
        items[at : at + 1] = chance.choice([[], [items[at]] * 3, [swapped(items[at], chance)]])
        return items
    return chance.choice(VALUES)


def check(name: str, data: bytes) -> None:
    reader, _ = READERS[name]
    begin = time.monotonic()
    try:
        reader(data)
    except (PrimeError, RpcError, NotAnAnswer):
        pass
    except Exception as error:
        raise AssertionError(f"{name} broke on {data!r}") from error
    assert time.monotonic() - begin < SLOW_SECONDS, f"{name} took too long on {data[:500]!r}"


@pytest.mark.parametrize("name", READERS)
@pytest.mark.timeout(120 + 2 * SECONDS)
def test_a_reader_takes_anything(name: str) -> None:
    others = [seed.encode() for _, seed in READERS.values()]
    seed = READERS[name][1].encode()
    check(name, seed)
    chance = random.Random(name if not SECONDS else None)
    until = time.monotonic() + SECONDS
    for number in range(ROUNDS if not SECONDS else 10**9):
        check(name, damaged(seed, others, chance))
        if SECONDS and number % 100 == 0 and time.monotonic() > until:
            break


@pytest.mark.parametrize(("name", "data"), CRASHES)
def test_what_once_broke_a_reader_does_not(name: str, data: bytes) -> None:
    check(name, data)


def test_the_harness_has_teeth(tmp_path: Path) -> None:
    def fragile(data: bytes) -> None:
        json.loads(data)

    broken = cast("dict[str, Any]", READERS) | {"fragile": (fragile, "{}")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "READERS", broken)
        with pytest.raises(AssertionError, match="fragile broke"):
            check("fragile", b"{")
