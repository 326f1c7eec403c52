"""Connections that strangers hold: beyond a number the one that was quiet longest is let go."""

import asyncio
import resource
import socket
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from prime.core.process import Command, SandboxPolicy, containment, run
from prime.web.connections import MOST, Connections, GuestConnections, raise_limit
from prime.web.doorstep import doorstep
from prime.web.patience import MOST_HEAD, LocalProtocol, PatientProtocol, patient_protocol
from prime.web.shared_room import SharedRoom

Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
HELD = 5
OF_A_GUEST = 3


class Line:
    def __init__(self) -> None:
        self.gone = False

    def let_go(self) -> None:
        self.gone = True


def test_the_longest_quiet_goes_first_and_known_ones_stay() -> None:
    held, lines = Connections(3), [Line() for _ in range(6)]
    for line in lines[:3]:
        held.add(line)
    held.remove(lines[0])  # somebody known
    held.note_request(lines[1])
    held.add(lines[3])
    assert not any(line.gone for line in lines)
    held.add(lines[4])
    held.add(lines[5])
    assert [line.gone for line in lines] == [False, True, True, False, False, False]
    held.note_request(lines[0])
    held.remove(lines[1])
    assert len(held) == 3


def test_each_guest_has_a_number_of_their_own() -> None:
    guests, ana, bo = GuestConnections(2), [Line() for _ in range(4)], [Line() for _ in range(2)]
    for line in ana[:2]:
        guests.add(line, "ana")
    for line in bo:
        guests.add(line, "bo")
    guests.add(ana[0], "ana")  # heard again
    guests.add(ana[2], "ana")
    assert [line.gone for line in ana] == [False, True, False, False]
    guests.remove(ana[0])
    guests.remove(ana[1])
    guests.add(ana[2], "bo")  # a proxy's, that brings somebody else
    guests.add(ana[3], "ana")
    assert ([line.gone for line in ana], [line.gone for line in bo]) == ([False, True, False, False], [True, False])


def test_there_is_room_left_beside_them() -> None:
    fits = raise_limit()
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert fits == MOST or fits * 2 <= soft


gone: "asyncio.Queue[str]" = asyncio.Queue()


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/known":
        scope["prime.keep"](None)
    if scope["path"].startswith("/guest/"):
        scope["prime.keep"](scope["path"])
    if scope["path"] == "/slow":
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.put_nowait(scope["path"])
    seen = {}
    if scope["path"] == "/heads":
        while (await receive()).get("more_body"):
            pass
        seen = {"x-heads": b" ".join(name for name, _ in scope["headers"]).decode()}
    await PlainTextResponse("ok", headers=seen)(scope, receive, send)


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    door = socket.create_server(("127.0.0.1", 0))
    inside = patient_protocol(HELD)
    inside.head_seconds = 0.5
    inside.of_guests = GuestConnections(OF_A_GUEST)
    opened: list[asyncio.StreamWriter] = []

    async def open_one() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(*door.getsockname())
        opened.append(writer)
        return reader, writer

    async with serving(door, inside):
        yield open_one
        for writer in opened:
            writer.close()


@asynccontextmanager
async def serving(door: socket.socket, inside: type[PatientProtocol]) -> AsyncGenerator[None]:
    http = cast("type[asyncio.Protocol]", doorstep(inside))
    config = uvicorn.Config(answer, http=http, lifespan="off", log_config=None, ws="none")
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[door]))
    while not server.started:  # noqa: ASYNC110  (uvicorn has no event for it)
        await asyncio.sleep(0.005)
    yield
    server.should_exit = True
    await running


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> bytes:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    return head.split(b" ")[1] + b" " + await reader.readexactly(2)


async def test_who_holds_connections_keeps_nobody_out(connect: Connect) -> None:
    known = await connect()
    assert await ask(*known, "/known") == b"200 ok"
    silent = [await connect() for _ in range(4 * HELD)]
    for reader, _ in silent[:-HELD]:
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):  # let go
            await asyncio.wait_for(reader.readexactly(1), 10)
    late = await connect()
    assert await ask(*late, "/") == b"200 ok"
    assert await ask(*known, "/") == b"200 ok"  # as long as anybody known was there once


async def test_a_guest_who_holds_connections_keeps_nobody_out(connect: Connect) -> None:
    """A guest is known, so that a stranger's number does not hold them; theirs does, whatever they are at."""
    known, other = await connect(), await connect()
    assert await ask(*known, "/known") == b"200 ok"
    assert await ask(*other, "/guest/bo") == b"200 ok"
    held: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    for _ in range(2 * OF_A_GUEST):
        reader, writer = await connect()
        assert await ask(reader, writer, "/guest/ana") == b"200 ok"
        writer.write(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        held.append((reader, writer))
    for reader, _ in held[:OF_A_GUEST]:
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):  # let go
            await asyncio.wait_for(reader.readexactly(1), 10)
    assert [await ask(*known, "/"), await ask(*other, "/")] == [b"200 ok"] * 2
    for reader, writer in held[OF_A_GUEST:]:
        assert not reader.at_eof()
        writer.transport.abort()
    for _ in held:
        assert await asyncio.wait_for(gone.get(), 10) == "/slow"


