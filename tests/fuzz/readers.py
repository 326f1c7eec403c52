"""What reads text from outside, each with valid examples and with what must hold whatever it is given.

A reader answers, or refuses with an error of ours; that it does not break is the least. Beside it: what was written is
read back the same, two readers of the same thing agree, what is promised of the answer is so.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from pydantic_core import from_json
from tests.fuzz import examples
from tests.markdown import fences

from prime.brain.recall.dates import find_dates
from prime.brain.recall.query import MAX_TERMS, parse_query
from prime.brain.recall.snippets import Snippets
from prime.core.canonical import canonical_json, parse_json
from prime.core.classes import match, profile
from prime.core.errors import PrimeError
from prime.core.folding import fold
from prime.core.frontmatter import Frontmatter, read_fields, read_frontmatter, split_frontmatter
from prime.core.redaction import Redactor, cut
from prime.core.words import terms, tokens
from prime.core.yaml_text import read_mapping
from prime.core.yaml_writer import yaml_lines
from prime.dialogs.scripts.exporter import export_script
from prime.dialogs.scripts.parser import parse_script
from prime.gateway.behind.definitions import readable
from prime.gateway.behind.rpc import only_messages
from prime.gateway.front.batches import Batch, number_of
from prime.gateway.front.frames import refusal, refused
from prime.mind.jobs.lines import Line
from prime.mind.offline.facts.extracting import statements_in
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.slots.slots import slots_in
from prime.network.a2a.errors import RpcError
from prime.network.a2a.reading import read_listing, read_sending
from prime.network.wire import MAX_ATTACHMENTS, MAX_ID, MAX_TEXT, read_message
from prime.rooms.clamp import Clamp, sentences
from prime.tools.atip import parse_document
from prime.tools.atip.writing import write
from prime.tools.infer.reader import read_help
from prime.tools.infer.sections import clean
from prime.tools.policy.delegation import Delegation
from prime.tools.priming.request import PrimeRequest
from prime.tools.providers import compile_tools, parse_tool_calls
from prime.tools.runtimes.answer import NotAnAnswer, Transcript
from prime.tools.tool import tools_of

Read = Callable[[bytes], None]


@dataclass(frozen=True)
class Reader:
    read: Read
    examples: tuple[bytes, ...]

    @classmethod
    def of(cls, read: Read, *examples: str | bytes) -> "Reader":
        return cls(read, tuple(each.encode() if isinstance(each, str) else each for each in examples))


GUARDED = 'Tr0ub4dor&3 "quoted"'


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def as_json(reader: Callable[[Any], object]) -> Read:
    return lambda data: (reader(parse_json(data)), None)[1]


def as_object(reader: Callable[[Any], object]) -> Read:
    return as_json(lambda value: reader(value) if isinstance(value, dict) else None)


def as_text(reader: Callable[[str], object]) -> Read:
    return lambda data: (reader(text_of(data)), None)[1]


def document(data: bytes) -> None:
    """What is read is written and read again the same; every provider gets names that it takes, each once."""
    read = parse_document(data, where="x")
    again = parse_document(json.dumps(write(read)), where="x")
    assert write(again) == write(read)
    tools = tools_of(read)
    assert len({tool.name for tool in tools}) == len(tools)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", tool.name) for tool in tools)
    for provider in ("openai", "gemini", "anthropic"):
        json.dumps(compile_tools(tools, provider, strict=True), allow_nan=False)


def script(data: bytes) -> None:
    read = parse_script(data)
    written = export_script(read)
    again = parse_script(written)
    assert again == read
    assert export_script(again) == written


def frontmatter(text: str) -> None:
    """The quick reader and the YAML reader say the same; what is written is read back."""
    found = read_frontmatter(text)
    if found.places:
        split = split_frontmatter(text.removeprefix("\ufeff").replace("\r\n", "\n"))
        if split is not None:
            assert same(quietly(read_fields, split.yaml), quietly(lambda yaml: read_mapping(yaml).data, split.yaml))
    _written_matter(found)


def _written_matter(found: Frontmatter) -> None:
    plain = {key: value for key, value in found.data.items() if re.fullmatch(r"[A-Za-z_]\w{0,50}", key, re.ASCII)}
    plain = {key: value for key, value in plain.items() if key.lower() not in {"null", "true", "false"}}
    try:
        written = yaml_lines(plain)
    except PrimeError:
        return
    assert same(read_fields(written, max_bytes=10**7), plain)
    assert same(read_mapping(written, max_bytes=10**7).data, plain)


def quietly(read: Callable[[str], object], text: str) -> object:
    try:
        return read(text)
    except PrimeError:
        return PrimeError


def same(one: object, other: object) -> bool:
    """Also of the same types: 1, 1.0 and true are equal to Python."""
    return one == other and repr(one) == repr(other)


def fenced(text: str) -> None:
    at = 0
    for block in fences(text):
        assert at <= block.start < block.body_start <= block.end <= len(text)
        assert len(block.marker) >= 3
        at = block.end


def prime_message(value: Any) -> None:
    read = read_message(value)
    assert 0 < len(read.text.strip()) <= len(read.text) <= MAX_TEXT
    assert "\0" not in read.text
    for name in (read.message_id, read.thread_id, read.task_id):
        assert name is None or (0 < len(name) <= MAX_ID and name.isprintable())
    assert len(read.attachments) <= MAX_ATTACHMENTS
    for url in (read.callback_url, *(each.url for each in read.attachments)):
        assert url is None or url.startswith(("http://", "https://"))
    json.dumps([read.text, read.sender_id, read.sender_name]).encode()


def a2a_message(value: Any) -> None:
    for keeps_files in (False, True):
        read = read_sending(value, keeps_files=keeps_files)
        assert 0 < len(read.incoming.text) <= MAX_TEXT
        assert "\0" not in read.incoming.text
        assert len(read.incoming.attachments) + len(read.incoming.files) <= MAX_ATTACHMENTS
        assert keeps_files or not read.incoming.files


def frame(data: bytes) -> None:
    """What is let through is a message; what is refused is told so under its own id; batches lose nobody."""
    told = refusal(data)
    try:
        value: Any = from_json(data)
    except ValueError:
        return
    if told is None:
        assert isinstance(value, dict)
        message = cast("dict[str, Any]", value)
        assert message["jsonrpc"] == "2.0"
        assert isinstance(message.get("method", ""), str)
    else:
        assert told["jsonrpc"] == "2.0"
        assert json.loads(json.dumps(told))["error"]["message"]
    for message in only_messages(cast("Any", value)):
        result = message.get("result")
        offered = cast("dict[str, Any]", result).get("tools") if isinstance(result, dict) else None
        for tool in readable(cast("list[Any]", offered) if isinstance(offered, list) else ()).tools:
            json.dumps(tool)
    if isinstance(value, list):
        _batch(cast("list[Any]", value))


def _batch(given: list[Any]) -> None:
    batch = Batch.of(given)
    assert len(batch.messages) + len(batch.answers) == len(given)
    assert batch.waiting == {n for n in map(number_of, batch.messages) if n is not None}
    assert not any(refused(message) for message in batch.messages)


def help_text(data: bytes) -> None:
    """What is made of a help text is a document that is taken, and its commands become tools."""
    found = read_help(clean(data), ("notes",))
    command = {"description": found.description or "x", "arguments": found.arguments, "options": found.options}
    commands = {name: {"description": said} for name, said in found.commands.items()}
    made = {"atip": "0.3", "name": "notes", "version": "1", "description": "x", "commands": {"do": command} | commands}
    try:
        tools_of(parse_document(json.dumps(made), where="help"))
    except PrimeError as error:
        raise AssertionError(f"inferred and not taken: {error}") from error


def search(text: str) -> None:
    query = parse_query(text)
    assert len(query.terms) <= MAX_TERMS
    assert len(set(query.terms)) == len(query.terms)
    assert query.quoted <= {*query.terms} or len(query.terms) == MAX_TERMS
    for phrase in (*query.required.phrases, *query.excluded.phrases):
        assert phrase
        assert all(phrase)
    shown = "".join(piece.text for piece in Snippets(query).cut([text])[0])
    assert shown.strip("…") in text


def words(text: str) -> None:
    """Places are places in the text, in order; folding again changes nothing; both ways to the words agree."""
    last = 0
    for token in tokens(text):
        assert 0 <= token.start < token.end <= len(text)
        assert token.start >= last or token.kind in ("whole", "pair")
        last = token.start
        assert token.text
    assert fold(fold(text)) == fold(text)
    assert [token.text for token in tokens(text)] == terms(text, stem=False, stop=True)


def matched(text: str) -> None:
    """Nobody is matched by less than two words, a text that says enough matches itself, and the rest does not depend on order."""
    half = len(text) // 2
    candidate, taught = text[:half], text[half:]
    found = match(candidate, taught)
    if found is not None:
        assert len(found.shared) >= 2
        assert found.shared <= profile(candidate).specific & profile(taught).specific
        assert 0.5 <= found.cover <= 1
    own = profile(text)
    if (
        len(own.specific) >= 2
        and own.specific - own.doubtful
        and 2 * len(own.specific) >= len(own.specific | own.loose)
    ):
        assert match(text, text) is not None


def answer(data: bytes) -> None:
    transcript = Transcript()
    for line in data.split(b"\n"):
        transcript.line(line)
    assert isinstance(transcript.log, str)
    if transcript.answered and not transcript.second and not transcript.after:
        said = transcript.answer()
        json.dumps([list(said.content), said.value], allow_nan=False).encode()


def canonical(value: object) -> None:
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text


_REDACTOR = Redactor([GUARDED])


def redacted(text: str) -> None:
    """A secret that is known is never left, in any dress; redacting again changes nothing; a cut keeps its size."""
    for dress in (GUARDED, json.dumps(GUARDED)):
        done = _REDACTOR.redact(text + dress + text)
        assert dress not in done
        assert GUARDED not in done
    done = _REDACTOR.redact(text)
    assert _REDACTOR.redact(done) == done
    for limit in (0, 10, 40, 1000):
        assert len(cut(text, limit).encode("utf-8", "replace")) <= max(limit, 0)


_CLAMP = Clamp.load()


def clamped(text: str) -> None:
    """Sentences joined are the text; what is kept would be kept again; nothing is made up."""
    assert "".join(sentences(text)) == text
    done = _CLAMP.apply(text, "external")
    assert bool(done.removed) or done.text == text
    again = _CLAMP.apply(done.text, "external")
    assert not again.removed, again.removed
    assert len(done.text) <= len(text)


def talk(text: str) -> None:
    """What the offline engine takes out of what people say stands in it, and can be told on."""
    for money in amounts(text):
        assert money.value == money.value
    dates(text, "2026-03-01")
    find_dates(text)
    json.dumps(slots_in(text, "2026-03-01")).encode("utf-8", "surrogatepass")
    lines = (Line(message_id="m", speaker="Ann", text=text),)
    for statement in statements_in(lines, "2026-03-01"):
        assert statement.subject


def calls(provider: Any) -> Read:
    def read(value: Any) -> None:
        found = parse_tool_calls(provider, value)
        assert all(call.id for call in found)
        assert all(call.positional or isinstance(call.arguments, dict) for call in found)

    return as_json(read)


def prime_request(value: Any) -> None:
    read = PrimeRequest.from_json(value)
    assert read.agent_id is not None


READERS: dict[str, Reader] = {
    "atip-document": Reader.of(document, examples.DOCUMENT),
    "startup-script": Reader.of(script, examples.SCRIPT),
    "frontmatter": Reader.of(as_text(frontmatter), examples.MATTER, examples.SCRIPT),
    "fences": Reader.of(as_text(fenced), examples.SCRIPT, "~~~ x\n a\n~~~~\n   ```\n  b\n   ```\n"),
    "prime-message": Reader.of(as_json(prime_message), examples.MESSAGE),
    "a2a-sending": Reader.of(as_object(a2a_message), examples.SENDING, examples.SENDING_1_0),
    "a2a-listing": Reader.of(as_object(read_listing), examples.LISTING),
    "mcp-frame": Reader.of(frame, examples.CALL, examples.BATCH, examples.TOOLS),
    "help-text": Reader.of(help_text, examples.HELP),
    "openai-calls": Reader.of(calls("openai"), examples.OPENAI),
    "gemini-calls": Reader.of(calls("gemini"), examples.GEMINI),
    "anthropic-calls": Reader.of(calls("anthropic"), examples.ANTHROPIC),
    "prime-request": Reader.of(as_json(prime_request), examples.PRIMING),
    "delegation": Reader.of(as_json(Delegation.from_json), examples.DELEGATION),
    "search": Reader.of(as_text(search), examples.QUERY, "when did 'Ann' say “十二月” -x in:\"a b\"?"),
    "words": Reader.of(as_text(words), examples.QUERY, "O'Brien's camelCase v1.2 ﾊﾟﾝ 한국어 naïve ﬁ İstanbul"),
    "class-matching": Reader.of(as_text(matched), examples.TALK, "Can you ship lamps? Can you ship lamps?"),
    "tool-output": Reader.of(
        answer, examples.ANSWER, '{"content": [{"type": "image", "data": "aGk=", "mimeType": "x"}]}'
    ),
    "canonical-json": Reader.of(as_json(canonical), examples.DOCUMENT),
    "redaction": Reader.of(as_text(redacted), examples.SECRETS),
    "clamp": Reader.of(as_text(clamped), "Our margin is 30%. We ship in May! 我们的底价是三万。好的", examples.TALK),
    "talk": Reader.of(as_text(talk), examples.TALK),
}

REFUSALS = (PrimeError, RpcError, NotAnAnswer)
