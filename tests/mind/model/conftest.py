"""Stand-ins for the three providers' HTTP APIs, on real sockets and in their own wire formats. Nothing leaves the machine."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from prime.mind.jobs.lines import Usage
from prime.mind.model.mind import ModelMind
from prime.mind.model.spec import ModelProvider, ModelSpec
from prime.mind.spend import SpendStopped

Wire = Literal["openai", "anthropic", "gemini"]


@dataclass(frozen=True)
class Call:
    """A tool that the model calls."""

    name: str
    arguments: Any


@dataclass(frozen=True)
class Answers:
    """Words and calls, with what they are said to have cost."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: tuple[int, int] = (11, 7)


@dataclass(frozen=True)
class Fails:
    status: int
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Hangs:
    """Takes the request and never answers."""


@dataclass(frozen=True)
class Cuts:
    """A stream that breaks off after its first words, or an answer that never comes."""

    after: str = ""


@dataclass(frozen=True)
class Raw:
    """Some other body with status 200."""

    body: bytes
    content_type: str = "application/json"


Behaviour = Answers | Fails | Hangs | Cuts | Raw


_GOOGLE = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class FakeProvider:
    wire: Wire
    script: list[Behaviour] = field(default_factory=list[Behaviour])
    received: list[Received] = field(default_factory=list[Received])
    url: str = ""
    # Called when a request to the model has come in.
    heard: Callable[[], None] = lambda: None
    # What to do about a request, where it depends on what is asked; before the script.
    answering: Callable[[dict[str, Any]], Behaviour] | None = None
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def will(self, *behaviours: Behaviour) -> None:
        self.script.extend(behaviours)

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        assert self._server
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            # The test is over, and a request may still hang.
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        request, *rows = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in rows if row)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        self.received.append(Received(request.split(" ")[1], headers, json.loads(raw) if raw else {}))
        if request.startswith("GET "):
            return await _send(writer, 200, json.dumps(self._listing(request)).encode())
        self.heard()
        behaviour = self._behaviour()
        return await self._act(behaviour, writer)

    def _behaviour(self) -> Behaviour:
        if self.answering:
            return self.answering(self.received[-1].body)
        return self.script.pop(0) if self.script else Answers("ready")

    def _listing(self, request: str) -> object:
        if "/api/tags" in request:
            return {"models": [{"name": "qwen3:8b"}]}
        return {"object": "list", "data": [{"id": "local-model", "object": "model"}]}

    async def _act(self, behaviour: Behaviour, writer: asyncio.StreamWriter) -> bool:
        streams = self._streams()
        if isinstance(behaviour, Hangs):
            await asyncio.sleep(3600)
            return False
        if isinstance(behaviour, Fails):
            return await _send(writer, behaviour.status, self._error(behaviour.status), headers=behaviour.headers)
        if isinstance(behaviour, Raw):
            return await _send(writer, 200, behaviour.body, content_type=behaviour.content_type)
        if isinstance(behaviour, Cuts):
            if behaviour.after:
                await _send_events(writer, self._events(Answers(behaviour.after))[:3], end=False)
            return False
        if streams:
            return await _send_events(writer, self._events(behaviour))
        return await _send(writer, 200, json.dumps(self._whole(behaviour)).encode())

    def _streams(self) -> bool:
        last = self.received[-1]
        return "streamGenerateContent" in last.path or bool(last.body.get("stream"))

    def _error(self, status: int) -> bytes:
        told = {
            "openai": {"error": {"message": "no", "type": "error", "code": None}},
            "anthropic": {"type": "error", "error": {"type": "api_error", "message": "no"}},
            "gemini": {"error": {"code": status, "message": "no", "status": _GOOGLE.get(status, "UNAVAILABLE")}},
        }[self.wire]
        return json.dumps(told).encode()

    def _whole(self, says: Answers) -> object:
        return {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}[self.wire](says)

    def _events(self, says: Answers) -> list[str]:
        return {"openai": _openai_events, "anthropic": _anthropic_events, "gemini": _gemini_events}[self.wire](says)


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    *,
    content_type: str = "application/json",
    headers: Sequence[tuple[str, str]] = (),
) -> bool:
    rows = [f"HTTP/1.1 {status} X", f"content-type: {content_type}", f"content-length: {len(body)}"]
    rows += [f"{name}: {value}" for name, value in headers]
    writer.write("\r\n".join([*rows, "", ""]).encode() + body)
    await writer.drain()
    return True


async def _send_events(writer: asyncio.StreamWriter, events: Sequence[str], *, end: bool = True) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for event in events:
        data = event.encode()
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await writer.drain()
    if end:
        writer.write(b"0\r\n\r\n")
        await writer.drain()
    return end


def _openai(says: Answers) -> object:
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": c.name, "arguments": _json(c.arguments)}}
        for n, c in enumerate(says.calls)
    ]
    message: dict[str, object] = {"role": "assistant", "content": says.text or None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": message | ({"tool_calls": calls} if calls else {}),
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": says.tokens[0],
            "completion_tokens": says.tokens[1],
            "total_tokens": sum(says.tokens),
        },
    }


def _openai_events(says: Answers) -> list[str]:
    def chunk(delta: object, finish: str | None = None, **more: object) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}
        return f"data: {json.dumps(body)}\n\n"

    usage = {"prompt_tokens": says.tokens[0], "completion_tokens": says.tokens[1], "total_tokens": sum(says.tokens)}
    events = [chunk({"role": "assistant", "content": piece}) for piece in _pieces(says.text)]
    for n, call in enumerate(says.calls):
        function = {"name": call.name, "arguments": _json(call.arguments)}
        events.append(
            chunk({"tool_calls": [{"index": n, "id": f"call_{n}", "type": "function", "function": function}]})
        )
    return [*events, chunk({}, "stop", usage=usage), "data: [DONE]\n\n"]


