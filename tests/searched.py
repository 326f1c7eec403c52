"""Every answer of the whole suite is searched for secrets: those that every Prime has, and those that tests plant."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import SecretStr
from starlette.types import Message, Receive, Scope, Send

from prime.accounts.push.keys import SECRET_NAME
from prime.web.app import WebApp
from prime.web.parts import Parts

# What tests plant: in variables, in the box of secrets, in what they send.
CANARY = "c4n4ry-9f3b7e21aa"
# Where processes of their own write down what they let out.
LEAKS = "SEARCHED_LEAKS"
_SHORTEST = 12

_answer: Callable[[WebApp, Scope, Receive, Send], Awaitable[None]] = WebApp.__call__


class Searched:
    """Looks through what leaves one app, piece by piece; a secret may lie across two."""

    def __init__(self, secrets: list[bytes]) -> None:
        self._secrets = secrets
        self._longest = max(map(len, secrets))
        self._tail = b""

    def finds(self, message: Message) -> bool:
        headers = b"\n".join(name + b": " + value for name, value in message.get("headers", ()))
        seen = self._tail + headers + message.get("body", b"") + (message.get("text") or "").encode()
        self._tail = seen[-self._longest :]
        return any(secret in seen for secret in self._secrets)


async def _search(self: WebApp, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _answer(self, scope, receive, send)
        return
    searched = Searched(await _secrets_of(self))

    async def searching(message: Message) -> None:
        if searched.finds(message):
            _write_down(f"{scope.get('method', scope['type'])} {scope['path']}\n")
        await send(message)

    await _answer(self, scope, receive, searching)


def _write_down(line: str) -> None:
    with Path(os.environ[LEAKS]).open("a") as file:
        file.write(line)


_known: WeakKeyDictionary[WebApp, list[bytes]] = WeakKeyDictionary()


async def _secrets_of(app: WebApp) -> list[bytes]:
    if app not in _known:
        parts: Parts = app.routes.state.parts
        given: list[Any] = [getattr(parts.settings, name) for name in type(parts.settings).model_fields]
        secrets = [value.get_secret_value().encode() for value in given if isinstance(value, SecretStr)]
        key = parts.store.folder.secret_key
        secrets += [key.read_bytes().strip()] if key.exists() else []
        try:
            vapid = await parts.secrets.find(SECRET_NAME) or ""
        except Exception:  # noqa: BLE001  (the database is away, as some tests want it)
            return [CANARY.encode()]
        secrets += [line.encode() for line in vapid.splitlines() if "-----" not in line]
        _known[app] = [CANARY.encode(), *(secret for secret in secrets if len(secret) >= _SHORTEST)]
    return _known[app]


def search_all() -> None:
    """From now on, in this process."""
    WebApp.__call__ = _search
