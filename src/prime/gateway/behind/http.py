"""A server at an address: streamable HTTP. Each message is a POST; answers are JSON or a stream of events."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, cast

from pydantic_core import from_json

from prime.core.errors import PrimeError, Unauthorized, Unavailable
from prime.gateway.behind.events import LARGEST, events
from prime.gateway.behind.rpc import Message, Wire, only_messages

if TYPE_CHECKING:
    import httpx2  # late: `prime mcp list` does not need it

CONNECT_S = 10.0
_HEADER_SESSION = "mcp-session-id"
_HEADER_PROTOCOL = "mcp-protocol-version"
Fallback = Callable[[str, str, Mapping[str, str]], Awaitable[Wire]]


def client(headers: Mapping[str, str]) -> "httpx2.AsyncClient":
    """Follows nothing: an address that the owner wrote down is not changed by whoever answers there."""
    import httpx2

    return httpx2.AsyncClient(
        headers={"user-agent": "prime", **headers},
        timeout=httpx2.Timeout(None, connect=CONNECT_S),
        follow_redirects=False,
    )


def refused(name: str, status: int) -> PrimeError:
    """What a status other than success means to the person who reads it."""
    if status in {401, 403}:
        return Unauthorized(
            f"{name} wants a sign-in (HTTP {status}).",
            code="server_unauthorized",
            hint="Check its headers in mcp.json.",
        )
    return Unavailable(f"{name} answered with HTTP {status}.", code="server_http", status=status)


class HttpWire:
    def __init__(self, name: str, url: str, http: "httpx2.AsyncClient") -> None:
        self._name = name
        self._url = url
        self._http = http
        self._session: str | None = None
        self._protocol: str | None = None
        self._inbox: asyncio.Queue[list[Message] | PrimeError] = asyncio.Queue(1000)
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening = False

    @classmethod
    async def open(
        cls, name: str, url: str, headers: Mapping[str, str], *, fallback: Fallback | None = None
    ) -> "HttpWire | Wire":
        """With `fallback`, a server that refuses the first message is taken for one of the older transport."""
        wire = cls(name, url, client(headers))
        return _Trying(wire, lambda: fallback(name, url, headers)) if fallback else wire

    async def send(self, message: Message) -> None:
        """A request's answer comes by `receive`; it is waited for beside this, so that calls do not queue up.

        Our own answers do: a server that asks without end is answered no faster than it takes them.
        """
        task = asyncio.create_task(self._post(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if "id" not in message or message.get("method") in {None, "initialize"}:
            await asyncio.wait([task])

    async def receive(self) -> list[Message] | None:
        found = await self._inbox.get()
        if isinstance(found, PrimeError):
            raise found
        return found

    async def close(self, *, at_once: bool = False) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        if self._session is not None and not at_once:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(2.0):
                    await self._http.delete(self._url, headers=self._headers())
        await self._http.aclose()

    async def _post(self, message: Message) -> None:
        import httpx2

        body = json.dumps(message, separators=(",", ":")).encode()
        try:
            async with self._http.stream("POST", self._url, content=body, headers=self._headers()) as response:
                await self._take(message, response)
        except httpx2.HTTPError as error:
            why = str(error) or type(error).__name__
            await self._inbox.put(Unavailable(f"{self._name} cannot be reached: {why}.", code="server_unreachable"))
        except PrimeError as error:
            await self._fail(message, error)

    async def _fail(self, message: Message, error: PrimeError) -> None:
        """One request that goes wrong is that request's trouble; without a session there is nothing to go on with."""
        lost = self._session is not None and error.data.get("status") == 404
        if lost or "id" not in message or self._protocol is None:
            await self._inbox.put(error)
        else:
            told: Message = {"jsonrpc": "2.0", "id": message["id"]}
            await self._inbox.put([told | {"error": {"code": -32000, "message": str(error)}}])

    async def _take(self, message: Message, response: "httpx2.Response") -> None:
        if not response.is_success:
            raise refused(self._name, response.status_code)
        if (session := response.headers.get(_HEADER_SESSION)) is not None:
            self._session = session
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        answered = "id" not in message or "method" not in message
        if kind == "text/event-stream":
            async for event in events(response.aiter_bytes(), self._name):
                answered = await self._put(event.data, message) or answered
        elif response.status_code != 202:
            answered = await self._put(await self._body(response), message) or answered
        if not answered:
            raise Unavailable(f"{self._name} ended its answer before it had said it.", code="no_answer")
        if message.get("method") == "notifications/initialized":
            self._listen()

    async def _body(self, response: "httpx2.Response") -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > LARGEST:
                raise Unavailable(f"{self._name} answered with too much.", code="too_large")
        return bytes(body)

    async def _put(self, data: str | bytes, asking: Message | None = None) -> bool:
        """Whether the answer to `asking` was among it."""
        try:
            messages = only_messages(from_json(data)) if data else []
        except ValueError:
            raise Unavailable(f"{self._name} answers with something that is not JSON.", code="not_mcp") from None
        for message in messages:
            result = message.get("result")
            if self._protocol is None and isinstance(result, dict) and "protocolVersion" in result:
                self._protocol = str(cast("Message", result)["protocolVersion"])
        if messages:
            await self._inbox.put(messages)
        return asking is not None and any(
            "method" not in message and message.get("id") == asking.get("id") for message in messages
        )

    def _listen(self) -> None:
        """The stream for what the server says by itself; servers need not have one."""
        if not self._listening:
            self._listening = True
            task = asyncio.create_task(self._hear())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _hear(self) -> None:
        import httpx2

        pause = 1.0
        while True:
            with contextlib.suppress(httpx2.HTTPError, PrimeError):
                headers = {**self._headers(), "accept": "text/event-stream"}
                async with self._http.stream("GET", self._url, headers=headers) as response:
                    if response.status_code in {404, 405, 501}:
                        return
                    if response.is_success:
                        pause = 1.0
                        async for event in events(response.aiter_bytes(), self._name):
                            await self._put(event.data)
            await asyncio.sleep(pause)
            pause = min(pause * 2, 60.0)

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self._session is not None:
            headers[_HEADER_SESSION] = self._session
        if self._protocol is not None:
            headers[_HEADER_PROTOCOL] = self._protocol
        return headers


class _Trying:
    """A wire that becomes another when the first message is refused, and then stays what it is."""

    def __init__(self, first: HttpWire, other: Callable[[], Awaitable[Wire]]) -> None:
        self._wire: Wire = first
        self._other: Callable[[], Awaitable[Wire]] | None = other
        self._hello: Message | None = None

    async def send(self, message: Message) -> None:
        if self._other is not None and self._hello is None:
            self._hello = message
        await self._wire.send(message)

    async def receive(self) -> list[Message] | None:
        try:
            received = await self._wire.receive()
        except Unavailable as error:
            other, self._other = self._other, None
            if other is None or self._hello is None or error.data.get("status") not in {400, 404, 405, 406}:
                raise
            await self._wire.close()
            self._wire = await other()
            await self._wire.send(self._hello)
            return await self._wire.receive()
        self._other = None
        return received

    async def close(self, *, at_once: bool = False) -> None:
        await self._wire.close(at_once=at_once)
