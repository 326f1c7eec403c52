"""Connections that stay open end when the session ends that opened them."""

import asyncio
import contextlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prime.accounts.sessions import Sessions

# An end is heard at once, and in another replica in a moment; where that word was lost it is noticed this much later.
LOOK_SECONDS = 30.0


def is_lasting(scope: Scope) -> bool:
    path: str = scope["path"]
    return scope["type"] == "websocket" or path in ("/events", "/api/export") or path.startswith("/mcp")


async def serve_while_signed_in(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, sessions: Sessions, session_id: str
) -> None:
    begun = cut_off = False

    async def noticing(message: Message) -> None:
        nonlocal begun
        if cut_off:  # what the app says as it is ended is no answer: this one is
            return
        begun = begun or message["type"] == "http.response.start"
        await send(message)

    ended = sessions.watch(session_id)

    async def serve() -> None:
        await app(scope, receive, noticing)

    serving = asyncio.create_task(serve())
    over = asyncio.create_task(_end_of(sessions, session_id, ended))
    try:
        await asyncio.wait({serving, over}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
            return
        cut_off = True
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        await _close(scope, send, begun=begun)
    finally:
        sessions.unwatch(session_id, ended)
        for task in (serving, over):
            task.cancel()
        await asyncio.gather(serving, over, return_exceptions=True)


async def _end_of(sessions: Sessions, session_id: str, ended: asyncio.Event) -> None:
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), LOOK_SECONDS)
        ended.clear()
        if not await sessions.is_open(session_id):
            return


async def _close(scope: Scope, send: Send, *, begun: bool) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    if not begun:
        await send({"type": "http.response.start", "status": 401, "headers": []})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
