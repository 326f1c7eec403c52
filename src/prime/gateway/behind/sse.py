"""The older transport: one stream of events down, and POSTs to the address that it names."""

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from prime.core.errors import PrimeError, Unavailable
from prime.gateway.behind.events import events
from prime.gateway.behind.http import CONNECT_S, client, refused
from prime.gateway.behind.rpc import Message, read_messages

if TYPE_CHECKING:
    import httpx2


class SseWire:
    def __init__(self, name: str, url: str, http: "httpx2.AsyncClient") -> None:
        self._name = name
        self._url = url
        self._http = http
        self._inbox: asyncio.Queue[list[Message] | PrimeError] = asyncio.Queue(1000)
        self._endpoint: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._stream = asyncio.create_task(self._hear())

    @classmethod
    async def open(cls, name: str, url: str, headers: Mapping[str, str]) -> "SseWire":
        wire = cls(name, url, client(headers))
        try:
            async with asyncio.timeout(CONNECT_S):
                await asyncio.shield(wire._endpoint)
        except (PrimeError, TimeoutError) as error:
            await wire.close()
            if isinstance(error, PrimeError):
                raise
            raise Unavailable(f"{name} named no address for messages.", code="not_mcp") from None
        return wire

    async def send(self, message: Message) -> None:
        import httpx2

        try:
            response = await self._http.post(
                self._endpoint.result(),
                content=json.dumps(message, separators=(",", ":")).encode(),
                headers={"content-type": "application/json"},
            )
        except httpx2.HTTPError as error:
            raise Unavailable(f"{self._name} cannot be reached: {error}.", code="server_unreachable") from error
        if not response.is_success:
            raise refused(self._name, response.status_code)

    async def receive(self) -> list[Message] | None:
        found = await self._inbox.get()
        if isinstance(found, PrimeError):
            raise found
        return found

    async def close(self, *, at_once: bool = False) -> None:
        self._stream.cancel()
        await asyncio.wait([self._stream])
        if self._endpoint.done() and not self._endpoint.cancelled():
            self._endpoint.exception()
        await self._http.aclose()

    async def _hear(self) -> None:
        import httpx2

        gone: PrimeError = Unavailable(f"{self._name} closed the connection.", code="server_gone")
        try:
            async with self._http.stream("GET", self._url, headers={"accept": "text/event-stream"}) as response:
                if not response.is_success:
                    raise refused(self._name, response.status_code)
                async for event in events(response.aiter_bytes(), self._name):
                    if event.name == "endpoint":
                        self._found(event.data.strip())
                    elif event.name == "message":
                        await self._inbox.put(read_messages(event.data))
        except httpx2.HTTPError as error:
            why = str(error) or type(error).__name__
            gone = Unavailable(f"{self._name} cannot be reached: {why}.", code="server_unreachable")
        except PrimeError as error:
            gone = error
        if not self._endpoint.done():
            self._endpoint.set_exception(gone)
        await self._inbox.put(gone)

    def _found(self, address: str) -> None:
        """Messages carry the owner's headers, so they go to the same place as the stream came from, and no other."""
        target = urljoin(self._url, address)
        if urlsplit(target)[:2] != urlsplit(self._url)[:2]:
            raise Unavailable(f"{self._name} names an address elsewhere for messages.", code="foreign_endpoint")
        if not self._endpoint.done():
            self._endpoint.set_result(target)
