"""The guarded dialling as an httpx2 transport, for libraries that bring their own httpx2 client."""

import logging
import ssl
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from typing import cast

import httpcore2
import httpx2

from prime.core.errors import Unavailable
from prime.core.http.dial import GuardedBackend, Resolver, SystemResolver
from prime.core.http.policy import NetworkPolicy
from prime.core.http.urls import read_url

_log = logging.getLogger(__name__)


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _network_errors():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        await self._response.aclose()


@contextmanager
def _network_errors() -> Generator[None]:
    """Failures of a connection that was allowed, in Prime's words."""
    try:
        yield
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as error:
        _log.debug("outbound request failed: %r", error)
        raise Unavailable("The other side did not answer as it should.", hint="Try again later.") from error


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Checks scheme and host of every request and the address of every connection.

    It follows no redirects and sets no caps of its own: `GuardedClient` does both. Use it as
    `httpx2.AsyncClient(transport=…, trust_env=False, follow_redirects=False)`.
    """

    def __init__(
        self,
        policy: NetworkPolicy,
        *,
        resolver: Resolver | None = None,
        ssl_context: ssl.SSLContext | None = None,
        max_connections: int = 32,
    ) -> None:
        self._own_resolver = SystemResolver() if resolver is None else None
        self._backend = GuardedBackend(policy, resolver or cast("SystemResolver", self._own_resolver))
        self._ssl_context = ssl_context
        self._max_connections = max_connections
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        target = read_url(str(request.url))
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=target.scheme, host=target.host, port=target.url.port, target=target.url.raw_path),
            headers=request.headers.raw,
            content=cast("httpx2.AsyncByteStream", request.stream),
            extensions=request.extensions,
        )
        with _network_errors():
            answer = await self._connections().handle_async_request(asked)
        return httpx2.Response(answer.status, headers=answer.headers, stream=_Body(answer))

    async def aclose(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.aclose()
        if self._own_resolver is not None:
            self._own_resolver.close()

    def _connections(self) -> httpcore2.AsyncConnectionPool:
        # Made at first use: reading the machine's certificates takes tens of milliseconds.
        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(
                ssl_context=self._ssl_context or httpx2.create_ssl_context(trust_env=False),
                max_connections=self._max_connections,
                keepalive_expiry=10.0,
                network_backend=self._backend,
            )
        return self._pool
