"""The process that serves: one TCP port for browsers and agents, one Unix socket for this machine's commands."""

import asyncio
import errno
import gc
import os
import socket
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from prime.core.errors import Conflict, InvalidInput
from prime.core.event_loop import run_loop
from prime.core.settings import Settings
from prime.mind.model.spec import spec_trouble
from prime.store.folder import DataFolder, socket_address
from prime.web.connections import MOST, raise_limit
from prime.web.doorstep import doorstep
from prime.web.local import LocalDoor
from prime.web.logs import start_log
from prime.web.patience import LocalProtocol, PatientProtocol, patient_protocol

# A server makes and drops objects by the thousand, few of them in circles: the interpreter's own habit is to look for
# circles after every 700, which was measured at a fifteenth of its work.
_COLLECT = (20_000, 20, 20)
# How long a busy thread keeps the interpreter from one that is ready. SQLite's driver gives it away at every row, so that
# at the interpreter's own five milliseconds a few rows beside a busy loop take long; under one, the turns themselves do.
_TURN_SECONDS = 0.002
# Open requests get this long to end, and everything together that long.
GRACE_SECONDS = 4
STOP_SECONDS = 9.0
KEEP_ALIVE_SECONDS = 30
WEB_SOCKET_BYTES = 4 * 1024 * 1024


class Served(Protocol):
    """An ASGI app whose streams can be told to end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    def end_streams(self) -> None: ...


class Running(Protocol):
    """What `prime.app.open_prime` gives."""

    @property
    def app(self) -> Served: ...


Opener = Callable[..., AbstractAsyncContextManager[Running]]


class _Greeting(uvicorn.Server):
    """The main server: says where it is once it serves, and lets streams go before it waits for open connections."""

    def __init__(self, config: uvicorn.Config, lines: Sequence[str], end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._lines = lines
        self._end_streams = end_streams

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        # uvicorn raises the signal again once it has stopped serving; the process would end by it before the house is
        # taken apart: turns left resumable, leases given back, the processes of tools ended.
        with super().capture_signals():
            try:
                yield
            finally:
                self._captured_signals.clear()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        _end_in_any_case()
        self._end_streams()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            sys.stdout.write("\n".join(self._lines) + "\n")
            sys.stdout.flush()


def _end_in_any_case() -> None:
    """A model that does not answer must not keep the process: what it was asked is taken up at the next start."""

    def end() -> None:
        sys.stderr.write("prime: not everything ended in time; it goes on at the next start.\n")
        sys.stderr.flush()
        os._exit(0)

    alarm = threading.Timer(STOP_SECONDS, end)
    alarm.daemon = True
    alarm.start()


class _Quiet(uvicorn.Server):
    """A server beside the main one, which alone listens to signals."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def quiet_server(app: ASGIApp) -> uvicorn.Server:
    """A server for one more app in this process; it listens to no signals and is ended by `should_exit`."""
    return _Quiet(_config(app, lifespan="off"))


def run_server(settings: Settings, open_prime: Opener) -> None:
    """Serve until a signal ends it."""
    start_log(settings)
    door = _bind(settings.host, settings.port)
    run_loop(_serve(settings, open_prime, door))


@asynccontextmanager
async def local_door(settings: Settings, app: ASGIApp) -> AsyncGenerator[None]:
    """The data folder's socket, for as long as this process owns the folder: other commands find it there."""
    if settings.database_url is not None:
        yield
        return
    local = _Quiet(_config(LocalDoor(app), lifespan="off", inside=LocalProtocol))
    serving = asyncio.create_task(local.serve(sockets=[_bind_unix(DataFolder(settings.data_folder).socket)]))
    try:
        yield
    finally:
        local.should_exit = True
        await serving


def settle_interpreter() -> None:
    """Have the interpreter look for garbage and hand itself from thread to thread as suits a process that serves."""
    gc.set_threshold(*_COLLECT)
    sys.setswitchinterval(_TURN_SECONDS)


async def _serve(settings: Settings, open_prime: Opener, door: socket.socket) -> None:
    address = f"http://{_bracketed(settings.host)}:{door.getsockname()[1]}"
    settle_interpreter()
    async with open_prime(settings, base_url=address, serving=True) as prime:
        main = _Greeting(
            _config(
                prime.app,
                lifespan="on",
                proxies=settings.trusted_proxies,
                inside=patient_protocol(raise_limit(), is_closed=settings.owner_email is not None),
            ),
            _greeting(address, settings),
            prime.app.end_streams,
        )
        async with local_door(settings, prime.app):  # first: who is told that Prime runs may ask it by a command
            await main.serve(sockets=[door])


def _greeting(address: str, settings: Settings) -> list[str]:
    lines = [f"Prime is running at {address}", f"Data: {settings.data_folder}"]
    if settings.owner_email is None:
        lines.append("Open: everyone on this machine is the owner. PRIME_OWNER_EMAIL=you@example.com ends that.")
    if trouble := spec_trouble(settings.model):
        lines.append(f"PRIME_MODEL={settings.model} names no model, so the offline engine works. {trouble.hint}")
    return [*lines, "Stop with Ctrl-C."]


def _config(
    app: ASGIApp,
    lifespan: Literal["on", "off"],
    proxies: Sequence[str] = (),
    inside: type[PatientProtocol] | None = None,
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        # Anybody can send X-Forwarded-For; it counts only when one of these brings it.
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        http=cast("type[asyncio.Protocol]", doorstep(inside or patient_protocol(MOST))),
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws=cast("type[asyncio.Protocol]", web_socket),
        ws_max_size=WEB_SOCKET_BYTES,
    )


def web_socket(**settings: Any) -> asyncio.Protocol:
    """uvicorn's WebSocket protocol, read when the first one comes: most days nobody opens any."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    return WebSocketsSansIOProtocol(**settings)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Conflict(
                f"Port {port} on {host} is in use.",
                hint="If it is Prime, use that one; else choose another with --port.",
                code="port_in_use",
            ) from error
        raise InvalidInput(f"Cannot listen on {host}:{port}: {error.strerror or error}.", field="host") from error


def _bind_unix(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)  # the socket is born with mode 0600, not changed to it afterwards
    try:
        with socket_address(path) as address:
            door.bind(address)
    except OSError as error:
        raise InvalidInput(
            f"Cannot make the socket {path}: {error}.", hint="Its path may be too long; choose a shorter --data."
        ) from error
    finally:
        os.umask(before)
    door.listen(128)
    return door


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