async def test_who_asks_for_much_and_goes_leaves_nothing_to_do_and_nothing_to_read(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    _, writer = await connect()
    writer.write(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.transport.abort()
    assert await asyncio.wait_for(gone.get(), 10) == "/slow"
    await asyncio.sleep(0.05)
    assert (gone.empty(), caplog.records) == (True, [])


HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    return await asyncio.wait_for(reader.read(), 10)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"\x16\x03\x01\x00\xc8\x01\x00", b"400"),
        (b"get / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\nHost: x\n\n", b"400"),
        (HEAD + b"X: " + b"a" * MOST_HEAD, b"431"),
        (HEAD + b"X: " + b"a" * MOST_HEAD + b"\r\n\r\n", b"431"),
        (HEAD + b"X: a\r\n" * 20_000 + b"\r\n", b"431"),
    ],
    ids=["TLS", "small letters", "no carriage returns", "a head without end", "a long line", "many lines"],
)
async def test_what_is_no_request_is_refused_at_the_door(connect: Connect, said: bytes, status: bytes) -> None:
    reader, writer = await connect()
    writer.write(said)
    answer = await until_closed(reader)
    assert answer.split(b" ")[1] == status
    assert b"connection: close" in answer


async def test_a_later_head_has_an_end_as_well(connect: Connect) -> None:
    reader, writer = await connect()
    assert await ask(reader, writer, "/known") == b"200 ok"
    writer.write(HEAD)
    writer.write(b"X: aaaa\r\n" * 100_000)  # more than is ever read at once
    assert (await until_closed(reader)).split(b" ")[1] == b"431"


async def test_a_head_may_come_in_pieces(connect: Connect) -> None:
    reader, writer = await connect()
    for letter in HEAD + b"\r\n":
        writer.write(bytes([letter]))
        await writer.drain()
        await asyncio.sleep(0)
    assert (await asyncio.wait_for(reader.readuntil(b"ok"), 10)).startswith(b"HTTP/1.1 200")
    # Two at once, and what comes behind them.
    writer.write((HEAD + b"\r\n") * 2)
    for _ in range(2):
        assert b"200" in await asyncio.wait_for(reader.readuntil(b"ok"), 10)


async def test_a_body_may_come_with_its_head() -> None:
    """In one piece, as long as it likes, and whatever is in it."""
    said: list[bytes] = []

    class Wire(asyncio.Transport):
        def set_protocol(self, protocol: asyncio.BaseProtocol) -> None: ...

    class Inside(PatientProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None: ...

        def data_received(self, data: bytes) -> None:
            said.append(data)

    config = uvicorn.Config(answer, lifespan="off", log_config=None, ws="none")
    step = doorstep(Inside)(config=config, server_state=ServerState(), app_state={})
    step.connection_made(Wire())
    whole = b"POST / HTTP/1.1\r\nHost: x\r\n\r\n" + b"a" * MOST_HEAD + b"\n\n"
    step.data_received(whole)
    assert said == [whole]


async def test_who_never_says_a_whole_head_is_let_go(connect: Connect) -> None:
    begun, writer = await connect()
    writer.write(HEAD)
    silent, _ = await connect()
    assert [await until_closed(reader) for reader in (begun, silent)] == [b"", b""]


async def test_who_begins_another_request_and_does_not_end_it_is_let_go(connect: Connect) -> None:
    reader, writer = await connect()
    assert await ask(reader, writer, "/") == b"200 ok"
    writer.write(HEAD)
    assert await until_closed(reader) == b""


async def test_what_follows_a_body_adds_nothing_to_the_head(connect: Connect) -> None:
    reader, writer = await connect()
    writer.write(
        b"POST /heads HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Late: 1\r\n\r\n"
    )
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    assert b"x-heads: host transfer-encoding\r\n" in head


def test_every_server_counts_its_own() -> None:
    assert patient_protocol(1).held is not patient_protocol(1).held
    assert issubclass(patient_protocol(1), PatientProtocol)


async def test_what_follows_a_body_has_an_end_as_well(connect: Connect) -> None:
    reader, writer = await connect()
    writer.write(b"POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-A: ")
    for _ in range(64):
        writer.write(b"a" * MOST_HEAD)
        try:
            await writer.drain()
        except ConnectionError:
            break
        await asyncio.sleep(0)
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await asyncio.wait_for(reader.readexactly(1), 10)


def test_large_bodies_share_their_room_and_the_longest_goes_first() -> None:
    room, lines = SharedRoom(most=100, small=10), [Line() for _ in range(5)]
    room.hold(lines[0], 10)  # small
    room.hold(lines[1], 20)
    room.hold(lines[2], 40)
    room.hold(lines[1], 60)
    assert not any(line.gone for line in lines)
    room.hold(lines[3], 11)
    assert [line.gone for line in lines] == [False, True, False, False, False]
    room.end(lines[2])
    room.hold(lines[4], 89)
    assert sum(line.gone for line in lines) == 1


@pytest.mark.holds("D-HUB-10")
async def test_a_program_behind_walls_is_not_the_owner(tmp_path: Path) -> None:
    if containment().name != "namespace":
        pytest.skip("no sandbox works on this machine")
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(tmp_path / "door"))
    code = (
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('door');"
        "s.sendall(b'GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');"
        "print(s.recv(99).split()[1].decode())"
    )
    async with serving(door, LocalProtocol):
        for policy in (SandboxPolicy(), SandboxPolicy(network=False, read_only=True)):
            done = await run(Command(argv=(sys.executable, "-c", code), cwd=str(tmp_path), sandbox=policy))
            assert done.stdout == b"403\n", done
        person = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, cwd=tmp_path, stdout=asyncio.subprocess.PIPE
        )
        assert (await person.communicate())[0] == b"200\n"
