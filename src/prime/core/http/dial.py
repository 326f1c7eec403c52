"""Dialling: the name is resolved here, every address is checked, and exactly a checked address is connected to.

The check sits in httpcore's network backend, below connection pools and redirects, so that no name can be resolved a
second time between check and use.
"""

import asyncio
import socket
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, cast

import httpcore2

from prime.core.http.addresses import Address, parse_address
from prime.core.http.policy import NetworkPolicy
from prime.core.http.refusal import refuse
from prime.core.http.urls import check_host

_PER_ADDRESS = 5.0  # seconds before the next address of a name is tried
_MOST_ADDRESSES = 16

SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class Resolver(Protocol):
    """Name to addresses."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The addresses as text, best first; raises OSError when there are none."""
        ...


class SystemResolver:
    """The machine's resolver, in threads of its own: a stranger's slow name server must not hold up others."""

    def __init__(self, threads: int = 8) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="prime-resolve")

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
        )
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """httpcore's way to the network, with the policy in it."""

    def __init__(self, policy: NetworkPolicy, resolver: Resolver) -> None:
        self._policy = policy
        self._resolver = resolver
        self._network = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's contract
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        failure: Exception = httpcore2.ConnectError("no address")
        for address in await self._checked(host.lower(), port):
            wait = _PER_ADDRESS if timeout is None else min(timeout, _PER_ADDRESS)
            try:
                stream = await self._network.connect_tcp(str(address), port, wait, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
                continue
            await _confirm_peer(stream, address)
            return stream
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's contract
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise refuse("unix socket")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[Address]:
        check_host(host)
        addresses = await self._addresses(host, port)
        for address in addresses:
            # One forbidden address among good ones is how rebinding begins: then none of them is used.
            if not self._policy.permits(host, port, address):
                raise refuse(f"{host} leads to {address}")
        return addresses[:_MOST_ADDRESSES]

    async def _addresses(self, host: str, port: int) -> list[Address]:
        literal = parse_address(host)
        if literal is not None:
            return [literal]
        try:
            found = await self._resolver.resolve(host, port)
        except (OSError, UnicodeError) as error:
            # Reads like every refusal: which internal names exist is nobody's business.
            raise refuse(f"{host} does not resolve: {error}", passing=True) from None
        parsed = [parse_address(text) for text in found]
        addresses = [a for a in parsed if a is not None]
        if not addresses or len(addresses) != len(parsed):
            raise refuse(f"{host} resolves to something that is no plain address")
        return addresses


async def _confirm_peer(stream: httpcore2.AsyncNetworkStream, address: Address) -> None:
    peer: object = stream.get_extra_info("server_addr")
    host: object = peer[0] if isinstance(peer, tuple) and peer else None  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(host, str) or parse_address(host) != address:
        await stream.aclose()
        raise refuse("connected to another address than was checked")
