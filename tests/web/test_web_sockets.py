"""WebSockets at the door: who shows nothing is answered there."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol


class Serving(Protocol):
    url: str
    data: Path


UPGRADE = {
    "Host": "{host}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}  # fmt: skip


def web_socket(url: str, **more: str) -> tuple[int, dict[str, Any]]:
    """How a WebSocket is answered that somebody asks for."""
    host, _, port = url.removeprefix("http://").partition(":")
    head = "".join(f"{name}: {value.format(host=f'{host}:{port}')}\r\n" for name, value in (UPGRADE | more).items())
    with socket.create_connection((host, int(port)), 10) as line:
        line.sendall(f"GET /mcp/ws HTTP/1.1\r\n{head}\r\n".encode())
        said = line.recv(65536)
        if b" 101 " not in said[:20]:
            while piece := line.recv(65536):
                said += piece
    head_said, _, body = said.partition(b"\r\n\r\n")
    return int(head_said.split()[1]), {} if b" 101 " in said[:20] else json.loads(body)


def test_a_web_socket_that_nobody_known_asks_for_costs_one_answer(serve: Callable[..., Serving]) -> None:
    """It does not come as far as what serves MCP, which says it in other words; with a token, known or not, it does."""
    serving = serve(PRIME_OWNER_EMAIL="me@example.com")
    status, said = web_socket(serving.url)
    assert (status, said["error"]["message"], bool(said["error"]["hint"])) == (401, "This needs a token.", True)
    status, said = web_socket(serving.url, Authorization="Bearer made-up")
    assert (status, said["error"]["code"]) == (401, "unknown_token")
    words = ("mcp", "token", "create", "mine", "--data", str(serving.data), "--json")
    made = subprocess.run([sys.executable, "-m", "prime", *words], capture_output=True, text=True, check=True)
    assert web_socket(serving.url, Authorization=f"Bearer {json.loads(made.stdout)['token']}") == (101, {})


def test_an_open_instance_takes_web_sockets_from_its_machine(serve: Callable[..., Serving]) -> None:
    assert web_socket(serve().url) == (101, {})
