"""A service elsewhere, which lives in this process."""

import threading
from abc import ABC, abstractmethod
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlparse


class Asked(NamedTuple):
    method: str
    path: str
    query: dict[str, str]
    body: str


class Answer(NamedTuple):
    kind: str
    body: bytes


class Elsewhere(ABC):
    """What it answers is up to who derives from it; each who asks has a thread of their own, and so may be kept waiting."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url: str = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @abstractmethod
    def answer(self, asked: Asked) -> Answer: ...


def _handler(service: Elsewhere) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its name there)
            """Quiet."""

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            to = urlparse(self.path)
            body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
            answer = service.answer(Asked(self.command, to.path, dict(parse_qsl(to.query)), body))
            try:
                self.send_response(200)
                self.send_header("content-type", answer.kind)
                self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
            except OSError:
                pass  # whoever asked is gone

    return Handler
