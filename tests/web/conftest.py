"""Prime in process: the whole app behind its gate, reached as a browser would, with its lifespan running."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as default_policy
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio
from starlette.types import Message
from tests.searched import CANARY

from prime.app import Prime, open_prime
from prime.core.clock import FakeClock
from prime.core.settings import Settings
from prime.web.app import WebApp


@dataclass(frozen=True)
class Site:
    """A running Prime and a browser at its address."""

    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


@asynccontextmanager
async def lifespan(app: WebApp) -> AsyncGenerator[None]:
    """Runs the app's start and stop, as a server does."""
    asked: asyncio.Queue[Message] = asyncio.Queue()
    answered: asyncio.Queue[Message] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    task = asyncio.create_task(app(scope, asked.get, answered.put))
    asked.put_nowait({"type": "lifespan.startup"})
    assert (await answered.get())["type"] == "lifespan.startup.complete"
    yield
    asked.put_nowait({"type": "lifespan.shutdown"})
    assert (await answered.get())["type"] == "lifespan.shutdown.complete"
    await task


@pytest.fixture(autouse=True, scope="module")
def own_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Routes write into the owner's configuration; no test may touch the real one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@asynccontextmanager
async def running(folder: Path, base_url: str = "http://127.0.0.1:8787", **variables: str) -> AsyncGenerator[Site]:
    clock = FakeClock()
    planted = {"PRIME_SECRET_KEY": f"{CANARY}-key", "PRIME_ADMIN_TOKEN": f"{CANARY}-admin"}
    settings = Settings.load({"PRIME_DATA": str(folder), **planted, **variables})
    async with open_prime(settings, clock=clock) as prime, lifespan(prime.app):
        await prime.parts.secrets.put("canary", f"{CANARY}-box")
        transport = httpx2.ASGITransport(app=prime.app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url=base_url) as http:
            yield Site(prime, http, clock)


@pytest.fixture
async def open_site(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Site]]]:
    """Opens a Prime with these variables; `base_url` is the address that the browser uses."""
    async with AsyncExitStack() as stack:

        async def open_one(base_url: str = "http://127.0.0.1:8787", **variables: str) -> Site:
            return await stack.enter_async_context(running(tmp_path / "data", base_url, **variables))

        yield open_one


@pytest.fixture
async def site(open_site: Callable[..., Awaitable[Site]]) -> Site:
    """Open mode: no owner is set, on loopback."""
    return await open_site()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """The same, for all tests of a module that leave it as they found it."""
    async with running(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
async def owned(open_site: Callable[..., Awaitable[Site]]) -> Site:
    """An owner is set, and nobody is signed in."""
    return await open_site(PRIME_OWNER_EMAIL="me@example.com", PRIME_ADMIN_TOKEN="operator-token")


class MailServer:
    """A real SMTP server in this process that keeps what it is given."""

    def __init__(self) -> None:
        self.url = ""
        self.mails: asyncio.Queue[EmailMessage] = asyncio.Queue()
        self.refusing = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := await reader.readline():
            word = line.split()[0].upper() if line.split() else b""
            if word == b"DATA":
                writer.write(b"354 go on\r\n")
                lines: list[bytes] = []
                while (data := await reader.readline()) != b".\r\n":
                    lines.append(data.removeprefix(b".") if data.startswith(b"..") else data)
                self.mails.put_nowait(message_from_bytes(b"".join(lines), policy=default_policy))
                writer.write(b"250 taken\r\n")
            elif word == b"MAIL" and self.refusing:
                self.refusing -= 1
                writer.write(b"451 later\r\n")
            elif word == b"EHLO":
                writer.write(b"250-here\r\n250 SMTPUTF8\r\n")
            elif word == b"QUIT":
                writer.write(b"221 bye\r\n")
                break
            else:
                writer.write(b"250 fine\r\n")
        await writer.drain()
        writer.close()


@pytest.fixture
async def mail_server() -> AsyncIterator[MailServer]:
    mail = MailServer()
    server = await asyncio.start_server(mail.talk, "127.0.0.1", 0)
    mail.url = f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}?from=prime@example.com"
    yield mail
    server.close()
    await server.wait_closed()
