"""The client that everything uses which fetches a URL that came from outside."""

import asyncio
import re
import ssl
from collections.abc import Awaitable, Mapping
from types import MappingProxyType, TracebackType
from typing import Self, TypeVar

import httpx2

from prime.core.canonical import JSON, canonical_json
from prime.core.clock import Clock, SystemClock
from prime.core.errors import InvalidInput
from prime.core.http.bodies import announced_length, read_capped
from prime.core.http.dial import Resolver
from prime.core.http.policy import NetworkPolicy
from prime.core.http.refusal import refuse
from prime.core.http.response import Response
from prime.core.http.transport import GuardedTransport
from prime.core.http.urls import Target, read_url, redirected

_T = TypeVar("_T")

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
# What the client says itself, or what would change how the message is framed.
_OURS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "accept-encoding"}
)


class GuardedClient:
    """Requests to addresses from outside, each checked, capped in size and time, and given one answer when refused.

    It keeps no cookies and reads no proxy from the environment. One client serves many tasks at once; close it with
    `async with` or `aclose`.
    """

    def __init__(
        self,
        policy: NetworkPolicy,
        *,
        clock: Clock | None = None,
        resolver: Resolver | None = None,
        ssl_context: ssl.SSLContext | None = None,
        user_agent: str = "prime",
        max_redirects: int = 5,
    ) -> None:
        self._clock = clock or SystemClock()
        self._transport = GuardedTransport(policy, resolver=resolver, ssl_context=ssl_context)
        self._user_agent = user_agent
        self._max_redirects = max_redirects

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: JSON = None,
        content: bytes | str | None = None,
        max_bytes: int = 1 << 20,
        timeout: float = 10.0,  # noqa: ASYNC109 - it covers redirects and body, by the injected clock
    ) -> Response:
        """The answer, whatever its status.

        Raises `Refused` (address, scheme, redirect, `max_bytes`, `timeout` in seconds for everything together),
        `Unavailable` when an allowed host fails, `InvalidInput` when the caller's method or headers are wrong.
        """
        body = canonical_json(json).encode() if json is not None else content or b""
        data = body.encode() if isinstance(body, str) else body
        sent = self._headers(headers or {}, is_json=json is not None)
        work = self._follow(_method(method), read_url(url), sent, data, max_bytes)
        return await self._in_time(work, timeout)

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Response:
        return await self.request("GET", url, headers=headers)

    def _headers(self, given: Mapping[str, str], *, is_json: bool) -> dict[str, str]:
        sent = {"user-agent": self._user_agent, "accept": "*/*", "accept-encoding": "gzip, deflate"}
        if is_json:
            sent["content-type"] = "application/json"
        for name, value in given.items():
            _check_header(name, value)
            sent[name.lower()] = value
        return sent

    async def _in_time(self, work: Awaitable[_T], seconds: float) -> _T:
        running = asyncio.ensure_future(work)
        alarm = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({running, alarm}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return running.result()
            raise refuse(f"not done in {seconds} s", passing=True)
        finally:
            for task in (running, alarm):
                task.cancel()
            await asyncio.gather(running, alarm, return_exceptions=True)

    async def _follow(
        self, method: str, target: Target, headers: Mapping[str, str], data: bytes, max_bytes: int
    ) -> Response:
        for _ in range(self._max_redirects + 1):
            answer = await self._once(method, target, headers, data, max_bytes)
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or location is None:
                return answer
            target = redirected(target, location)
            if answer.status == 303 or (answer.status in (301, 302) and method == "POST"):
                method, data = ("HEAD" if method == "HEAD" else "GET"), b""
                headers = {k: v for k, v in headers.items() if k != "content-type"}
        raise refuse("too many redirects")

    async def _once(
        self, method: str, target: Target, headers: Mapping[str, str], data: bytes, max_bytes: int
    ) -> Response:
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        request = httpx2.Request(method, target.url, headers=raw, content=data or None)
        answer = await self._transport.handle_async_request(request)
        try:
            if method != "HEAD" and announced_length(answer.headers.get_list("content-length")) > max_bytes:
                raise refuse("announced body over the size cap")
            encoding = "" if method == "HEAD" else answer.headers.get("content-encoding", "")
            body = await read_capped(answer.stream, encoding, max_bytes)  # pyright: ignore[reportArgumentType]
        finally:
            await answer.aclose()
        shown = MappingProxyType({k.lower(): v for k, v in answer.headers.items()})
        return Response(status=answer.status_code, headers=shown, body=body, url=str(target.url))


def _method(name: str) -> str:
    if name.upper() not in _METHODS:
        raise InvalidInput(
            f"'{name[:40]!r}' is not a method that is sent.", hint=f"Use one of {', '.join(sorted(_METHODS))}."
        )
    return name.upper()


def _check_header(name: str, value: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"{name[:60]!r} is not the name of a header.", hint="Use letters, digits and hyphens.")
    if name.lower() in _OURS or name.lower().startswith("proxy-"):
        raise InvalidInput(f"The header '{name}' is set by the client itself.", hint="Leave it out.")
    if not _VALUE.fullmatch(value):
        # The value may be a secret, so it is not shown.
        raise InvalidInput(
            f"The value of the header '{name}' holds a line break or another character that headers cannot carry.",
            hint="Remove it; encode other scripts before you send them.",
        )
