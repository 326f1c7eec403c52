"""A stand-in of one of Telegram's data centres, on loopback: what an unmodified client talks to over a real socket."""

import asyncio
import contextlib
import os
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.connectors.profiles.mtproto.account import Account, Refused
from tests.connectors.profiles.mtproto.exchange import Exchange, ServerKey
from tests.connectors.profiles.mtproto.methods import Methods, method
from tests.connectors.profiles.mtproto.telethons import GzipPacked, MessageContainer, functions, types
from tests.connectors.profiles.mtproto.wire import Ids, Packets, key_id, opened, parsed, result, sealed

UNKNOWN_KEY = struct.pack("<i", -404)
BAD_SALT = 48
WRAPPERS = (
    functions.InvokeWithLayerRequest,
    functions.InitConnectionRequest,
    functions.InvokeWithoutUpdatesRequest,
    functions.InvokeAfterMsgRequest,
)


@dataclass
class Link:
    """One connection of a client: its session, once it has one, and what was sent to it."""

    packets: Packets
    exchange: Exchange
    ids: Ids = field(default_factory=Ids)
    key: bytes = b""
    session: int = 0
    number: int = 0

    def send(self, salt: int, *bodies: bytes) -> None:
        messages = [(self.ids.next(), self._next_number(), body) for body in bodies]
        self.packets.write(sealed(self.key, salt, self.session, messages))

    def _next_number(self) -> int:
        self.number += 2
        return self.number - 1


class DataCentre:
    """Listens, agrees on keys, and answers for one account. Everything but the keys and the account may be cut off."""

    def __init__(self, account: Account, server_key: ServerKey) -> None:
        self.account = account
        self.server_key = server_key
        self.address = ("127.0.0.1", 0)
        self._keys: dict[bytes, bytes] = {}
        self._salt = int.from_bytes(os.urandom(7), "little")
        self._links: list[Link] = []
        self._server: asyncio.Server | None = None
        self._methods: Methods | None = None
        self.exchanges = 0
        account.tell = self._tell

    async def open(self) -> None:
        """Listen; at the same address as before, when there was one."""
        self._server = await asyncio.start_server(self._serve, *self.address)
        self.address = self._server.sockets[0].getsockname()
        self._methods = Methods(self.account, self.address)

    async def close(self) -> None:
        assert self._server
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    def cut(self) -> None:
        """Every connection breaks; clients may come again."""
        for link in self._links:
            link.packets.cut()

    def forget_keys(self) -> None:
        self._keys.clear()

    def change_salt(self) -> None:
        """As the real one does every half hour; whoever uses the old one is told."""
        self._salt += 1

    def _tell(self, update: Any) -> None:
        for link in self._links:
            if link.session and link.key in self.account.signed_in:
                link.send(self._salt, bytes(update))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(Packets(reader, writer), Exchange(self.server_key))
        self._links.append(link)
        try:
            while True:
                self._packet(link, await link.packets.read())
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._links.remove(link)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def _packet(self, link: Link, packet: bytes) -> None:
        if packet[:8] == bytes(8):
            link.packets.write(link.exchange.answer(packet))
            if link.exchange.key:
                self.exchanges += 1
                self._keys[key_id(link.exchange.key)] = link.exchange.key
            return
        key = self._keys.get(packet[:8])
        if key is None:
            link.packets.write(UNKNOWN_KEY)
            return
        got = opened(packet, key)
        link.key = key
        fresh = link.session != got.session
        link.session = got.session
        if got.salt != self._salt:
            link.send(self._salt, bytes(types.BadServerSalt(got.id, got.number, BAD_SALT, self._salt)))
            return
        if fresh:
            link.send(self._salt, bytes(types.NewSessionCreated(got.id, 1, self._salt)))
        if isinstance(got.content, MessageContainer):
            for message in got.content.messages:
                self._handle(link, message.msg_id, message.obj)
        else:
            self._handle(link, got.id, got.content)

    def _handle(self, link: Link, asked: int, request: Any) -> None:
        if isinstance(request, GzipPacked):
            request = parsed(request.data)
        while isinstance(request, WRAPPERS):
            request = request.query
        if isinstance(request, types.MsgsAck):
            return
        if isinstance(request, (functions.PingRequest, functions.PingDelayDisconnectRequest)):
            link.send(self._salt, bytes(types.Pong(asked, request.ping_id)))
            return
        self._answer(link, asked, request)

    def _answer(self, link: Link, asked: int, request: Any) -> None:
        assert self._methods
        try:
            said = self._methods.answer(request, link.key)
        except Refused as error:
            said = bytes(types.RpcError(error.code, error.message))
        self.account.changed.set()
        if self.account.lost[method(request)]:
            self.account.lost[method(request)] -= 1
            link.packets.cut()
        elif method(request) not in self.account.hung:
            link.send(self._salt, bytes(types.MsgsAck([asked])), result(asked, said))


@asynccontextmanager
async def data_centre(account: Account, server_key: ServerKey) -> AsyncGenerator[DataCentre]:
    centre = DataCentre(account, server_key)
    await centre.open()
    try:
        yield centre
    finally:
        await centre.close()
