"""The guarded client against a real server."""

import asyncio
import gzip
import logging
import ssl
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpcore2
import httpx2
import pytest
from tests.certificates import certificate

from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput, TooLarge, Unavailable
from prime.core.http import GuardedClient, GuardedTransport, NetworkPolicy, Refused, SystemResolver
from prime.core.http.dial import GuardedBackend

Server = Any
Resolving = Callable[..., Any]
LOCAL = NetworkPolicy(allow_private=True)
PUBLIC = NetworkPolicy()


async def test_get_and_post(server: Server):
    server.page("/a", b'{"x": [1]}', headers=["X-One: 1", "X-One: 2"])
    async with GuardedClient(LOCAL, user_agent="prime/test") as client:
        got = await client.get(server.url("/a#part"))
        await client.request("POST", server.url("/a"), json={"b": "é"}, headers={"X-Key": "v"})
    assert (got.status, got.ok, got.json(), got.headers["x-one"]) == (200, True, {"x": [1]}, "1, 2")
    assert got.url == server.url("/a")
    assert b"user-agent: prime/test" in server.heads[0].lower()
    assert b"content-type: application/json" in server.heads[1].lower()
    assert server.bodies[1].decode() == '{"b":"é"}'
    assert server.connections == 1, "connections are kept"


async def test_cookies_are_not_kept(server: Server):
    server.page("/a", headers=["Set-Cookie: a=b"])
    async with GuardedClient(LOCAL) as client:
        await client.get(server.url("/a"))
        await client.get(server.url("/a"))
    assert b"cookie" not in server.heads[1].lower()


@pytest.mark.holds("D-HUB-8")
async def test_loopback_is_refused_without_permission(server: Server):
    server.page("/", b"secret")
    async with GuardedClient(PUBLIC) as client:
        with pytest.raises(Refused):
            await client.get(server.url())
        with pytest.raises(Refused):
            await client.get(server.url(host="localhost"))
    assert server.connections == 0


@pytest.mark.holds("D-HUB-8")
async def test_a_listed_host_is_reached(server: Server, resolving: Resolving):
    server.page("/", b"hello")
    policy = NetworkPolicy(allow=[f"intra.example:{server.port}"])
    async with GuardedClient(policy, resolver=resolving(["127.0.0.1"])) as client:
        assert (await client.get(server.url(host="intra.example"))).body == b"hello"
        with pytest.raises(Refused):
            await client.get(server.url(host="other.example"))
    assert f"host: intra.example:{server.port}".encode() in server.heads[0].lower()


@pytest.mark.holds("D-HUB-8")
async def test_one_forbidden_address_among_good_ones_is_enough(server: Server, resolving: Resolving):
    async with GuardedClient(PUBLIC, resolver=resolving(["8.8.8.8", "127.0.0.1"])) as client:
        with pytest.raises(Refused):
            await client.get(server.url(host="mixed.example"))
    assert server.connections == 0


@pytest.mark.holds("D-HUB-8")
async def test_rebinding_finds_no_second_resolution(server: Server, resolving: Resolving):
    """The name is asked for once per connection, and what was checked is what is dialled."""
    server.page("/", b"ok")
    policy = NetworkPolicy(allow=["127.0.0.1/32"])
    first = resolving(["127.0.0.1"], ["10.0.0.1"])
    async with GuardedClient(policy, resolver=first) as client:
        assert (await client.get(server.url(host="rebind.example"))).body == b"ok"
    assert first.asked == ["rebind.example"]
    second = resolving(["10.0.0.1"], ["127.0.0.1"])
    async with GuardedClient(policy, resolver=second) as client:
        with pytest.raises(Refused):
            await client.get(server.url(host="rebind.example"))
    assert second.asked == ["rebind.example"]


ODD_ANSWERS = [
    [], ["fe80::1%eth0"], ["not-an-address"], ["::ffff:127.0.0.1"], ["0x7f000001"], ["127.0.0.1", "fe80::1%eth0"]
]  # fmt: skip