def _anthropic(says: Answers) -> object:
    blocks: list[object] = [{"type": "text", "text": says.text}] if says.text else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{n}", "name": c.name, "input": c.arguments} for n, c in enumerate(says.calls)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": blocks,
        "stop_reason": "tool_use" if says.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": says.tokens[0], "output_tokens": says.tokens[1]},
    }


def _anthropic_events(says: Answers) -> list[str]:
    def event(name: str, **body: object) -> str:
        return f"event: {name}\ndata: {json.dumps({'type': name, **body})}\n\n"

    start: dict[str, object] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": says.tokens[0], "output_tokens": 1},
    }  # fmt: skip
    events = [event("message_start", message=start)]
    index = 0
    if says.text:
        events.append(event("content_block_start", index=0, content_block={"type": "text", "text": ""}))
        deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(says.text)]
        events += [event("content_block_delta", index=0, delta=delta) for delta in deltas]
        events.append(event("content_block_stop", index=0))
        index = 1
    for n, call in enumerate(says.calls):
        block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{n}", "name": call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": _json(call.arguments)}
        events += [
            event("content_block_start", index=index + n, content_block=block),
            event("content_block_delta", index=index + n, delta=delta),
            event("content_block_stop", index=index + n),
        ]
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    return [*events, event("message_delta", delta=stop, usage={"output_tokens": says.tokens[1]}), event("message_stop")]


def _gemini(says: Answers) -> object:
    parts: list[object] = [{"text": says.text}] if says.text else []
    parts += [{"functionCall": {"name": c.name, "args": c.arguments}} for c in says.calls]
    return _gemini_body(parts, says)


def _gemini_body(parts: list[object], says: Answers) -> dict[str, object]:
    usage = {
        "promptTokenCount": says.tokens[0],
        "candidatesTokenCount": says.tokens[1],
        "totalTokenCount": sum(says.tokens),
    }
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", "responseId": "r"}


def _gemini_events(says: Answers) -> list[str]:
    bodies: list[dict[str, object]] = []
    for piece in _pieces(says.text):
        body = _gemini_body([{"text": piece}], says)
        bodies.append(
            {"candidates": [{"content": {"role": "model", "parts": [{"text": piece}]}, "index": 0}], **_only(body)}
        )
    bodies.append(_gemini_body([{"functionCall": {"name": c.name, "args": c.arguments}} for c in says.calls], says))
    return [f"data: {json.dumps(body)}\r\n\r\n" for body in bodies]


def _only(body: dict[str, object]) -> dict[str, object]:
    return {name: body[name] for name in ("modelVersion", "responseId")}


def _pieces(text: str) -> list[str]:
    return [text[n : n + 6] for n in range(0, len(text), 6)]


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class Ledger:
    """A spend guard in memory."""

    def __init__(self, most: int = 100, images: int = 5) -> None:
        self.calls = self.images = 0
        self.most, self.most_images = most, images
        self.usages: list[Usage] = []

    async def allow_call(self) -> None:
        if self.calls >= self.most:
            raise SpendStopped("The cap is reached.")
        self.calls += 1

    async def allow_image(self) -> None:
        if self.images >= self.most_images:
            raise SpendStopped("The cap is reached.")
        self.images += 1

    async def record(self, usage: Usage) -> None:
        self.usages.append(usage)


class PatientClock:
    """Sleeps at once, and remembers for how long it would have."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now_ms(self) -> int:
        return 0

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


MakeProvider = Callable[[Wire], Awaitable[FakeProvider]]


@pytest.fixture
async def provider() -> AsyncIterator[MakeProvider]:
    started: list[FakeProvider] = []

    async def start(wire: Wire) -> FakeProvider:
        fake = FakeProvider(wire)
        await fake.start()
        started.append(fake)
        return fake

    yield start
    for fake in started:
        await fake.stop()


@pytest.fixture
def says() -> Callable[..., Answers]:
    """What a model answers: words, and a tool that it calls."""

    def answer(text: str = "", *, call: tuple[str, Any] | None = None) -> Answers:
        return Answers(text, (Call(*call),) if call else ())

    return answer


@pytest.fixture
def fails() -> Callable[[int], Fails]:
    return Fails


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def clock() -> PatientClock:
    return PatientClock()


def spec_for(fake: FakeProvider) -> ModelSpec:
    models: dict[Wire, str] = {"openai": "gpt-4o-mini", "anthropic": "claude-haiku-4-5", "gemini": "gemini-2.5-flash"}
    name: ModelProvider = fake.wire
    base = f"{fake.url}/v1" if fake.wire == "openai" else fake.url
    return ModelSpec(name, models[fake.wire], "key-1234", base)


MakeMind = Callable[..., ModelMind]


@pytest.fixture
async def mind(ledger: Ledger, clock: PatientClock) -> AsyncIterator[MakeMind]:
    made: list[ModelMind] = []

    def make(fake: FakeProvider, **more: Any) -> ModelMind:
        made.append(ModelMind(spec_for(fake), more.pop("spending", ledger), clock=clock, **more))
        return made[-1]

    yield make
    for each in made:
        await each.close()
