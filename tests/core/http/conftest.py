"""A real server on loopback that says exactly the bytes a test wants, and a resolver that a test scripts."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes], Awaitable[None]]


@dataclass
class LocalServer:
    """Answers by path; `heads` are the request heads as they came in."""

    port: int = 0
    heads: list[bytes] = field(default_factory=list[bytes])
    bodies: list[bytes] = field(default_factory=list[bytes])
    pages: dict[str, bytes] = field(default_factory=dict[str, bytes])
    handlers: dict[str, Handler] = field(default_factory=dict[str, Handler])
    connections: int = 0

    def page(self, path: str, body: bytes = b"", *, status: str = "200 OK", headers: Sequence[str] = ()) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
        self.pages[path] = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await self._answer(head, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append(head)
        length = next(
            (int(x.split(b":")[1]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length")), 0
        )
        self.bodies.append(await reader.readexactly(length))
        path = head.split(b" ")[1].decode()
        if path in self.handlers:
            await self.handlers[path](reader, writer, head)
        else:
            writer.write(self.pages[path])
        await writer.drain()

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


StartServer = Callable[[ssl.SSLContext | None], Awaitable[LocalServer]]


@pytest.fixture
async def start_server() -> AsyncGenerator[StartServer]:
    running: list[asyncio.Server] = []

    async def start(tls: ssl.SSLContext | None = None) -> LocalServer:
        local = LocalServer()
        server = await asyncio.start_server(local.serve, "127.0.0.1", 0, ssl=tls)
        local.port = server.sockets[0].getsockname()[1]
        running.append(server)
        return local

    yield start
    for server in running:
        server.close()


@pytest.fixture
async def server(start_server: StartServer) -> LocalServer:
    return await start_server(None)


class ScriptedResolver:
    """Gives the next answer of its list, the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if not answer:
            raise OSError("no such host")
        return answer


@pytest.fixture
def resolving() -> Callable[..., ScriptedResolver]:
    return ScriptedResolver