@pytest.mark.parametrize("answer", ODD_ANSWERS)
async def test_odd_answers_of_the_resolver(answer: list[str], resolving: Resolving):
    async with GuardedClient(LOCAL, resolver=resolving(answer)) as client:
        with pytest.raises(Refused):
            await client.get("http://odd.example/")


async def test_the_next_address_is_tried(server: Server, resolving: Resolving):
    server.page("/", b"ok")
    async with GuardedClient(LOCAL, resolver=resolving(["127.0.0.2", "127.0.0.1"])) as client:
        assert (await client.get(server.url(host="two.example"))).body == b"ok"


async def test_environment_proxies_are_ignored(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    server.page("/", b"direct")
    async with GuardedClient(LOCAL) as client:
        assert (await client.get(server.url())).body == b"direct"


async def test_redirects_on_the_same_host(server: Server):
    server.page("/old", status="302 Found", headers=["Location: /new"])
    server.page("/new", b"here")
    async with GuardedClient(LOCAL) as client:
        got = await client.request("POST", server.url("/old"), json=[1], headers={"Authorization": "Bearer x"})
    assert (got.body, got.url) == (b"here", server.url("/new"))
    assert server.heads[1].startswith(b"GET /new ")
    assert server.bodies[1] == b""
    assert [b"content-type" in head.lower() for head in server.heads] == [True, False]


async def test_a_307_sends_the_body_again(server: Server):
    server.page("/old", status="307 Temporary Redirect", headers=["Location: /new"])
    server.page("/new")
    async with GuardedClient(LOCAL) as client:
        await client.request("POST", server.url("/old"), content="abc")
    assert server.heads[1].startswith(b"POST /new ")
    assert server.bodies == [b"abc", b"abc"]


@pytest.mark.holds("D-HUB-8")
async def test_redirect_to_loopback_or_elsewhere_is_refused(server: Server, resolving: Resolving):
    server.page("/", status="302 Found", headers=[f"Location: http://127.0.0.1:{server.port}/secret"])
    server.page("/secret", b"secret")
    policy = NetworkPolicy(allow=["outside.example"])
    async with GuardedClient(policy, resolver=resolving(["127.0.0.1"])) as client:
        with pytest.raises(Refused):
            await client.get(server.url(host="outside.example"))
    assert len(server.heads) == 1


async def test_redirects_without_end(server: Server):
    server.page("/", status="302 Found", headers=["Location: /"])
    async with GuardedClient(LOCAL, max_redirects=3) as client:
        with pytest.raises(Refused):
            await client.get(server.url())
    assert len(server.heads) == 4


async def test_endless_body_is_cut_off(server: Server):
    closed = asyncio.Event()

    async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: bytes) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            while True:
                writer.write(b"400\r\n" + b"x" * 1024 + b"\r\n")
                await writer.drain()
        finally:
            closed.set()

    server.handlers["/"] = endless
    async with GuardedClient(LOCAL) as client:
        with pytest.raises(Refused):
            await client.request("GET", server.url(), max_bytes=10_000)
        await asyncio.wait_for(closed.wait(), 5)


async def test_announced_size_is_enough_to_refuse(server: Server):
    server.page("/", b"x" * 101)
    async with GuardedClient(LOCAL) as client:
        with pytest.raises(Refused):
            await client.request("GET", server.url(), max_bytes=100)
        assert len((await client.request("GET", server.url(), max_bytes=101)).body) == 101
        head = await client.request("HEAD", server.url(), max_bytes=100)
    assert head.headers["content-length"] == "101"


async def test_nobody_waits_for_a_body_that_is_announced_too_large(server: Server):
    async def announce(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: bytes) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(20)

    server.handlers["/"] = announce
    async with GuardedClient(LOCAL) as client:
        with pytest.raises(Refused):
            await asyncio.wait_for(client.request("GET", server.url(), max_bytes=100), 5)


async def test_what_unpacks_to_nothing_has_an_end_as_well(server: Server):
    async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: bytes) -> None:
        nothing = gzip.compress(b"") * 50
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"%x\r\n%s\r\n" % (len(nothing), nothing))
            await writer.drain()

    server.handlers["/"] = endless
    async with GuardedClient(LOCAL) as client:
        with pytest.raises(Refused):
            await asyncio.wait_for(client.request("GET", server.url(), max_bytes=10_000), 5)


