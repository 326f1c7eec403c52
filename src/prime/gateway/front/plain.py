"""Answers to POSTs as plain JSON, and as a stream of events only when there is more to say than the answer."""

import re

from starlette.types import Message, Send

from prime.gateway.front.posted import Posted

# A response on the SDK's wire: id, then result or error; requests and notifications have a method there.
_RESPONSE = re.compile(rb'\{"jsonrpc":"2\.0","id":(?:"(?:[^"\\]|\\.)*"|-?\d+|null),"(?:result|error)":')
_END = b"\r\n\r\n"
_DROPPED = frozenset({b"content-type", b"content-length", b"connection", b"cache-control", b"x-accel-buffering"})


class PlainAnswer:
    """Wraps `send`. With `only` everything but the answer is left out: the client takes no streams."""

    def __init__(self, send: Send, posted: Posted, *, only: bool) -> None:
        self._send = send
        self._posted = posted
        self._only = only
        self._start: Message | None = None
        self._held = bytearray()
        self._done = False

    async def __call__(self, message: Message) -> None:
        if self._done:
            return  # the answer has been given; what the stream says at its end is for nobody
        if message["type"] == "http.response.start" and _is_stream(message):
            self._start = message
            return
        if message["type"] != "http.response.body" or self._start is None:
            await self._send(self._theirs(message))
            return
        self._held += message.get("body", b"")
        while (end := self._held.find(_END)) >= 0:
            data = _data(bytes(self._held[:end]))
            if _RESPONSE.match(data):
                await self._answer(data)
                return
            if not self._only:
                break  # a notification, or a sign of life: the client must hear it
            del self._held[: end + len(_END)]
        else:
            if message.get("more_body", False):
                return
        await self._give_up(more=message.get("more_body", False))

    async def _answer(self, body: bytes) -> None:
        assert self._start is not None
        body = self._posted.in_their_words(body)
        kept = [(name, value) for name, value in self._start["headers"] if name.lower() not in _DROPPED]
        headers = [*kept, (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        self._done = True
        self._posted.answered()
        await self._send({**self._start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _give_up(self, *, more: bool) -> None:
        """It is a stream after all: from here on nothing is held back."""
        assert self._start is not None
        start, self._start = self._start, None
        await self._send(start)
        await self._send(self._theirs({"type": "http.response.body", "body": bytes(self._held), "more_body": more}))
        self._held.clear()

    def _theirs(self, message: Message) -> Message:
        """What goes on as it comes: an event, or an answer that was no stream."""
        if message["type"] != "http.response.body":
            return message
        body = message.get("body", b"")
        theirs = self._posted.in_their_words(body)
        if theirs != body or not message.get("more_body", False):
            self._posted.answered()  # before it leaves: the client may use the id again at once
        return {**message, "body": theirs}


def _is_stream(message: Message) -> bool:
    kinds = [value for name, value in message.get("headers", []) if name.lower() == b"content-type"]
    return any(kind.startswith(b"text/event-stream") for kind in kinds)


def _data(event: bytes) -> bytes:
    return b"".join(line[6:] for line in event.split(b"\r\n") if line.startswith(b"data: "))
