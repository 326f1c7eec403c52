"""How commands reach Prime: through the owner process's socket when there is one, else by opening the data folder.

Both ways speak the same HTTP API, so a command has one code path and the data has one writer.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast
from urllib.parse import quote

from prime.cli.server_parts import server_parts
from prime.core.errors import Conflict, InvalidInput, PrimeError, Unavailable
from prime.core.settings import Settings
from prime.store.folder import DataFolder, socket_address

if TYPE_CHECKING:
    import httpx2  # imported late below: `prime --help` must not pay for it

    from prime.app import Prime

T = TypeVar("T")

BASE = "http://prime.sock"
# How long another process is waited for that has the data folder and does not listen.
PATIENCE_SECONDS = 20.0
LOOK_SECONDS = 0.1


class Refused(PrimeError):
    """What the server answered instead of a result."""


class WrongCall(Refused, InvalidInput):
    """It said that what was typed is wrong."""


class Client:
    """The HTTP API, for commands."""

    def __init__(self, http: "httpx2.AsyncClient") -> None:
        self._http = http

    async def get(self, path: str, **query: str | int) -> dict[str, object]:
        with _in_utf8():
            request = self._http.build_request("GET", path, params=query)
        return await self._answer(request)

    async def post(self, path: str, body: dict[str, object] | None = None) -> dict[str, object]:
        with _in_utf8():
            request = self._http.build_request("POST", path, json=body or {})
        return await self._answer(request)

    async def lines(self, path: str, query: Sequence[tuple[str, str]] = ()) -> AsyncGenerator[str]:
        """An answer in JSON Lines, line by line as it comes."""
        with _in_utf8():
            request = self._http.build_request("GET", path, params=list(query))
        response = await self._http.send(request, stream=True)
        try:
            if not response.is_success:
                await response.aread()
                self._refuse(response)
            rest = ""
            async for text in response.aiter_text():
                # Only "\n" ends a line here; texts may have other characters that Python would split at.
                *whole, rest = (rest + text).split("\n")
                for line in whole:
                    yield line
        finally:
            await response.aclose()

    async def _answer(self, request: "httpx2.Request") -> dict[str, object]:
        import httpx2

        try:
            response = await self._http.send(request)
            answer = cast("dict[str, object]", response.json())
        except (httpx2.TransportError, ValueError) as error:
            raise Unavailable(
                f"Prime stopped answering: {error or type(error).__name__}.", hint="See whether it still runs."
            ) from error
        if not response.is_success:
            self._refuse(response)
        return answer

    def _refuse(self, response: "httpx2.Response") -> NoReturn:
        answer = cast("dict[str, object]", response.json())
        error = cast("dict[str, object]", answer.get("error", {}))
        message = str(error.pop("message", f"Prime answered {response.status_code}."))
        code, hint = error.pop("code", None), error.pop("hint", None)
        kind = WrongCall if response.status_code == HTTPStatus.BAD_REQUEST else Refused
        raise kind(message, code=str(code) if code else None, hint=str(hint) if hint else None, **error)


@contextmanager
def _in_utf8() -> Generator[None]:
    """A shell hands over any bytes; what is no text reaches here as half characters."""
    try:
        yield
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end].encode("utf-8", "surrogateescape")
        raise InvalidInput(f"{wrong!r} on the command line is not UTF-8 text.", hint="Write it in UTF-8.") from None


def segment(name: str) -> str:
    """A name as one part of a path."""
    with _in_utf8():
        return quote(name, safe="")


def load_settings(data: Path | None) -> Settings:
    settings = Settings.load()
    return settings.changed({"PRIME_DATA": data}) if data else settings


def ask_prime(data: Path | None, question: "Callable[[Client], Awaitable[T]]") -> T:
    """What a command needs of the Prime of this data folder, asked and waited for."""

    async def ask() -> T:
        async with connect(load_settings(data)) as client:
            return await question(client)

    return asyncio.run(ask())


@asynccontextmanager
async def connect(settings: Settings) -> AsyncGenerator[Client]:
    """A client of the running owner, or of a Prime opened for this one command."""
    import httpx2

    async with way_in(settings) as prime:
        with ExitStack() as stack:
            if prime is None:
                address = stack.enter_context(socket_address(DataFolder(settings.data_folder).socket))
                transport: httpx2.AsyncBaseTransport = httpx2.AsyncHTTPTransport(uds=address)
            else:
                from prime.web.local import LocalDoor

                # A command is over soon: turns that dialogs wait for are for whoever serves, and must not be cut in two.
                await prime.parts.answering.stop()
                transport = httpx2.ASGITransport(app=LocalDoor(prime.app))
            async with httpx2.AsyncClient(transport=transport, base_url=BASE, timeout=None) as http:
                yield Client(http)


@asynccontextmanager
async def way_in(settings: Settings) -> "AsyncGenerator[Prime | None]":
    """A Prime of this process, or None where another one owns the data folder and listens at its socket.

    Who is about to start or to end does not listen, nor does another command: they are waited for.
    """
    async with AsyncExitStack() as stack:
        yield await _entered(settings, stack)


async def _entered(settings: Settings, stack: AsyncExitStack) -> "Prime | None":
    late = time.monotonic() + PATIENCE_SECONDS
    while True:
        if settings.database_url is None and await _answers(DataFolder(settings.data_folder).socket):
            return None
        with server_parts():
            from prime.app import open_prime
        try:
            return await stack.enter_async_context(open_prime(settings))
        except Conflict as error:
            if error.error_code != "data_folder_in_use" or time.monotonic() > late:
                raise
        await asyncio.sleep(LOOK_SECONDS)


async def _answers(socket: Path) -> bool:
    """Whether somebody listens there; a socket file outlives a process that was killed."""
    try:
        with socket_address(socket) as address:
            _, writer = await asyncio.open_unix_connection(address)
    except OSError:
        return False
    writer.close()
    return True