async def test_slow_drip_ends_at_the_total_time(server: Server):
    """Every byte comes in time, all together do not."""
    clock = FakeClock()
    dripping = asyncio.Event()
    gone = asyncio.Event()

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx")
        await writer.drain()
        dripping.set()
        await reader.read()
        gone.set()

    server.handlers["/"] = drip
    async with GuardedClient(LOCAL, clock=clock) as client:
        asked = asyncio.ensure_future(client.request("GET", server.url(), timeout=3.0))
        await dripping.wait()
        clock.advance(2.9)
        await asyncio.sleep(0)
        assert not asked.done()
        clock.advance(0.2)
        with pytest.raises(Refused) as caught:
            await asked
        await asyncio.wait_for(gone.wait(), 5)
    assert caught.value.passing
    assert str(caught.value) == str(Refused())


async def test_a_resolver_that_hangs_ends_too():
    clock = FakeClock()
    asked = asyncio.Event()

    class Hanging:
        async def resolve(self, host: str, port: int) -> list[str]:
            asked.set()
            await asyncio.Event().wait()
            return []

    async with GuardedClient(PUBLIC, clock=clock, resolver=Hanging()) as client:
        waiting = asyncio.ensure_future(client.get("http://slow.example/"))
        await asked.wait()
        clock.advance(11)
        with pytest.raises(Refused):
            await waiting


async def test_cancelling_the_caller_ends_the_request(server: Server):
    started = asyncio.Event()
    gone = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter, __: bytes) -> None:
        started.set()
        await reader.read()
        gone.set()

    server.handlers["/"] = silent
    async with GuardedClient(LOCAL) as client:
        asked = asyncio.ensure_future(client.get(server.url()))
        await started.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await asyncio.wait_for(gone.wait(), 5)


async def test_gzip_bomb(server: Server):
    bomb = gzip.compress(b"\0" * 50_000_000)
    assert len(bomb) < 60_000
    server.page("/", bomb, headers=["Content-Encoding: gzip"])
    server.page("/twice", gzip.compress(bomb), headers=["Content-Encoding: gzip, gzip"])
    async with GuardedClient(LOCAL) as client:
        for path in ("/", "/twice"):
            with pytest.raises(Refused):
                await client.request("GET", server.url(path), max_bytes=100_000)


async def test_compressed_bodies(server: Server):
    text = b"hello " * 1000
    raw = zlib.compressobj(wbits=-15)
    server.page("/gzip", gzip.compress(text[:3000]) + gzip.compress(text[3000:]), headers=["Content-Encoding: gzip"])
    server.page("/deflate", zlib.compress(text), headers=["Content-Encoding: deflate"])
    server.page("/raw", raw.compress(text) + raw.flush(), headers=["Content-Encoding: deflate"])
    server.page("/broken", gzip.compress(text)[:-10], headers=["Content-Encoding: gzip"])
    server.page("/liar", b"not gzip", headers=["Content-Encoding: gzip"])
    server.page("/br", b"x", headers=["Content-Encoding: br"])
    async with GuardedClient(LOCAL) as client:
        for path in ("/gzip", "/deflate", "/raw"):
            assert (await client.get(server.url(path))).body == text
        for path in ("/broken", "/liar"):
            with pytest.raises(Unavailable):
                await client.get(server.url(path))
        with pytest.raises(Refused):
            await client.get(server.url("/br"))


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "a\r\nX-B: b"},
        {"X-A": "a\nb"},
        {"X-A": "a\x00"},
        {"X-A": "日本"},
        {"X A": "b"},
        {"X-A\r\nX-B": "c"},
        {"": "x"},
        {"Host": "internal"},
        {"Transfer-Encoding": "chunked"},
        {"content-length": "3"},
        {"Proxy-Authorization": "x"},
    ],
)
async def test_headers_that_would_change_the_message(server: Server, headers: dict[str, str]):
    async with GuardedClient(LOCAL) as client:
        with pytest.raises(InvalidInput):
            await client.get(server.url(), headers=headers)
    assert server.heads == []


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "GET /x HTTP/1.1\r\nX:", ""])
async def test_methods(server: Server, method: str):
    async with GuardedClient(LOCAL) as client:
        with pytest.raises(InvalidInput):
            await client.request(method, server.url())


