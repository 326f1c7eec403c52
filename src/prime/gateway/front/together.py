"""A batch over HTTP: each message goes the way that it would go alone, and the answers leave as one."""

import asyncio
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from pydantic_core import to_json
from starlette.types import Message, Receive, Scope, Send

from prime.gateway.front.batches import Batch
from prime.gateway.front.frames import number_of

# Takes one message: its first piece, which is all of it, then what the connection says.
Alone = Callable[[Message, Scope, Receive, Send], Coroutine[Any, Any, None]]
_OWN = frozenset({b"accept", b"content-length"})


async def answer_together(batch: Batch, scope: Scope, receive: Receive, send: Send, alone: Alone) -> None:
    """Progress is not told: answers are plain JSON, and a batch has one body."""
    kept = [(name, value) for name, value in scope["headers"] if name not in _OWN]
    scope = {**scope, "headers": [*kept, (b"accept", b"application/json")]}
    caught = [_Caught() for _ in batch.messages]
    async with asyncio.TaskGroup() as group:
        for message, answer in zip(batch.messages, caught, strict=True):
            first: Message = {"type": "http.request", "body": to_json(message), "more_body": False}
            group.create_task(alone(first, scope, receive, answer))
    for message, answer in zip(batch.messages, caught, strict=True):
        if number_of(message) is not None and answer.body:  # a call that was given up has none
            batch.answers.append(answer.body)
    batch.waiting.clear()
    body, status = batch.whole, HTTPStatus.OK
    if body is None:
        body, status = b"", HTTPStatus.ACCEPTED
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


class _Caught:
    """Takes an answer instead of the client."""

    def __init__(self) -> None:
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            self.body += message.get("body", b"")