async def test_deep_json_is_no_crash(server: Server):
    server.page("/", b"[" * 100_000)
    server.page("/bad", b"{")
    async with GuardedClient(LOCAL) as client:
        deep = await client.get(server.url())
        with pytest.raises(TooLarge):
            deep.json()
        with pytest.raises(InvalidInput):
            (await client.get(server.url("/bad"))).json()


async def test_nobody_listening_is_unavailable(server: Server, unused_tcp_port: int):
    async with GuardedClient(LOCAL) as client:
        with pytest.raises(Unavailable):
            await client.get(f"http://127.0.0.1:{unused_tcp_port}/")


@pytest.mark.holds("D-HUB-8")
async def test_the_reason_is_in_the_debug_log_only(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG, logger="prime.core.http")
    async with GuardedClient(PUBLIC) as client:
        with pytest.raises(Refused) as caught:
            await client.get("http://10.1.2.3/")
    assert "10.1.2.3" in caplog.text
    assert "10.1.2.3" not in str(caught.value.as_json())


async def test_the_transport_guards_other_peoples_clients(server: Server):
    server.page("/", b"ok")
    async with httpx2.AsyncClient(transport=GuardedTransport(LOCAL), trust_env=False) as client:
        assert (await client.get(server.url())).content == b"ok"
    async with httpx2.AsyncClient(transport=GuardedTransport(PUBLIC), trust_env=False) as client:
        with pytest.raises(Refused):
            await client.get(server.url())


async def test_tls_checks_the_name_not_the_address(start_server: Any, resolving: Resolving, tmp_path: Path):
    cert, key = certificate(tmp_path, "good.example")
    names: list[str | None] = []
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(cert, key)
    tls.sni_callback = lambda _, name, __: names.append(name)
    server = await start_server(tls)
    server.page("/", b"ok")
    trusting = ssl.create_default_context(cafile=str(cert))
    async with GuardedClient(LOCAL, resolver=resolving(["127.0.0.1"]), ssl_context=trusting) as client:
        assert (await client.get(server.url(host="good.example", scheme="https"))).body == b"ok"
        with pytest.raises(Unavailable):
            await client.get(server.url(host="evil.example", scheme="https"))
    async with GuardedClient(LOCAL, resolver=resolving(["127.0.0.1"])) as client:
        with pytest.raises(Unavailable):
            await client.get(server.url(host="good.example", scheme="https"))
    assert names[0] == "good.example"


async def test_a_connection_to_another_address_than_was_checked_is_dropped() -> None:
    """Something below may have its own mind about where to connect, as transparent proxies do."""

    class Stream(httpcore2.AsyncNetworkStream):
        closed = False

        def get_extra_info(self, info: str) -> object:
            return ("10.0.0.7", 80) if info == "server_addr" else None

        async def aclose(self) -> None:
            self.closed = True

    class Elsewhere(httpcore2.AsyncNetworkBackend):
        async def connect_tcp(self, *_: object, **__: object) -> Stream:
            return stream

    stream = Stream()
    backend = GuardedBackend(NetworkPolicy(), SystemResolver())
    backend._network = Elsewhere()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Refused):
        await backend.connect_tcp("93.184.216.34", 80)
    assert stream.closed


async def test_no_socket_of_this_machine_is_reached() -> None:
    with pytest.raises(Refused):
        await GuardedBackend(LOCAL, SystemResolver()).connect_unix_socket("/run/docker.sock")


@pytest.mark.parametrize("host", ["0177.0.0.1", "2130706433", "127.1", "0x7f.1", "localhost.", "a b"])
async def test_the_dialling_itself_takes_no_odd_name(host: str, resolving: Resolving) -> None:
    """Whoever uses the transport without our reading of URLs."""
    with pytest.raises(Refused):
        await GuardedBackend(LOCAL, resolving(["127.0.0.1"])).connect_tcp(host, 80)
